"""Axes have round numbers that lie on them, and numbers are written as people read them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milbox.display import duration
from milbox.page.formats import about, moment, number, share, short, value_text
from milbox.page.svg.scales import Scale, powers, spanning, steps

finite = st.floats(-1e300, 1e300)


@given(finite, finite)
def test_every_number_has_a_place_within_the_chart(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    scale = spanning(low, high, 10.0, 90.0)
    for value in (low, high, (low / 2 + high / 2)):
        assert 10.0 <= scale(value) <= 90.0
    assert scale(low) <= scale(high)
    for place, label in scale.ticks():
        assert 10.0 <= place <= 90.0
        assert label


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_steps_are_round_and_about_as_many_as_asked(low: float, width: float, count: int) -> None:
    found = steps(low, low + width, count)
    assert len(found) <= count + 1
    assert all(low - 1e-6 * width <= value <= low + width * (1 + 1e-6) for value in found)
    if len(found) > 1:
        step = found[1] - found[0]
        leading = step / 10 ** math.floor(math.log10(step) + 1e-9)
        assert any(math.isclose(leading, factor, rel_tol=1e-5) for factor in (1, 2, 5, 10))


def test_ticks() -> None:
    assert [label for _, label in Scale(0, 1, 0, 100).ticks(5)] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    # Numbers that five digits cannot tell apart get more of them.
    close = [label for _, label in Scale(1_000_000.0, 1_000_000.5, 0, 100).ticks(5)]
    assert len(set(close)) == len(close) > 2
    assert powers(1e-3, 1e2, 10) == [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0]
    assert powers(1e-9, 1e3, 4) == [1e-9, 1e-5, 0.1, 1e3]
    assert Scale(1e-3, 1e3, 0, 60, log=True)(1.0) == pytest.approx(30)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (499.16123, 5, "499.16"),
        (-0.5, 5, "−0.5"),
        (0.0, 5, "0"),
        (190.0, 2, "190"),
        (1234.5, 2, "1200"),
        (123456.0, 5, "123,460"),
        (1e9, 5, "1e9"),
        (-1.5e-7, 5, "−1.5e−7"),
        (math.inf, 5, "∞"),
        (-math.inf, 5, "−∞"),
        (math.nan, 5, "not a number"),
    ],
)
def test_numbers(value: float, digits: int, shown: str) -> None:
    assert number(value, digits) == shown


def test_words() -> None:
    assert [duration(s) for s in (0, 5e-6, 0.0123, 0.9999, 59.99, 61, 7322)] == [
        "0",
        "5 µs",
        "12.3 ms",
        "1 s",
        "1 min 00 s",
        "1 min 01 s",
        "2 h 02 min",
    ]
    assert [share(s) for s in (0, 0.5, 1e-5, math.inf)] == ["0", "50%", "0.001%", "∞"]
    assert moment(0.0) == "1 January 1970, 00:00 UTC"
    assert moment(1e300) == moment(None) == moment(math.nan) == "unknown"
    assert about(65536) == "65,536"
    assert about(10**400) == "1.0e400"
    assert about(999_999_999) == "999,999,999"
    assert about(196 * 10**400) == "2.0e402"
    assert short("a" * 50, 11) == "aaaaaaa…aaa"
    assert short("line\nbreak", 40) == "line break"
    assert value_text([["A", "C"], ["G", "T"]]) == "AC / GT"
    assert value_text(["conv", "pool"]) == "conv, pool"
