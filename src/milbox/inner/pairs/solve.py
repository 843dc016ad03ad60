"""The best untried point of a pairwise model near a point, exactly."""

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from milbox.arrays import IntArray
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.errors import UnsupportedProgram
from milbox.inner.certify import Claim, certify
from milbox.inner.loading import load_pairs
from milbox.inner.pairs.moves import Groups, Moves, as_moves, groups_of, layers_of, moved, moves_from
from milbox.inner.query import Query
from milbox.inner.ranges.solve import ranged
from milbox.inner.successive import best_points
from milbox.inner.untried import untried
from milbox.surrogates.quadratic import Quadratic
from milbox.trials.answer import Answer, Empty, Found, Unknown

if TYPE_CHECKING:
    from milbox.inner.pairs.kernel import Desk, Task

WORK = 4_000_000
"""How many steps the search of one ball may take, each a few nanoseconds."""

PROVABLE = 12
"""In larger balls proofs are rare, and a good point takes less."""

ASCENTS = 20
"""So many balls are searched at most on the way to a point that is the best one round itself."""

WANDERED = 100
"""The steps of a tabu search for each group, unless that is more work than a search may take."""

STEP = 2
"""By how much balls grow, from the second on, and the radius of those of an ascent."""

ROUNDING = 1e-10
"""The search's value and the surrogate's own may differ by this share of the largest value there can be."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Exact for quadratic surrogates of discrete variables, within a ball or, where it can, everywhere.

    The search is over sets of changes from the centre of the ball, first of few, then of more, up to the
    largest ball that it can prove. A ball that is far larger than that is searched at once, for a good point.
    Where nothing is proved, the search goes on uphill, to a point that is proved to be the best of a small
    ball round itself. The certificate names the ball it is about.

    Attributes:
        work: how many steps the search of one ball may take, the same on every machine.
    """

    work: int = WORK

    def refusal(self, query: Query) -> str | None:
        """The reason why it cannot answer; None when it can."""
        domain, region = query.domain, query.region
        if not isinstance(query.objective, Quadratic):
            return f"it takes quadratic surrogates, not {type(query.objective).__name__}"
        if region.radius > 1:
            return "it keeps no distance from tried points"
        if region.box is not None and not region.box.is_ball(domain):
            return "it searches balls, not boxes"
        if region.box is not None and not domain.contains(tuple(region.box.centre.tolist())):
            return "the centre of the ball is not in the domain"
        return self.domain_refusal(domain)

    def domain_refusal(self, domain: Domain) -> str | None:
        """It lists the values of each variable, and the neighbours of each point."""
        if ranged(domain) or len(domain.coding.shares):
            return "some variables are ranges"
        groups = groups_of(domain)
        return groups if isinstance(groups, str) else None

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points, best first; fewer when fewer are left."""
        refusal = self.refusal(query)
        if refusal is not None:
            raise UnsupportedProgram(f"the search over pairs cannot be used: {refusal}")
        return best_points(query, lambda left: self.one(left, rng))

    def one(self, query: Query, rng: Generator) -> Answer:
        """The best point of the largest ball that can be proved; a good one of a ball that is too large."""
        domain, surrogate, box = query.domain, query.objective, query.region.box
        assert isinstance(surrogate, Quadratic), "refusal() says no to others"
        groups = groups_of(domain)
        assert isinstance(groups, Groups), "refusal() says no to others"
        load_pairs()
        began = time.perf_counter()
        centre = box.centre if box is not None else start_of(query, rng)
        if centre is None:
            return untried(query.region, 1, rng)  # nothing to start from
        radius = len(domain.variables) if box is None else min(box.changes, len(domain.variables))
        around = Around(surrogate, domain, groups, query.exclude.inside(domain), centre)
        found, reach = self.widened(around, radius) if radius <= PROVABLE else self.far(around, radius, rng)
        point = found.point
        if point is None:
            if found.complete:
                return Empty()
            if box is None:
                return untried(query.region, 1, rng)  # any point will do
            return Unknown(f"the search over pairs met no untried point in {found.nodes} nodes")
        near = "the best one" if box is not None else "the point that the search began with"
        ball = box if reach == radius else Box.ball(domain, tuple(centre.tolist()), reach, near)
        if not found.complete:
            best, within = self.settled(around, radius, found)
            if best.point is not None:
                found, point = best, best.point
                assert tuple(point.tolist()) in query.region
                inside = "" if box is None else f" and at most {radius} away from {near}"
                ball = Box.ball(domain, tuple(point.tolist()), within, f"this one{inside}")
        query = replace(query, region=replace(query.region, box=ball))
        scale = size_of(surrogate, domain)
        claim = Claim(
            point=tuple(point.tolist()),
            origin="search over pairs",
            value=found.value,
            bound=found.bound + ROUNDING * scale,
            proved=found.complete,
            rounding=ROUNDING * scale,
            no_goods=len(around.tried) if ball is None else int(ball.holds(around.tried).sum()),
            seconds=time.perf_counter() - began,
            solver=f"search over pairs ({found.nodes} node{'' if found.nodes == 1 else 's'})",
        )
        return Found((certify(query, claim),))

    def far(self, around: "Around", radius: int, rng: Generator) -> "tuple[Near, int]":
        """A good point of a ball that is mostly too large for a proof, and the radius."""
        climbs = bool(around.groups.diagrams)
        start = self.climbed(around, radius) if climbs else wandered(around, radius, self.work, rng)
        return searched(around, radius, self.work // 4, start), radius

    def widened(self, around: "Around", radius: int, known: "Near | None" = None) -> "tuple[Near, int]":
        """The best point of the largest ball that a proof was found for, up to a radius, and its own radius.

        Where no ball has one, it is the best point met in the smallest. A point that is known is left for a
        better one alone.
        """
        best, reach = known or Near(), 0
        while True:
            wider = min(reach + STEP if reach > 1 else reach + 1, radius)
            found = searched(around, wider, self.work, best)
            if not found.complete:
                # A point of the largest proved ball is better than a guess; without one, a guess has to do.
                proved = reach > 0 and best.point is not None
                return (replace(best, nodes=found.nodes), reach) if proved else (found, wider)
            best, reach = found, wider
            if reach == radius:
                return best, reach

    def settled(self, around: "Around", radius: int, met: "Near") -> "tuple[Near, int]":
        """A point that is proved to be the best one of a ball round itself, and the radius of that ball.

        It is sought uphill from a point that was met. What is more than `radius` away from where the search
        began is no part of any ball. Nothing and 0 where nothing is proved.
        """
        quarter, groups = replace(self, work=self.work // 4), around.groups.within(radius, around.centre)
        rounding = ROUNDING * size_of(around.surrogate, around.domain)
        for _ in range(ASCENTS):
            if met.point is None:
                break
            beside = replace(around, centre=met.point, groups=groups)
            here = replace(met, value=beside.base, complete=False)
            best, reach = quarter.widened(beside, min(radius, PROVABLE), here)
            if not best.complete or reach < STEP:
                break
            if not best.value > here.value + rounding:  # the same value, computed in another order
                return replace(best, point=here.point, value=here.value), reach
            met = best
        return Near(), 0

    def climbed(self, around: "Around", radius: int) -> "Near":
        """The end of an ascent, each step to the best point of a small ball inside the large one."""
        best, at = Near(), around.centre
        while True:
            left = radius - int((at != around.centre).sum())
            if left < 1:
                return best
            met = searched(replace(around, centre=at), min(left, STEP), self.work // 10, Near())
            best = replace(best, nodes=best.nodes + met.nodes)
            if met.point is None or met.value <= best.value:
                return best
            best, at = replace(met, nodes=best.nodes), met.point


# Not slotted: what does not depend on the radius is worked out once.
@dataclass(frozen=True, eq=False)
class Around:
    """What is searched, and from where: a surrogate over a domain less the tried points, from a centre."""

    surrogate: Quadratic
    domain: Domain
    groups: Groups
    tried: IntArray
    """One point a row."""
    centre: IntArray

    def value_of(self, point: IntArray) -> float:
        """The prediction at a point."""
        return float(self.surrogate.predict(self.domain.encode([tuple(point.tolist())]))[0])

    @cached_property
    def base(self) -> float:
        """The prediction at the centre."""
        return self.value_of(self.centre)

    @cached_property
    def moves(self) -> Moves:
        """Every move from the centre."""
        return moves_from(self.domain, self.groups, self.centre)

    @cached_property
    def priced(self) -> "Task":
        """The moves with what they are worth and have to keep, whatever was tried."""
        return task_of(self.surrogate, self.domain, self.groups, self.moves, self.centre)

    def task(self, radius: int) -> "Task":
        """What a compiled search within a radius looks at."""
        near = self.tried[(self.tried != self.centre).sum(axis=1) <= radius]
        made = np.ascontiguousarray(as_moves(near, self.groups, self.moves), dtype=np.int64)
        return self.priced._replace(tried=made)


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The best point met near another; whether that is proved, or the bound on what may be left."""

    point: IntArray | None = None
    value: float = -np.inf
    bound: float = np.inf
    nodes: int = 0
    complete: bool = False


def searched(around: Around, radius: int, work: int, known: Near) -> Near:
    """The best untried point at most `radius` variables away, if it is better than what is known."""
    from milbox.inner.pairs.kernel import search

    groups, moves, task = around.groups, around.moves, around.task(radius)
    cheapest = int(moves.cost.min()) if len(moves.cost) else 1
    desk = desk_of(task, min(radius // cheapest, groups.count))
    base = around.base
    ended = search(task, desk, radius, cheapest, known.value - base, work)
    nodes = known.nodes + ended.nodes
    if not ended.met:
        return replace(known, bound=base + ended.bound, nodes=nodes, complete=ended.complete)
    point = moved(around.centre, desk.best[desk.best >= 0], groups, moves)
    return Near(point, base + ended.value, base + ended.bound, nodes, ended.complete)


def wandered(around: Around, radius: int, work: int, rng: Generator) -> Near:
    """The best untried point that a tabu search meets, at most `radius` variables away."""
    from milbox.inner.pairs.tabu import LEADERS, LINKS, Bench, wander

    groups, moves = around.groups, around.moves
    count, sums = len(moves.cost), len(groups.lower)
    bench = Bench(
        field=np.zeros(count),
        chosen=np.full(groups.count, -1),
        until=np.zeros(groups.count, np.int64),
        best=np.full(groups.count, -1),
        activity=np.zeros(sums),
        leader=np.full(LEADERS, -1),
        led=np.zeros(LEADERS),
        undo=np.full(LINKS, -1),
        links=np.full(LINKS, -1),
        chain=np.full(LINKS, -1),
    )
    scans = count * (1 + LEADERS * (LINKS - 1)) if sums else count
    steps = min(WANDERED * groups.count, work // max(1, scans))
    value = wander(around.task(radius), bench, radius, steps, np.uint64(rng.integers(2**63)))
    if value == -np.inf:
        return Near()
    point = moved(around.centre, bench.best[bench.best >= 0], groups, moves)
    return Near(point, around.value_of(point))


def start_of(query: Query, rng: Generator) -> IntArray | None:
    """A feasible point to start from: the best tried one by prediction, or one that is drawn."""
    domain = query.domain
    codes = query.exclude.codes(domain)
    inside = codes[((codes >= domain.coding.low) & (codes <= domain.coding.high)).all(axis=1)]
    inside = inside[domain.feasible(inside)]
    if len(inside):
        best: IntArray = inside[int(np.argmax(query.objective.predict(domain.encode(inside))))]
        return best
    answer = untried(query.region, 1, rng)
    if not isinstance(answer, Found):
        return None
    return np.array(answer.proposals[0].point, dtype=np.int64)


def size_of(surrogate: Quadratic, domain: Domain) -> float:
    """No prediction of the domain's points is larger."""
    low, high = domain.coding.limits
    largest = np.maximum(np.abs(low), np.abs(high)).astype(np.float64)
    pairs = largest @ np.abs(surrogate.pairs) @ largest
    return float(abs(surrogate.bias) + np.abs(surrogate.linear) @ largest + pairs)


def task_of(surrogate: Quadratic, domain: Domain, groups: Groups, moves: Moves, centre: IntArray) -> "Task":
    """Everything that the compiled search looks at but the points that were tried."""
    from milbox.inner.pairs.kernel import Task

    both = surrogate.pairs + surrogate.pairs.T
    x = domain.encode([tuple(centre.tolist())])[0]
    joint = moves.adds @ both
    cross = np.ascontiguousarray((moves.adds @ joint.T).T, dtype=np.float64)
    gain = moves.adds @ (surrogate.linear + both @ x) + 0.5 * np.diagonal(cross)
    option = groups.options[groups.begin[moves.state]]
    single = groups.owner[option]  # what follows is looked at where groups are single variables
    layers = layers_of(groups.diagrams)
    variables = [int(i) for part in groups.diagrams for i in part.variables]
    each = moves.ties / np.maximum(moves.cost, 1)[:, None]
    return Task(
        gain=np.asarray(gain, dtype=np.float64),
        cross=cross,
        group=groups.group[moves.state].astype(np.int64),
        cost=moves.cost.astype(np.int64),
        slot=groups.slot[single].astype(np.int64),
        letter=(option - groups.start[single]).astype(np.int64),
        start=(centre - domain.coding.low)[variables].astype(np.int64),
        ties=moves.ties,
        steps=np.stack([each.max(axis=0, initial=0.0), (-each).max(axis=0, initial=0.0)]),
        lower=groups.lower - moves.activity,
        upper=groups.upper - moves.activity,
        first_layer=layers.first_layer,
        nodes=layers.nodes,
        first=layers.first,
        source=layers.source,
        edge_letter=layers.letter,
        tried=np.zeros((0, groups.count), np.int64),
    )


def desk_of(task: "Task", most: int) -> "Desk":
    """Room for sets of so many moves; the sums at the start are zero, since limits are about changes."""
    from milbox.inner.pairs.kernel import Desk

    depths, moves = most + 2, len(task.gain)
    diagrams = len(task.first_layer) - 1
    return Desk(
        alive=np.zeros((depths, moves), np.int64),
        counts=np.zeros(depths, np.int64),
        gain=np.zeros((depths, moves)),
        half=np.zeros((depths, moves)),
        removed=np.zeros((depths, moves), np.bool_),
        order=np.zeros((depths, moves), np.int64),
        upper=np.zeros((depths, moves)),
        branches=np.zeros(depths, np.int64),
        at=np.zeros(depths, np.int64),
        value=np.zeros(depths),
        left=np.zeros(depths, np.int64),
        needed=np.zeros((depths, diagrams), np.int64),
        activity=np.zeros((depths, len(task.lower))),
        chosen=np.zeros(depths, np.int64),
        now=task.start.copy(),
        fixed=np.zeros(len(task.start), np.bool_),
        measured=np.zeros((depths, diagrams), np.bool_),
        ahead=np.zeros((depths, len(task.first)), np.int64),
        behind=np.zeros((depths, len(task.first)), np.int64),
        top=np.zeros(depths),
        best=np.full(depths - 1, -1, np.int64),
    )
