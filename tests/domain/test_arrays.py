"""Arrays of variables index, broadcast and add up as NumPy's do."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import milbox.domain as mb
from milbox.domain import Domain, LinExpr
from milbox.domain.model.array import Array

SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=3)


def declared(shape: tuple[int, ...]) -> tuple[Array[Any, Any], npt.NDArray[np.int64], dict[str, Any]]:
    """An array of integers, some values for it, and the same values by name."""
    array = mb.integer("m", -3, 3, shape)
    values = np.random.default_rng(7).integers(-3, 4, shape)
    codes = {v.name: np.array([value]) for v, value in zip(array.flat, values.ravel(), strict=True)}
    return array, values, codes


def evaluated(thing: Any, codes: dict[str, Any]) -> Any:
    """What an expression, a constraint or an array of them is at the values."""
    if isinstance(thing, Array):
        result = np.empty(thing.shape, dtype=object)
        for index in np.ndindex(thing.shape):
            result[index] = evaluated(thing.items[index], codes)
        return result
    if hasattr(thing, "holds"):
        return bool(np.all(thing.holds(codes)))
    return thing.linear().value(codes)[0]


def agrees(thing: Any, expected: Any, codes: dict[str, Any]) -> None:
    assert np.shape(evaluated(thing, codes)) == np.shape(expected)
    assert np.array_equal(np.asarray(evaluated(thing, codes), dtype=float), np.asarray(expected, dtype=float))


@given(st.data())
def test_indexing_is_numpys(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    array, values, codes = declared(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True) | hnp.integer_array_indices(shape))
    agrees(array[index], values[index], codes)


@given(st.data())
def test_masks_and_lists_are_indices(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    array, values, codes = declared((size,))
    mask = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    places = data.draw(st.lists(st.integers(-size, size - 1), max_size=6))
    agrees(array[mask], values[np.array(mask)], codes)
    agrees(array[np.array(mask)], values[np.array(mask)], codes)
    agrees(array[places], values[np.array(places, dtype=int)], codes)
    agrees(array[(i for i in places)], values[np.array(places, dtype=int)], codes)
    agrees(array[range(size)], values, codes)


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul,
    operator.le, operator.ge, operator.lt, operator.gt, operator.eq, operator.ne,
]  # fmt: skip


@given(st.data(), st.sampled_from(OPERATIONS))
def test_broadcasting_is_numpys(data: st.DataObject, operation: Callable[[Any, Any], Any]) -> None:
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=2, max_side=3))
    one_shape, other_shape = shapes.input_shapes
    one, one_values, codes = declared(one_shape)
    numbers = data.draw(hnp.arrays(np.int64, other_shape, elements=st.integers(-3, 3)))
    agrees(operation(one, numbers), operation(one_values, numbers), codes)
    agrees(operation(numbers, one), operation(numbers, one_values), codes)
    other = mb.integer("n", -3, 3, other_shape)
    codes |= {v.name: np.array([value]) for v, value in zip(other.flat, numbers.ravel(), strict=True)}
    agrees(operation(one, other), operation(one_values, numbers), codes)
    single, value = next(other.flat), numbers.ravel()[0]
    agrees(operation(one, single), operation(one_values, value), codes)
    agrees(operation(single, one), operation(value, one_values), codes)
    agrees(operation(one, 2), operation(one_values, 2), codes)
    agrees(operation(2, one), operation(2, one_values), codes)
    agrees(operation(np.int64(2), one), operation(2, one_values), codes)


@given(SHAPES, st.data())
def test_sums_and_shapes_are_numpys(shape: tuple[int, ...], data: st.DataObject) -> None:
    array, values, codes = declared(shape)
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    agrees(array.sum(axis=axis), values.sum(axis=axis), codes)
    agrees(array.sum(axis=tuple(range(len(shape)))), values.sum(), codes)
    agrees(array.T, values.T, codes)
    agrees(array.reshape(-1), values.reshape(-1), codes)
    agrees(-array, -values, codes)
    agrees(array / 2, values / 2, codes)
    agrees(~(array <= 1), ~(values <= 1), codes)
    agrees((array <= 1) & (array >= -1), (values <= 1) & (values >= -1), codes)
    agrees((array <= -1) | (array == 2), (values <= -1) | (values == 2), codes)
    assert len(array) == len(values)
    assert (array.size, array.shape) == (values.size, values.shape)
    assert [v.name for row in array for v in ([row] if len(shape) == 1 else row.flat)] == [
        v.name for v in array.flat
    ]


def test_weights_are_a_product_from_either_side() -> None:
    array, values, codes = declared((3,))
    weights = [0.5, -2, 3]
    for expression in (array.dot(weights), array @ weights, np.array(weights) @ array, weights @ array):
        assert isinstance(expression, LinExpr)
        agrees(expression, values @ np.array(weights), codes)


def test_choices_compare_elementwise() -> None:
    letters = mb.categorical("s", "ACGT", 4)
    codes = {f"s[{i}]": np.array([i]) for i in range(4)}
    agrees(letters == "G", np.array(list("ACGT")) == "G", codes)
    agrees(letters == list("ACCT"), np.array(list("ACGT")) == np.array(list("ACCT")), codes)
    agrees(letters != np.array(list("ACCT")), np.array(list("ACGT")) != np.array(list("ACCT")), codes)
    agrees(letters[0] == letters, np.array(list("ACGT")) == "A", codes)
    agrees((letters == "G").sum() + (letters == "C").sum(), 2, codes)


def test_names_say_the_place() -> None:
    assert [v.name for v in mb.binary("x", 3)] == ["x[0]", "x[1]", "x[2]"]
    assert [v.name for v in mb.binary("x", (1, 2)).flat] == ["x[0, 0]", "x[0, 1]"]
    assert mb.integer("k", 0, 1).name == "k"
    assert mb.binary("x", 1).shape == (1,)


def test_an_empty_part_adds_up_to_nothing() -> None:
    x = mb.binary("x", 3)
    domain = Domain([x], [x[3:].sum() <= 0, x[3:] <= 1, mb.all_of(x[3:])])
    assert domain.size == 8
    assert list(Domain([x], [x[3:].sum() >= 1])) == []


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda x: x[4], IndexError, "out of bounds"),
        (lambda x: x[0, 0], IndexError, "too many indices"),
        (lambda x: x["a"], IndexError, "indices"),
        (lambda x: x <= [1, 0], ValueError, "broadcast"),
        (lambda x: x.dot([1, 2]), ValueError, r"shape \(3,\) with one of shape \(2,\)"),
        (lambda x: x.dot([1, float("nan"), 2]), TypeError, "nan is not a finite number"),
        (lambda x: x.sum(axis=1), ValueError, "out of bounds"),
        (mb.negate, TypeError, "array 'x' of 3 is many constraints; combine them"),
        (bool, TypeError, "array 'x' of 3 has no truth value"),
        (lambda x: 1 if x <= 1 else 0, TypeError, "an array of 3 has no truth value"),
    ],
)
def test_misuse_is_told(wrong: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong(mb.binary("x", 3))
