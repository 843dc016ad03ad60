"""Several best points, one after the other."""

from collections.abc import Callable
from dataclasses import replace

from milbox.inner.query import Query, Region
from milbox.trials.answer import Answer, Found, joined
from milbox.trials.trial import Proposal


def best_points(query: Query, best: Callable[[Query], Answer]) -> Answer:
    """The answer to a query, by a search for the best point: it is made once for each."""
    return successive(query.region, query.count, lambda left, _: best(replace(query, region=left, count=1)))


def successive(
    region: Region,
    count: int,
    best: Callable[[Region, tuple[Proposal, ...]], Answer],
    first: tuple[Proposal, ...] = (),
) -> Answer:
    """Proposals up to `count`: each is the best of the region once those before it are excluded too.

    Args:
        region: where they may lie.
        count: how many there are in all.
        best: finds the next one, in what is left of the region, given those before it.
        first: proposals that come before all others; their points are not in the region.
    """
    found = first
    while len(found) < count:
        answer = best(region, found)
        if not isinstance(answer, Found):
            return joined(found, answer)
        region = region.without([proposal.point for proposal in answer.proposals])
        found += answer.proposals
    return Found(found)
