"""The independent choices that make up a point, and what each adds to its features."""

from dataclasses import dataclass

import numpy as np

from milbox.arrays import BoolArray, IntArray, SparseMatrix
from milbox.domain import Domain
from milbox.domain.diagrams.product import Block
from milbox.domain.kept import kept

STATES = 4096
"""The largest number of joint states of a gene."""


@dataclass(frozen=True, slots=True, eq=False)
class Genes:
    """A product of blocks, one gene per block: the number of its state."""

    blocks: tuple[Block, ...]
    sizes: IntArray
    keys: tuple[tuple[IntArray, IntArray], ...]
    """For each block the keys of its states in increasing order, and which states they are."""
    weight: IntArray
    """A state's key is the sum of its codes times these, one per variable, modulo 2**64."""
    single: BoolArray
    """Whether each block is one variable with all its codes."""
    variable: IntArray
    """The first variable of each block."""
    low: IntArray
    """The lowest code of each variable."""
    features: SparseMatrix
    """The contribution of each state to the encoded point, block after block."""
    first: IntArray
    """The row of each block's first state in `features`."""

    def genes(self, points: IntArray) -> IntArray:
        """The state of each block, by number."""
        if self.single.all():
            return points - self.low
        made: IntArray = points[:, self.variable] - self.low[self.variable]
        for i in np.flatnonzero(~self.single):
            members = self.blocks[i].variables
            keys, states = self.keys[i]
            made[:, i] = states[np.searchsorted(keys, points[:, members] @ self.weight[members])]
        return made

    def points(self, genes: IntArray) -> IntArray:
        """The points behind genes."""
        if self.single.all():  # then blocks come in the order of the variables
            return genes + self.low
        made = np.empty((len(genes), len(self.low)), dtype=np.int64)
        alone = self.variable[self.single]
        made[:, alone] = genes[:, self.single] + self.low[alone]
        for i in np.flatnonzero(~self.single):
            made[:, self.blocks[i].variables] = self.blocks[i].states[genes[:, i]]
        return made


@kept
def block_genes(domain: Domain) -> Genes | None:
    """One gene per part of the domain; None when they are not independent or have too many states."""
    found = None if domain.drawing is None else domain.drawing.blocks(STATES)
    return None if found is None else genes_of(domain, found)


@kept
def variable_genes(domain: Domain) -> Genes:
    """One gene per variable, whatever the constraints."""
    return genes_of(
        domain,
        tuple(
            Block(np.array([i]), np.array(variable.codes, dtype=np.int64)[:, None])
            for i, variable in enumerate(domain.variables)
        ),
    )


def genes_of(domain: Domain, found: tuple[Block, ...]) -> Genes:
    """The blocks with what it takes to go back and forth quickly."""
    # Fixed odd numbers: keys wrap round but hardly ever meet; where they do, the next numbers serve.
    numbers = np.random.default_rng(0)
    while True:
        weight = numbers.integers(-(2**62), 2**62, len(domain.variables)) * 2 + 1
        keys = [block.states @ weight[block.variables] for block in found]
        if all(len(np.unique(key)) == len(key) for key in keys):
            break
    sizes = np.array([len(block.states) for block in found], dtype=np.int64)
    single = [
        len(block.variables) == 1 and len(block.states) == len(domain.variables[block.variables[0]].codes)
        for block in found
    ]
    return Genes(
        blocks=found,
        sizes=sizes,
        keys=tuple((np.sort(key), np.argsort(key)) for key in keys),
        weight=weight,
        single=np.array(single, dtype=bool),
        variable=np.array([block.variables[0] for block in found], dtype=np.int64),
        low=domain.coding.low,
        features=state_features(domain, found),
        first=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
    )


def state_features(domain: Domain, found: tuple[Block, ...]) -> SparseMatrix:
    """The features of every state of every block, those of other blocks zero."""
    rows, variables, codes = [], [], []
    above = 0
    for block in found:
        for i, own in zip(block.variables, block.states.T, strict=True):
            rows.append(above + np.arange(len(own)))
            variables.append(np.full(len(own), i))
            codes.append(own)
        above += len(block.states)
    return domain.coding.added_by(
        np.concatenate(rows), np.concatenate(variables), np.concatenate(codes), above
    )
