"""Strategies that a problem file can choose by name."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from milbox.strategies import NNMILP, LinearMILP, RandomSearch

if TYPE_CHECKING:
    from milbox.strategies import Strategy

STRATEGIES: Mapping[str, Callable[[], Any]] = {
    "nn+milp": NNMILP,
    "linear+milp": LinearMILP,
    "random": RandomSearch,
}


def strategy_named(name: str, initial: int | None) -> "Strategy":
    """The strategy with that name, and with another number of random points first."""
    chosen: Strategy = STRATEGIES[name]()
    if initial is None:
        return chosen
    if not (is_dataclass(chosen) and any(field.name == "initial" for field in fields(chosen))):
        raise ValueError(f"the strategy {name!r} has no number of initial points")
    return replace(chosen, initial=initial)
