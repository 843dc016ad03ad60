"""Reader of nasbench_only108.tfrecord without TensorFlow.

The file is a sequence of records: length, checksum of the length, data, checksum of the data. Each is one
training run of a cell: a JSON list [module_hash, epochs, adjacency, operations, metrics]. `metrics` is a
ModelMetrics message with evaluations before, half-way through and after training (Ying et al. 2019).
"""

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.cells import INNER, UNUSED, Cells, canonical_codes, packed
from milbox.bench.problems.folder import arrays, first_line, shaped
from milbox.compiled.jit import entry
from milbox.errors import DataError

REPLICATES = 3
EPOCHS = 108
ADDRESS = "https://storage.googleapis.com/nasbench/nasbench_only108.tfrecord"
REMEDY = f"download nasbench_only108.tfrecord again ({ADDRESS})"
OPERATIONS = ("conv3x3-bn-relu", "conv1x1-bn-relu", "maxpool3x3")

# Fields of ModelMetrics and of the evaluations inside it.
EVALUATION, TRAINING_TIME, VALIDATION, TEST = 1, 2, 4, 5


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Three training runs of every cell, sorted by the cells' canonical codes."""

    code: IntArray  # (cells,)
    validation: FloatArray  # (cells, 3)
    test: FloatArray  # (cells, 3)
    seconds: FloatArray  # (cells, 3)

    def rows(self, codes: IntArray) -> IntArray:
        """The rows of cells, or a DataError when one is not in the table."""
        at = np.minimum(np.searchsorted(self.code, codes), len(self.code) - 1)
        if not np.array_equal(self.code[at], codes):
            raise DataError(f"the table of {len(self.code)} cells lacks a cell of the domain; {REMEDY}")
        return np.asarray(at)


def read_table(path: Path) -> TrainingTable:
    """The table of a .tfrecord file, or of the .npz file made from it."""
    if path.suffix == ".npz":
        data = arrays(
            path, ("code", "validation", "test", "seconds"), "delete it and run `milbox data nasbench`"
        )
        cells = len(np.atleast_1d(data["code"]))
        for name, array in data.items():
            shape = (cells,) if name == "code" else (cells, REPLICATES)
            shaped(path, name, array, shape, "delete it and run `milbox data nasbench`")
        return TrainingTable(**data)
    return collected(path, records(path))


def write_table(table: TrainingTable, path: Path) -> None:
    """Keep the table as arrays, which load much faster than the records."""
    partial = path.with_suffix(".partial.npz")
    np.savez_compressed(
        partial, code=table.code, validation=table.validation, test=table.test, seconds=table.seconds
    )
    partial.replace(path)


def collected(path: Path, runs: Iterator[bytes]) -> TrainingTable:
    """All runs of 108 epochs, by cell."""
    cells: dict[str, int] = {}
    shapes: list[tuple[int, int, list[int]]] = []
    results: list[list[tuple[float, float, float]]] = []
    for number, run in enumerate(runs):
        try:
            name, epochs, matrix, operations, metrics = json.loads(run)
            if epochs != EPOCHS:
                continue
            if name not in cells:
                cells[name] = len(cells)
                shapes.append(cell_shape(matrix, operations))
                results.append([])
            results[cells[name]].append(final_evaluation(base64.b64decode(metrics, validate=True)))
        except (ValueError, TypeError, IndexError, KeyError, struct.error, binascii.Error) as reason:
            raise DataError(
                f"{path}: record {number} is not a run ({first_line(reason)}); {REMEDY}"
            ) from reason
    if not cells:
        raise DataError(f"{path} holds no run of {EPOCHS} epochs; {REMEDY}")
    odd = next((name for name, at in cells.items() if len(results[at]) != REPLICATES), None)
    if odd is not None:
        raise DataError(f"{path}: cell {odd} has {len(results[cells[odd]])} runs, not {REPLICATES}; {REMEDY}")
    vertices, bits, ops = (np.array(part, dtype=np.int64) for part in zip(*shapes, strict=True))
    code = canonical_codes(Cells(vertices, bits, ops))
    order = np.argsort(code)
    values = np.array(results)[order]
    return TrainingTable(code[order], values[:, :, 1], values[:, :, 2], values[:, :, 0])


def cell_shape(matrix: str, operations: str) -> tuple[int, int, list[int]]:
    """Vertices, bits and operations of a record's cell."""
    size = isqrt(len(matrix))
    edges = np.array([int(entry) for entry in matrix]).reshape(size, size)
    inner = [OPERATIONS.index(label) for label in operations.split(",")[1:-1]]
    return size, packed(edges), inner + [UNUSED] * (INNER - len(inner))


def final_evaluation(message: bytes) -> tuple[float, float, float]:
    """Training time, validation and test accuracy after training."""
    evaluations = [value for field, value in fields(message) if field == EVALUATION]
    last = dict(fields(bytes(evaluations[2])))  # before, half-way, after
    time, validation, test = (struct.unpack("<d", last[at])[0] for at in (TRAINING_TIME, VALIDATION, TEST))
    return time, validation, test


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer message: number and raw bytes, for the wire types that occur."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        match key & 7:
            case 0:
                start = at
                _, at = varint(message, at)
                yield key >> 3, message[start:at]
                continue
            case 1:
                length = 8
            case 2:
                length, at = varint(message, at)
            case 5:
                length = 4
            case kind:
                raise ValueError(f"wire type {kind} in a metrics message")
        if at + length > len(message):
            raise ValueError("a metrics message ends early")
        yield key >> 3, message[at : at + length]
        at += length


def varint(message: bytes, at: int) -> tuple[int, int]:
    """A base-128 number and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7


def records(path: Path) -> Iterator[bytes]:
    """The data of every record; a damaged one ends in a DataError."""
    table = crc_table()
    try:
        with path.open("rb") as file:
            number = 0
            while head := file.read(12):
                whole = len(head) == 12 and masked_crc(head[:8], table) == int.from_bytes(head[8:], "little")
                length = int.from_bytes(head[:8], "little") if whole else 0
                data, check = file.read(length), file.read(4)
                if not whole or len(check) < 4 or masked_crc(data, table) != int.from_bytes(check, "little"):
                    raise DataError(f"{path}: record {number} is damaged or cut off; {REMEDY}")
                yield data
                number += 1
    except OSError as reason:
        raise DataError(f"{path} cannot be read ({reason.strerror}); {REMEDY}") from reason


def masked_crc(data: bytes, table: npt.NDArray[np.uint32]) -> int:
    """TFRecord's checksum: CRC-32C, rotated and shifted."""
    crc = crc32c(np.frombuffer(data, dtype=np.uint8), table)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def crc_table() -> npt.NDArray[np.uint32]:
    """CRC-32C of every byte (Castagnoli polynomial, reflected)."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, np.uint32(0x82F63B78) ^ (table >> 1), table >> 1).astype(np.uint32)
    return table


@entry
def crc32c(data: npt.NDArray[np.uint8], table: npt.NDArray[np.uint32]) -> int:
    """CRC-32C of the bytes."""
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = table[(crc ^ byte) & np.uint32(255)] ^ (crc >> np.uint32(8))
    return int(crc ^ np.uint32(0xFFFFFFFF))
