"""Exact branch and bound for networks over decision diagrams, tied together by sums or not."""

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from numpy.random import Generator

from milbox.display import cut
from milbox.domain import Domain
from milbox.domain.diagrams.product import CODES, EDGES, Product, for_search
from milbox.domain.kept import kept
from milbox.errors import UnsupportedProgram
from milbox.inner.certify import Claim, certify
from milbox.inner.climb import climbed
from milbox.inner.loading import load_climbs, load_ranges, load_search
from milbox.inner.query import Query
from milbox.inner.ranges import solve as ranges
from milbox.inner.search.ball import in_ball
from milbox.inner.search.paths import Paths, paths_of
from milbox.inner.spacing import is_spaced
from milbox.milp.solution import Limits
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Answer, Empty, Found, Unknown

if TYPE_CHECKING:
    from milbox.inner.search.maximise import Found as Searched

ROUNDING = 1e-10
"""The search's value and the surrogate's own may differ by this share of the largest value there can be."""

ENTRIES = 1 << 25
"""The largest table of letters by units and ties: 256 MB."""

LARGEST = 2.0**50
"""Sums of ties stay below this, so that they and their penalties are exact."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Exact for networks of up to two hidden layers, and linear surrogates, where constraints make diagrams.

    Sums with whole coefficients may tie diagrams together. Where variables are ranges (reals, and integers of
    one feature and many values), all constraints have to be sums, and the network has one hidden layer.

    Attributes:
        limits: when the search stops; the best points in hand are returned with the bound proved so far.
            Without ties they do not keep it from finding `count` points at all.
        edges: sums that would make a diagram of more edges than this become ties.
    """

    limits: Limits = Limits()
    edges: int = EDGES

    def refusal(self, query: Query) -> str | None:
        """The reason why it cannot answer; None when it can."""
        surrogate, domain = query.objective, query.domain
        if query.region.radius > 1:
            return "it keeps no distance from tried points"
        if not isinstance(surrogate, Linear | ReluNet):
            return f"it takes networks and linear surrogates, not {type(surrogate).__name__}"
        if isinstance(surrogate, ReluNet) and len(surrogate.hidden) > 2:
            return f"the network has {len(surrogate.hidden)} hidden layers, and it takes at most two"
        if ranges.taken(query):
            return ranges.refusal(query)
        if query.region.box is not None and not query.region.box.is_ball(domain):
            return "it searches balls, not boxes"
        refusal = domain_refusal(domain, self.edges)
        paths = as_paths(domain, self.edges) if refusal is None else None
        if paths is None:
            return refusal
        count, rows = len(paths.code), hidden_units(surrogate) + len(paths.tie_bias)
        if count * (rows + 1) > ENTRIES:
            return f"{count} values times {rows} units and sums are too many to keep in memory"
        return None

    def domain_refusal(self, domain: Domain) -> str | None:
        """Where there are reals, all constraints have to be sums."""
        return ranges.domain_refusal(domain) if is_spaced(domain) else None

    def prepare(self, domain: Domain) -> None:
        """Take the domain apart and load what a search calls, so that no time limit pays for either."""
        if ranges.ranged(domain):
            load_ranges()
            return
        load_search()
        paths = as_paths(domain, self.edges)
        if paths is not None and len(paths.tie_bias):
            load_climbs()

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points, best first; fewer when fewer are left."""
        # numba is slow to import, so whoever does not search does not pay for it.
        from milbox.inner.search.maximise import maximise
        from milbox.inner.search.network import layered, task_of

        refusal = self.refusal(query)
        if refusal is not None:
            raise UnsupportedProgram(f"branch and bound cannot be used: {refusal}")
        surrogate, domain = query.objective, query.domain
        self.prepare(domain)
        if ranges.taken(query):
            return ranges.solve(query, self.limits)
        load_search()  # also where ranges were prepared
        began = time.perf_counter()
        assert isinstance(surrogate, Linear | ReluNet), "refusal() says no to others"
        paths = as_paths(domain, self.edges)
        if paths is None:
            return Empty()  # a diagram has no path
        if query.region.box is not None:
            paths = in_ball(paths, query.region.box)
        tried = query.exclude.inside(domain)
        found = maximise(
            task_of(layered(surrogate, paths), paths),
            tried,
            query.count,
            rng,
            seconds=self.limits.seconds - (time.perf_counter() - began),
            nodes=self.limits.nodes,
            gap=self.limits.gap,
            # A climb leaves the ball.
            start=None if query.region.box else partial(climbed, surrogate, domain, query.exclude, rng),
        )
        if len(found.points):
            seconds = time.perf_counter() - began
            claims = [self.claim(found, place, len(tried), seconds) for place in range(len(found.points))]
            return Found(tuple(certify(query, claim) for claim in claims))
        if found.complete:
            return Empty()
        return Unknown(f"branch and bound met no untried point in {found.nodes} nodes")

    def claim(self, found: "Searched", place: int, no_goods: int, seconds: float) -> Claim:
        """What is proved about one of the points found, once those before it are taken."""
        value = float(found.values[place])
        bound = max(value + found.slack, found.rest)
        return Claim(
            point=tuple(found.points[place].tolist()),
            origin="branch and bound",
            value=value,
            bound=bound,
            proved=bound - value <= 2.0 * found.slack,
            rounding=ROUNDING * found.scale,
            no_goods=no_goods,
            seconds=seconds,
            solver=f"branch and bound ({found.nodes} node{'' if found.nodes == 1 else 's'})",
        )


def apart(domain: Domain, edges: int) -> Product:
    """The domain taken apart into diagrams of at most so many edges."""
    return domain.product if edges == EDGES else taken_apart(domain, edges)


@kept
def taken_apart(domain: Domain, edges: int) -> Product:
    """The same for another number of edges than the domain's own."""
    return for_search(domain, edges)


@kept
def domain_refusal(domain: Domain, edges: int) -> str | None:
    """Why a domain cannot be searched, whatever the surrogate; None when it can."""
    wide = next((v for v in domain.variables if len(v.codes) > CODES), None)
    if wide is not None:
        return f"{wide.name!r} has {len(wide.codes)} values, and it lists at most {CODES} of a variable"
    product = apart(domain, edges)
    if product.rest:
        return f"no decision diagram of at most {edges} edges holds {cut(str(product.rest[0]), 80)}"
    count, sums = sum(len(v.codes) for v in domain.variables), 2 * len(product.ties)
    if count * (sums + 1) > ENTRIES:
        return f"{count} values times {sums} sums are too many to keep in memory"
    paths = as_paths(domain, edges)
    if paths is not None and paths.tie_size.max(initial=0.0) > LARGEST:
        return f"sums that tie variables together are too large: they may reach {LARGEST:,.0f}"
    return None


@kept
def as_paths(domain: Domain, edges: int) -> Paths | None:
    """The domain as paths; None if it has none."""
    return paths_of(apart(domain, edges))


def hidden_units(surrogate: Linear | ReluNet) -> int:
    """The number of ReLUs."""
    return sum(len(layer.bias) for layer in surrogate.hidden) if isinstance(surrogate, ReluNet) else 0
