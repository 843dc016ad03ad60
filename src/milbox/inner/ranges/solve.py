"""Queries over domains of ranges, answered by branch and bound over linear programs."""

import math
import time
from dataclasses import replace

from milbox.domain import Domain
from milbox.domain.kept import kept
from milbox.inner.certify import Claim, certify
from milbox.inner.query import Query
from milbox.inner.ranges.columns import columns_of
from milbox.inner.spacing import is_spaced
from milbox.inner.successive import best_points
from milbox.milp.solution import Limits
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Answer, Empty, Found, Unknown

CODES = 16
"""A variable of one feature and more codes than this is a range."""

ENTRIES = 1 << 19
"""The largest tableau of a linear program: a pivot looks at each entry."""

ROUNDING = 1e-10
"""The search's value and the surrogate's own may differ by this share of the largest value there can be."""


@kept
def ranged(domain: Domain) -> bool:
    """Whether the domain is searched as ranges: some variable is one, and all constraints are sums."""
    wide = any(v.coding in ("number", "share") and len(v.codes) > CODES for v in domain.variables)
    return is_spaced(domain) or (wide and not isinstance(columns_of(domain), str))


def taken(query: Query) -> bool:
    """Whether a query is searched over ranges: where diagrams could answer it too, unless ranges cannot."""
    return ranged(query.domain) and (is_spaced(query.domain) or refusal(query) is None)


def refusal(query: Query) -> str | None:
    """The reason why a domain of ranges cannot be searched for this query; None when it can."""
    surrogate, columns = query.objective, columns_of(query.domain)
    if isinstance(columns, str):
        return domain_refusal(query.domain)
    box, coding = query.region.box, query.domain.coding
    if box is not None and (box.unordered & ~coding.onehot & (coding.high - coding.low > 1)).any():
        return "some variables are ranges, and the box counts changes of choices that are one feature"
    if isinstance(surrogate, ReluNet) and len(surrogate.hidden) > 1:
        return "some variables are ranges, and the network has more than one hidden layer"
    units = len(surrogate.hidden[0].bias) if isinstance(surrogate, ReluNet) and surrogate.hidden else 1
    rows = units + len(columns.least) + int(columns.group.max(initial=-1)) + 1
    entries = rows * (len(columns.steps) + 2 * rows + 1)
    return None if entries <= ENTRIES else f"its linear programs would have {entries:,} entries"


def domain_refusal(domain: Domain) -> str | None:
    """The reason why a domain of ranges cannot be searched for any query; None when it can."""
    columns = columns_of(domain)
    return f"some variables are ranges, and {columns}" if isinstance(columns, str) else None


def solve(query: Query, limits: Limits) -> Answer:
    """The best points: each is the optimum once those before it are excluded too."""
    return best_points(query, lambda left: farthest(left, limits))


def farthest(query: Query, limits: Limits) -> Answer:
    """The best point at the largest distance from tried points that leaves any."""
    answer: Answer = Empty()
    for apart in query.region.distances():
        answer = optimum(replace(query, region=replace(query.region, apart=apart)), limits)
        if isinstance(answer, Found):
            break
    return answer


def optimum(query: Query, limits: Limits) -> Answer:
    """The best point of the region."""
    # numba is slow to import, so whoever does not search does not pay for it.
    from milbox.inner.ranges.maximise import maximise, task_of

    began = time.perf_counter()
    surrogate, columns = query.objective, columns_of(query.domain)
    assert not isinstance(columns, str), "refusal() says no to others"
    assert isinstance(surrogate, Linear | ReluNet), "refusal() says no to others"
    tried = query.domain.codes(query.region.beside())
    found = maximise(
        task_of(surrogate, columns, tried, query.region.steps_apart, query.region.box),
        seconds=limits.seconds,
        nodes=limits.nodes,
        gap=limits.gap,
    )
    if found.point is None:
        if found.bound == -math.inf:
            return Empty()
        return Unknown(f"branch and bound met no untried point in {found.nodes} nodes")
    claim = Claim(
        point=columns.point(found.point),
        origin="branch and bound",
        value=found.value,
        bound=found.bound,
        proved=found.bound - found.value <= 2.0 * found.slack,
        rounding=ROUNDING * found.scale,
        no_goods=len(tried),
        seconds=time.perf_counter() - began,
        solver=f"branch and bound ({found.nodes} node{'' if found.nodes == 1 else 's'})",
    )
    return Found((certify(query, claim),))
