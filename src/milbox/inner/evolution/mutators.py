"""Mutators that make new points out of good ones without leaving the domain.

`Pointwise` is the paper's crossover and mutation (Appendix C.2). Where the constraints fall into small
blocks, a gene is the joint state of a block, so that children are feasible by construction; without
constraints that is one gene per variable, as published. Otherwise children are checked and drawn again.
`Balanced` is the paper's mutator for paired subsets (Appendix C.6).
"""

from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain import Domain
from milbox.domain.kept import kept
from milbox.domain.model.expressions import Linear
from milbox.domain.model.variables import Binary
from milbox.inner.evolution.genes import Genes, block_genes, variable_genes

State: TypeAlias = npt.NDArray[np.uint64]
"""One number: where the kernels' random numbers are."""

# Infeasible children are drawn again this often before their first parent takes their place.
ATTEMPTS = 8

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """A mutator on one domain, as arrays for the kernels: children are feasible by construction."""

    genes: Genes
    crossover: float
    rates: FloatArray
    """The probability that each gene changes by itself."""
    members: IntArray = field(default_factory=lambda: NONE)
    starts: IntArray = field(default_factory=lambda: NONE)
    """Paired subsets, as in `Pairs`; none when genes are crossed instead."""
    mutation: float = 0.0
    """The probability that each item of a paired subset changes."""

    def children(self, first: IntArray, second: IntArray, state: State) -> IntArray:
        """One child per row of the parents' genes."""
        from milbox.inner.evolution.kernels import cross, mutate, mutate_balanced

        made = first.copy()
        if len(self.starts):
            mutate_balanced(made, self.members, self.starts, self.mutation, state)
        else:
            cross(first, second, self.crossover, made, state)
        mutate(made, self.genes.sizes, self.rates, state)
        return made


class Mutator(Protocol):
    """A recipe for children of two parents, the first being the better one."""

    def scheme(self, domain: Domain) -> Scheme | None:
        """The mutator as arrays, where children need no check; else None."""
        ...

    def children(self, domain: Domain, first: IntArray, second: IntArray, state: State) -> IntArray:
        """One child per row of the parents' points."""
        ...


@dataclass(frozen=True, slots=True)
class Pointwise:
    """Cross two parents, then change each gene to another with a fixed probability.

    Attributes:
        crossover: how likely reading changes over to the other parent after each gene.
        mutation: how likely each gene changes.
        blind: whether to ignore the constraints; children may then be infeasible.
    """

    crossover: float = 0.1
    mutation: float = 0.1
    blind: bool = False

    def scheme(self, domain: Domain) -> Scheme | None:
        """One gene per block where the constraints fall into small blocks; else None."""
        genes = variable_genes(domain) if self.blind or not domain.constraints else block_genes(domain)
        if genes is None:
            return None
        return Scheme(genes, self.crossover, np.full(len(genes.sizes), self.mutation))

    def children(self, domain: Domain, first: IntArray, second: IntArray, state: State) -> IntArray:
        """Children that satisfy the constraints, unless blind."""
        return bred(self.scheme(domain), domain, first, second, state, self.crossover, self.mutation)


@dataclass(frozen=True, slots=True)
class Balanced:
    """Mutate pairs of subsets together, so that both keep equally many ones; no crossover.

    The pairs are read from the domain's constraints. Variables outside them are mutated one by one. Domains
    with other constraints are left to `Pointwise` without crossover.

    Attributes:
        mutation: how likely each item of the subset that is mutated freely changes.
    """

    mutation: float = 0.05

    def scheme(self, domain: Domain) -> Scheme | None:
        """One gene per variable where all constraints are pairs; else as `Pointwise`."""
        pairs = paired_subsets(domain)
        if pairs is None:
            return Pointwise(0.0, self.mutation).scheme(domain)
        rates = np.where(pairs.covered, 0.0, self.mutation)
        return Scheme(variable_genes(domain), 0.0, rates, pairs.members, pairs.starts, self.mutation)

    def children(self, domain: Domain, first: IntArray, second: IntArray, state: State) -> IntArray:
        """Feasible mutants of the first parents."""
        return bred(self.scheme(domain), domain, first, second, state, 0.0, self.mutation)


def bred(
    scheme: Scheme | None,
    domain: Domain,
    first: IntArray,
    second: IntArray,
    state: State,
    crossover: float,
    mutation: float,
) -> IntArray:
    """Children by a scheme; without one, drawn, checked and drawn again."""
    if scheme is not None:
        return scheme.genes.points(
            scheme.children(scheme.genes.genes(first), scheme.genes.genes(second), state)
        )
    genes = variable_genes(domain)
    free = Scheme(genes, crossover, np.full(len(genes.sizes), mutation))
    # Once one parent has failed with the other, it goes on alone, with at least one change to be expected.
    alone = Scheme(genes, 0.0, np.full(len(genes.sizes), max(mutation, 1.0 / len(genes.sizes))))
    parents = genes.genes(first)
    made = free.children(parents, genes.genes(second), state)
    bad = np.flatnonzero(~domain.feasible(genes.points(made)))
    for attempt in range(ATTEMPTS):
        if not len(bad):
            break
        again = parents[bad]
        # Where constraints count or assign, single changes are hardly ever feasible, but exchanges are.
        if attempt % 2 or not exchanged(domain, again, genes.sizes, state):
            again = alone.children(again, again, state)
        made[bad] = again
        bad = bad[~domain.feasible(genes.points(again))]
    made[bad] = parents[bad]
    return genes.points(made)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Subset s is members[starts[s]:starts[s + 1]]; subsets 2j and 2j + 1 have equally many ones."""

    members: IntArray
    starts: IntArray
    covered: BoolArray
    """Whether each variable is in some subset."""


@kept
def paired_subsets(domain: Domain) -> Pairs | None:
    """The pairs, when the constraints say nothing but that disjoint subsets of equal size are balanced."""
    subsets: list[list[int]] = []
    for constraint in domain.constraints:
        if not (isinstance(constraint, Linear) and constraint.lower == constraint.upper == 0):
            return None
        sides: dict[float, list[int]] = {1.0: [], -1.0: []}
        for monomial, coefficient in constraint.terms:
            (factor, *more) = monomial
            plain = isinstance(factor.variable, Binary) and factor.code == 1
            if more or not plain or coefficient not in sides:
                return None
            sides[coefficient].append(domain.index[factor.name])
        left, right = sides.values()
        if len(left) != len(right):
            return None
        subsets += [left, right]
    flat = [item for subset in subsets for item in subset]
    if not flat or len(set(flat)) < len(flat):
        return None
    covered = np.zeros(len(domain.variables), dtype=bool)
    covered[flat] = True
    starts = np.cumsum([0, *(len(subset) for subset in subsets)], dtype=np.int64)
    return Pairs(np.array(flat, dtype=np.int64), starts, covered)


def exchanged(domain: Domain, made: IntArray, sizes: IntArray, state: State) -> bool:
    """Swap values within linear constraints, in place; False where there are no such constraints."""
    from milbox.inner.evolution.kernels import exchange

    members, starts = linear_members(domain)
    if len(starts) < 2:
        return False
    exchange(made, sizes, members, starts, state)
    return True


@kept
def linear_members(domain: Domain) -> tuple[IntArray, IntArray]:
    """The variables of each linear constraint on at least two: members[starts[c]:starts[c + 1]]."""
    matrix = domain.linear_system[0]
    owner = domain.coding.owner
    rows = [
        np.unique(owner[matrix.indices[first:last]])
        for first, last in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    ]
    kept = [row for row in rows if len(row) > 1]
    starts = np.cumsum([0, *(len(row) for row in kept)], dtype=np.int64)
    return np.concatenate([*kept, NONE]).astype(np.int64), starts
