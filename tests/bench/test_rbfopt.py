"""RBFOpt behind the protocol of strategies, with the command `bonmin` or milbox's own."""

import sys
from pathlib import Path

import numpy as np
import pytest

import milbox.domain as md
from milbox.bench import rbfopt as adapter
from milbox.bench.rbfopt import RbfOpt
from milbox.domain import Domain
from milbox.errors import SolverUnavailable, UnsupportedProgram
from milbox.testing.answers import proposed
from milbox.trials import Failed, Finished, History, Proposal

pytest.importorskip("rbfopt", reason="pip install milbox[rbfopt]")


def domain() -> Domain:
    return Domain([md.categorical("c", list("abc"), 2), md.integer("k", 2, 4)])


def value(point: tuple[int, ...]) -> float:
    return float(np.sin(1.0 + np.array(point) @ [1.0, 2.2, 0.7]))


def history(steps: int, strategy: RbfOpt) -> History:
    """Asked and told one by one."""
    past = History()
    for number in range(steps):
        found = proposed(strategy.propose(domain(), past, 1, np.random.default_rng(number)))
        past = past.asked(found).told(number, Finished(value(found[0].point)))
    return past


def test_it_is_a_function_of_the_history() -> None:
    strategy = RbfOpt(seed=5)
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    past = history(9, strategy)
    assert all(domain().contains(point) for point in past.asked_points)
    assert len(set(past.asked_points)) == 9
    assert [trial.origin for trial in past] == ["rbfopt"] * 9
    # Nothing is left in NumPy's global random numbers, and nothing depends on the run that was kept.
    np.testing.assert_equal(np.random.get_state(legacy=False), before)  # noqa: NPY002
    going_on = proposed(strategy.propose(domain(), past, 1, np.random.default_rng(1)))
    assert proposed(strategy.propose(domain(), past, 1, np.random.default_rng(1))) == going_on
    adapter._last.clear()
    assert proposed(strategy.propose(domain(), past, 1, np.random.default_rng(1))) == going_on
    # Another run in between takes its place, and is itself told nothing of this one.
    other = history(3, RbfOpt(seed=6))
    assert proposed(strategy.propose(domain(), History(past.trials[:4]), 1, np.random.default_rng(1)))[0] == (
        past.trials[4].proposal
    )
    assert other.asked_points == history(3, RbfOpt(seed=6)).asked_points


def test_pending_failed_and_foreign_points_do_not_stop_it() -> None:
    strategy = RbfOpt(seed=5)
    first = proposed(strategy.propose(domain(), History(), 3, np.random.default_rng(0)))
    assert len({proposal.point for proposal in first}) == 3
    assert first[0].origin == "rbfopt"
    pending = History().asked(first)
    rest = proposed(strategy.propose(domain(), pending, 2, np.random.default_rng(0)))
    assert not {proposal.point for proposal in rest} & {proposal.point for proposal in first}
    failed = pending.told(0, Failed("no")).told(1, Finished(1.0)).told(2, Finished(2.0))
    assert proposed(strategy.propose(domain(), failed, 1, np.random.default_rng(0)))[0].origin == "rbfopt"
    known = History().asked([Proposal(point, "known") for point in list(domain())[:26]])
    for number in range(26):
        known = known.told(number, Finished(1.0 * number))
    left = proposed(strategy.propose(domain(), known, 5, np.random.default_rng(0)))
    assert [proposal.point for proposal in left] == [list(domain())[26]]


def test_what_it_cannot_do_is_said_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    x = md.binary("x", 3)
    with pytest.raises(UnsupportedProgram, match="RBFOpt takes no constraints, and the domain has 1"):
        RbfOpt().propose(Domain([x], [x.sum() == 1]), History(), 1, np.random.default_rng(0))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(SolverUnavailable, match="needs the command `bonmin`"):
        RbfOpt().propose(domain(), History(), 1, np.random.default_rng(0))


def test_a_bonmin_on_the_path_comes_before_our_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert adapter.bonmin() == str(Path(sys.executable).parent / "milbox-bonmin")
    (tmp_path / "bonmin").write_text("")
    (tmp_path / "bonmin").chmod(0o755)
    assert adapter.bonmin() == str(tmp_path / "bonmin")


def test_rbfopt_goes_on_with_what_our_own_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    own, command, log = adapter.bonmin(), tmp_path / "bonmin", tmp_path / "log"
    command.write_text(f'#!/bin/sh\necho "$1" >> {log}\nexec {own} "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    past = history(20, RbfOpt(seed=5))
    assert [trial.origin for trial in past] == ["rbfopt"] * 20
    assert any(line.endswith(".nl") for line in log.read_text().splitlines())
