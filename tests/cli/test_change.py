"""A changed problem file: commands say what to do, and `milbox change` does it."""

from pathlib import Path

from cli.conftest import Milbox

PROBLEM = """\
[variables]
k = { kind = "integer", low = 0, high = 3 }
op = { kind = "categorical", choices = ["a", "b"] }
[objective]
python = "measure:value"
"""
CHANGED = """\
[variables]
k = { kind = "integer", low = 1, high = 5 }
op = { kind = "categorical", choices = ["b", "c"] }
more = { kind = "binary" }
[[constraints]]
rule = "op == 'c' -> k >= 2"
[objective]
python = "measure:value"
"""


def test_a_run_goes_on_with_a_changed_file(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "measure.py").write_text("def value(k, op, more=0):\n    return k + more + (op == 'b')\n")
    (tmp_path / "p.toml").write_text(PROBLEM)
    milbox("run", "p.toml", "--budget", "7", "--initial", "4")
    (tmp_path / "p.toml").write_text(CHANGED)
    advice = "`milbox change p.db PROBLEM`"
    assert advice in milbox("resume", "p.db", "--budget", "12", status=2).complaints
    assert advice in milbox("ask", "p.db", "--problem", "p.toml", status=2).complaints
    assert "'more' is new" in milbox("change", "p.db", "p.toml", status=2).complaints
    done = milbox("change", "p.db", "p.toml", "--value", "more=1")
    assert "variable 'k' was Integer(0, 3), is Integer(1, 5); variable 'op' was" in done.output
    assert "; the constraint op == 'c' -> k >= 2 is new" in done.output
    assert "nothing to change" in milbox("change", "p.db", "p.toml", status=2).complaints
    milbox("resume", "p.db", "--budget", "14")
    status = milbox("status", "p.db").output
    assert "outside the domain, which train the model" in status
    best = milbox("best", "p.db", "--json").json
    assert best["assignment"]["op"] in ("b", "c")
    milbox("trials", "p.db", "--csv", "all.csv")
    rows = (tmp_path / "all.csv").read_text().splitlines()
    assert len(rows) == 15
    assert any(",a,1," in row for row in rows)
    for number in range(14):
        milbox("explain", "p.db", str(number))
    assert milbox("explain", "p.db").output
    milbox("report", "p.db", "--out", "p.html")


def test_what_cannot_change_is_refused(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM.partition("[objective]")[0])
    milbox("ask", "p.db", "--problem", "p.toml")
    for text, complaint in (
        ('[objective]\nsense = "minimize"\n', "is to maximize, and p.toml to minimize"),
        ('[strategy]\nname = "random"\n', "with the strategy nn+milp"),
        ('[[constraints]]\nrule = "k >= 4"\n', "no point satisfies all rules"),
    ):
        (tmp_path / "p.toml").write_text(PROBLEM.partition("[objective]")[0] + text)
        assert complaint in milbox("change", "p.db", "p.toml", status=2).complaints
    wrong = milbox("change", "p.db", "p.toml", "--value", "x", status=2)
    assert "--value takes NAME=VALUE" in wrong.complaints


def test_own_data_outside_the_domain_is_used_and_reported(
    milbox: Milbox, process: Milbox, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(
        PROBLEM.partition("[objective]")[0] + '[[constraints]]\nrule = "k >= 1"\n'
    )
    (tmp_path / "own.csv").write_text("k,op,value\n0,a,1.5\n9,b,2.5\n2,a,0.5\n")
    asked = process("ask", "p.db", "--problem", "p.toml", "--known", "own.csv")
    assert "2 known points lie outside the domain" in asked.complaints
    assert "k >= 1" in asked.complaints
    assert milbox("best", "p.db", "--json").json["value"] == 0.5
    (tmp_path / "bad.csv").write_text("k,op,value\n0,z,1.5\n1.5,b,2.5\n")
    wrong = milbox("ask", "q.db", "--problem", "p.toml", "--known", "bad.csv", status=2).complaints
    assert "bad.csv:2: 'op' has no choice 'z'" in wrong
    assert "bad.csv:3: 'k' takes whole numbers" in wrong
