"""What prompts and notebooks show: short texts, small tables, nothing that markup could break."""

from typing import Any

import numpy as np
import pytest

import milbox as mb
from milbox.display import in_short, ordinal, table
from milbox.trials import Trial
from studies import Greedy, shelf


def wide(x: Any, op: str) -> float:
    return float(x.sum())


def test_reprs_are_short_however_much_they_stand_for() -> None:
    x = mb.binary("x", 1000)
    op = mb.categorical("op", ["<b>bold</b>", "plain"])
    domain = mb.Domain([x, op], [x[i] <= x[i + 1] for i in range(900)])
    result = mb.maximize(wide, domain, 30, strategy=mb.RandomSearch())
    assert len(repr(result)) < 120
    assert repr(result).startswith("<Result to maximize: best value ")
    assert all(len(repr(trial)) < 220 for trial in result.trials)
    for thing in (domain, result, result.best):
        html = thing._repr_html_()
        assert html.startswith("<table>")
        assert "<b>" not in html
        assert len(html) < 6000
    assert "and 883 more" in domain._repr_html_()


def test_a_trial_says_its_number_outcome_and_origin() -> None:
    study = mb.Study(shelf(), Greedy())
    pending = study.ask()
    where = f"x={pending.assignment['x']} k={pending.assignment['k']}"
    assert repr(pending) == f"<Trial 0: pending at {where}, greedy after 0, optimal>"
    study.tell(0, 2.5)
    assert repr(study.trials[0]) == f"<Trial 0: 2.5 at {where}, greedy after 0, optimal>"
    assert f"<td>x</td><td>{pending.assignment['x']}</td>" in study._repr_html_()
    study.fail(study.ask().number, "cold")
    assert repr(study.trials[1]).startswith("<Trial 1: failed at x=[")
    bare = Trial(3, pending.proposal)
    assert repr(bare).startswith(f"<Trial 3: pending at point={pending.point}")


def test_a_result_without_values_says_so() -> None:
    def broken(x: Any, k: int) -> float:
        raise OSError("cold\n" + "ice\n" * 100)

    result = mb.maximize(broken, shelf(), 3, strategy=Greedy())
    assert len(repr(result)) < 120
    assert repr(result).startswith("<Result to maximize: no trial finished (3 trials, 3 failed); the first")
    assert "no trial finished" in result._repr_html_()


def test_long_tables_and_lines_are_cut() -> None:
    assert in_short({"x": np.ones((3, 3), dtype=int)}) == "x=[[1 1 1] [1 1 1] [1 1 1]]"
    assert in_short({"x": "long" * 50}, 20) == "x=longlonglonglon..."
    assert table("t", ["a"], [[k] for k in range(20)]).count("<tr>") == 21
    cut = table("t", ["a"], [[k] for k in range(21)])
    assert cut.count("<tr>") == 21
    assert "and 2 more" in cut


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (32, "32nd"),
        (112, "112th"),
        (1001, "1,001st"),
    ],
)
def test_ordinals(number: int, shown: str) -> None:
    assert ordinal(number) == shown
