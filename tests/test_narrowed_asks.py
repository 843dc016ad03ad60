"""`ask(fix=, where=)` and `ask_many(same=)` propose the best untried points of a part of the domain."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox as mb
from milbox.bench.algorithms import ALGORITHMS
from milbox.trials import Answer, History, Unknown


def drawn(rng: random.Random) -> tuple[mb.Domain, dict[str, Any], list[str]]:
    """A small domain, values to fix and a rule to keep; some point satisfies all of it."""
    while True:
        x, n = mb.binary("x", rng.randint(2, 4)), mb.integer("n", 0, rng.randint(1, 4))
        op = mb.categorical("op", ["a", "b", "c"][: rng.randint(2, 3)])
        rows: list[Any] = [x.sum() + n <= rng.randint(2, 6)]
        if rng.random() < 0.5:
            rows.append(mb.implies(op == "a", x[0] == rng.randint(0, 1)))
        fix: dict[str, Any] = rng.choice([{"op": "b"}, {"n": rng.randint(0, 1)}, {"x[1]": 1}, {}])
        where = rng.choice([[], ["x[0] + n >= 1"], ["op != 'a'", "n <= 1"]])
        domain = mb.Domain([x, n, op], rows)
        if (fix or where) and any(keeps(domain.assignment(p), fix, where) for p in domain):
            return domain, fix, where


def keeps(values: Any, fix: dict[str, Any], where: list[str]) -> bool:
    """Whether an assignment has the fixed values and keeps the rules, by Python's own arithmetic."""
    x, n, op = values["x"], values["n"], values["op"]
    wanted = {"op": op, "n": n, "x[1]": int(x[1])}
    return all(wanted[name] == value for name, value in fix.items()) and all(
        eval(rule, {"x": x, "n": n, "op": op}) for rule in where
    )


def check(seed: int) -> None:
    rng = random.Random(f"narrowed {seed}")
    domain, fix, where = drawn(rng)
    strategy = mb.NNMILP(initial=3)
    study = mb.Study(domain, strategy, seed=seed)
    for trial in study.ask_many(3):
        study.tell(trial.number, rng.gauss(0, 1))
    allowed = {p for p in domain if keeps(domain.assignment(p), fix, where)}
    while True:
        history = study.history
        left = sorted(allowed - {t.point for t in study.trials})
        if not left:
            with pytest.raises(mb.Exhausted, match="every point with"):
                study.ask(fix=fix, where=where)
            assert study.exhausted == (len(study.trials) == domain.size)
            return
        surrogate = strategy.learner.fit(
            domain.encode(list(history.points)), history.values, np.random.default_rng([seed, len(history)])
        )
        best = max(surrogate.predict(domain.encode(left)))
        trial = study.ask(fix=fix, where=where)
        assert trial.point in left
        assert trial.certificate is not None
        assert trial.certificate.status == "optimal"
        assert trial.certificate.value == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert trial.where
        study.tell(trial.number, rng.gauss(0, 1))


@pytest.mark.parametrize("seed", range(12))
def test_the_best_untried_point_of_a_part_of_the_domain(seed: int) -> None:
    check(seed)


@pytest.mark.full
def test_the_best_untried_points_of_parts_of_a_thousand_domains() -> None:
    for seed in range(1000):
        check(seed)


X, T = mb.binary("x", 5), mb.integer("t", 1, 4)
DOMAIN = mb.Domain([X, T], [X.sum() >= T])


def test_a_batch_shares_what_it_should() -> None:
    study = mb.Study(DOMAIN, mb.NNMILP(initial=4), seed=1)
    for trial in study.ask_many(6):
        study.tell(trial.number, float(trial.assignment["x"].sum()))
    batch = study.ask_many(5, same=["t"])
    assert len({trial.assignment["t"] for trial in batch}) == 1
    assert len({trial.point for trial in batch}) == 5
    asked = sum(trial.assignment["t"] == 1 for trial in study.trials)
    narrow = study.ask_many(40, same="t", fix={"t": 1})
    assert len(narrow) == 31 - asked  # as many as there are left
    assert {trial.assignment["t"] for trial in narrow} == {1}


def test_rows_of_an_ask_are_kept_and_a_resumed_study_goes_on(tmp_path: Path) -> None:
    points = []
    for broken in (False, True):
        path = tmp_path / f"{broken}.db"
        study = mb.Study(DOMAIN, mb.NNMILP(initial=3), seed=1, journal=path)
        for number in range(8):
            if broken and number == 5:
                study.close()
                study = mb.Study(DOMAIN, mb.NNMILP(initial=3), seed=1, journal=path)
            trial = study.ask(fix={"t": 2}, where=X[0] == 1) if number % 2 else study.ask()
            study.tell(trial.number, float(trial.number))
        points.append([trial.point for trial in study.trials])
        assert [trial.where for trial in study.trials][:2] == [(), ("t == 2", "x[0] == 1")]
        study.close()
    assert points[0] == points[1]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"fix": {"q": 1}}, ValueError, "there is no variable 'q' to fix; there are x, t"),
        ({"fix": {"x[ 9 ]": 1}}, ValueError, r"there is no x\[9\] to fix: x has the shape \(5,\)"),
        ({"fix": {"t": 9}}, ValueError, "takes 1 to 4"),
        ({"fix": {"x": [0, 1]}}, ValueError, r"'x' has shape \(5,\)"),
        ({"fix": {"x": [0, 0, 0, 0, 0]}}, mb.DomainError, "cannot hold"),
        ({"where": "x[0] + q <= 1"}, ValueError, "q"),
        ({"where": 3}, TypeError, "3"),
    ],
)
def test_what_cannot_be_met_is_named(given: dict[str, Any], error: type[Exception], message: str) -> None:
    study = mb.Study(DOMAIN, mb.NNMILP(initial=3), seed=1)
    with pytest.raises(error, match=message):
        study.ask(**given)
    assert study.trials == ()
    with pytest.raises(ValueError, match="there is no variable 'q'"):
        study.ask_many(2, same=["q"])


@pytest.mark.parametrize("name", ["regevo", "nn+regevo", "linear+milp", "random", "nn+milp/paper"])
def test_other_strategies_keep_the_rows_too(name: str) -> None:
    study = mb.Study(DOMAIN, ALGORITHMS[name].strategy(4, 0), seed=1)
    for trial in study.ask_many(5):
        study.tell(trial.number, float(trial.assignment["x"].sum()))
    for _ in range(4):
        trial = study.ask(fix={"t": 2}, where=["x[4] == 1"])
        assert (trial.assignment["t"], trial.assignment["x"][4]) == (2, 1)
        study.tell(trial.number, float(trial.assignment["x"].sum()))


def test_items_of_an_array_are_fixed_however_spaces_are_written() -> None:
    room = mb.categorical("room", ["hall", "lab"], (2, 2))
    study = mb.Study(mb.Domain([room]), mb.RandomSearch(), seed=1)
    fix = {"room[0,1]": "lab", "room[ 1 , 0 ]": "lab", "room[1, 1]": "lab"}
    assert study.ask(fix=fix).assignment["room"].ravel()[1:].tolist() == ["lab"] * 3


@dataclass(frozen=True)
class GivesUp:
    """Random points while nothing was asked, and no answer afterwards."""

    name: str = "gives up"

    def propose(self, domain: mb.Domain, history: History, count: int, rng: np.random.Generator) -> Answer:
        if history.trials:
            return Unknown("the limit on work")
        return mb.RandomSearch().propose(domain, history, count, rng)


def test_a_batch_that_cannot_be_filled_is_what_was_asked() -> None:
    study = mb.Study(mb.Domain([mb.binary("x", 3), mb.binary("y")]), GivesUp())
    batch = study.ask_many(3, same="y")
    assert [trial.number for trial in batch] == [trial.number for trial in study.trials] == [0]
    with pytest.raises(mb.Undecided):
        study.ask_many(3, same="y")
