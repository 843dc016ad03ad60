"""`milbox explain`: what a surrogate was fitted to, in words and as JSON."""

from pathlib import Path

from cli.conftest import Milbox
from milbox.domain import Domain, any_of, binary, implies
from milbox.page.sections.constraints import constraints
from milbox.strategies import NNMILP, RandomSearch
from milbox.strategies.model_based import brief
from milbox.study import Study
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner

x = binary("x", 5)
DOMAIN = Domain([x], [x.sum() <= 3])


def journal(path: Path) -> None:
    """Five values, a failure and a pending trial, then a proposal of a model."""
    with Study(DOMAIN, NNMILP(Ranked(ReluLearner(steps=20)), initial=5), journal=path) as study:
        for trial in study.ask_many(7):
            if trial.number == 2:
                study.fail(2, "spilled")
            elif trial.number != 4:
                study.tell(trial.number, float(trial.assignment["x"].sum()))
        study.tell(study.ask().number, 9.0)
        study.tell(4, 1.0)


def test_a_surrogate_is_fitted_to_the_values_known_then(milbox: Milbox, tmp_path: Path) -> None:
    journal(tmp_path / "j.db")
    said = milbox("explain", "j.db", "7").output
    assert "The surrogate, fitted to the 5 values known when it was asked, predicted" in said
    assert "Trial 7 has the value 9, the best of 7 finished trials." in said


def test_explanations_as_json(milbox: Milbox, tmp_path: Path) -> None:
    journal(tmp_path / "j.db")
    said = milbox("explain", "j.db", "7", "--json").json
    assert (said["trial"], said["rank"], said["finished"], said["fitted_to"]) == (7, 1, 7, 5)
    assert said["status"] == "optimal"
    assert isinstance(said["tight"], list)
    said = milbox("explain", "j.db", "2", "--json").json
    assert (said["rank"], said["fitted_to"], said["reason"]) == (None, None, "spilled")


def noisy(path: Path) -> None:
    """Two points, one of them measured three times, and a repeat that is pending."""
    known = [({"a": 1}, 4.0), ({"a": 0}, 1.0), ({"a": 1}, 5.0), ({"a": 1}, 6.0)]
    with Study(Domain([binary("a")]), known=known, journal=path, noise=True, units={"value": "kg"}) as study:
        study.ask()


def test_a_repeat_is_explained(process: Milbox, tmp_path: Path) -> None:
    noisy(tmp_path / "n.db")
    assert process("explain", "n.db", "3").output.startswith(
        "Trial 3, repeat 2 of trial 0, has the value 6 kg; "
        "the estimate of its point is 5 kg (standard error 0.58), the best of 2 points.\n"
    )
    assert process("explain", "n.db", "4").output.startswith("Trial 4, repeat 1 of trial 1, is pending.")
    said = process("explain", "n.db", "3", "--json").json
    assert "the 2nd best of 2 points" in process("explain", "n.db", "1").output
    assert (said["rank"], said["ranked"], said["finished"], said["estimate"]["mean"]) == (1, 2, 4, 5.0)
    assert process("explain", "n.db", "4", "--json").json["rank"] is None


def test_the_problem_file_that_is_asked_for_can_be_given(
    milbox: Milbox, problem: Path, tmp_path: Path
) -> None:
    journal(tmp_path / "j.db")
    assert "with --problem" in milbox("explain", "j.db", status=2).complaints
    (tmp_path / "q.toml").write_text(
        '[variables]\nx = { kind = "binary", size = 5 }\n[[constraints]]\nrule = "sum(x) <= 3"\n'
    )
    said = milbox("explain", "j.db", "--problem", "q.toml", "--json").json
    assert any(line.startswith("surrogate: ") for line in said["next"])


def test_the_same_rules_are_tight_as_on_the_page(milbox: Milbox, tmp_path: Path) -> None:
    rules = [x[:4].sum() <= 2, implies(x[0], x[3] + x[4] >= 1), any_of(x[1], x[2]), x[1] + x[2] <= 2]
    known = [({"x": [1, 1, 0, 0, 1]}, 1.0)]
    domain = Domain([x], rules)
    with Study(domain, RandomSearch(), known=known, journal=tmp_path / "j.db") as study:
        shown = str(constraints(study.record))
    tight = milbox("explain", "j.db", "0", "--json").json["tight"]
    assert tight == [str(rule) for rule in domain.rules[:3]]
    assert "3 constraints of 4 are tight" in shown
    said = milbox("explain", "j.db", "0").output
    assert said.endswith("; these are tight:\n" + "".join(f"  {rule}\n" for rule in tight))


def test_surrogates_are_named_in_short() -> None:
    assert brief(Ranked()) == "Ranked(ReluLearner)"
    assert (
        brief(Ranked(ReluLearner(hidden=(8, 8)), share=0.0))
        == "Ranked(ReluLearner(hidden=(8, 8)), share=0.0)"
    )
    assert brief(LinearLearner(ridge=1.0)) == "LinearLearner(ridge=1.0)"
