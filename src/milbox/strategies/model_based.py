"""The paper's Algorithm 1: fit a surrogate to everything measured, propose its best untried point."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from milbox.arrays import IntArray
from milbox.display import cut
from milbox.domain import Domain
from milbox.domain.model.numbers import power_of_ten
from milbox.inner import Auto, InnerSolver, Mip
from milbox.inner.protocol import refusal_of
from milbox.inner.query import Query, Region
from milbox.inner.ranges.solve import CODES, ranged
from milbox.inner.requirements import solve
from milbox.inner.successive import successive
from milbox.milp.program import Milp
from milbox.strategies.apart import away, distance_of
from milbox.strategies.beliefs import believed
from milbox.strategies.by_domain import ByDomain
from milbox.strategies.initial import initial_points
from milbox.strategies.local import Local, Step, Steps
from milbox.strategies.protocol import Strategy
from milbox.strategies.random import RandomSearch
from milbox.strategies.repeats import repeats, where_none_is_new
from milbox.strategies.units import in_own_units
from milbox.strategies.worth import worth
from milbox.surrogates import Learner, Ranked
from milbox.surrogates.linear import LinearLearner
from milbox.trials import Answer, Failed, Found, History, Proposal

SHOWN = 3
"""The most ties that a sentence names."""


@dataclass(frozen=True, slots=True)
class ModelBased:
    """Fit, then let an inner solver choose. Every method of the paper is a pair of the two.

    A batch is chosen one point after the other by the same rule as a single point: each gets a surrogate of
    its own, freshly fitted (a Thompson sample each), and all points asked before it, also those of its own
    batch, are excluded.
    """

    learner: Learner
    inner: InnerSolver = Auto()
    initial: int | None = None
    """How many random points come first; None leaves it to `strategies/initial.py`."""
    first: Strategy = RandomSearch()
    """The strategy that proposes the first `initial` points."""
    local: Steps | None = None
    """Who chooses learner and neighbourhood step by step, on the domains it applies to; None searches the
    whole domain by one learner."""
    apart: float = 0.0
    """In which share of the variables the points of a batch differ from one another at least."""
    takes_goals: ClassVar[bool] = True

    def refusal(self, domain: Domain) -> str | None:
        """Why the strategy cannot be used on a domain; None when it can."""
        return refusal_of(self.inner, domain)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` points: random ones until `initial` are measured, then one per freshly fitted surrogate."""
        if self._random_left(domain, history):
            first = self.first.propose(domain, history, count, rng)
            return where_none_is_new(first, domain, history, count, rng)

        region = Region.untried(domain, history.asked_points)  # pending points are excluded too
        again = tuple(repeats(domain, history, rng)[:count])

        def best(left: Region, chosen: Sequence[Proposal]) -> Answer:
            step = self.step(domain, history, len(chosen), rng)
            return self._by(step, history, left, chosen, rng)

        answer = successive(region, count, best, first=again)
        return where_none_is_new(answer, domain, history, count, rng)

    def _by(
        self, step: Step, history: History, region: Region, others: Sequence[Proposal], rng: Generator
    ) -> Answer:
        """The point of a step: what it learns, and the best point of that where it looks."""
        began = time.perf_counter()
        belief = believed(step.learner, region.domain, history, rng, step.fitted)
        fitted = time.perf_counter() - began
        inner = belief.solver(self.inner)
        query = Query(belief.objective, replace(region, box=step.box), nodes=step.nodes)
        query = replace(query, requirements=belief.requirements)
        best, spaced = self._spaced(inner, query, others, rng)
        if step.box is not None and not isinstance(best, Found):
            if step.beyond is not None:
                return self._by(step.beyond, history, region, others, rng)
            best = solve(inner, replace(query, region=region, nodes=None), rng)
        if not isinstance(best, Found):
            return best
        proposal = replace(in_own_units(best.proposals[0], belief.unit), fit_seconds=fitted)
        return Found((by_surrogate(proposal, step.name, belief.about + spaced),))

    def _spaced(
        self, inner: InnerSolver, query: Query, others: Sequence[Proposal], rng: Generator
    ) -> tuple[Answer, str]:
        """The best point away from the others of its batch, and that distance in words.

        Where no point is so far away, or the distance cannot be kept, it is the best point however near.
        """
        distance = distance_of(query.domain, self.apart)
        if distance > 1 and others:
            far, box = away(query.domain, [proposal.point for proposal in others], distance), query.region.box
            if far is not None and (box is None or far.contains(tuple(box.centre.tolist()))):
                best = solve(inner, replace(query, region=replace(query.region, domain=far)), rng)
                if isinstance(best, Found):
                    return best, f", at least {distance} variables away from the others of its batch"
        return solve(inner, query, rng), ""

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """Who learns what for the next point, and where that is searched for."""
        if self.local is None or not self._is_local(domain, history):
            return Step(self.learner)
        return self.local.step(domain, worth(domain, history), ahead, rng)

    def _is_local(self, domain: Domain, history: History) -> bool:
        """Whether neighbourhoods are chosen: not for fronts, whose ends lie far from any one point."""
        local = self.local is not None and self.local.applies(domain)
        return local and not history.goal.several

    def program(self, domain: Domain, history: History, rng: Generator) -> tuple[Milp, IntArray]:
        """The next point as one program: the domain, the surrogate that `propose` would fit, what was asked.

        Also the columns that are the domain's features. The objective is in the values' own units.

        Raises:
            ValueError: the next point is not chosen by a surrogate, or the surrogate has no embedding.
        """
        if self._random_left(domain, history):
            raise ValueError(
                f"the next point is one of the initial ones, which are drawn at random, and has no program; "
                f"{len(history.finished)} are measured"
            )
        step = self.step(domain, history, 0, rng)
        belief = believed(step.learner, domain, history, rng, step.fitted)
        writer, region = Mip(), replace(Region.untried(domain, history.asked_points), box=step.box)
        query = Query(belief.objective, region, requirements=belief.requirements).penalised()
        surrogate, refusal = query.objective, writer.refusal(query)
        if refusal is not None:
            raise ValueError(f"the next point has no program: {refusal}")
        region = replace(region, apart=next(region.distances()))
        milp, formulation = writer.program(
            surrogate, domain, region.beside(), region.steps_apart, box=region.box
        )
        program = milp.build()
        return (
            replace(program, cost=program.cost * belief.unit, offset=program.offset * belief.unit),
            formulation.inputs,
        )

    def explain(self, domain: Domain, history: History) -> str:
        """How the next point will be found: encoding, blocks, surrogate, method, and why that one."""
        rng = np.random.default_rng(0)
        if history.finished:
            belief = believed(self.learner, domain, history, rng)
            query = Query(belief.objective, Region(domain), requirements=belief.requirements)
            surrogate = query.penalised().objective
        else:
            # Only the surrogate's kind and size matter here, and any data show them, feasible or not.
            points = np.array([[v.codes[0], v.codes[-1]] for v in domain.variables], dtype=np.int64).T
            surrogate = self.learner.fit(domain.encode(points), np.arange(len(points), dtype=np.float64), rng)
        return "\n".join(
            [
                f"{described(domain)}",
                f"random points still to come: {self._random_left(domain, history)}",
                f"surrogate: {brief(self.learner)}",
                *self._locally(domain, history),
                *inner_explained(self.inner, Query(surrogate, Region(domain))),
            ]
        )

    def _locally(self, domain: Domain, history: History) -> list[str]:
        """Where the next point will be searched for, if not everywhere."""
        if self.local is None or not self._is_local(domain, history):
            return []
        return [f"next step: {self.local.next_step(domain, worth(domain, history))}"]

    def _random_left(self, domain: Domain, history: History) -> int:
        """How many points are measured before a model comes in: a surrogate is fitted to one at least.

        Where failures teach, points that failed count too, as long as half of the number has been measured.
        """
        initial = max(1, initial_points(domain) if self.initial is None else self.initial)
        measured = len(history.finished)
        left = initial - measured
        if left > 0 and history.goal.learn_failures and 2 * measured >= initial:
            left -= sum(isinstance(t.outcome, Failed) and t.outcome.infeasible for t in history)
        return max(0, left)


def by_surrogate(proposal: Proposal, name: str, about: str) -> Proposal:
    """The proposal with a certificate that names its surrogate, and what else it is about."""
    proof = proposal.certificate
    if proof is None:
        return proposal
    return replace(proposal, certificate=replace(proof, surrogate=name, about=proof.about + about))


def inner_explained(inner: InnerSolver, query: Query) -> list[str]:
    """The inner solver's account of its choice, or its name where it has no choice."""
    explain = getattr(inner, "explain", None)
    return [f"inner solver: {inner}"] if explain is None else [explain(query)]


def brief(thing: object) -> str:
    """A value by the name of its kind, and in parentheses what is not as usual and what it is made of."""
    if not is_dataclass(thing):
        return repr(thing)
    parts = []
    for field in fields(thing):
        value = getattr(thing, field.name)
        if is_dataclass(value):
            parts.append(brief(value))
        elif value != field.default:
            parts.append(f"{field.name}={value!r}")
    return type(thing).__name__ + (f"({', '.join(parts)})" if parts else "")


def described(domain: Domain) -> str:
    """The domain in numbers: variables, features, constraints, and what they fall into."""
    onehot = int(domain.coding.onehot.sum())
    lines = [
        f"variables: {len(domain.variables)}, of which {onehot} one-hot; {domain.features} features",
        f"constraints: {len(domain.rules)}",
    ]
    if domain.symmetries:
        lines.append(f"symmetries: {', '.join(map(str, domain.symmetries))}")
    lines += taken_apart(domain)
    size = domain.size
    lines.append(
        f"points: at most {rounded(domain.box_size)}" if size is None else f"points: {rounded(size)}"
    )
    return "\n".join(lines)


def taken_apart(domain: Domain) -> list[str]:
    """The domain's parts: diagrams, free variables, ties, and what was too large."""
    if ranged(domain):
        wide = sum(len(v.codes) > CODES and v.coding != "onehot" for v in domain.variables)
        return [f"ranges: {wide}, of which no value is listed"]
    product = domain.product
    lines = []
    if product.parts:
        variables = spread([len(diagram.variables) for diagram in product.parts])
        edges = spread([diagram.edges for diagram in product.parts])
        widest = max(int(diagram.widths.max()) for diagram in product.parts)
        lines.append(
            f"decision diagrams: {len(product.parts)}, of {variables} variables and {edges} edges, "
            f"up to {widest} nodes wide"
        )
    if len(product.free):
        lines.append(f"free variables: {len(product.free)}")
    for name, constraints in (("ties", product.ties), ("in no diagram", product.rest)):
        if constraints:
            shown = "; ".join(cut(str(c), 60) for c in constraints[:SHOWN])
            more = f"; and {len(constraints) - SHOWN} more" if len(constraints) > SHOWN else ""
            lines.append(f"{name}: {len(constraints)} ({shown}{more})")
    return lines


def spread(numbers: Sequence[int]) -> str:
    """The smallest and the largest number."""
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def rounded(count: int) -> str:
    """A number that may be too large for a float, for people."""
    return str(count) if count < 10**15 else power_of_ten(count, 2)


def NNMILP(  # noqa: N802
    learner: Learner | None = None, inner: InnerSolver | None = None, initial: int | None = None
) -> ModelBased:
    """NN+MILP, the default: a ReLU network with 16 neurons and the cheapest exact inner solver.

    Every other network, on average, is fitted to the ranks of the values in place of the values. On many
    discrete domains with constraints, half of the points are chosen near the best one, by a pairwise model
    (`nn+milp/network` does without). Where variables are real, most points are chosen in a box round the best
    one, by a network or by random hinges. A learner that is given is taken for every point as it is, and an
    inner solver other than `Auto` searches for the best points of networks alone.
    `initial` random points come first: by default a fifth of the budget, within 5 and 50, or 20 where no
    budget is known, and at most a quarter of the domain's points.
    """
    inner = inner or Auto()
    local: Steps = ByDomain() if isinstance(inner, Auto) else Local()  # others may not take pairs
    return ModelBased(learner or Ranked(), inner, initial, local=local if learner is None else None)


def LinearMILP(inner: InnerSolver | None = None, initial: int = 50) -> ModelBased:  # noqa: N802
    """Linear+MILP (Section 6 of the paper): a linear surrogate fitted to a bootstrap of the data."""
    return ModelBased(LinearLearner(), inner or Auto(), initial)
