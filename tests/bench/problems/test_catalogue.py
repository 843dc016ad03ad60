import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems import PROBLEMS, catalogue, expand, feasible_share, load, names
from milbox.bench.problems.folder import destination, folders
from milbox.errors import DataError
from small_data import write_binding, write_cells, write_programs

CONTRACT = (
    "randommlp/fcc-13",
    "randommlp/cnn-77",
    "tfbind/SIX6_REF_R1",
    "bbob/sphere",
    "ising/100/0",
    "minlplib/graphpart_clique-20",
    "nasbench101",
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_binding(folder, "SIX6_REF_R1", "CRX_REF_R1")
    write_programs(folder, "graphpart_clique-20", "qap")
    write_cells(folder)
    return folder


def test_the_names_of_the_contract_load(data: Path) -> None:
    listed = names(data=data)
    for name in CONTRACT:
        assert name in listed
        problem = load(name, data)
        assert problem.name == name
        assert problem.source
        assert problem.citation


def test_without_data_the_other_problems_remain(tmp_path: Path) -> None:
    listed = names(data=tmp_path)
    assert len(listed) == 8 + 10 + 30 + 55 + 30 + 10 + 10 + 1 + 5 + 27 + 104 + 8
    families = (
        "randommlp bbob ising bqp ehrlich pestcontrol contamination maxsat labs structured constrained mixed"
    )
    assert {name.partition("/")[0] for name in listed} == set(families.split())
    assert {entry.name for entry in catalogue("bbob/*", tmp_path)} == set(names("bbob/*"))


def test_globs_match_whole_names(tmp_path: Path) -> None:
    assert names("ising/100/*", tmp_path) == [f"ising/100/{i}" for i in range(10)]
    assert names("*-13", tmp_path) == ["randommlp/cnn-13", "randommlp/fcc-13"]
    assert names("sphere", tmp_path) == []


def test_a_plan_is_expanded_in_order_and_without_repeats(tmp_path: Path) -> None:
    found = expand(["ising/100/1", "ising/100/[0-2]", "bbob/s*"], tmp_path)
    assert found == [
        "ising/100/1",
        "ising/100/0",
        "ising/100/2",
        "bbob/schaffers_f7",
        "bbob/schwefel",
        "bbob/sphere",
        "bbob/step_ellipsoid",
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bbob/spheer", "bbob/sphere"),
        ("ising/100/10", "ising/100/1"),
        ("randommlp/fcc-14", "randommlp/fcc-13"),
        ("BBOB/SPHERE", "families are randommlp, tfbind"),
        ("", "families are"),
        ("ising", "ising/100/0|ising/"),
    ],
)
def test_an_unknown_name_gets_near_matches_in_one_line(tmp_path: Path, name: str, hint: str) -> None:
    for ask in (lambda: load(name, tmp_path), lambda: expand([name], tmp_path)):
        with pytest.raises(ValueError, match=hint) as caught:
            ask()
        assert repr(name) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("tfbind/SIX6_REF_R1", "milbox data tfbind"),
        ("tfbind/*", "milbox data tfbind"),
        ("minlplib/qap", "minlplib.org"),
        ("nasbench101", "nasbench_only108.tfrecord"),
    ],
)
def test_missing_data_says_how_to_get_it(tmp_path: Path, name: str, remedy: str) -> None:
    with pytest.raises(DataError, match=remedy) as caught:
        expand([name], tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "MILBOX_DATA" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_data_set_of_the_paper_that_is_missing_is_missing_data(tmp_path: Path) -> None:
    (tmp_path / "tfbind8").mkdir()
    np.savez(tmp_path / "tfbind8" / "MINE_REF_R1.npz", escore=np.arange(4**8))
    with pytest.raises(DataError, match="milbox data tfbind"):
        load("tfbind/SIX6_REF_R1", tmp_path)
    with pytest.raises(ValueError, match="did you mean tfbind/MINE_REF_R1"):
        load("tfbind/MINE_REF_R2", tmp_path)


def test_the_folder_comes_from_the_argument_then_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    monkeypatch.setenv("MILBOX_DATA", str(other))
    assert list(folders(one)) == [one]
    assert list(folders()) == [other]
    assert destination() == other
    monkeypatch.delenv("MILBOX_DATA")
    monkeypatch.chdir(one)
    assert destination() == Path("milbox-data")
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert list(folders()) == []  # nothing that was not named, wherever it is
    (one / "milbox-data").mkdir()
    assert list(folders()) == [one / "milbox-data"]


def test_a_named_folder_that_does_not_exist_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="given as the data folder, is not a folder"):
        names(data=tmp_path / "nowhere")
    monkeypatch.setenv("MILBOX_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="named by MILBOX_DATA"):
        load("bbob/sphere")


def test_every_family_is_in_the_catalogue_with_what_a_reader_needs(data: Path) -> None:
    some = (
        "randommlp/fcc-0",
        "tfbind/CRX_REF_R1",
        "bbob/discus",
        "ising/400/0",
        "bqp/graphpart/2pm-4/0",
        "minlplib/qap",
        "ehrlich/15/0",
        "pestcontrol/0",
        "contamination/0",
        "maxsat/60",
        "labs/50",
        "structured/budget-100",
        "constrained/trees/dna-60/0",
        "mixed/vessel",
        "nasbench101",
    )
    assert {name.partition("/")[0] for name in some} == set(PROBLEMS)
    for name in some:
        (entry,) = catalogue(name, data)
        assert entry.variables > 0
        assert entry.points > 1
        assert entry.source
        assert entry.citation
    (tfbind,) = catalogue("tfbind/CRX_REF_R1", data)
    assert (tfbind.variables, tfbind.constraints, tfbind.points, tfbind.optimum) == (8, 0, 4.0**8, 1.0)


def test_how_many_points_a_rejection_sampler_keeps() -> None:
    # Each pair of subsets of five has 252 of its 1024 states; five of a path's ten steps go right.
    assert feasible_share(load("ising/100/0").domain) == pytest.approx(10 * math.log10(252 / 1024))
    assert feasible_share(load("bqp/qspp/6/0").domain) == pytest.approx(math.log10(252) - 60 * math.log10(2))
    assert feasible_share(load("bbob/sphere").domain) == 0.0
    assert feasible_share(load("bqp/gqap/30x20-95/0").domain) is None


@pytest.mark.parametrize("name", ["randommlp/fcc-13", "bbob/discus", "ising/100/4", "bqp/qspp/6/0"])
def test_a_problem_can_be_sent_to_another_process(name: str) -> None:
    problem = load(name)
    copy = pickle.loads(pickle.dumps(problem))
    points = np.ones((1, len(problem.domain.variables)), dtype=np.int64)
    assert copy.evaluate(points) == problem.evaluate(points)
    assert copy.domain == problem.domain
