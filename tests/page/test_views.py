"""Parallel coordinates, slices, front, limits, error bars and narrowed asks are on the page, and true."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import milbox as mb
from browser import Browser
from milbox.page import page
from milbox.page.formats import number as written_number
from milbox.page.sections.parallel import MOST_LINES, chosen
from milbox.strategies import RandomSearch
from milbox.trials.course import estimates, improvements
from milbox.trials.front import front_of, hypervolume_course, hypervolume_of
from milbox.trials.record import Record
from page.test_document import checked
from page.test_in_browser import CONTRASTS, TIP, WIDER, written
from runs import model_run

OP = mb.categorical("op", ["conv", "pool", "none"])
WIDTH = mb.integer("width", 1, 5)
RATE = mb.real("rate", 0.0, 1.0, step=0.01)


def domain() -> mb.Domain:
    return mb.Domain([OP, WIDTH, RATE, mb.binary("x", 12)], [mb.only_if(WIDTH, OP == "conv")])


def outputs(assignment: dict[str, object]) -> dict[str, float]:
    width, rate = float(assignment["width"] or 0), float(assignment["rate"])  # type: ignore[arg-type]
    return {"gain": width + rate, "cost": width * width + 3 * rate, "heat": 10 * rate}


def several(count: int = 40) -> mb.Study:
    study = mb.Study(
        domain(),
        RandomSearch(),
        objectives={"gain": "maximize", "cost": "minimize"},
        limits={"heat": ("<=", 6.0)},
        units={"gain": "%", "heat": "K"},
    )
    for trial in study.ask_many(count):
        study.tell(trial.number, outputs(dict(trial.assignment)))
    return study


def noisy() -> mb.Study:
    study = mb.Study(domain(), mb.NNMILP(initial=4), noise=True)
    rng = np.random.default_rng(3)
    for _ in range(12):
        trial = study.ask()
        study.tell(
            trial.number, outputs(dict(trial.assignment))["gain"] + float(rng.normal(0, 0.3)), error=0.3
        )
    return study


def section(shown: str, anchor: str) -> str:
    start = shown.index(f'<section id="{anchor}"')
    return shown[start : shown.index("</section>", start)]


def labels(part: str) -> list[str]:
    held = re.findall(r'class="dots">(.*?)</script>', part)
    return [dot[2] for each in held for dot in json.loads(each)]


def test_every_finished_trial_is_a_line_and_a_dot() -> None:
    run = model_run(domain(), list(np.linspace(0, 1, 60)), 20)
    checked(run)
    shown = page(run)
    lines = section(shown, "parallel")
    assert {int(label.split()[1].rstrip(":")) for label in labels(lines)} == set(range(60))
    slices = section(shown, "slices")
    # The variable that exists only sometimes has the trials where it exists.
    with_width = [t for t in run.finished if t.assignment["width"] is not None]
    about_width = [label for label in labels(slices) if " at width = " in label]
    assert len(about_width) == len(with_width) < 60
    assert f"{60 - len(with_width)} trials where it does not exist left out." in slices


def test_of_many_trials_the_best_ones_are_drawn() -> None:
    run = model_run(mb.Domain([mb.binary("x", 12)]), list(np.sin(np.arange(900))), 20)
    drawn = chosen(run)
    assert len(drawn) == MOST_LINES
    assert {t.number for t in run.ranked[: MOST_LINES // 2]} <= {t.number for t in drawn}


def test_the_front_its_hypervolume_and_the_limits_are_drawn() -> None:
    study = several()
    checked(study.record)
    shown = page(study.record)
    front = section(shown, "front")
    assert "cost, to minimise" in front
    assert "gain (%), to maximise" in front
    course = hypervolume_course(study.trials, study.goal)
    assert course[-1][1] == pytest.approx(study.hypervolume())
    assert f"after trial {course[-1][0]}: hypervolume" in front
    broken = sum(trial.values["heat"] > 6 for trial in study.trials)
    assert 0 < broken < 40
    assert f"heat &lt;= 6 K is kept by {40 - broken} of 40 trials." in section(shown, "limits")
    assert f"of 40 measured trials <strong>{len(study.front)}</strong> are dominated by no other" in shown


def test_the_course_of_the_hypervolume_is_that_of_the_trials_so_far() -> None:
    study = several(30)
    worst = {
        name: (min if sense == "maximize" else max)(t.values[name] for t in study.trials)
        for name, sense in study.goal.objectives
    }
    for number, volume in hypervolume_course(study.trials, study.goal):
        assert volume == pytest.approx(hypervolume_of(study.trials[: number + 1], study.goal, worst))
        assert number in {trial.number for trial in front_of(study.trials[: number + 1], study.goal)}


def test_a_noisy_front_is_drawn_as_estimates_beside_what_was_measured() -> None:
    study = mb.Study(
        domain(),
        RandomSearch(),
        objectives={"gain": "maximize", "cost": "minimize"},
        limits={"heat": ("<=", 6.0)},
        noise=True,
    )
    rng = np.random.default_rng(3)
    for trial in study.ask_many(20):
        measured = outputs(dict(trial.assignment))
        study.tell(trial.number, {name: value + rng.normal() for name, value in measured.items()})
    checked(study.record)
    shown = page(study.record)
    front = section(shown, "front")
    for head in ("estimate of gain", "estimate of cost", "mean of heat"):
        assert f">{head}</th>" in front
    assert "on the front, estimated" in front
    assert ", estimated</dd>" in shown
    assert f"<strong>{len(study.front)}</strong> are, by estimates, dominated by no other" in shown
    for trial in study.front:
        gain, cost = (written_number(trial.values[name]) for name in ("gain", "cost"))
        label = json.dumps(f"trial {trial.number}: gain {gain}, cost {cost}, heat ")
        assert label.strip('"') in front
    assert len(set(re.findall(r"trial (\d+): gain", front))) == 20  # every one as it was measured, too
    assert front.count(", estimated, at") == len(study.front)


def test_under_noise_estimates_have_error_bars() -> None:
    record = noisy().record
    checked(record)
    shown = page(record)
    progress = section(shown, "progress")
    bars = re.search(r'<path d="([^"]*)" class="error-bar">', progress)
    assert bars is not None
    assert bars[1].count("V") == len(record.estimates.groups)
    assert "± 0.3" in labels(progress)[0]
    mean, error = record.estimate or (0.0, 0.0)
    assert f"± {error:.2g}" in section(shown, "best")
    best = max(mean for _, mean, _ in estimates(record))
    assert improvements(record)[-1][1] == best == mean


def test_the_line_of_the_best_counts_only_what_keeps_the_limits() -> None:
    study = mb.Study(domain(), RandomSearch(), objectives={"gain": "maximize"}, limits={"heat": ("<=", 5.0)})
    for trial in study.ask_many(30):
        study.tell(trial.number, outputs(dict(trial.assignment)))
    assert study.best is not None
    assert improvements(study.record)[-1] == (study.best.number, study.best.value)
    assert "breaks a limit" in section(page(study.record), "progress")
    assert "with heat &lt;= 5" in page(study.record)


def test_asks_with_fixed_values_are_shown_as_such() -> None:
    study = mb.Study(domain(), RandomSearch())
    study.tell(study.ask(fix={"op": "pool"}).number, 1.0, info={"operator": "Ann"})
    study.tell(study.ask().number, 2.0)
    study.ask(where="x[0] + x[1] >= 1")
    shown = page(study.record)
    assert "asked with op == &#x27;pool&#x27;" in shown or "asked with op == 'pool'" in shown
    assert "x[0] + x[1] &gt;= 1" in section(shown, "pending")
    table = section(shown, "trials")
    assert '<button type="button">asked with</button>' in table
    assert "operator: Ann" in table


@pytest.fixture(params=["one", "several", "noisy"])
def run(request: pytest.FixtureRequest) -> Record:
    made = {
        "one": lambda: model_run(domain(), list(np.linspace(0, 1, 60)), 20),
        "several": lambda: several().record,
        "noisy": lambda: noisy().record,
    }
    return made[request.param]()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_them_whole(browser: Browser, tmp_path: Path, run: Record, scheme: str) -> None:
    for width in (1280, 400):
        browser.show(written(tmp_path, run), width=width, scheme=scheme)
        assert browser.run("document.documentElement.scrollWidth") == width
        assert browser.run(WIDER) == []
        assert browser.run(CONTRASTS) == []
        assert browser.complaints == []


def test_a_line_is_lifted_out_whole_and_stepped_through_by_trial(browser: Browser, tmp_path: Path) -> None:
    made = model_run(domain(), list(np.linspace(0, 1, 30)), 10)
    browser.show(written(tmp_path, made))
    browser.run("document.querySelector('#parallel .wide svg').focus()")
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        seen.append(browser.run(TIP).partition(":")[0])
        raised = browser.run("document.querySelector('.raised').getAttribute('points').split(' ').length")
        assert raised == len(labels(section(page(made), "parallel").partition('class="narrow"')[0])) // 30
    assert seen == ["trial 0", "trial 1", "trial 2", "trial 1"]
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    assert browser.run("document.querySelectorAll('.raised').length") == 0
