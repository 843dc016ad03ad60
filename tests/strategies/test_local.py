"""Where variables are real: is the box a function of the history, and is it kept, named and written down?"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyscipopt
import pytest

import milbox as mb
from milbox.domain.box import Box
from milbox.errors import Exhausted
from milbox.milp.solution import Status
from milbox.strategies import ModelBased
from milbox.strategies.by_domain import ByDomain
from milbox.strategies.identity import identity
from milbox.strategies.local import Kind, Local, best_inside, kind_of, near_points
from milbox.surrogates import Hinges, Ranked, ReluLearner
from milbox.trials import Certificate, Failed, Finished, History, Proposal, Trial
from milbox.trials.record import read_record

PROOF = Certificate(Status.OPTIMAL, 0.0, 0.0, 0.0, 0, 0.0, "none")
FAST = Local(network=ReluLearner(hidden=(4,), steps=50, floor=0.005), hinges=Hinges(units=8))


def strategy(initial: int = 6, local: Local | None = FAST) -> ModelBased:
    return ModelBased(Ranked(ReluLearner(hidden=(4,), steps=50)), initial=initial, local=local)


def square() -> mb.Domain:
    return mb.Domain([mb.real("x", 0, 1, 2, step=0.001)])


def history(values: Sequence[float | None], start: int = 4) -> History:
    """Random points, the first of them worth 0 and the others less, and then points that a model chose."""
    trials = []
    for number, value in enumerate([0.0, *(-1.0 - k for k in range(start - 1)), *values]):
        proposal = Proposal((number, 0), "milp", PROOF if number >= start else None)
        outcome = Failed("no") if value is None else Finished(value)
        trials.append(Trial(number, proposal, outcome))
    return History(tuple(trials))


def side(values: Sequence[float | None]) -> float:
    return Local().side(square(), history(values))


def test_gains_double_the_side_and_failures_halve_it() -> None:
    assert side([]) == 0.8
    assert side([1, 2]) == 0.8
    assert side([1, 2, 3]) == 1.6
    assert side([1, 2, 3, 4, 5, 6]) == 1.6, "no wider than the domain"
    assert side([-5] * 3) == 0.8
    assert side([-5] * 4) == 0.4
    assert side([-5, -5, 1, -5, -5, -5]) == 0.8, "a gain ends a row of failures"
    assert side([None] * 4) == 0.4, "what cannot be measured is no gain"


def test_a_box_that_has_shrunk_away_starts_again() -> None:
    assert side([-5.0] * 30) == 0.0125  # three of them were global
    assert side([-5.0] * 31) == 0.8


def test_every_eighth_step_is_global_and_does_not_count() -> None:
    assert [place for place in range(20) if kind_of(place, square()) is Kind.GLOBAL] == [7, 15]
    before = [-5.0] * 7  # halved once, three failures
    assert side(before) == side([*before, -5.0]) == 0.4
    assert side([*before, -5.0, -5.0]) == 0.2


def test_pending_trials_wait_for_their_turn() -> None:
    known = history([1.0, 2.0])
    asked = known.asked([Proposal((900, 1), "milp", PROOF)])
    assert Local().side(square(), asked) == Local().side(square(), known)
    assert Local().side(square(), asked.told(6, Finished(3.0))) == 1.6


def test_the_fit_sees_the_nearest_points_and_those_in_reach() -> None:
    domain = square()
    trials = [Trial(k, Proposal((10 * k, 500), "random"), Finished(float(-k))) for k in range(60)]
    known = History(tuple(trials))
    assert best_inside(domain, known) == 0
    few = near_points(domain, known, Box.around(domain, (0, 500), 0.1))
    assert few.tolist() == list(range(20))
    many = near_points(domain, known, Box.around(domain, (0, 500), 0.4))
    assert many.tolist() == list(range(41))


def test_the_best_point_of_a_narrowed_domain_is_one_of_its_own() -> None:
    x = mb.real("x", 0, 1, 2, step=0.001)
    narrow = mb.Domain([x], [x[0] >= 0.002])
    known = history([])
    assert best_inside(square(), known) == 0
    assert known.points[best_inside(narrow, known) or 0] == (2, 0)


def objective(x: np.ndarray) -> float:
    return -float(np.abs(x - [0.3, 0.62]).sum())


def test_proposals_lie_in_their_boxes_and_certificates_say_so(tmp_path: Path) -> None:
    journal = tmp_path / "run.db"
    with mb.Study(square(), strategy(), seed=1, journal=journal) as study:
        for _ in range(24):
            before = study.history
            trial = study.ask()
            proof = trial.certificate
            if proof is not None:
                chosen = sum(known.certificate is not None for known in before)
                centre = best_inside(square(), before)
                assert centre is not None
                box = Box.around(square(), before.points[centre], FAST.side(square(), before))
                if kind_of(chosen, square()) is Kind.GLOBAL:
                    assert "box" not in proof.about
                    assert proof.surrogate.startswith("a network, of the ")
                else:
                    assert box.holds(np.array([trial.point]))[0]
                    assert f"in a box of {box.side:g} of each range" in proof.about
                    assert proof.surrogate.startswith(("a network, of the ", "hinges, of the "))
            study.tell(trial.number, objective(**trial.assignment))
        trials = study.trials
    assert {t.certificate.surrogate.partition(",")[0] for t in trials if t.certificate} == {
        "a network",
        "hinges",
    }
    kept = read_record(journal).trials
    assert [t.certificate for t in kept] == [t.certificate for t in trials]
    best = max(trial.value or -9 for trial in trials)
    assert best > max(trial.value or -9 for trial in trials if trial.certificate is None)


def test_other_categories_are_visited() -> None:
    kind = mb.categorical("kind", ["a", "b", "c"])
    domain = mb.Domain([mb.real("x", 0, 1, step=0.001), kind])
    study = mb.Study(domain, strategy(), seed=1)
    visited = set()
    for _ in range(6 + 32):
        before = study.history
        trial = study.ask()
        chosen = sum(known.certificate is not None for known in before)
        if trial.certificate is not None and kind_of(chosen, domain) is Kind.ELSEWHERE:
            centre = best_inside(domain, before)
            assert centre is not None
            own = before.points[centre][1]
            code = trial.point[1]
            assert code != own
            assert trial.certificate.about.endswith(f", with kind = {kind.value(code)}")
            visited.add(code)
        bonus = {"a": 0.2, "b": 0.0, "c": 0.1}[trial.assignment["kind"]]
        study.tell(trial.number, bonus - abs(float(trial.assignment["x"]) - 0.4))
    assert visited == {1, 2}


def test_categories_that_chance_never_meets_are_visited() -> None:
    """Of all points one in a million has no width, so that random ones have one."""
    kind, width = mb.categorical("kind", ["wide", "none"]), mb.real("width", 0, 1)
    domain = mb.Domain([kind, width], [mb.only_if(width, kind == "wide")])
    study = mb.Study(domain, strategy(), seed=1)
    for _ in range(6 + 2):
        trial = study.ask()
        study.tell(trial.number, float(trial.assignment["width"] or 0.5))
    assert [trial.assignment["kind"] for trial in study.trials].count("none") >= 1


def test_interrupted_and_resumed_is_uninterrupted(tmp_path: Path) -> None:
    def points(pieces: tuple[int, ...], name: str) -> list[tuple[int, ...]]:
        for piece in pieces:
            with mb.Study(square(), strategy(), seed=3, journal=tmp_path / name) as study:
                for _ in range(piece):
                    trial = study.ask()
                    study.tell(trial.number, objective(**trial.assignment))
                found = [trial.point for trial in study.trials]
        return found

    assert points((18,), "one") == points((7, 8, 3), "three")


def test_a_batch_has_different_points_and_goes_on_where_the_count_is() -> None:
    study = mb.Study(square(), strategy(), seed=2)
    for trial in study.ask_many(6):
        study.tell(trial.number, objective(**trial.assignment))
    batch = study.ask_many(8)
    assert len({trial.point for trial in batch}) == 8
    where = [trial.certificate.about for trial in batch if trial.certificate]
    assert ["box" in about for about in where] == [True] * 7 + [False]


def test_a_grid_is_exhausted_only_when_every_point_was_asked() -> None:
    study = mb.Study(mb.Domain([mb.real("x", 0, 1, step=0.05)]), strategy(initial=3), seed=0)
    for _ in range(21):
        trial = study.ask()
        study.tell(trial.number, float(trial.assignment["x"]))
    with pytest.raises(Exhausted):
        study.ask()


def test_discrete_domains_are_as_they_were() -> None:
    x = mb.binary("x", 8)
    domain = mb.Domain([x, mb.integer("k", 0, 900, encoding="integer")], [x.sum() <= 4])
    found = []
    for local in (None, FAST):
        study = mb.Study(domain, strategy(local=local), seed=5)
        for _ in range(10):
            trial = study.ask()
            study.tell(trial.number, float(trial.assignment["x"].sum()) + trial.assignment["k"] / 900)
        found.append([(trial.point, trial.certificate) for trial in study.trials])
    assert found[0] == found[1]


def test_what_comes_next_is_explained() -> None:
    study = mb.Study(square(), strategy(), seed=2)
    for trial in study.ask_many(6):
        study.tell(trial.number, objective(**trial.assignment))
    told = "next step: round the best point, in a box of 0.8 of each range, by a network or by hinges"
    assert told in study.explain()


def test_a_learner_that_is_given_is_taken_as_it_is() -> None:
    assert mb.NNMILP().local == ByDomain(Local())
    assert mb.NNMILP(ReluLearner()).local is None


def test_the_program_of_a_step_is_the_one_of_its_box(tmp_path: Path) -> None:
    study = mb.Study(square(), strategy(), seed=4)
    for trial in study.ask_many(6):
        study.tell(trial.number, objective(**trial.assignment))
    study.program(tmp_path / "step.lp")
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(tmp_path / "step.lp"))
    model.optimize()
    proof = study.ask().certificate
    assert proof is not None
    assert "box" in proof.about
    assert model.getObjVal() == pytest.approx(proof.value, rel=1e-4)


@pytest.mark.parametrize(("made", "version"), [(square, 4), (lambda: mb.Domain([mb.binary("x")]), 2)])
def test_the_identity_is_of_another_version_where_variables_are_real(made, version: int) -> None:  # type: ignore[no-untyped-def]
    assert identity(mb.NNMILP(initial=50), made()) == f"nn+milp@{version}"
    assert identity(mb.NNMILP(ReluLearner(), initial=50), made()) == "nn+milp/values@2"
    plain = ModelBased(Ranked(), initial=50)
    assert identity(plain, mb.Domain([mb.binary("x")])) == "nn+milp@2"
    assert identity(plain, square()) == "nn+milp@4(local=None)"
