"""Several outputs, limits and noise in problem files, in files of results, and on the command line."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import milbox as mb
from cli.conftest import Milbox
from milbox.cli.problem.file import read_problem
from milbox.trials.record import read_record

PROBLEM = """\
[variables]
op = { kind = "categorical", choices = ["conv", "pool"] }
width = { kind = "integer", low = 1, high = 3, only_if = "op == 'conv'" }
ph = { kind = "real", low = 5.0, high = 6.0, step = 0.5 }
[objective]
python = "measure:outputs"
[outputs]
yield = "maximize"
cost = "minimize"
limits = { tox = ["<=", 0.05] }
"""

MEASURE = """\
def outputs(op, width, ph):
    size = width or 1
    return {"yield": (width or 0) * ph, "cost": size + ph, "tox": 0.02 * size}
"""

COMMAND = """\
import json, sys
point = json.load(sys.stdin)
size = point.get("width", 1)
gain = point.get("width", 0) * point["ph"]
print(json.dumps({"yield": gain, "cost": size + point["ph"], "tox": 0.02 * size}))
"""

BY_HAND = PROBLEM.replace('python = "measure:outputs"\n', "")


def enumerated() -> set[tuple[float, float]]:
    """The front of the problem above, by all of its points."""
    sizes = [0, 1, 2, 3]
    points = [(w * p, max(w, 1) + p) for w in sizes for p in (5.0, 5.5, 6.0) if 0.02 * max(w, 1) <= 0.05]
    return {a for a in points if not any(b != a and b[0] >= a[0] and b[1] <= a[1] for b in points)}


def test_a_run_ends_with_the_front_of_all_points(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / "measure.py").write_text(MEASURE)
    assert "gave yield " in milbox("check", "p.toml").output
    ran = milbox("run", "p.toml", "--budget", "30", "--initial", "4")
    assert "a front of 5 trials (12 trials)" in ran.output
    assert "this is proved" in ran.output
    entry = milbox("status", "p.db", "--json").json
    assert {(t["values"]["yield"], t["values"]["cost"]) for t in entry["front"]} == enumerated()
    assert "5 trials on the front" in milbox("status", "p.db").output
    assert "continuing" in milbox("resume", "p.db").complaints
    milbox("export", "p.db", "--out", "p.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text())))
    assert rows[0]["tox"]
    milbox("ask", "new.db", "--problem", "p.toml", "--known", "p.csv", status=3)  # every point is known


def test_commands_print_outputs_by_name(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        PROBLEM.replace('python = "measure:outputs"', 'command = ["python3", "c.py"]')
    )
    (tmp_path / "c.py").write_text(COMMAND)
    ran = milbox("run", "p.toml", "--budget", "2", "--initial", "2")
    assert "a front of" in ran.output
    (tmp_path / "c.py").write_text('print(\'{"yield": 1, "cost": 2}\')')
    ran = milbox("run", "p.toml", "--budget", "1", "--journal", "q.db", status=1)
    assert "has no output 'tox'" in ran.complaints


def test_files_of_results_have_a_column_for_each_output(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(BY_HAND)
    ran = milbox("ask", "p.db", "--problem", "p.toml", "--count", "3", "--csv", "b.csv", "--initial", "3")
    assert "fill in the columns yield, cost, tox" in ran.complaints
    rows = list(csv.DictReader(io.StringIO((tmp_path / "b.csv").read_text())))
    assert [rows[0][name] for name in ("yield", "cost", "tox")] == ["", "", ""]
    rows[0] |= {"yield": "1", "cost": "2", "tox": "0.01"}
    rows[1] |= {"yield": "failed: broke"}
    rows[2] |= {"yield": "1"}

    def told(status: int) -> str:
        with (tmp_path / "b.csv").open("w") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        ran = milbox("tell", "p.db", "b.csv", status=status)
        return ran.output + ran.complaints

    assert "'cost' is empty" in told(2)
    rows[2]["yield"] = ""
    assert "recorded 2 trials, 1 pending; 1 trial on the front" in told(0)
    assert "recorded 0 trials" in told(0)
    rows[0]["cost"] = "3"
    assert "told already: yield 1, cost 2, tox 0.01" in told(2)
    milbox("tell", "p.db", "--trial", "2", "--value", "3", status=2)
    milbox("tell", "p.db", "--trial", "2", "--value", "yield=3", "--value", "cost=1", "--value", "tox=0")
    ran = milbox("amend", "p.db", "2", "yield=4", "cost=1", "tox=0.02")
    assert "was yield 3, cost 1, tox 0 and is yield 4, cost 1, tox 0.02" in ran.output
    fixed = milbox("ask", "p.db", "--fix", "ph=6.0", "--fix", "op='conv'", "--json").json["trials"][0]
    assert (fixed["assignment"]["ph"], fixed["assignment"]["op"]) == (6.0, "conv")


def test_the_front_is_printed_whole_or_as_many_as_are_asked_for(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(BY_HAND)
    milbox("ask", "p.db", "--problem", "p.toml", "--count", "4", "--initial", "4")
    for trial, (gain, cost) in enumerate([(1, 1), (2, 2), (0, 3), (3, 3)]):
        values = ("--value", f"yield={gain}", "--value", f"cost={cost}", "--value", "tox=0")
        milbox("tell", "p.db", "--trial", str(trial), *values)

    def printed(*options: str) -> tuple[list[int], str]:
        ran = milbox("best", "p.db", *options)
        return [int(each) for each in re.findall(r"in trial (\d+)", ran.output)], ran.complaints.strip()

    assert printed() == ([0, 1, 3], "")
    assert printed("--top", "1") == ([0], "2 more trials on the front")
    assert printed("--top", "2") == ([0, 1], "1 more trial on the front")
    assert printed("--top", "9") == ([0, 1, 3], "")
    whole, first = milbox("best", "p.db", "--json").json, milbox("best", "p.db", "--top", "1", "--json").json
    assert (len(whole["trials"]), whole["more"]) == (3, 0)
    assert (first["trials"], first["more"]) == (whole["trials"][:1], 2)


def test_noisy_results_may_come_with_errors_and_repeats(milbox: Milbox, tmp_path: Path) -> None:
    text = '[variables]\nx = { kind = "integer", low = 0, high = 9 }\n[outputs]\nnoise = true\n'
    (tmp_path / "p.toml").write_text(text)
    (tmp_path / "old.csv").write_text("x,value,error\n3,1.0,0.1\n3,1.2,0.1\n5,2.0,\n")
    milbox("ask", "p.db", "--problem", "p.toml", "--known", "old.csv", "--initial", "2")
    milbox("tell", "p.db", "--trial", "3", "--value", "value=1.5", "--value", "error=0.2")
    entry = milbox("best", "p.db", "--json").json
    assert entry["state"] == "finished"


NOISY = '[variables]\nx = { kind = "integer", low = 0, high = 9 }\n[outputs]\nnoise = true\n'


def test_the_best_noisy_point_is_printed_with_its_estimate(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(NOISY)
    rows = [(3, 1.0), (3, 1.2), (3, 0.8), (5, 5.0), (5, -5.0), (5, -6.0), (7, 0.1), (7, 0.2)]
    text = "".join(f"{x},{value},0.5\n" for x, value in rows)
    (tmp_path / "old.csv").write_text("x,value,error\n" + text)
    milbox("ask", "p.db", "--problem", "p.toml", "--known", "old.csv", "--initial", "2")
    best = milbox("best", "p.db")
    assert "(standard error 0." in best.output
    assert "x = 3" in best.output
    told = milbox("best", "p.db", "--json").json
    record = read_record(tmp_path / "p.db")
    assert told["estimate"] == {"mean": record.estimate[0], "standard_error": record.estimate[1]}  # type: ignore[index]
    assert 0 < told["estimate"]["mean"] < 1.2
    assert "estimated, in trial 0" in milbox("status", "p.db").output
    listed = milbox("best", "p.db", "--top", "3", "--json").json["trials"]
    assert listed[0]["assignment"]["x"] == 3
    assert sorted(entry["assignment"]["x"] for entry in listed) == [3, 5, 7]
    assert [e["estimate"]["mean"] for e in listed] == sorted(
        [e["estimate"]["mean"] for e in listed], reverse=True
    )


def test_a_noisy_front_is_shown_as_estimates(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM.replace("limits =", "noise = true\nlimits ="))
    (tmp_path / "measure.py").write_text(MEASURE)
    ran = milbox("run", "p.toml", "--budget", "6", "--initial", "6")
    front = read_record(tmp_path / "p.db").front
    assert f"a front of {len(front)} trials, estimated (6 trials)\n" in ran.output
    best = milbox("best", "p.db").output
    assert f"{front[0].shown}, estimated, in trial {front[0].number} (random)\n" in best
    assert best.count(", estimated, in trial ") == len(front)
    entries = milbox("best", "p.db", "--json").json["trials"]
    assert [entry["estimated"] for entry in entries] == [True] * len(front)
    assert milbox("status", "p.db", "--json").json["front"] == entries
    measured = [json.loads(line) for line in milbox("trials", "p.db", "--json").output.splitlines()]
    assert not any("estimated" in entry for entry in measured)


def test_what_was_measured_once_without_noise_is_no_estimate(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / "measure.py").write_text(MEASURE)
    said = milbox("run", "p.toml", "--budget", "6", "--initial", "6").output
    said += milbox("best", "p.db").output + milbox("best", "p.db", "--json").output
    assert "estimated" not in said


def test_a_standard_error_is_told_with_its_value(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(NOISY)
    milbox("ask", "p.db", "--problem", "p.toml", "--count", "2", "--initial", "2")
    milbox("tell", "p.db", "--trial", "0", "--value", "1.5", "--error", "0.25")
    assert (
        "goes with --value"
        in milbox("tell", "p.db", "--trial", "1", "--failed", "no", "--error", "1", status=2).complaints
    )
    milbox("export", "p.db", "--out", "p.csv")
    assert next(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text())))["error"] == "0.25"
    milbox("amend", "p.db", "0", "2.5", "--error", "0.5")
    assert milbox("trials", "p.db", "--last", "2", "--json").output.splitlines()[0].count('"error": 0.5')
    milbox("tell", "p.db", "--trial", "1", "--value", "1", "--error", "-1", status=2)


def test_a_failure_may_not_be_the_points_fault(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('[variables]\nx = { kind = "integer", low = 0, high = 9 }\n')
    milbox("ask", "p.db", "--problem", "p.toml", "--count", "6", "--initial", "6")
    milbox("tell", "p.db", "--trial", "0", "--failed", "power cut", "--no-infeasible")
    milbox("tell", "p.db", "--trial", "1", "--failed", "it burst")
    milbox("tell", "p.db", "--trial", "2", "--failed", "it burst", "--infeasible")
    (tmp_path / "r.csv").write_text("trial,value,infeasible\n3,failed: no power,false\n4,failed,\n")
    milbox("tell", "p.db", "r.csv")
    (tmp_path / "r.json").write_text('[{"trial": 5, "value": "failed", "infeasible": false}]')
    milbox("tell", "p.db", "r.json")
    trials = read_record(tmp_path / "p.db").trials
    assert [getattr(t.outcome, "infeasible", None) for t in trials] == [False, True, True, False, True, False]
    lines = milbox("trials", "p.db", "--json").output.splitlines()
    assert '"infeasible": false' in lines[0]
    milbox("ask", "p.db")
    assert (
        "go with --failed"
        in milbox("tell", "p.db", "--trial", "6", "--value", "1", "--no-infeasible", status=2).complaints
    )
    (tmp_path / "r.csv").write_text("trial,value,infeasible\n6,failed,perhaps\n")
    assert "must be true or false" in milbox("tell", "p.db", "r.csv", status=2).complaints


def test_limits_and_noise_may_stand_by_themselves(milbox: Milbox, tmp_path: Path) -> None:
    inside = BY_HAND.replace('cost = "minimize"\n', "noise = true\n")
    outside = "noise = true\n" + inside.replace("noise = true\n", "").replace(
        'limits = { tox = ["<=", 0.05] }', '[limits]\ntox = ["<=", 0.05]'
    )
    goals = []
    for text in (inside, outside):
        (tmp_path / "p.toml").write_text(text)
        goals.append(read_problem(tmp_path / "p.toml").goal)
    assert goals[0] == goals[1]
    assert goals[0].noise
    assert len(goals[0].limits) == 1
    (tmp_path / "p.toml").write_text(outside.replace('"<="', '"<"'))
    assert "p.toml:" in milbox("check", "p.toml", "--no-evaluate", status=2).complaints
    (tmp_path / "p.toml").write_text("noise = true\n" + inside)
    said = milbox("check", "p.toml", "--no-evaluate", status=2).complaints
    assert "p.toml:1: noise stands under [outputs] too" in said


def test_functions_of_problem_files_have_a_time_limit(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        '[variables]\nn = { kind = "integer", low = 0, high = 5 }\n'
        '[objective]\npython = "slow:value"\ntimeout = 2.0\n'
    )
    (tmp_path / "slow.py").write_text(
        "import time\ndef value(n):\n    time.sleep(60 * (n == 3))\n    return float(n)\n"
    )
    milbox("run", "p.toml", "--budget", "6", "--initial", "6")
    trials = read_record(tmp_path / "p.db").trials
    assert {t.assignment["n"]: t.state for t in trials}[3] == "failed"
    assert sum(t.state == "finished" for t in trials) == 5
    assert "time limit" in str(next(t.reason for t in trials if t.state == "failed"))


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ('"maximize"', '"large"', "'yield' is to be 'maximize' or 'minimize'"),
        ('["<=", 0.05]', '["<", 0.05]', "the limit of 'tox'"),
        ("limits =", "noise = 1\nlimits =", "noise must be true or false"),
        ("yield =", "ph =", "'ph' is a variable"),
        ("[outputs]", 'sense = "minimize"\n[outputs]', "each output has its own sense"),
    ],
)
def test_what_is_wrong_is_named(milbox: Milbox, tmp_path: Path, right: str, wrong: str, words: str) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM.replace(right, wrong, 1))
    assert words in milbox("check", "p.toml", "--no-evaluate", status=2).complaints


def test_targets_are_for_one_objective(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / "measure.py").write_text(MEASURE)
    ran = milbox("run", "p.toml", "--budget", "9", "--target", "3", status=2)
    assert "a target is for one objective" in ran.complaints


def test_explain_says_what_was_measured(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / "measure.py").write_text(MEASURE)
    milbox("run", "p.toml", "--budget", "5", "--initial", "4")
    told = milbox("explain", "p.db", "4").output
    assert "Trial 4 has yield " in told
    assert "fitted to the 4 values" in told
    (tmp_path / "one.toml").write_text(PROBLEM.replace('cost = "minimize"\n', "").replace("0.05", "-1"))
    milbox("run", "one.toml", "--budget", "2", "--initial", "2")
    assert "Trial 0 has yield " in milbox("explain", "one.db", "0").output
    assert "no trial keeps tox <= -1" in milbox("status", "one.db").output


def test_explain_ranks_what_keeps_the_limits(milbox: Milbox) -> None:
    domain = mb.Domain([mb.binary("a")])
    known = [({"a": 0}, {"yield": 1.0, "tox": 2.0}), ({"a": 1}, {"yield": 5.0, "tox": 9.0})]
    limits = {"tox": ("<=", 3)}
    mb.Study(domain, known=known, objectives={"yield": "maximize"}, limits=limits, journal="one.db").close()
    told = milbox("explain", "one.db", "0").output
    assert told.startswith("Trial 0 has the value 1, the best of 1 finished trial keeping tox <= 3.\n")
