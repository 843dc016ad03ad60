"""The best points that meet requirements, by exact penalties.

The objective less a penalty for what a point misses is never more than the objective, and equals it where
nothing is missed. So where the best point of the penalised objective meets every requirement, it is the best
of all points that do, and its bound holds for them. Where it does not, hard penalties grow; where they have
grown enough and it still does not, it is the point that trades what is missed against the objective, and its
certificate says so.
"""

from dataclasses import replace

from numpy.random import Generator

from milbox.inner.protocol import InnerSolver
from milbox.inner.query import Query
from milbox.trials.answer import Answer, Found
from milbox.trials.trial import Proposal

GROWTH = (1.0, 4.0)
"""What hard penalties are multiplied by, one after the other. Large ones make bounds weak: a search that took
20 ms took minutes at ten times the penalty."""


def solve(inner: InnerSolver, query: Query, rng: Generator) -> Answer:
    """The best points of a query with or without requirements."""
    if not query.requirements:
        return inner.solve(query, rng)
    for growth in GROWTH:
        answer = inner.solve(query.penalised(growth), rng)
        if not isinstance(answer, Found) or all(query.meets(found.point) for found in answer.proposals):
            break
    return (
        Found(tuple(_said(query, found) for found in answer.proposals))
        if isinstance(answer, Found)
        else answer
    )


def _said(query: Query, found: Proposal) -> Proposal:
    """The proposal with a certificate that says what the requirements are to it."""
    if found.certificate is None:
        return found
    hard = [each.name for each in query.requirements if each.hard]
    soft = [each.name for each in query.requirements if not each.hard]
    about = found.certificate.about
    if hard and query.meets(found.point):
        about += f" that keep {_listed(hard)} in the model"
    else:
        soft = hard + soft
    if soft:
        about += f", less a penalty for {_listed(soft)}"
    return replace(found, certificate=replace(found.certificate, about=about))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
