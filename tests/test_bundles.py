"""Compiled code and Python see the same arrays in a bundle."""

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.bundles import bundle
from milbox.kernels import entry, kernel


@bundle
class Sheet(NamedTuple):
    """One array of every kind."""

    number: IntArray
    size: FloatArray
    table: FloatArray
    mark: BoolArray


@kernel
def total(array: FloatArray) -> float:
    """The sum of an array of one dimension."""
    found = 0.0
    for i in range(len(array)):
        found += array[i]
    return found


@entry
def work(sheet: Sheet) -> float:
    """Read and write everywhere: entries, rows, parts, shapes."""
    rows, columns = sheet.table.shape
    for i in range(rows):
        sheet.size[i] = total(sheet.table[i])
        sheet.mark[i] = sheet.size[i] > sheet.number[i]
        for j in range(columns):
            sheet.table[i, j] *= 2.0
    return total(sheet.size[1:]) + 100.0 * total(sheet.size[1:2]) + 10_000.0 * len(sheet.table)


def sheet_of(table: FloatArray) -> Sheet:
    count = len(table)
    return Sheet(np.full(count, 3), np.zeros(count), table, np.zeros(count, np.bool_))


def test_kernels_work_on_the_arrays_themselves() -> None:
    sheet = sheet_of(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    assert work(sheet) == 5.0 + 9.0 + 100.0 * 5.0 + 30_000.0
    assert sheet.size.tolist() == [1.0, 5.0, 9.0]
    assert sheet.mark.tolist() == [False, True, True]
    assert sheet.table.tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]


@pytest.mark.parametrize("shape", [(3, 0), (1, 4), (0, 2)])
def test_arrays_may_be_empty_or_flat(shape: tuple[int, int]) -> None:
    sheet = sheet_of(np.ones(shape))
    work(sheet)
    assert sheet.size.tolist() == [float(shape[1])] * shape[0]


def test_arrays_that_only_python_may_not_write_to_are_no_other_kind() -> None:
    work(sheet_of(np.ones((2, 2))))
    known = len(work.signatures)  # type: ignore[attr-defined]
    sheet = sheet_of(np.ones((2, 2)))
    sheet.number.flags.writeable = False
    work(sheet)
    assert len(work.signatures) == known  # type: ignore[attr-defined]


def test_arrays_of_another_layout_are_refused() -> None:
    for table in (np.ones((2, 3)).T, np.ones((3, 4))[:, ::2], np.ones((2, 2, 2)), [[1.0]]):
        with pytest.raises(TypeError, match=r"Sheet\.table"):
            work(sheet_of(table))  # type: ignore[arg-type]


def test_a_field_that_is_not_there_is_named() -> None:
    @entry
    def wrong(sheet: Sheet) -> float:
        return float(sheet.numbers[0])  # type: ignore[attr-defined]

    with pytest.raises(TypingError, match="numbers"):
        wrong(sheet_of(np.ones((1, 1))))
