"""Variables that exist only sometimes, from the first ask to tables, pages and Optuna's studies."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import milbox as mb
from milbox.cli.problem.file import parse_problem
from milbox.integrations.optuna import MilboxSampler
from milbox.page.document import page
from milbox.trials.frames import columns, to_pandas, to_polars
from milbox.trials.journal import Journal

PROBLEM = """\
[variables]
op = { kind = "categorical", choices = ["pool", "conv"] }
width = { kind = "integer", low = 3, high = 5, only_if = "op == 'conv'" }
depth = { kind = "integer", low = 1, high = 3 }
units = { kind = "integer", low = 8, high = 9, size = 3, only_if = "depth > [0, 1, 2]" }
mix = { kind = "real", low = 0, high = 1, step = 0.5, size = 2, only_if = "op == 'conv' and width > 3" }
"""


def space() -> mb.Domain:
    """The same as the problem file."""
    op, depth = mb.categorical("op", ["pool", "conv"]), mb.integer("depth", 1, 3)
    width, units = mb.integer("width", 3, 5), mb.integer("units", 8, 9, 3)
    mix = mb.real("mix", 0, 1, 2, step=0.5)
    rules = [
        mb.only_if(width, op == "conv"),
        mb.only_if(units, [depth > i for i in range(3)]),
        mb.only_if(mix, (op == "conv") & (width > 3)),
    ]
    return mb.Domain([op, width, depth, units, mix], rules)


def value(op: str, width: int | None, depth: int, units: Any, mix: Any) -> float:
    """Fails where something is handed over that does not exist, or is not that does."""
    assert (width is None) == (op == "pool")
    assert [unit is None for unit in units] == [depth <= i for i in range(3)]
    assert (mix is None) == (width is None or width <= 3)
    return (width or 0) + sum(unit or 0 for unit in units) / 10 - (0.0 if mix is None else float(mix.sum()))


def test_a_problem_file_says_the_same() -> None:
    read = parse_problem(PROBLEM, Path("p.toml")).domain
    assert read == space()
    assert read.size == 20 * 14


def test_the_objective_sees_none(tmp_path: Path) -> None:
    domain = space()
    result = mb.maximize(value, domain, budget=30, strategy=mb.NNMILP(initial=8), journal=tmp_path / "j.db")
    assert all(trial.state == "finished" for trial in result.trials)
    seen = {json.dumps(mb.plain(t.assignment)) for t in result.trials}
    assert len(seen) == 30
    assert all(t.certificate.status == "optimal" for t in result.trials if t.certificate is not None)
    _, again = Journal.read(tmp_path / "j.db")
    assert [mb.plain(t.assignment) for t in again] == [mb.plain(t.assignment) for t in result.trials]


def test_tables_are_empty_where_a_variable_does_not_exist() -> None:
    domain = space()
    points = [{"op": "pool", "depth": 1, "units": [8, None, None]}]
    points += [{"op": "conv", "width": 4, "depth": 3, "units": [8, 9, 9], "mix": [0, 0.5]}]
    study = mb.Study(domain, mb.RandomSearch(), known=[(each, 1.0) for each in points])
    table = columns(study.trials)
    assert table["width"] == [None, 4]
    assert table["units[2]"] == [None, 9]
    assert table["mix[1]"] == [None, 0.5]
    assert "mix" not in table
    frame = to_pandas(study.trials)
    assert str(frame["width"].dtype) == "Int64"
    assert frame["width"].isna().tolist() == [True, False]
    assert to_polars(study.trials)["width"].to_list() == [None, 4]
    shown = page(study.record)
    assert "None" not in shown.replace("If-None-Match", "")
    assert "only_if(width, op == &#x27;conv&#x27;)" in shown or "only_if(width, op == 'conv')" in shown


def test_own_data_leaves_out_what_does_not_exist() -> None:
    domain = space()
    given = {"op": "pool", "width": None, "depth": 2, "units": np.array([9, 8, None]), "mix": None}
    study = mb.Study(domain, mb.RandomSearch(), known=[(given, 2.0)])
    assert study.trials[0].point == (0, 3, 2, 9, 8, 8, 0, 0)
    with pytest.raises(ValueError, match=r"known\[0\]: 'width' does not exist here"):
        mb.Study(domain, known=[({**given, "width": 4}, 2.0)])
    with pytest.raises(ValueError, match=r"known\[0\]: 'units\[1\]' is missing, and exists here"):
        mb.Study(domain, known=[({**given, "units": [9, None, None]}, 2.0)])


def test_narrowed_asks_decide_whether_a_variable_exists() -> None:
    study = mb.Study(space(), mb.NNMILP(initial=2))
    for _ in range(4):
        first = study.ask(fix={"width": 3})  # the code that the variable has where it does not exist
        assert first.assignment["width"] == 3
        study.tell(first.number, 1.0)
        assert study.ask(fix={"width": None}).assignment["op"] == "pool"
        assert study.ask(fix={"mix": None}, where="op == 'conv'").assignment["width"] == 3
        assert study.ask(fix={"mix": [0, 0]}).assignment["width"] > 3
    batch = study.ask_many(4, same=["width"])
    assert len({trial.assignment["width"] for trial in batch}) == 1


def test_a_condition_that_can_never_hold_is_named() -> None:
    deep, op = mb.binary("deep"), mb.categorical("op", ["conv", "pool"])
    width, other = mb.integer("width", 1, 4), mb.binary("other")
    rules = [
        mb.only_if(op, deep == 1),
        mb.only_if(width, (op == "conv") & (deep == 0)),
        mb.only_if(other, deep),
    ]
    domain = mb.Domain([deep, op, width, other], rules)
    with pytest.raises(
        ValueError, match=r"'width' never exists.*only_if\(width, op == 'conv' and deep == 0\)"
    ):
        mb.Study(domain)
    fine = mb.Domain([deep, op, other], [*rules[:1], *rules[2:]])
    mb.Study(fine)
    with pytest.raises(ValueError, match=r"(?s)'op' never exists.*only_if.*excluded by\n  deep == 0"):
        mb.Study(
            mb.Domain([deep, op, other], [*rules[:1], *rules[2:], deep == 0, mb.implies(deep, op == "pool")])
        )


def test_branches_of_an_optuna_objective_work_as_they_are_written() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kind, rate = mb.categorical("kind", ["svm", "forest"]), mb.real("rate", 0, 1, step=0.25)
    trees, depth = mb.integer("trees", 1, 3), mb.integer("depth", 1, 2)
    rules = [
        mb.only_if(rate, kind == "svm"),
        mb.only_if(trees, kind == "forest"),
        mb.only_if(depth, trees > 1),
    ]
    domain = mb.Domain([kind, rate, trees, depth], rules)
    assert domain.size == 5 + 1 + 2 * 2

    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("kind", ["svm", "forest"]) == "svm":
            return trial.suggest_float("rate", 0, 1, step=0.25)
        trees = trial.suggest_int("trees", 1, 3)
        return trees + (trial.suggest_int("depth", 1, 2) if trees > 1 else 0)

    study = optuna.create_study(direction="maximize", sampler=MilboxSampler(domain, 0, mb.NNMILP(initial=3)))
    study.add_trial(
        optuna.trial.create_trial(
            params={"kind": "forest", "trees": 1},
            distributions={
                "kind": optuna.distributions.CategoricalDistribution(["svm", "forest"]),
                "trees": optuna.distributions.IntDistribution(1, 3),
            },
            value=1.0,
        )
    )
    study.optimize(objective, n_trials=9)
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials}) == 10
    assert study.best_value == 5

    def careless(trial: optuna.Trial) -> float:
        trial.suggest_categorical("kind", ["svm", "forest"])
        return trial.suggest_float("rate", 0, 1, step=0.25)

    study = optuna.create_study(direction="maximize", sampler=MilboxSampler(domain, 0))
    with pytest.raises(ValueError, match=r"'rate'.*does not exist|no value for trees"):
        study.optimize(careless, n_trials=9)
