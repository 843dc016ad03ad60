import math
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox.domain as md
from generators import small_domains
from milbox.errors import DomainError, Exhausted
from milbox.strategies import NNMILP, RandomSearch
from milbox.study import Study
from milbox.trials import Answer, Failed, Finished, Found, History, Journal, Proposal, Trial
from objectives import score
from studies import MEMORY, Greedy, shelf


def evaluated(study: Study, count: int) -> Study:
    for _ in range(count):
        trial = study.ask()
        study.tell(trial.number, score(**trial.assignment))
    return study


def test_the_loop_of_the_readme() -> None:
    study = Study(shelf(), Greedy(), seed=0)
    assert (study.best, study.trials) == (None, ())
    trial = study.ask()
    assert (trial.number, trial.state, trial.value) == (0, "pending", None)
    assert set(trial.assignment) == {"x", "k"}
    assert isinstance(trial.assignment["x"], np.ndarray)
    assert type(trial.assignment["k"]) is int
    assert trial.certificate is not None
    study.tell(trial.number, score(**trial.assignment))
    assert study.best == study.trials[0]
    assert study.trials[0].value == score(**trial.assignment)
    batch = study.ask_many(4)
    assert [t.number for t in batch] == [1, 2, 3, 4]
    assert len({t.point for t in batch}) == 4
    study.fail(batch[1].number, "the cable came loose")
    assert study.trials[2].reason == "the cable came loose"
    assert study.trials[2].value is None


@dataclass(frozen=True)
class Recorder:
    """A strategy that writes down what it was given."""

    calls: list[tuple[History, int, int]]

    def propose(self, domain: md.Domain, history: History, count: int, rng: np.random.Generator) -> Answer:
        self.calls.append((history, count, int(rng.integers(2**62))))
        return Greedy().propose(domain, history, count, rng)


def test_the_generator_depends_on_the_seed_and_the_number_of_trials_asked() -> None:
    recorder = Recorder([])
    study = Study(shelf(), recorder, seed=11)
    study.ask_many(3)
    study.fail(1, "no")
    study.ask_many(2)
    for (history, count, drawn), (length, expected) in zip(recorder.calls, [(0, 3), (3, 2)], strict=True):
        assert (len(history), count) == (length, expected)
        assert drawn == np.random.default_rng([11, length]).integers(2**62)


@pytest.mark.parametrize("minimize", [False, True])
def test_telling_in_any_order_is_the_same_history(minimize: bool) -> None:
    def study(order: Sequence[int]) -> Study:
        study = Study(shelf(), Greedy(), minimize=minimize)
        batch = study.ask_many(4)
        for i in order:
            study.tell(batch[i].number, score(**batch[i].assignment))
        return study

    assert study([0, 1, 2, 3]).ask() == study([2, 0, 3, 1]).ask()


def test_minimising_is_maximising_the_negative() -> None:
    down, up = Study(shelf(), Greedy(), minimize=True), Study(shelf(), Greedy())
    for _ in range(12):
        low, high = down.ask(), up.ask()
        assert low.point == high.point
        assert low.certificate is not None
        assert high.certificate is not None
        assert (low.certificate.value, low.certificate.bound) == (
            -high.certificate.value,
            -high.certificate.bound,
        )
        assert low.certificate.gap == high.certificate.gap
        down.tell(low.number, score(**low.assignment))
        up.tell(high.number, -score(**high.assignment))
    assert down.history == up.history, "a strategy sees values of which the large are good"
    assert [t.value for t in down.trials] == [score(**t.assignment) for t in down.trials]
    assert down.best is not None
    assert down.best.value == min(score(**t.assignment) for t in down.trials)


@pytest.mark.parametrize("minimize", [False, True])
def test_a_reopened_journal_is_the_study(tmp_path: Path, minimize: bool) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path, minimize=minimize) as study:
        evaluated(study, 5)
        study.fail(study.ask().number, "no")
        study.ask()
        before = (study.trials, study.history, study.best)
    uninterrupted = evaluated(Study(shelf(), Greedy(), minimize=minimize), 5)
    uninterrupted.fail(uninterrupted.ask().number, "no")
    uninterrupted.ask()
    with Study(shelf(), Greedy(), journal=path, minimize=minimize) as study:
        assert (study.trials, study.history, study.best) == before
        assert [t.state for t in study.trials[-2:]] == ["failed", "pending"]
        for trial in study.trials:
            assert shelf().point(trial.assignment) == trial.point
        assert study.ask() == uninterrupted.ask()
        assert study.history == uninterrupted.history


@given(st.data())
def test_interrupted_after_any_step_and_resumed_is_uninterrupted(data: st.DataObject) -> None:
    """Law 8 over drawn domains: the study is reopened between any two steps."""
    domain = data.draw(small_domains(feasible=True, most=12))

    def value(trial: Trial) -> float:
        return float(np.sin(np.dot(trial.point, np.arange(1, len(trial.point) + 1))))

    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "run.db")
        whole = Study(domain, Greedy(), seed=2)
        study = Study(domain, Greedy(), seed=2, journal=path)
        for step in data.draw(st.lists(st.sampled_from(["ask", "tell", "fail", "reopen"]), max_size=20)):
            pending = study.history.pending
            if step == "reopen":
                study = Study(domain, Greedy(), seed=2, journal=path)
            elif step == "ask" and not whole.exhausted:
                assert study.ask() == whole.ask()
            elif pending and step == "tell":
                for each in (study, whole):
                    each.tell(pending[0].number, value(pending[0]))
            elif pending and step == "fail":
                for each in (study, whole):
                    each.fail(pending[-1].number, "no")
        study.close()
        assert study.trials == whole.trials
        assert Journal.read(path)[1] == whole.trials


@pytest.mark.parametrize("number", [1, -1, 7])
def test_telling_about_trials_that_do_not_exist(number: int) -> None:
    study = Study(shelf(), Greedy())
    study.ask()
    with pytest.raises(ValueError, match="trial"):
        study.tell(number, 1.0)
    with pytest.raises(ValueError, match="trial"):
        study.fail(number, "no")
    assert len(study.history.pending) == 1


@pytest.mark.parametrize("value", [None, "1.0", True, [1.0], math.nan, math.inf, np.array([1.0])])
def test_what_is_not_a_value_is_refused_and_loses_nothing(tmp_path: Path, value: Any) -> None:
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        trial = study.ask()
        with pytest.raises((TypeError, ValueError), match="the value told for trial 0 is"):
            study.tell(trial.number, value)
        assert study.trials[0].state == "pending"
        study.tell(trial.number, np.float32(1.5))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"trial 0 has been told already: it finished with value 1\.5"):
            study.tell(trial.number, 2.0)
        with pytest.raises(ValueError, match="told already"):
            study.fail(trial.number, "no")
        assert study.trials[0].value == 1.5


def test_misuse_is_explained() -> None:
    study = Study(shelf(), Greedy())
    trial = study.ask()
    with pytest.raises(TypeError, match=r"study.tell\(trial.number, ...\)"):
        study.tell(trial, 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a whole number, not '0'"):
        study.tell("0", 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reason why trial 0 failed must be a string"):
        study.fail(0, ValueError("no"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="count must be 1 or more"):
        study.ask_many(0)
    with pytest.raises(ValueError, match="seed must be 0 or more"):
        Study(shelf(), Greedy(), seed=-1)
    with pytest.raises(TypeError, match="seed must be a whole number"):
        Study(shelf(), Greedy(), seed=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a study needs a Domain"):
        Study([md.binary("x")], Greedy())  # type: ignore[arg-type]
    for wrong in (Greedy, NNMILP, 7):
        with pytest.raises(
            TypeError, match="strategy must be a name such as 'nn\\+milp' or an object with a propose"
        ):
            Study(shelf(), wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="has no surrogate that could be explained"):
        study.explain()
    assert study.history.pending == (trial,)


@dataclass(frozen=True)
class Scripted:
    """Proposes whatever it was told to."""

    points: tuple[tuple[int, ...], ...]

    def propose(self, domain: md.Domain, history: History, count: int, rng: np.random.Generator) -> Answer:
        del domain, history, count, rng
        return Found(tuple(Proposal(point, "script") for point in self.points))


@pytest.mark.parametrize(
    ("points", "wrong"),
    [
        (((1, 1, 1, 3),), "outside the domain"),
        (((0, 0, 1, 7),), "outside the domain"),
        (((0, 0, 1),), "outside the domain"),
        (((0, 0, 1, 3), (0, 0, 1, 3)), "asked before"),
    ],
)
def test_a_strategy_is_not_trusted(tmp_path: Path, points: tuple[tuple[int, ...], ...], wrong: str) -> None:
    with Study(shelf(), Scripted(points), journal=tmp_path / "run.db") as study:
        with pytest.raises(RuntimeError, match=rf"Scripted\(.*\) proposed .*, {wrong}; this is a bug"):
            study.ask_many(2)
        assert study.trials == ()


def test_a_strategy_may_not_repeat_itself_and_speaks_plain_integers() -> None:
    study = Study(shelf(), Scripted(((np.int64(0), 0, 1, 3),)))  # type: ignore[arg-type]
    assert [type(code) for code in study.ask().point] == [int] * 4
    with pytest.raises(RuntimeError, match="asked before"):
        study.ask()


def test_when_every_point_was_evaluated_the_best_is_the_proved_optimum() -> None:
    study = evaluated(Study(shelf(), Greedy()), 41)
    assert not study.proved
    evaluated(study, 1)
    assert study.proved
    best = max(score(**shelf().assignment(point)) for point in shelf())
    with pytest.raises(Exhausted, match=f"42 in all, has been evaluated: .* value {best:g}, is the proved"):
        study.ask()


def test_when_points_are_pending_or_failed_nothing_is_proved() -> None:
    study = evaluated(Study(shelf(), Greedy()), 39)
    batch = study.ask_many(10)
    assert len(batch) == 3, "fewer than asked for: no more were left"
    study.fail(batch[0].number, "no")
    with pytest.raises(Exhausted, match=r"2 pending \(tell or fail 40, 41\) and 1 failed"):
        study.ask()
    for trial in batch[1:]:
        study.tell(trial.number, score(**trial.assignment))
    with pytest.raises(Exhausted, match="with 1 failed the best of the others is not proved"):
        study.ask()
    assert not study.proved


def test_a_domain_without_points_is_refused_at_once(tmp_path: Path) -> None:
    x = md.binary("x", 3)
    with pytest.raises(DomainError, match="no point satisfies"):
        Study(md.Domain([x], [x.sum() >= 2, x[0] + x[1] <= 0]), Greedy(), journal=tmp_path / "run.db")
    assert not list(tmp_path.iterdir())


KNOWN: list[tuple[dict[str, Any], float]] = [
    ({"x": [0, 0, 1], "k": 2}, -1.5),
    ({"x": np.array([1, 0, 0]), "k": np.int64(5)}, np.float64(2.5)),
]


@pytest.mark.parametrize("minimize", [False, True])
def test_known_data_are_finished_trials_and_are_added_once(tmp_path: Path, minimize: bool) -> None:
    path = tmp_path / "run.db"
    for times in (1, 2):
        with Study(shelf(), Greedy(), journal=path, known=KNOWN, minimize=minimize) as study:
            assert [(t.origin, t.value) for t in study.trials[:2]] == [("known", -1.5), ("known", 2.5)]
            assert study.history.values.tolist()[:2] == ([1.5, -2.5] if minimize else [-1.5, 2.5])
            assert study.best == study.trials[0 if minimize else 1]
            assert study.ask().number == times + 1
    # More of it later is welcome.
    more = [*KNOWN, ({"x": [0, 1, 0], "k": 3}, 0.5)]
    assert (0, 1, 0, 3) not in study.history.asked_points
    with Study(shelf(), Greedy(), journal=path, known=more, minimize=minimize) as study:
        known = [(t.point, t.value) for t in study.trials if t.origin == "known"]
        assert known == [((0, 0, 1, 2), -1.5), ((1, 0, 0, 5), 2.5), ((0, 1, 0, 3), 0.5)]
        assert len(study.trials) == 5


@pytest.mark.parametrize(
    ("known", "kind", "says"),
    [
        ([*KNOWN, KNOWN[0]], ValueError, r"known\[2\] is the same point as known\[0\]"),
        ([({"x": [1, 0, 1]}, 1.0)], ValueError, r"known\[0\]: .*'k'"),
        ([({"x": [1, 0, 1], "k": 2.5}, 1.0)], ValueError, r"known\[0\]: .*'k'"),
        ([({"x": [1, 0, 1], "k": 2}, math.nan)], ValueError, r"the value of known\[0\] is nan"),
        ([({"x": [1, 0, 1], "k": 2}, "high")], TypeError, r"the value of known\[0\] is 'high'"),
        ([{"x": [1, 0, 1], "k": 2}], TypeError, r"known\[0\] must be a pair"),
        ({"x": 1}, TypeError, "known must be a list of pairs"),
        (3, TypeError, "known must be a list of pairs"),
    ],
)
def test_known_data_that_cannot_be_are_refused(
    tmp_path: Path, known: Any, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        Study(shelf(), Greedy(), journal=tmp_path / "run.db", known=known)
    assert not list(tmp_path.iterdir())


def test_known_data_that_contradict_the_journal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path) as study:
        trial = study.ask()
    known = [(trial.assignment, 1.0)]
    with pytest.raises(ValueError, match="is trial 0 of the journal, which is pending"):
        Study(shelf(), Greedy(), journal=path, known=known)
    with Study(shelf(), Greedy(), journal=path) as study:
        study.tell(0, 1.0)
    with Study(shelf(), Greedy(), journal=path, known=known) as study:
        assert len(study.trials) == 1, "the same value again is no contradiction"
    with pytest.raises(ValueError, match="is trial 0 of the journal, which has value 1"):
        Study(shelf(), Greedy(), journal=path, known=[(trial.assignment, 2.0)])


def test_an_interruption_between_disk_and_memory_is_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may strike after a value is on disk and before the study knows: then it reads the journal."""
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        first = study.ask()

        def interrupt_after(name: str) -> None:
            """The next write of the journal is complete, and is interrupted before it returns."""
            write = getattr(Journal, name)

            def interrupted(*arguments: object) -> None:
                monkeypatch.setattr(Journal, name, write)
                write(*arguments)
                raise KeyboardInterrupt

            monkeypatch.setattr(Journal, name, interrupted)

        interrupt_after("told")
        with pytest.raises(KeyboardInterrupt):
            study.tell(first.number, 1.0)
        assert study.trials[0].value == 1.0
        interrupt_after("asked")
        with pytest.raises(KeyboardInterrupt):
            study.ask()
        assert [t.state for t in study.trials] == ["finished", "pending"]
        assert study.ask().number == 2


def test_threads_may_share_a_study(tmp_path: Path) -> None:
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:

        def work() -> None:
            for _ in range(5):
                trial = study.ask()
                study.tell(trial.number, score(**trial.assignment))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [t.number for t in study.trials] == list(range(20))
        assert all(t.value == score(**t.assignment) for t in study.trials)


def test_a_study_says_what_it_is(tmp_path: Path) -> None:
    study = Study(shelf(), Greedy(), minimize=True)
    assert repr(study) == "<Study to minimize: 0 trials>"
    study.tell(study.ask().number, 2.5)
    assert repr(study) == "<Study to minimize: 1 trial, best 2.5>"
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as kept:
        assert repr(kept) == f"<Study to maximize: 0 trials, journal {tmp_path / 'run.db'}>"


def test_durations_are_kept() -> None:
    study = Study(shelf(), Greedy())
    first, second = study.ask_many(2)
    study.tell(first.number, 1.0, seconds=2.5)
    study.fail(second.number, "no", seconds=3.5)
    outcomes = [t.outcome for t in study.trials]
    assert isinstance(outcomes[0], Finished)
    assert isinstance(outcomes[1], Failed)
    assert (outcomes[0].seconds, outcomes[1].seconds) == (2.5, 3.5)
    assert all(t.asked_at is not None for t in study.trials)
    assert outcomes[0].told_at is not None


def test_what_the_caller_writes_into_an_assignment_does_not_reach_the_study(tmp_path: Path) -> None:
    known = [({"x": np.array([0, 0, 1]), "k": 6}, 1.0)]
    with Study(shelf(), RandomSearch(), journal=tmp_path / "run.db", known=known) as study:
        trial = study.ask()
        asked = trial.assignment["x"].tolist()
        trial.assignment["x"][:] = 7  # an objective may write into its arguments
        assert study.trials[1].assignment["x"].tolist() == asked
        study.tell(1, 2.0)
        for kept in (*study.trials, *study.history, study.best):
            assert kept is not None
            with pytest.raises(ValueError, match="read-only"):
                kept.assignment["x"][0] = 7
    with Study(shelf(), RandomSearch(), journal=tmp_path / "run.db") as again:
        with pytest.raises(ValueError, match="read-only"):
            again.trials[1].assignment["x"][0] = 7
        assert again.trials[1].assignment["x"].tolist() == asked
