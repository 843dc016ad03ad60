"""Evolution as inner solver: the paper's inexact baseline."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.errors import UnsupportedProgram
from milbox.inner.evolution.mutators import Mutator, Pointwise, Scheme, State
from milbox.inner.query import Query
from milbox.inner.sample import chosen, not_beside
from milbox.inner.untried import sample
from milbox.surrogates.base import Surrogate
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Answer

# Random feasible points to start from when nothing has been tried yet.
FOUNDERS = 100

# Values of a variable that are listed.
MOST_CODES = 1 << 16


@dataclass(frozen=True, slots=True)
class Evolution:
    """Batched regularised evolution from every point tried so far (Appendix C.3); proves nothing.

    The population starts with the tried points and their predictions, oldest first, and grows by batches of
    children of tournament winners. Only the latest `alive` members take part in tournaments.

    Attributes:
        mutator: how children are made.
        evaluations: how many children are predicted in all (the paper's B).
        batch: how many at a time (b).
        tournament: how many members compete to be parents (T).
        alive: how many of the latest members may compete (D).
    """

    mutator: Mutator = Pointwise(crossover=0.2, mutation=0.01)
    evaluations: int = 10_000
    batch: int = 100
    tournament: int = 20
    alive: int = 1000

    def refusal(self, query: Query) -> str | None:
        """Why it cannot answer; None when it can."""
        return self.domain_refusal(query.domain) or not_beside(query)

    def domain_refusal(self, domain: Domain) -> str | None:
        """It lists the values of each variable."""
        return too_wide(domain)

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best children visited that are new."""
        began = time.perf_counter()
        refusal = self.domain_refusal(query.domain)
        if refusal is not None:
            raise UnsupportedProgram(refusal)
        founders = query.exclude.codes(query.domain)
        if not len(founders):
            founders = sample(query.domain, FOUNDERS, rng)
        if not len(founders):  # feasible points are too rare to draw, and none is known
            return chosen("evolution", founders, np.zeros(0), query, rng, began)
        points, values = self.visited(query.objective, query.domain, founders, rng)
        return chosen("evolution", points, values, query, rng, began)

    def visited(
        self, surrogate: Surrogate, domain: Domain, founders: IntArray, rng: Generator
    ) -> tuple[IntArray, FloatArray]:
        """Every child in the order of birth, and its prediction."""
        state = np.array([rng.integers(2**63)], dtype=np.uint64)
        scheme = self.mutator.scheme(domain)
        if scheme is not None and isinstance(surrogate, ReluNet) and len(surrogate.hidden) == 1:
            return self.compiled(surrogate, scheme, founders, state)
        first, size = len(founders), len(founders) + self.evaluations
        points = np.empty((size, founders.shape[1]), dtype=np.int64)
        values = np.empty(size)
        points[:first], values[:first] = founders, surrogate.predict(domain.encode(founders))
        born = first
        while born < size:
            oldest = max(0, born - self.alive)
            batch = min(self.batch, size - born)
            best, second = parents(values[oldest:born], self.tournament, batch, state)
            children = self.mutator.children(domain, points[oldest + best], points[oldest + second], state)
            points[born : born + batch] = children
            values[born : born + batch] = surrogate.predict(domain.encode(children))
            born += batch
        return points[first:], values[first:]

    def compiled(
        self, net: ReluNet, scheme: Scheme, founders: IntArray, state: State
    ) -> tuple[IntArray, FloatArray]:
        """The same for a network with one hidden layer, in one piece: some ten times as fast."""
        from milbox.inner.evolution.kernels import evolve

        first, size = len(founders), len(founders) + self.evaluations
        genes = np.empty((size, len(scheme.genes.sizes)), dtype=np.int64)
        genes[:first] = scheme.genes.genes(founders)
        values = np.empty(size)
        (hidden,) = net.hidden
        evolve(
            genes,
            values,
            first,
            self.batch,
            self.tournament,
            self.alive,
            scheme.crossover,
            scheme.genes.sizes,
            scheme.rates,
            scheme.members,
            scheme.starts,
            scheme.mutation,
            scheme.genes.features @ hidden.weights,
            scheme.genes.first,
            hidden.bias,
            np.ascontiguousarray(net.output.weights[:, 0]),
            float(net.output.bias[0]),
            state,
        )
        return scheme.genes.points(genes[first:]), values[first:]


def parents(values: FloatArray, tournament: int, count: int, state: State) -> tuple[IntArray, IntArray]:
    """The winner and the runner-up of each of `count` tournaments among members with these values."""
    from milbox.inner.evolution.kernels import tournaments

    best, second = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    tournaments(values, tournament, best, second, state)
    return best, second


def too_wide(domain: Domain) -> str | None:
    """The reason why the values of each variable cannot be listed; None when they can."""
    wide = next((v for v in domain.variables if len(v.codes) > MOST_CODES), None)
    if wide is None:
        return None
    return f"{wide.name!r} has {len(wide.codes):,} values, and it lists at most {MOST_CODES:,} of each"
