"""Runs by linear draws: near the best point of their own, and over when nothing is gained for long."""

import numpy as np

import milbox as mb
from milbox.strategies.named import NAMED
from milbox.strategies.runs import FIRST, PATIENCE, Runs
from milbox.study import Study


def test_a_run_ends_after_so_many_points_without_a_gain() -> None:
    runs = Runs(patience=3)
    values = np.array([1.0, 0.0, 2.0, 2.0, 1.0, 0.5, 0.1, 0.2, 0.2, 0.2, 0.2])
    assert [runs.run(values[:n]) for n in (0, 3, 5, 6, 8, 11)] == [
        (1, 0),
        (1, 0),
        (1, 0),
        (2, 6),
        (2, 6),
        (3, 11),
    ]


def test_points_stay_near_the_best_one_of_their_own_run() -> None:
    domain = mb.Domain([mb.categorical("word", list("abcdefgh"), 6)])
    with Study(domain, NAMED["linear+milp/runs"].make(5), seed=0) as study:
        for _ in range(PATIENCE + 30):
            trial = study.ask()
            study.tell(trial.number, float(trial.point[0] == 3))  # the plateau is found early
        trials, values = study.trials, np.array([t.value for t in study.trials])
    runs = Runs()
    seen = set()
    for number, trial in enumerate(trials):
        if trial.certificate is None:
            continue
        run, begin = runs.run(values[:number])
        seen.add(run)
        assert trial.certificate.surrogate == f"a linear draw, of run {run}"
        assert trial.certificate.status == "optimal"
        if number - begin >= FIRST:
            best = begin + int(np.argmax(values[begin:number]))
            assert sum(a != b for a, b in zip(trial.point, trials[best].point, strict=True)) <= 3
            assert trial.certificate.about == "all untried points, at most 3 variables away from the best one"
    assert seen == {1, 2}


def test_letters_that_matter_are_kept_and_others_tried() -> None:
    wanted = np.array([7, 2, 5, 0, 3, 9])
    domain = mb.Domain([mb.categorical("word", list("abcdefghij"), 6)])
    with Study(domain, NAMED["linear+milp/runs"].make(10), seed=1) as study:
        for _ in range(90):
            trial = study.ask()
            study.tell(trial.number, float((np.array(trial.point) == wanted).sum()))
        best = study.best
    assert best is not None
    assert best.value == 6.0
