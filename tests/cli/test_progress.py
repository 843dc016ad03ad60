"""A person sees the incumbent, the proof, the time and the end; a pipe gets nothing."""

import io
import math
import os
import pty
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import milbox as mb
from cli.conftest import Milbox, command
from milbox.cli.live import Watch, sparkline
from milbox.cli.summary import proofs_text, value_text
from milbox.milp.solution import Status
from milbox.strategies import RandomSearch
from milbox.trials import Certificate, Failed, Finished, Proposal, Trial
from milbox.trials.goal import goal_of
from milbox.trials.record import proofs
from milbox.trials.trial import EVERYWHERE

PROOF = Certificate(Status.OPTIMAL, 4.0, 4.0, 1e-9, 3, 0.5, "SCIP 9")


def trial(number: int, value: float | None, proof: Certificate | None = PROOF) -> Trial:
    """A trial that ended, one second after the one before it."""
    outcome = (
        Failed("broke\nlong story", 2.0, number * 1.0)
        if value is None
        else Finished(value, 2.0, number * 1.0)
    )
    return Trial(number, Proposal((number,), "milp" if proof else "random", proof, 0.25), outcome)


def test_the_line_says_what_matters() -> None:
    watch = Watch([trial(0, 3.0, None)], goal_of(), 5)
    assert watch.line() == "trial 1/5 · best 3 · random points first"
    watch.add(trial(1, 2.0, None))
    watch.add(trial(2, 7.0))
    assert watch.line() == "trial 3/5 · best 7 · bound 4 · gap 0 (optimal) · 1 s a step · about 2 s left"
    watch.add(trial(3, None, replace(PROOF, bound=5.0, status=Status.FEASIBLE)))
    assert watch.line().startswith("trial 4/5 · best 7 · bound 5 · gap 20.00% (feasible) · ")
    watch.add(trial(4, 1.0))
    assert "left" not in watch.line()


def test_small_is_good_when_minimising() -> None:
    watch = Watch([], goal_of(minimize=True), 5)
    for number, value in enumerate([3.0, 5.0, 1.0, 2.0]):
        watch.add(trial(number, value))
    assert watch.best is not None
    assert watch.best.number == 2
    assert watch.curve == [3.0, 3.0, 1.0, 1.0]


def test_the_panel_fits_any_width() -> None:
    watch = Watch([], goal_of(), 500)
    console = Console(width=60)
    with console.capture() as captured:
        console.print(watch.panel())
    assert "no value yet" in captured.get()
    for number in range(40):
        watch.add(trial(number, float(number)))
    watch.add(trial(40, None))
    for width in (30, 60, 100, 200):
        console = Console(width=width)
        with console.capture() as captured:
            console.print(watch.panel())
        lines = captured.get().splitlines()
        assert max(len(line) for line in lines) <= width
    text = captured.get()
    for part in (
        "trial 41/500",
        "39",
        "failed: broke",
        "bound 4",
        "model 10.2 s, solver 20.5 s, evaluation 1 min 22 s",
    ):
        assert part in text


def test_sparklines() -> None:
    assert sparkline([]) == ""
    assert sparkline([2.0]) == "▁"
    assert sparkline([0.0, 1.0]) == "▁█"
    assert len(sparkline([float(i) for i in range(1000)], width=24)) == 24
    assert sparkline([float(i) for i in range(1000)], width=8) == "▁▂▃▄▅▆▇█"


def test_proofs_in_words() -> None:
    limited = replace(PROOF, bound=5.0, status=Status.FEASIBLE)
    assert "nothing is proved" in proofs_text(proofs([trial(0, 1.0, None)]))
    assert proofs_text(proofs([trial(0, 1.0)])).startswith(
        "the one model-based proposal proved to be the surrogate's best among all untried points"
    )
    both = proofs_text(proofs([trial(0, 1.0), trial(1, 1.0, limited)]))
    assert both.startswith(
        "1 of 2 model-based proposals proved to be the surrogate's best among all untried points"
    )
    assert "the largest gap is 20.00%" in both
    unbounded = replace(limited, bound=math.inf)
    assert "points; nothing is proved about some (" in proofs_text(proofs([trial(0, 1.0, unbounded)]))
    near = replace(PROOF, about=f"{EVERYWHERE}, at most 4 variables away from the best one")
    rest = "or with another qualification that the certificate names ("
    assert f"surrogate's best among a part of the untried points {rest}" in proofs_text(
        proofs([trial(0, 1.0, near)])
    )
    mixed = proofs([trial(0, 1.0), trial(1, 1.0, near), trial(2, 1.0, near)])
    said = f"surrogate's best: 1 among all untried points, 2 among a part of them {rest}"
    assert said in proofs_text(mixed)


def test_values_in_words() -> None:
    assert value_text([0, 1, 1]) == "011"
    assert value_text([[0, 1], [1, 1]]) == "[01 11]"
    assert value_text([2, 10]) == "[2 10]"
    assert value_text(["a", "b"]) == "ab"
    assert value_text(["ab", "c"]) == "[ab c]"
    assert value_text([True, False]) == "[True False]"
    assert value_text(None) == "-", "a variable that does not exist"


def test_plain_lines_on_demand(milbox: Milbox, problem: Path) -> None:
    shown = milbox("run", problem, "--budget", "4", "--initial", "3", "--progress", "plain").complaints
    lines = shown.splitlines()
    assert lines[0].startswith("trial 1/4 · best ")
    assert lines[-1].startswith("trial 4/4 · best ")
    assert "gap 0 (optimal)" in lines[-1]


def test_a_terminal_gets_a_live_display(problem: Path, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    with subprocess.Popen(
        command("run", problem, "--budget", "3"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "90"},
    ) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        assert process.stdout is not None
        output = process.stdout.read().decode()
    os.close(master)
    assert process.returncode == 0
    assert "trial 3/3" in shown.decode()
    assert "time in" in shown.decode()
    assert output.startswith("best value")


def test_several_objectives_limits_and_noise_have_their_own_words() -> None:
    domain = mb.Domain([mb.integer("k", 0, 9)])
    goal = goal_of(objectives={"a": "maximize", "b": "minimize"}, units={"b": "USD"})
    study = mb.Study(
        domain, RandomSearch(), objectives={"a": "maximize", "b": "minimize"}, units={"b": "USD"}
    )
    watch = Watch([], goal, 10)
    assert "no value yet" in watch.line()
    for trial, values in zip(study.ask_many(3), ((1.0, 5.0), (3.0, 9.0), (0.5, 7.0)), strict=True):
        study.tell(trial.number, dict(zip("ab", values, strict=True)))
        watch.add(study.trials[trial.number])
    assert "2 trials on the front" in watch.line()
    assert [trial.number for trial in watch.front] == [trial.number for trial in study.front]
    shown = Console(width=90, record=True, file=io.StringIO())
    shown.print(watch.panel(80))
    assert "a to 3, b to 5 USD" in shown.export_text()
    limited = Watch(study.trials, goal_of(objectives={"a": "maximize"}, limits={"b": ("<=", 1.0)}), 10)
    assert "no trial keeps b <= 1" in limited.line()
    noisy = Watch(study.trials, goal_of(objectives={"a": "maximize"}, noise=True), 10)
    assert "best measured" in noisy.label


def test_the_bar_of_a_script_counts_the_front(capsys: pytest.CaptureFixture[str]) -> None:
    domain = mb.Domain([mb.integer("k", 0, 9)])
    goal = {"a": "maximize", "b": "minimize"}
    mb.optimize(
        lambda k: {"a": k, "b": k}, domain, 5, objectives=goal, strategy=RandomSearch(), progress=True
    )
    assert "5 of 5 trials, 5 on the front" in capsys.readouterr().err
