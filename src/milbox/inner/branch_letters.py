"""Which letters does a domain have, what do they say to a network, and which letters is a point made of?

A letter is one feasible joint state of one of the domain's groups of variables. The groups are independent
but for ties: sums over several of them that must keep within limits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array

from milbox.arrays import BoolArray, FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.blocks import Block, PartialSum, tied_blocks
from milbox.domain.model.expressions import Linear

DENSE = 1 << 20
"""Up to so many combinations of codes, a table says which state each is."""


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Blocks whose variables have the same joint states."""

    places: IntArray
    """(blocks,): where they are among all blocks."""
    variables: IntArray
    """(blocks, variables of each)"""
    states: IntArray
    """(states, variables of each)"""

    def numbers(self, codes: IntArray) -> IntArray:
        """Which state each row of (n, blocks, variables) codes is, or -1."""
        low, high = self.states.min(axis=0), self.states.max(axis=0)
        size = [int(n) for n in high - low + 1]
        if math.prod(size) > DENSE:
            number = {tuple(state): k for k, state in enumerate(self.states.tolist())}
            rows = codes.reshape(-1, codes.shape[2]).tolist()
            return np.array([number.get(tuple(row), -1) for row in rows]).reshape(codes.shape[:2])
        strides = np.array([math.prod(size[i + 1 :]) for i in range(len(size))])
        table = np.full(math.prod(size), -1)
        table[(self.states - low) @ strides] = np.arange(len(self.states))
        legal: BoolArray = ((codes >= low) & (codes <= high)).all(axis=2)
        place = np.where(legal, (codes - low) @ strides, 0)
        numbers: IntArray = np.where(legal, table[place], -1)
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """A point must have g <= 0 or, where level, g = 0, for g = bias + sum_p table[first_p + a_p]."""

    table: FloatArray
    """(letters, ties), whole numbers"""
    bias: FloatArray
    level: BoolArray

    @property
    def largest(self) -> float:
        """No sum can get larger, on either side."""
        return float((np.abs(self.table).sum(axis=0) + np.abs(self.bias)).max())


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """The letters of a domain, block after block."""

    blocks: tuple[Block, ...]
    first: IntArray
    """(blocks + 1,): the first letter of each block, and the number of letters."""
    features: csr_array
    """(letters, features): what each letter adds to the encoded point."""
    groups: tuple[Alike, ...]
    ties: Ties | None = None
    """What a choice of letters must satisfy to be a point."""

    def numbers(self, points: Sequence[Point] | IntArray) -> IntArray:
        """Points as the number of a state for each block, one a row; without points outside the domain."""
        codes = as_array(points, sum(len(block.variables) for block in self.blocks))
        numbers = np.empty((len(codes), len(self.blocks)), dtype=np.int64)
        for group in self.groups:
            numbers[:, group.places] = group.numbers(codes[:, group.variables])
        return numbers[(numbers >= 0).all(axis=1)]

    def points(self, numbers: IntArray) -> IntArray:
        """The points, one a row, that have these states."""
        points = np.empty((len(numbers), sum(len(b.variables) for b in self.blocks)), dtype=np.int64)
        for place, block in enumerate(self.blocks):
            points[:, block.variables] = block.states[numbers[:, place]]
        return points


@lru_cache(maxsize=16)
def letters(domain: Domain, limit: int) -> Letters | None:
    """The letters of a domain; None when one of its groups has more than `limit` states, or one has none."""
    tied = tied_blocks(domain, limit)
    if tied is None or not all(len(block.states) for block in tied.blocks):
        return None
    found = tied.blocks
    first = np.concatenate([[0], np.cumsum([len(block.states) for block in found])])
    ties = letter_ties(domain, tied.ties, found)
    return Letters(found, first, letter_features(domain, found, first), alike(found), ties)


def letter_ties(domain: Domain, ties: Sequence[Linear], found: Sequence[Block]) -> Ties | None:
    """What each letter adds to each side of each tie that there is; None when there is none."""
    tables: list[FloatArray] = []
    bias: list[float] = []
    level: list[bool] = []
    for tie in ties:
        adds = letter_sums(domain, tie, found)
        if tie.lower == tie.upper and float(tie.upper).is_integer():
            sides = [(1.0, tie.upper, True)]
        else:
            sides = [(1.0, tie.upper, False), (-1.0, tie.lower, False)]
        for way, limit, equal in sides:
            if math.isfinite(limit):
                tables.append(way * adds)
                # A limit between two whole numbers is reached at the one inside.
                bias.append(-float(math.floor(way * limit)))
                level.append(equal)
    return Ties(np.column_stack(tables), np.array(bias), np.array(level)) if tables else None


def letter_sums(domain: Domain, tie: Linear, found: Sequence[Block]) -> FloatArray:
    """What each letter adds to a sum."""
    members = sorted(domain.index[v.name] for v in tie.variables)
    by_code = PartialSum.of(tie, domain.variables, members).tables
    adds = []
    for block in found:
        added = np.zeros(len(block.states))
        for i, codes in zip(block.variables, block.states.T, strict=True):
            if i in by_code:
                added += by_code[i][codes - domain.variables[i].codes[0]]
        adds.append(added)
    return np.concatenate(adds)


def letter_features(domain: Domain, found: Sequence[Block], first: IntArray) -> csr_array:
    """What each letter adds to the encoded point, which is the sum over its letters."""
    places = domain.coding
    rows, columns, values = [], [], []
    for start, block in zip(first[:-1], found, strict=True):
        for i, codes in zip(block.variables, block.states.T, strict=True):
            hot = bool(places.onehot[i])
            rows.append(start + np.arange(len(codes)))
            columns.append(places.start[i] + (codes - places.low[i] if hot else np.zeros_like(codes)))
            values.append(np.ones(len(codes)) if hot else codes.astype(np.float64))
    shape = (int(first[-1]), domain.features)
    features = csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    )
    features.eliminate_zeros()
    return features


def alike(found: Sequence[Block]) -> tuple[Alike, ...]:
    """The blocks by their states, so that many small ones are looked up at once."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for place, block in enumerate(found):
        groups.setdefault((block.states.shape[1], block.states.tobytes()), []).append(place)
    return tuple(
        Alike(np.array(places), np.array([found[p].variables for p in places]), found[places[0]].states)
        for places in groups.values()
    )


def as_array(points: Sequence[Point] | IntArray, width: int) -> IntArray:
    """Points as an array, one a row."""
    if not isinstance(points, np.ndarray):
        try:
            # Three times as fast as NumPy's own way, which looks at each number's type.
            flat = np.frombuffer(b"".join(map(bytes, points)), dtype=np.uint8)
        except ValueError:  # codes beyond 0..255
            flat = np.array(points)
        points = flat.astype(np.int64)
    return points.reshape(-1, width)
