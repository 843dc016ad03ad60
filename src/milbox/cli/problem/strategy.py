"""Strategies that a problem file or the command line can choose by name.

All that plans take, except those that change the problem itself. What benchmarks add is imported only for a
name that the library does not know.
"""

from typing import TYPE_CHECKING

from milbox.strategies.named import INITIAL, NAMED, by_name

if TYPE_CHECKING:
    from milbox.bench.algorithms import Algorithm
    from milbox.domain import Domain
    from milbox.strategies import Strategy

DEFAULT = "nn+milp"


def strategy_named(name: str, initial: int | None, domain: "Domain") -> "Strategy":
    """The strategy with that name, and with so many random points first.

    Raises:
        ValueError: there is no such strategy, it cannot be used on the domain, or it has no random points.
    """
    if name in NAMED:
        return by_name(name, domain, initial)
    if name not in algorithms():
        raise ValueError(unknown(name))
    algorithm = algorithms()[name]
    objection = algorithm.refusal(domain)
    if objection is not None:
        raise ValueError(f"the strategy {name!r} cannot be used here: {objection}")
    strategy = algorithm.strategy(INITIAL if initial is None else initial, 0)
    if initial is not None and not hasattr(strategy, "initial"):
        raise ValueError(f"the strategy {name!r} has no number of initial points")
    return strategy


def unknown(name: str) -> str:
    """Why there is no strategy with that name."""
    from milbox.bench.algorithms import ALGORITHMS
    from milbox.errors import nearest

    if name in ALGORITHMS:
        return f"{name!r} changes the domain, so only plans take it; change the domain and use {DEFAULT!r}"
    return f"no strategy named {name!r}{nearest(name, names())}"


def names() -> list[str]:
    """Every strategy that can be chosen."""
    return [*NAMED, *algorithms()]


def algorithms() -> "dict[str, Algorithm]":
    """The strategies that only benchmarks offer."""
    from milbox.bench.algorithms import ALGORITHMS, as_it_is

    return {
        name: algorithm
        for name, algorithm in ALGORITHMS.items()
        if name not in NAMED and algorithm.problem is as_it_is
    }
