"""How many random points come before the first model, where the user did not say."""

from dataclasses import replace
from typing import Any, TypeVar

from milbox.domain import Domain
from milbox.trials.identity import initial_of

WITHOUT_BUDGET = 20
"""Where nobody knows how many evaluations there will be."""

FEWEST, MOST = 5, 50
SHARE_OF_BUDGET, SHARE_OF_DOMAIN = 5, 4
"""At most a fifth of the evaluations and a quarter of the points are left to chance."""

REALS = (10, 20)
SHARE_WITH_REALS = 3
"""With reals two points for each variable, within these, and at most a third of the evaluations."""


def initial_points(domain: Domain, budget: int | None = None) -> int:
    """A fifth of the budget, within 5 and 50; 20 without one; at most a quarter of the domain's points.

    With reals, or integers that are scaled as they are, two for each variable, within 10 and 20, and at most
    a third of the budget.
    """
    share, most, wanted = SHARE_OF_BUDGET, MOST, WITHOUT_BUDGET
    if len(domain.coding.shares):
        wanted = most = min(REALS[1], max(REALS[0], 2 * len(domain.variables)))
        share = SHARE_WITH_REALS
    if budget is not None:
        wanted = min(most, max(FEWEST, budget // share))
    size = domain.size
    return wanted if size is None else min(wanted, max(1, size // SHARE_OF_DOMAIN))


_S = TypeVar("_S")


def settled(strategy: _S, domain: Domain, budget: int | None, written: str | None = None) -> _S:
    """The strategy with a number of random points.

    Args:
        strategy: one that says the number itself, or has none, is returned as it is.
        domain: what the study is about.
        budget: how many evaluations there will be, where that is known.
        written: the identity in a journal that is opened again, which goes on with the number it has.
    """
    given: Any = strategy
    if getattr(given, "initial", 0) is not None:
        return strategy
    number = None if written is None else initial_of(written)
    chosen: _S = replace(given, initial=initial_points(domain, budget) if number is None else number)
    return chosen
