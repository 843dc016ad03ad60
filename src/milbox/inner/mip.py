"""The exact best untried point of any embeddable surrogate over any domain, by a mixed-integer program."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.embed import embed, unembeddable
from milbox.embed.domain import Formulation, formulate, trusted
from milbox.embed.grid import on_grid
from milbox.embed.nogood import forbid
from milbox.embed.relu.bounds import Bounded, interval, one_hot_groups, product_bounds, rescaled, thinned
from milbox.embed.relu.tighten import tighten
from milbox.inner.certify import Claim, certify
from milbox.inner.climb import as_network, climbed
from milbox.inner.loading import load_climbs
from milbox.inner.query import Query
from milbox.inner.spacing import is_spaced, near
from milbox.inner.successive import best_points
from milbox.inner.untried import stopped, untried
from milbox.inner.walk import walked
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Solver, Status
from milbox.milp.solvers import Scip
from milbox.milp.verify import TOLERANCE
from milbox.surrogates.base import Surrogate
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Answer, Empty, Found, Unknown


@dataclass(frozen=True, slots=True)
class Mip:
    """Formulate, embed, forbid, solve, check (Section 3.3 of the paper).

    Attributes:
        solver: who solves the program.
        limits: when it stops; the best point in hand is proposed then, with the bound proved so far.
        start: begin with a climb from tried points, and write rows only for tried points that are predicted
            to be at least as good as what it found. A tried point below an untried one cannot be the
            optimum, so its row is not needed: the program with fewer rows is a relaxation, its bound stays
            valid, and an untried optimum of it is the optimum.
        lp_bounds: sharpen the bounds of neurons by linear programs (the paper's Appendix A).
        one_sided: write only those rows of the last hidden layer that hold the output from above, and shorter
            ones over groups of features of which one is one.
        radius: in how many variables a point must differ from every tried one (the paper's Section 7). More
            than one explores more; where nothing is that far away, the radius shrinks until something is.
            Certificates say which radius they are about.
        hulls: let the solver ask for convex-hull inequalities of neurons; None, where they pay.
    """

    solver: Solver = Scip()
    limits: Limits = Limits()
    start: bool = True
    lp_bounds: bool = False
    one_sided: bool = True
    radius: int = 1
    hulls: bool | None = None

    def refusal(self, query: Query) -> str | None:
        """The reason why it cannot answer; None when it can."""
        return unembeddable(query.objective, query.domain)

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points: each is the optimum once those before it are excluded too."""
        return best_points(query, lambda left: self.farthest(left, rng))

    def farthest(self, query: Query, rng: Generator) -> Answer:
        """The best point at the largest radius and distance from tried points that leave any."""
        region = query.region
        answer: Answer = Empty()
        for radius in range(max(self.radius, region.radius), region.radius - 1, -1):
            for apart in region.distances():
                kept = replace(region, radius=radius, apart=apart)
                answer = self.optimum(replace(query, region=kept), rng)
                if isinstance(answer, Found):
                    return answer
        return answer

    def optimum(self, query: Query, rng: Generator) -> Answer:
        """The best point of the region."""
        surrogate, domain, region = query.objective, query.domain, query.region
        apart, forbidden, whole = region.steps_apart, region.beside(), region.box is None
        if as_network(surrogate) is not None:
            load_climbs()
        began = time.perf_counter()
        # A climb ends next to tried points, and a row of a wider radius excludes more than its own point.
        start = None
        if self.start and region.radius == 1:
            start = (
                climbed(surrogate, domain, region.exclude, rng)
                if whole and not is_spaced(domain)
                else walked(surrogate, region, rng)
            )
        rows = needed(surrogate, domain, forbidden, start, apart, region.box)
        bound, tried = math.inf, domain.codes(forbidden)
        while True:
            milp, formulation = self.program(surrogate, domain, rows, apart, region.radius, region.box)
            spent = time.perf_counter() - began
            most = [nodes for nodes in (self.limits.nodes, query.nodes) if nodes is not None]
            left = replace(
                self.limits,
                seconds=max(0.0, self.limits.seconds - spent),
                nodes=min(most, default=None),
            )
            given = None
            if start is not None:
                given = milp.completed(formulation.inputs, domain.encode([start[0]])[0])
            solution = self.solver.solve(milp.build(), left, given)
            # A bound is a proof too, and proves nothing where rows are wider than tolerances allow.
            bound = min(bound, solution.bound if trusted(domain) else math.inf)
            if solution.x is None:
                point = None
                break
            point = formulation.point(solution.x)
            if point in region:
                break
            close = [forbidden[i] for i in np.flatnonzero(near(tried, [point], apart)).tolist()]
            left_out = [other for other in close if other not in rows]
            if spent > self.limits.seconds:
                point = None
                break
            if left_out:
                # Rows that were left out let this point through: write them, and ask again.
                rows = [*rows, *left_out]
            elif len(domain.coding.shares):
                # The solver's tolerances let this point through, or it lies between points of the grid.
                point = on_grid(solution.x, formulation, self.solver, forbidden, apart, region.box)
                point = point if point is not None and point in region else None
                break
            elif point in rows:
                point = None
                break
            else:
                rows = [*rows, point]

        claimed = solution.objective
        if start is not None and (point is None or start[1] > query.predicted(point)):
            point, claimed = start
        if point is None:
            # Rows for some of the excluded points leave more than rows for all would.
            if solution.status is Status.INFEASIBLE and trusted(domain):
                return Empty()
            if region.radius > 1 or (apart > 1).any() or not whole:
                return Unknown(stopped(solution.solver, self.limits, len(forbidden), len(rows)))
            answer = untried(region, 1, rng)
            if not isinstance(answer, Found):
                return answer
            point = answer.proposals[0].point
            claimed = query.predicted(point)
        value = query.predicted(point)
        if len(domain.coding.shares):
            # Rounded to the grid, the point is another than the solver's.
            claimed = value
        elif self.one_sided:
            # The rows hold the output from above alone: a solver that stops early may say less.
            claimed = max(claimed, value)
        scale = max(1.0, abs(bound), abs(value)) if math.isfinite(bound) else 1.0
        proved = solution.status is Status.OPTIMAL and bound - value <= 10 * TOLERANCE * scale
        claim = Claim(
            point=point,
            origin="milp",
            value=claimed,
            bound=bound,
            proved=proved,
            no_goods=len(rows),
            seconds=time.perf_counter() - began,
            solver=solution.solver,
        )
        return Found((certify(query, claim),))

    def program(
        self,
        surrogate: Surrogate,
        domain: Domain,
        rows: Sequence[Point],
        apart: IntArray | None = None,
        radius: int = 1,
        box: Box | None = None,
    ) -> tuple[MilpBuilder, Formulation]:
        """The acquisition problem as a program being built."""
        milp = MilpBuilder()
        formulation = formulate(domain, milp, box)
        forbid(rows, formulation, radius, apart)
        milp.maximize(embed(self.bounded(surrogate, domain, rows, radius, box), milp, formulation.inputs))
        return milp, formulation

    def bounded(
        self,
        surrogate: Surrogate,
        domain: Domain,
        rows: Sequence[Point],
        radius: int = 1,
        box: Box | None = None,
    ) -> Surrogate:
        """A network with its neurons' bounds, and scaled by them; other surrogates as they are."""
        if not isinstance(surrogate, ReluNet):
            return surrogate
        bounded = Bounded(
            surrogate,
            product_bounds(surrogate, domain, box=box),
            one_sided=self.one_sided,
            groups=one_hot_groups(domain),
            hulls=self.hulls,
        )
        # With both sides of every neuron, rows are those of the paper.
        scaled = rescaled(thinned(bounded) if self.one_sided else bounded)
        if not self.lp_bounds:
            return scaled
        sharper = tighten(
            scaled.net,
            domain,
            lambda formulation: forbid(rows, formulation, radius),
            seconds=self.limits.seconds / 4,
        )
        return replace(scaled, bounds=sharper.bounds)


def needed(
    surrogate: Surrogate,
    domain: Domain,
    forbidden: Sequence[Point],
    start: tuple[Point, float] | None,
    apart: IntArray,
    box: Box | None = None,
) -> list[Point]:
    """The forbidden points that need a row: those predicted to be as good as the start, within rounding.

    Where a row excludes what is nearer than `apart` too, the best that is predicted there counts.
    """
    if start is None or not len(forbidden):
        return list(forbidden)
    if (apart > 1).any():
        if not isinstance(surrogate, ReluNet | Linear):
            return list(forbidden)
        predictions = most_near(surrogate, domain, forbidden, apart, box)
    else:
        predictions = surrogate.predict(domain.encode(forbidden))
    scale = max(1.0, float(np.abs(predictions).max()), abs(start[1]))
    keep = predictions >= start[1] - TOLERANCE * scale
    return [point for point, kept in zip(forbidden, keep, strict=True) if kept]


def most_near(
    surrogate: ReluNet | Linear,
    domain: Domain,
    points: Sequence[Point],
    apart: IntArray,
    box: Box | None = None,
) -> FloatArray:
    """Bounds on the predictions closer than `apart` to each of the points, by intervals."""
    codes, places = domain.codes(points), domain.coding
    low, high = (places.low, places.high) if box is None else (box.low, box.high)
    least, most = (
        domain.encode(np.clip(codes + way * (apart - 1) * (places.steps > 0), low, high)) for way in (-1, 1)
    )
    if isinstance(surrogate, Linear):
        up, down = np.maximum(surrogate.weights, 0), np.minimum(surrogate.weights, 0)
        bounds: FloatArray = most @ up + least @ down + surrogate.bias
        return bounds
    for layer in surrogate.layers[:-1]:
        least, most = (np.maximum(side, 0.0) for side in interval(layer, least, most))
    return np.asarray(interval(surrogate.layers[-1], least, most)[1][:, 0])
