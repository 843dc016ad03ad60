"""Studies whose domain changes, and points outside it, which train and are never proposed or best."""

import json
import random
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox as mb
from milbox.cli.problem.strategy import strategy_named
from milbox.page.document import page
from milbox.trials.frames import scalars
from milbox.trials.journal.copies import merge
from milbox.trials.record import read_record


def value(**assignment: Any) -> float:
    """A number for any assignment of any of these domains."""
    text = json.dumps(mb.plain(assignment), sort_keys=True, default=str)
    return random.Random(text).random()


def drawn(rng: random.Random, step: int) -> mb.Domain:
    """A domain over the same names, with ranges, choices and rules by chance."""
    k = mb.integer("k", rng.randint(-1, 1), rng.randint(2, 4), encoding=rng.choice(["onehot", "integer"]))
    t = mb.real("t", rng.choice([0, 0.5]), rng.choice([1.5, 2.0]), step=0.5)
    choices = rng.sample(["a", "b", "c", "d"], rng.randint(2, 4))
    op = mb.categorical("op", choices)
    x = mb.binary("x", 2)
    declared: list[Any] = [k, t, op, x]
    rules: list[Any] = []
    if step and rng.random() < 0.7:
        declared.insert(rng.randint(0, 4), mb.integer("new", 1, 2))
    if rng.random() < 0.6:
        rules.append(mb.implies(op == choices[0], k <= 1))
    if rng.random() < 0.6:
        rules.append(x.sum() + k <= 3)
    if rng.random() < 0.4:
        rules.append(mb.only_if(t, op != choices[-1]))
    return mb.Domain(declared, rules)


def told(study: mb.Study, count: int) -> list[str]:
    """What is proposed next, each told at once."""
    found = []
    for _ in range(count):
        if study.exhausted:
            break
        trial = study.ask()
        assert study.domain.contains(trial.point)
        found.append(json.dumps(mb.plain(trial.assignment)))
        study.tell(trial.number, value(**trial.assignment))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_proposals_are_those_of_a_study_that_was_never_closed(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    domains = [drawn(rng, 0)]
    while len(domains) < 3:
        following = drawn(rng, len(domains))
        names = [v.name for v in following.variables]
        if all(v.name in names for v in domains[-1].variables):
            domains.append(following)
    strategy = mb.NNMILP(initial=4)
    open_one = mb.Study(domains[0], strategy, journal=tmp_path / "open.db", seed=seed)
    in_memory = mb.Study(domains[0], strategy, seed=seed)
    path = tmp_path / "closed.db"
    for step, domain in enumerate(domains):
        if step:
            fill = {"new": 2, "t": 0.5}
            values = {name: fill[name] for name in fill if name in domain.index}
            open_one.change(domain, values)
            in_memory.change(domain, values)
            with mb.Study(domains[step - 1], strategy, journal=path, seed=seed) as study:
                study.change(domain, values)
        expected = told(open_one, 5)
        assert told(in_memory, 5) == expected
        with mb.Study(domain, strategy, journal=path, seed=seed) as study:
            assert told(study, 5) == expected
    trials = read_record(path).trials
    assert [t.assignment.keys() for t in trials] == [t.assignment.keys() for t in open_one.trials]
    for trial, other in zip(trials, open_one.trials, strict=True):
        assert json.dumps(mb.plain(trial.assignment)) == json.dumps(mb.plain(other.assignment))
        assert trial == other
        assert trial.outside == other.outside
        assert (trial.outside is None) == domains[-1].contains(trial.point)
    assert len(open_one.changes) == 2


@pytest.mark.parametrize("seed", range(12))
def test_counts_and_the_best_are_about_the_new_domain(seed: int) -> None:
    rng = random.Random(100 + seed)
    first = drawn(rng, 0)
    study = mb.Study(first, mb.RandomSearch(), seed=seed)
    told(study, 25)
    before = {t.number: (dict(scalars(t.assignment)), t.value) for t in study.trials}
    second = mb.Domain(first.declared, [*first.constraints, first.declared[0] <= 1, first.variables[-1] == 0])
    study.change(second)
    inside = {n: v for n, (a, v) in before.items() if a["k"] <= 1 and a["x[1]"] == 0}
    assert {t.number for t in study.trials if t.outside is None} == set(inside)
    assert {t.number: t.value for t in study.trials} == {n: v for n, (_, v) in before.items()}
    assert study.best is None or study.best.value == max(v for v in inside.values() if v is not None)
    assert len(study.history.values) == len(before)
    told(study, 1000)
    assert study.exhausted
    assert study.proved
    seen = {t.point for t in study.trials if t.outside is None}
    assert seen == set(second)
    assert study.record.proved
    study.change(first)
    assert all(t.outside is None for t in study.trials)
    told(study, 1000)
    assert {t.point for t in study.trials} == set(first)


def test_what_cannot_change_is_named() -> None:
    k, op = mb.integer("k", 0, 3), mb.categorical("op", ["a", "b"])
    t = mb.real("t", 0, 2, step=0.5)
    study = mb.Study(mb.Domain([k, op, t]), mb.RandomSearch())
    while not any(trial.assignment["t"] % 1 for trial in study.trials):
        study.ask()
    for domain, complaint in (
        (mb.Domain([k, t]), "the variable 'op' is gone; keep it"),
        (mb.Domain([k, op, t, mb.binary("new")]), r"'new' is new; .* as in values=\{'new': 0\}"),
        (mb.Domain([mb.real("k", 0, 3, step=1), op, t]), r"Integer\('k', 0, 3\) cannot become Real"),
        (mb.Domain([k, op, mb.real("t", 0, 2, step=1)]), r"trial \d has t = .*takes steps of 1.0"),
    ):
        with pytest.raises(ValueError, match=complaint):
            study.change(domain)
    with pytest.raises(ValueError, match="names 'other', which is no variable"):
        study.change(mb.Domain([k, op, t]), {"other": 1})
    with pytest.raises(ValueError, match=r"'oil' has no choice 'maybe'; its choices are \['no', 'yes'\]"):
        study.change(mb.Domain([k, op, t, mb.categorical("oil", ["no", "yes"])]), {"oil": "maybe"})
    with pytest.raises(mb.DomainError, match="k >= 4"):
        study.change(mb.Domain([k, op, t], [k >= 4]))
    assert study.changes == ()


def test_a_choice_that_is_gone_comes_back(tmp_path: Path) -> None:
    ops = [mb.categorical("op", list(letters)) for letters in ("abc", "cz", "bca")]
    k = mb.integer("k", 0, 1)
    path = tmp_path / "j.db"
    with mb.Study(mb.Domain([ops[0], k]), mb.RandomSearch(), journal=path) as study:
        told(study, 10)
        was = {t.number: t.assignment["op"] for t in study.trials}
        study.change(mb.Domain([ops[1], k]))
        assert {t.number: t.assignment["op"] for t in study.trials} == was
        assert {t.outside is None for t in study.trials if was[t.number] == "c"} == {True}
        assert "op takes ['c', 'z'], not 'a'" in {t.outside for t in study.trials}
        told(study, 10)
        was = {t.number: t.assignment["op"] for t in study.trials}
    with mb.Study(mb.Domain([ops[1], k]), mb.RandomSearch(), journal=path) as study:
        study.change(mb.Domain([ops[2], k]))
        assert {t.number: t.assignment["op"] for t in study.trials} == was
        assert [t.assignment["op"] for t in study.trials if t.outside is not None] == ["z", "z"]
        page(study.record)
    with pytest.raises(mb.JournalMismatch, match="asked before its domain changed"):
        merge(path, path, tmp_path / "both.db")


KILLED = """
import sys, os, signal, json
import milbox as mb
sys.path.insert(0, {tests!r})
from test_changed_domains import told
k, op = mb.integer("k", 0, 5), mb.categorical("op", ["a", "b", "c"])
with_new = mb.Domain([k, op, mb.binary("new")], [mb.implies(op == "a", k <= 3)])
study = mb.Study(mb.Domain([k, op]), mb.NNMILP(initial=3), journal=sys.argv[1])
told(study, 5)
pending = study.ask()
study.change(with_new, {{"new": 1}})
if sys.argv[2] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
print(json.dumps(told(study, 4)))
"""


def test_killed_after_a_change_it_goes_on(tmp_path: Path) -> None:
    program = KILLED.format(tests=str(Path(__file__).parent))
    run = [sys.executable, "-c", program]
    whole = subprocess.run(
        [*run, tmp_path / "a.db", "go"], capture_output=True, text=True, timeout=200, check=True
    )
    killed = subprocess.run([*run, tmp_path / "b.db", "kill"], capture_output=True, timeout=200, check=False)
    assert killed.returncode == -signal.SIGKILL
    k, op = mb.integer("k", 0, 5), mb.categorical("op", ["a", "b", "c"])
    domain = mb.Domain([k, op, mb.binary("new")], [mb.implies(op == "a", k <= 3)])
    with mb.Study(domain, mb.NNMILP(initial=3), journal=tmp_path / "b.db") as study:
        assert json.loads(whole.stdout) == told(study, 4)
        assert len(study.history.pending) == 1
    with pytest.raises(mb.JournalMismatch, match=r"study\.change\(domain\), or run `milbox change"):
        mb.Study(mb.Domain([k, op]), mb.NNMILP(initial=3), journal=tmp_path / "b.db")


def test_known_points_outside_train_and_are_reported(tmp_path: Path) -> None:
    k, t, op = mb.integer("k", 0, 3), mb.real("t", 0, 1, step=0.25), mb.categorical("op", ["a", "b"])
    domain = mb.Domain([k, t, op], [mb.implies(op == "a", k <= 1)])
    rows = [
        ({"k": 3, "t": 0.5, "op": "a"}, 100.0),
        ({"k": 9, "t": -1.25, "op": "b"}, 200.0),
        ({"k": 1, "t": 0.5, "op": "a"}, 1.0),
    ]
    with pytest.warns(UserWarning, match=r"2 known points lie outside .*'k': 3.*: \(?op == 'a'\)? -> "):
        study = mb.Study(domain, mb.NNMILP(initial=3), known=rows, journal=tmp_path / "j.db")
    assert [trial.outside is None for trial in study.trials] == [False, False, True]
    assert study.trials[1].assignment == {"k": 9, "t": -1.25, "op": "b"}
    assert study.best is not None
    assert study.best.value == 1.0
    assert len(study.history.asked_points) == 1
    features = study.history.points.features(domain)
    assert features[1].tolist() == [0, 0, 0, 0, -1.25, 0, 1]  # no value of k, and t beyond its end
    assert domain.size == 5 * 4 + 5 * 2
    told(study, 1000)
    assert study.proved
    assert len(study.trials) == 2 + domain.size
    study.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is held already is not reported again
        again = mb.Study(domain, mb.NNMILP(initial=3), known=rows, journal=tmp_path / "j.db")
    assert [trial.outside for trial in again.trials] == [trial.outside for trial in study.trials]
    assert "Measured outside it" in page(again.record)
    for bad in ({"k": 1.5}, {"t": 0.3}, {"op": "z"}, {"k": "many"}):
        with pytest.raises(ValueError, match=rf"known\[0\]: '{next(iter(bad))}'"):
            mb.Study(domain, known=[({**rows[2][0], **bad}, 1.0)])


@pytest.mark.parametrize("name", ["regevo", "nn+regevo", "linear+milp", "random", "ensemble+regevo"])
def test_every_strategy_copes_with_points_outside(name: str) -> None:
    x, k = mb.binary("x", 4), mb.integer("k", 0, 3)
    domain = mb.Domain([x, k], [x.sum() <= 2])
    rng = np.random.default_rng(0)
    rows = {}
    for _ in range(12):
        point = {"x": rng.integers(0, 2, 4), "k": int(rng.integers(-5, 9))}
        rows[json.dumps(mb.plain(point))] = (point, float(rng.normal()))
    with pytest.warns(UserWarning, match="known points lie outside"):
        study = mb.Study(
            domain, strategy_named(name, None if name == "random" else 5, domain), known=list(rows.values())
        )
    told(study, 5)


def test_noisy_studies_change_too() -> None:
    x = mb.integer("x", 0, 3)
    study = mb.Study(mb.Domain([x]), mb.NNMILP(initial=2), noise=True)
    for _ in range(7):
        trial = study.ask()
        study.tell(trial.number, float(trial.assignment["x"]))
    assert any(trial.proposal.repeat for trial in study.trials)
    study.change(mb.Domain([mb.integer("x", 0, 2)]))
    assert study.ask().assignment["x"] <= 2
    assert study.best is not None
    assert study.best.assignment["x"] == 2
