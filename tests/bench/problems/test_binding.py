from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems import binding, load, names
from milbox.errors import DataError


def write_table(folder: Path, name: str, escore: np.ndarray) -> Path:
    path = folder / "tfbind8" / f"{name}.npz"
    path.parent.mkdir(exist_ok=True)
    np.savez(path, escore=escore.astype(np.float32))
    return path


def test_a_table_of_our_own_is_looked_up_and_normalised(tmp_path: Path) -> None:
    escore = np.random.default_rng(0).uniform(-0.5, 0.5, 4**8)
    write_table(tmp_path, "MINE_REF_R1", escore)
    problem = load("tfbind/MINE_REF_R1", tmp_path)
    assert names("tfbind/*", tmp_path) == ["tfbind/MINE_REF_R1"]
    for sequence in ("AAAAAAAA", "ACGTACGT", "TTTTTTTT"):
        index = int("".join(str("ACGT".index(base)) for base in sequence), 4)
        scaled = (escore[index] - escore.min()) / (escore.max() - escore.min())
        assert problem.objective(base=list(sequence)) == pytest.approx(scaled, abs=1e-6)


def test_real_data_sets_reach_one_at_the_published_sequence(tfbind: Path) -> None:
    listed = names("tfbind/*", tfbind)
    assert {f"tfbind/{name}" for name in binding.PAPER} <= set(listed)
    best = {"SIX6_REF_R1": "AGGTATCA", "PAX4_REF_R1": "CTAATTAG", "CRX_REF_R1": "CTAATCCC"}
    for name, sequence in best.items():
        problem = load(f"tfbind/{name}", tfbind)
        every = np.stack(np.unravel_index(np.arange(4**8), (4,) * 8), axis=1)
        values = problem.evaluate(every)
        assert values.min() == 0.0
        assert values.max() == 1.0 == problem.optimum
        assert problem.objective(base=list(sequence)) == 1.0
        complement = sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))
        assert problem.objective(base=list(complement)) == 1.0  # the other strand


def test_a_wrong_shape_is_named(tmp_path: Path) -> None:
    path = write_table(tmp_path, "SHORT_REF_R1", np.zeros(100))
    with pytest.raises(DataError, match=r"shape \(100,\), expected \(65536,\).*milbox data tfbind") as caught:
        load("tfbind/SHORT_REF_R1", tmp_path)
    assert str(path) in str(caught.value)


def test_a_flat_or_non_finite_table_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path, "FLAT_REF_R1", np.zeros(4**8))
    write_table(tmp_path, "NAN_REF_R1", np.full(4**8, np.nan))
    with pytest.raises(DataError, match="nothing to optimise"):
        load("tfbind/FLAT_REF_R1", tmp_path)
    with pytest.raises(DataError, match="not a finite number"):
        load("tfbind/NAN_REF_R1", tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04cut off"])
def test_a_damaged_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tfbind8" / "BAD_REF_R1.npz"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DataError, match="is damaged or not an") as caught:
        load("tfbind/BAD_REF_R1", tmp_path)
    assert "\n" not in str(caught.value)


def test_an_archive_without_the_array_is_named(tmp_path: Path) -> None:
    (tmp_path / "tfbind8").mkdir()
    np.savez(tmp_path / "tfbind8" / "OTHER_REF_R1.npz", median=np.zeros(4**8))
    with pytest.raises(DataError, match="no array 'escore'"):
        load("tfbind/OTHER_REF_R1", tmp_path)
