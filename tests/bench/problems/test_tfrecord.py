"""A small file in the exact format of nasbench_only108.tfrecord, written here byte by byte."""

import base64
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems import fetch, load
from milbox.bench.problems.cells import ENDS, Cells, adjacency, canonical_codes, fingerprint
from milbox.bench.problems.nasbench import described, drawn_runs, measured
from milbox.bench.problems.standin import SAMPLE
from milbox.bench.problems.tfrecord import crc32c, crc_table, read_table, records
from milbox.errors import DataError

LABELS = ("conv3x3-bn-relu", "conv1x1-bn-relu", "maxpool3x3")
# Three cells: input -> output; input -> conv3x3 -> output; two parallel vertices and a skip.
CELLS: tuple[tuple[int, int, list[int]], ...] = (
    (2, 0b1, []),
    (3, 0b101, [0]),
    (4, 0b111011, [1, 2]),
)


def field(number: int, wire: int, content: bytes) -> bytes:
    """One field of a protocol buffer message; numbers here stay below 16."""
    return bytes([number << 3 | wire]) + content


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def evaluation(epoch: float, seconds: float, train: float, validation: float, test: float) -> bytes:
    doubles = enumerate((epoch, seconds, train, validation, test), start=1)
    message = b"".join(field(n, 1, struct.pack("<d", value)) for n, value in doubles)
    return message + field(6, 2, varint(4) + b"ckpt")


def metrics(seconds: float, validation: float, test: float, parameters: int = 2_694_282) -> str:
    parts = [
        evaluation(0.0, 0.0, 0.1, 0.1, 0.1),
        evaluation(54.0, seconds / 2, 0.8, 0.7, 0.7),
        evaluation(108.0, seconds, 1.0, validation, test),
    ]
    message = b"".join(field(1, 2, varint(len(part)) + part) for part in parts)
    message += field(2, 0, varint(parameters)) + field(3, 1, struct.pack("<d", 2 * seconds))
    return base64.b64encode(message).decode()


def crc(data: bytes) -> bytes:
    value = crc32c(np.frombuffer(data, dtype=np.uint8), crc_table())
    return struct.pack("<I", (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + crc(length) + data + crc(data)


def run(cell: tuple[int, int, list[int]], replicate: int, epochs: int = 108) -> bytes:
    vertices, bits, ops = cell
    matrix = "".join(str(entry) for entry in adjacency(vertices, bits).ravel())
    labels = ",".join(["input", *(LABELS[op] for op in ops), "output"])
    name = fingerprint(vertices, bits, np.array(ops))
    raw = metrics(100.0 * vertices + replicate, 0.9 + vertices / 100 + replicate / 1000, 0.8 + vertices / 100)
    return record(json.dumps([name, epochs, matrix, labels, raw]).encode())


def small_file(path: Path) -> Path:
    """Runs of three cells, interleaved, with some of 36 epochs between."""
    runs = [run(cell, replicate) for replicate in range(3) for cell in CELLS]
    path.write_bytes(b"".join([*runs[:4], run(CELLS[0], 0, epochs=36), *runs[4:]]))
    return path


def test_the_checksum_is_crc_32c() -> None:
    # The check value of the algorithm's catalogue entry.
    assert crc32c(np.frombuffer(b"123456789", dtype=np.uint8), crc_table()) == 0xE3069283


def test_three_runs_of_every_cell_are_read(tmp_path: Path) -> None:
    table = read_table(small_file(tmp_path / "nasbench_only108.tfrecord"))
    assert len(table.code) == 3
    assert np.all(np.diff(table.code) > 0)
    for vertices, bits, ops in CELLS:
        padded = np.array([ops + [255] * (5 - len(ops))])
        (row,) = table.rows(canonical_codes(Cells(np.array([vertices]), np.array([bits]), padded)))
        assert table.validation[row].tolist() == pytest.approx(
            [0.9 + vertices / 100 + r / 1000 for r in range(3)]
        )
        assert table.test[row].tolist() == pytest.approx([0.8 + vertices / 100] * 3)
        assert table.seconds[row].tolist() == pytest.approx([100 * vertices + r for r in range(3)])


def test_the_problem_pays_a_run_and_hides_the_test_accuracy(tmp_path: Path) -> None:
    folder = tmp_path / "nasbench101"
    folder.mkdir()
    small_file(folder / "nasbench_only108.tfrecord")
    problem = load("nasbench101", tmp_path, seed=1)
    assert "tfrecord" in problem.source
    assert "STAND-IN" not in problem.source
    # The same cell of three vertices at five places: the null vertices differ.
    points = np.zeros((5, 26), dtype=np.int64)
    points[:, 21:] = 3
    for vertex in range(1, 6):
        points[vertex - 1, 20 + vertex] = 0
        points[vertex - 1, [ENDS.index((0, vertex)), ENDS.index((vertex, 6))]] = 1
    assert problem.domain.feasible(points).all()
    allowed = {0.93 + r / 1000 for r in range(3)}
    values = problem.evaluate(points)
    assert all(min(abs(value - a) for a in allowed) < 1e-12 for value in values)
    assert len(set(values.tolist())) > 1  # the run depends on the point
    assert np.array_equal(values, problem.evaluate(points))
    assert problem.test_value is not None
    assert problem.test_value(points).tolist() == pytest.approx([0.83] * 5)
    assert problem.seconds is not None
    runs = np.rint((values - 0.93) * 1000)
    assert problem.seconds(points).tolist() == pytest.approx((300 + runs).tolist())  # of the same run
    assert problem.seconds_budget == 5e6
    assignment = problem.domain.assignment(tuple(points[0].tolist()))
    assert problem.objective(**assignment) == values[0]


def test_runs_are_drawn_evenly_and_differ_by_seed() -> None:
    points = np.random.default_rng(0).integers(0, 2, (9000, 26))
    runs = drawn_runs(points, 0)
    assert np.all(np.abs(np.bincount(runs, minlength=3) - 3000) < 250)
    assert 0.6 < np.mean(runs != drawn_runs(points, 1)) < 0.73


def test_the_converted_table_is_the_same_and_comes_first(tmp_path: Path) -> None:
    source = small_file(tmp_path / "nasbench_only108.tfrecord")
    path = fetch.convert_nasbench(source, tmp_path)
    before, after = read_table(source), read_table(path)
    for name in ("code", "validation", "test", "seconds"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    assert "nasbench_only108.npz" in load("nasbench101/symmetry", tmp_path).source
    assert [p.name for p in path.parent.iterdir()] == ["nasbench_only108.npz"]


def test_a_table_is_described_and_compared_with_the_sample(tmp_path: Path) -> None:
    table = read_table(small_file(tmp_path / "nasbench_only108.tfrecord"))
    assert described(table) == [
        "3 cells, each trained 3 times",
        "not all 423,624 cells of NAS-Bench-101: a study ends at one that is missing",
        f"best average test accuracy {0.8 + max(cell[0] for cell in CELLS) / 100:.4f} (published: 0.9432)",
    ]
    with pytest.raises(DataError, match="the table has a validation outside of 0 to 1"):
        described(replace(table, validation=table.validation + 1))
    with pytest.raises(DataError, match="a cell twice"):
        described(replace(table, code=np.zeros_like(table.code)))
    folder = tmp_path / "nasbench101"
    folder.mkdir()
    vertices = np.array([cell[0] for cell in CELLS])
    bits = np.array([cell[1] for cell in CELLS])
    padded = np.array([ops + [255] * (5 - len(ops)) for _, _, ops in CELLS])
    for run, agrees in ((0.001, True), (0.0005, False)):
        np.savez(
            folder / SAMPLE,
            V=vertices,
            bits=bits,
            ops=padded,
            val_acc_108=0.9 + vertices / 100 + run,
            train_time_108=np.ones(3),
        )
        measured.cache_clear()
        if agrees:
            assert described(table, (tmp_path,))[-1] == f"3 cells agree with {SAMPLE}"
        else:
            with pytest.raises(DataError, match="3 of 3 cells have other accuracies"):
                described(table, (tmp_path,))


def test_a_cell_that_the_table_lacks_is_an_error(tmp_path: Path) -> None:
    table = read_table(small_file(tmp_path / "nasbench_only108.tfrecord"))
    with pytest.raises(DataError, match="lacks a cell"):
        table.rows(np.array([0]))


def spoil(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_damage_is_found_and_named(tmp_path: Path) -> None:
    path = tmp_path / "nasbench_only108.tfrecord"
    whole = small_file(path).read_bytes()
    flipped = bytearray(whole)
    flipped[60] ^= 1
    first = len(run(CELLS[0], 0))
    cases = {
        "record 0 is damaged": bytes(flipped),
        "record 9 is damaged or cut off": whole[:-3],
        "record 0 is damaged or cut off": b"\x00" * 40,
        "holds no run": b"",
        "has 1 runs, not 3": whole[:first],
        "record 0 is not a run": record(b"[1, 2]"),
        "record 1 is not a run": run(CELLS[0], 0) + record(json.dumps(["a", 108, "0", "", "?"]).encode()),
    }
    for message, content in cases.items():
        with pytest.raises(DataError, match=message) as caught:
            read_table(spoil(path, content))
        assert "download" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_records_come_one_by_one(tmp_path: Path) -> None:
    path = spoil(tmp_path / "few.tfrecord", record(b"one") + record(b"") + record(b"three"))
    assert list(records(path)) == [b"one", b"", b"three"]
