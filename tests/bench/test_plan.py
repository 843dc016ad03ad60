"""A plan says what is run; a bad one says in one line what to change."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import milbox as mb
from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.plan import Cell, Plan, read_plan, safe
from milbox.bench.problems import Problem, load
from milbox.bench.problems.binding import PAPER
from milbox.errors import DataError
from small_data import write_binding, write_cells, write_programs

ROOT = Path(__file__).parents[2]

# The contract of the issue.
NAMES = (
    "nn+milp",
    "nn+milp/paper",
    "linear+milp",
    "regevo",
    "nn+regevo",
    "ensemble+regevo",
    "conevo",
    "nn+conevo",
    "nn+rejsample",
    "random",
    "rbfopt",
)


def test_the_contracts_algorithms_are_there() -> None:
    assert set(NAMES) <= ALGORITHMS.keys()


def test_cells_are_the_product_and_trials_come_round_by_round(written: Callable[..., Path]) -> None:
    plan = read_plan(
        written(problems=["bbob/sph*", "ising/100/0"], algorithms=["random", "regevo", "random"], trials=2)
    )
    assert plan.problems == ("bbob/sphere", "ising/100/0")
    assert plan.algorithms == ("random", "regevo")
    assert [(c.problem, c.algorithm, c.trial) for c in plan.cells] == [
        (problem, algorithm, trial)
        for trial in (0, 1)
        for problem in ("bbob/sphere", "ising/100/0")
        for algorithm in ("random", "regevo")
    ]


def test_a_plan_may_begin_with_a_later_trial(written: Callable[..., Path]) -> None:
    plan = read_plan(written(problems=["bbob/sphere"], algorithms=["random"], trials=2, first=5))
    assert [cell.trial for cell in plan.cells] == [5, 6]
    with pytest.raises(DataError, match="first is -1; it must be a whole number of at least 0"):
        read_plan(written(first=-1))


def test_a_seed_belongs_to_problem_and_trial_and_files_to_cells() -> None:
    cells = Plan(20, 10, 3, ("bbob/sphere", "ising/100/0"), tuple(ALGORITHMS)).cells
    seeds = {(cell.problem, cell.trial): cell.seed for cell in cells}
    assert all(cell.seed == seeds[cell.problem, cell.trial] for cell in cells)
    assert len(set(seeds.values())) == len(seeds)
    paths = {cell.journal(Path("r")) for cell in cells}
    assert len(paths) == len(cells)
    assert all(len(path.parts) == 4 for path in paths)
    cell = Cell("ising/100/0", "nn+milp/fc16-16", 2, 9, 3)
    assert cell.journal(Path("r")) == Path("r/ising--100--0/nn+milp--fc16-16/2.db")
    # A seed is part of published results: it must not change.
    assert cell.seed == 103340086376514
    assert safe("../x") == "--x"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budget": -5}, "budget is -5; it must be a whole number of at least 1"),
        ({"budget": True}, "budget is True; it must be a whole number of at least 1"),
        ({"budget": "many"}, "budget is 'many'; it must be a whole number"),
        ({"initial": 0}, "initial is 0; it must be a whole number of at least 1"),
        ({"initial": 50}, "initial is 50, more than the budget of 14; lower it"),
        ({"trials": None}, "the plan has no 'trials'; add a line such as trials = 5"),
        ({"trails": 3}, "a plan has no 'trails' (did you mean 'trials'?); its keys are budget, initial"),
        ({"problems": []}, "problems is []; it must be a list of names"),
        ({"problems": "bbob/*"}, "problems is 'bbob/*'; it must be a list of names"),
        ({"problems": ["bbob/spere"]}, "there is no problem 'bbob/spere'; did you mean bbob/sphere"),
        ({"problems": ["quux/*"]}, "there is no problem 'quux/*'"),
        ({"algorithms": ["nn+mlip"]}, "there is no algorithm 'nn+mlip' (did you mean 'nn+milp'?); there are"),
        ({"algorithms": [3]}, "algorithms is [3]; it must be a list of names"),
    ],
)
def test_a_bad_plan_says_what_to_change(
    written: Callable[..., Path], changes: dict[str, object], message: str
) -> None:
    path = written(**changes)
    with pytest.raises(DataError) as caught:
        read_plan(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_what_is_no_plan_at_all(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.toml cannot be read \(No such file"):
        read_plan(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("budget = = 3")
    with pytest.raises(DataError, match=r"bad\.toml is not TOML: "):
        read_plan(tmp_path / "bad.toml")


def test_missing_data_is_named_with_its_remedy(written: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no data for 'tfbind/\*' in .*milbox data tfbind"):
        read_plan(written(problems=["tfbind/*"]), data=tmp_path)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with something for every pattern of the plans."""
    folder = tmp_path_factory.mktemp("data")
    write_binding(folder, *PAPER)
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "plans").glob("*.toml")]
    named = {name for text in texts for name in re.findall(r'"minlplib/([\w-]+)"', text)}
    write_programs(folder, *sorted(named | {"graphpart_2pm-0", "graphpart_clique-0", "qspp_0", "cardqp"}))
    write_cells(folder)
    return folder


@pytest.mark.parametrize("path", sorted((ROOT / "plans").glob("*.toml")), ids=lambda path: path.stem)
def test_the_plans_we_publish_are_plans(path: Path, data: Path) -> None:
    plan = read_plan(path, data)
    assert plan.cells
    if path.stem.startswith("paper-"):
        assert plan.trials >= 20


def test_variants_change_what_they_say() -> None:
    sphere = load("bbob/sphere")
    one_hot, integer = (ALGORITHMS[name].problem(sphere).domain for name in ("nn+milp", "nn+milp/integer"))
    assert one_hot.features == 100
    assert integer.features == 10
    assert [v.codes for v in integer.variables] == [v.codes for v in one_hot.variables]
    assert ALGORITHMS["rbfopt"].refusal(sphere.domain) is None
    assert ALGORITHMS["rbfopt"].refusal(load("ising/100/0").domain) == "RBFOpt takes no constraints"
    for name in ("re", "rs", "nn+milp/symmetry"):
        assert ALGORITHMS[name].refusal(sphere.domain) == "it is for nasbench101 only"


def test_strands_are_for_dna() -> None:
    dna = mb.Domain([mb.categorical("base", ["A", "C", "G", "T"], 4)])
    strands = ALGORITHMS["nn+milp/strands"]
    assert strands.refusal(dna) is None
    assert "A, C, G, T" in str(strands.refusal(mb.Domain([mb.binary("x", 4)])))
    changed = strands.problem(Problem("dna", dna, lambda points: np.zeros(len(points)), "here", "nobody"))
    assert list(map(str, changed.domain.symmetries)) == ["reverse_complement(base[0] to base[3])"]
