"""Symmetries: maps of a domain onto itself that the user declares to leave the objective unchanged.

A symmetry is made of moves. A move is a permutation of statements "this variable has this code": it says of
each what becomes of it in the image of a point. The moves of all symmetries generate a group, and the images
of a point under the group are its orbit.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from milbox.arrays import IntArray, Point
from milbox.domain.constraints.automata import letters_of
from milbox.domain.constraints.kinds import Table, conjuncts
from milbox.domain.kept import kept
from milbox.domain.model.text import value_text
from milbox.domain.model.variables import Variable
from milbox.domain.rewriting import Statement, form

if TYPE_CHECKING:
    from milbox.domain.domain import Domain

MOST_IMAGES = 720
"""The most images that a point may have, itself included."""

Move = Mapping[Statement, Statement]
"""What becomes of each statement (name, code); statements that are left out stay as they are."""

DNA = {"A": "T", "C": "G", "G": "C", "T": "A"}


class Symmetry:
    """A map of points that changes no value of the objective; a kind derives from this."""

    __slots__ = ()

    kind: ClassVar[str]
    variables: tuple[Variable, ...]

    def moves(self) -> list[Move]:
        """Moves that generate the symmetry."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The symmetry as plain JSON."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReverseComplement(Symmetry):
    """The sequence read backwards, with each letter replaced by its complement."""

    kind: ClassVar[str] = "reverse_complement"

    variables: tuple[Variable, ...]
    complement: tuple[tuple[Any, Any], ...]

    def moves(self) -> list[Move]:
        """One move, which undoes itself."""
        pairs = dict(self.complement)
        return [
            {
                (v.name, code): (other.name, other.code(pairs[v.value(code)]))
                for v, other in zip(self.variables, reversed(self.variables), strict=True)
                for code in v.codes
            }
        ]

    def to_json(self) -> dict[str, Any]:
        """The variables by name, and the pairs of letters."""
        return {
            "kind": self.kind,
            "variables": [v.name for v in self.variables],
            "complement": [list(pair) for pair in self.complement],
        }

    def __str__(self) -> str:
        return f"reverse_complement({ends(self.variables)})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interchangeable(Symmetry):
    """Values that are mere names: they may be exchanged for one another in all of the variables at once."""

    kind: ClassVar[str] = "interchangeable"

    variables: tuple[Variable, ...]
    values: tuple[Any, ...]

    def moves(self) -> list[Move]:
        """Exchanges of one value for the next."""
        return [
            {
                (v.name, v.code(old)): (v.name, v.code(new))
                for v in self.variables
                for old, new in ((first, second), (second, first))
            }
            for first, second in itertools.pairwise(self.values)
        ]

    def to_json(self) -> dict[str, Any]:
        """The variables by name, and the values."""
        return {
            "kind": self.kind,
            "variables": [v.name for v in self.variables],
            "values": list(self.values),
        }

    def __str__(self) -> str:
        return f"interchangeable({ends(self.variables)}, [{', '.join(map(value_text, self.values))}])"


def reverse_complement(sequence: Any, complement: Mapping[Any, Any] | None = None) -> ReverseComplement:
    """A sequence is worth as much as its reverse complement: the other strand of the same DNA.

    Args:
        sequence: variables with the same values, such as a categorical array of letters.
        complement: the complement of each letter; that of A, C, G and T when it is left out.
    """
    variables = letters_of(sequence)
    letters = [variables[0].value(code) for code in variables[0].codes]
    pairs: dict[Any, Any] = dict(DNA if complement is None else complement)
    for letter in letters:
        if pairs.get(letter) not in letters or pairs.get(pairs.get(letter)) != letter:
            raise ValueError(
                f"the letter {letter!r} has no complement among {letters} whose complement it is; "
                f"give one for every letter, as in complement={{'A': 'U', 'U': 'A', ...}}"
            )
    return ReverseComplement(variables, tuple((letter, pairs[letter]) for letter in letters))


def interchangeable(labels: Any, values: Iterable[Any] | None = None) -> Interchangeable:
    """The values of the variables are mere names, such as those of groups or colours.

    Two points are worth the same when one becomes the other by renaming.

    Args:
        labels: variables with the same values, such as a categorical array.
        values: those that may be exchanged; all of them when left out.
    """
    variables = letters_of(labels)
    own = [variables[0].value(code) for code in variables[0].codes]
    chosen = own if values is None else list(dict.fromkeys(values))
    strange = [value for value in chosen if value not in own]
    if strange or len(chosen) < 2:
        raise ValueError(
            f"interchangeable needs at least two of the values {own}, and got {strange or chosen}"
        )
    return Interchangeable(variables, tuple(chosen))


def ends(variables: Sequence[Variable]) -> str:
    """The first and the last of many variables."""
    return variables[0].name if len(variables) == 1 else f"{variables[0].name} to {variables[-1].name}"


def symmetry_from_json(form: Mapping[str, Any], variables: Mapping[str, Variable]) -> Symmetry:
    """The symmetry behind its plain form."""
    own = [variables[name] for name in form["variables"]]
    match form["kind"]:
        case ReverseComplement.kind:
            return reverse_complement(own, dict(form["complement"]))
        case Interchangeable.kind:
            return interchangeable(own, form["values"])
    raise ValueError(f"no kind of symmetry is called {form['kind']!r}")


def prove(domain: "Domain") -> None:
    """Check that every symmetry maps the constraints onto themselves, by rewriting each of them.

    Raises:
        ValueError: a constraint becomes one that the domain does not have, or cannot be rewritten.
    """
    own = {form(constraint, {}) for constraint in conjuncts(domain.constraints)}
    for symmetry in domain.symmetries:
        for move in symmetry.moves():
            for constraint in conjuncts(domain.constraints):
                if form(constraint, move) not in own:
                    raise ValueError(
                        f"{symmetry} is not shown to be a symmetry: it turns the constraint {constraint} "
                        f"into one that the domain does not have. Add its image, or leave the symmetry out"
                    )


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Every product of the moves, as a permutation of numbered statements.

    Attributes:
        own: the variables, by index, that some move changes.
        first: the number of the first statement of each of these variables.
        low: their lowest codes.
        owner: which of them each statement is about.
        code: the code in each statement.
        elements: one permutation of the statements a row, the identity first.
    """

    own: IntArray
    first: IntArray
    low: IntArray
    owner: IntArray
    code: IntArray
    elements: IntArray

    def images(self, points: IntArray) -> IntArray:
        """(elements, points, variables): the image of each point under each element."""
        images = np.repeat(points[None], len(self.elements), axis=0)
        statements = self.first + points[:, self.own] - self.low
        for image, element in zip(images, self.elements, strict=True):
            targets = self.own[self.owner[element[self.first]]]
            image[:, targets] = self.code[element[statements]]
        return images


@kept
def group(domain: "Domain") -> Group:
    """The group that the domain's symmetries generate."""
    names = {v.name for symmetry in domain.symmetries for v in symmetry.variables}
    own = [i for i, v in enumerate(domain.variables) if v.name in names]
    statements = [(domain.variables[i].name, code) for i in own for code in domain.variables[i].codes]
    number = {statement: k for k, statement in enumerate(statements)}
    generators = [
        np.array([number[move.get(statement, statement)] for statement in statements], dtype=np.int64)
        for symmetry in domain.symmetries
        for move in symmetry.moves()
    ]
    identity = np.arange(len(statements))
    found = {identity.tobytes(): identity}
    pending = [identity]
    while pending:
        element = pending.pop()
        for generator in generators:
            product = generator[element]
            if product.tobytes() not in found:
                found[product.tobytes()] = product
                pending.append(product)
        if len(found) > MOST_IMAGES:
            raise ValueError(
                f"{' and '.join(map(str, domain.symmetries))} give a point more than {MOST_IMAGES} images; "
                f"declare fewer symmetries, or fewer interchangeable values"
            )
    sizes = [len(domain.variables[i].codes) for i in own]
    return Group(
        own=np.array(own, dtype=np.int64),
        first=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
        low=np.array([domain.variables[i].codes[0] for i in own], dtype=np.int64),
        owner=np.repeat(np.arange(len(own)), sizes),
        code=np.array([code for _, code in statements], dtype=np.int64),
        elements=np.stack(list(found.values())),
    )


def orbits(domain: "Domain", points: IntArray) -> list[list[Point]]:
    """The orbit of each point, one a row: the point itself, and then its other images in order."""
    if not domain.symmetries:
        return [[tuple(point)] for point in points.tolist()]
    found: list[list[Point]] = [[tuple(point)] for point in points.tolist()]
    # A point with a code that the domain does not have has no images.
    legal = np.flatnonzero(np.all((points >= domain.coding.low) & (points <= domain.coding.high), axis=1))
    for place, images in zip(legal, group(domain).images(points[legal]).swapaxes(0, 1).tolist(), strict=True):
        own, *others = map(tuple, images)
        found[place] = [own, *sorted({*others} - {own})]
    return found


def count_orbits(domain: "Domain") -> int | None:
    """The number of orbits by Burnside's lemma: the mean number of points that an element leaves in place."""
    moves = group(domain)
    fixed = 0
    for element in moves.elements:
        left = type(domain)(domain.declared, (*domain.constraints, *in_place(domain, moves, element))).size
        if left is None:
            return None
        fixed += left
    return fixed // len(moves.elements)


def in_place(domain: "Domain", moves: Group, element: IntArray) -> list[Table]:
    """What holds of the points that an element maps to themselves."""
    tables = []
    for j, first in enumerate(moves.first):
        variable = domain.variables[moves.own[j]]
        images = element[first : first + len(variable.codes)]
        target = domain.variables[moves.own[moves.owner[images[0]]]]
        pairs = list(zip(variable.codes, moves.code[images].tolist(), strict=True))
        if target.name != variable.name:
            tables.append(Table((variable, target), tuple(pairs)))
        elif any(code != image for code, image in pairs):
            tables.append(Table((variable,), tuple((code,) for code, image in pairs if code == image)))
    return tables


def symmetries_of(given: Any) -> tuple[Symmetry, ...]:
    """One symmetry or a list of them, or an error that says how one is made."""
    listed: Sequence[Any] = [given] if isinstance(given, Symmetry) else list(given)
    for each in listed:
        if not isinstance(each, Symmetry):
            raise TypeError(
                f"{each!r} is not a symmetry; make one with reverse_complement or interchangeable"
            )
    return tuple(listed)
