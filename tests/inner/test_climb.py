"""A repair looks at every change of the variables in a row, and at each of them once."""

from typing import Any

import numpy as np
import pytest

import milbox.domain as md
from milbox.compiled.jit import entry
from milbox.inner.climb import kernel as climb_kernel
from milbox.inner.climb import listed_options
from milbox.inner.climb.kernel import LONGEST, Desk, Layers, Options, best_repair


@entry
def compiled_repair(layers: Layers, options: Options, desk: Desk) -> int:
    """What Python can call."""
    return best_repair(layers, options, desk, 0, 0)


def over_the_total(domain: md.Domain, units: int) -> tuple[Layers, Desk]:
    """A network, and a desk with a point that breaks the domain's only row."""
    rng = np.random.default_rng(0)
    options, _, _ = listed_options(domain)
    count = len(options.variable)
    table = rng.normal(size=(count, units))
    layers = Layers(table, rng.normal(size=units), rng.normal(size=units + 1), np.array([units, 1]))
    state = options.first[1:] - 1  # the largest code of every variable
    activity = np.zeros(len(options.lower))
    for option in state:
        for e in range(options.row_start[option], options.row_start[option + 1]):
            activity[options.row[e]] += options.adds[e]
    desk = Desk(
        state=state,
        order=np.arange(count),
        hidden=layers.bias + table[state].sum(axis=0),
        activity=activity,
        scratch=np.empty((2, units)),
        moved=np.empty(LONGEST, np.int64),
        olds=np.empty(LONGEST, np.int64),
    )
    return layers, desk


def test_each_change_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    k = md.integer("k", 0, 7, 5)
    domain = md.Domain([k], [k.sum() <= 20])
    options, _, _ = listed_options(domain)
    layers, desk = over_the_total(domain, 3)
    changes = []
    monkeypatch.setattr(climb_kernel, "larger", max)
    for name in ("forward", "excess", "violation", "shift", "change", "best_repair"):
        monkeypatch.setattr(climb_kernel, name, getattr(climb_kernel, name).py_func)

    def counted(*arguments: Any) -> float:
        changes.append(arguments[3:])
        return float(change(*arguments))

    change = climb_kernel.change
    monkeypatch.setattr(climb_kernel, "change", counted)
    climb_kernel.best_repair(layers, options, desk, 0, 0)
    # Seven other codes of five variables, and back again.
    assert len(changes) == len(set(changes)) == 2 * 7 * 5


@pytest.mark.parametrize("total", [0, 20, 30, 34])
def test_a_repair_is_the_best_of_all_that_leave_least_violation(total: int) -> None:
    k = md.integer("k", 0, 7, 5)
    domain = md.Domain([k], [k.sum() <= total])
    options, _, _ = listed_options(domain)
    layers, desk = over_the_total(domain, 3)
    chosen = compiled_repair(layers, options, desk)

    def judged(option: int) -> tuple[float, float]:
        """The violation it leaves, and the value that is lost."""
        variable = options.variable[option]
        codes = desk.state - options.first[:-1]
        codes[variable] = option - options.first[variable]
        hidden = layers.bias + layers.table[options.first[:-1] + codes].sum(axis=0)
        value = np.maximum(hidden, 0.0) @ layers.weights[:3] + layers.weights[3]
        return max(0.0, float(codes.sum() - total)), -float(value)

    others = [option for option in range(len(options.variable)) if option not in desk.state]
    assert chosen == min(others, key=judged)
