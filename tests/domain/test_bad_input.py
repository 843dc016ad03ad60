"""Every mistake gets a message that names the user's objects and says what to do."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain.model.variables import LARGEST_ONEHOT

# Mistakes are made on purpose here, so that type checkers have to look away.
X: Any = mb.binary("x", 4)
K: Any = mb.integer("k", 1, 5)
C: Any = mb.categorical("c", "abc")
D = Domain([X, K, C], [mb.all_different(K, X[0])])

DECLARATIONS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: mb.binary(""), TypeError, "name must be a non-empty string, not ''"),
    (lambda: mb.binary(3), TypeError, "name must be a non-empty string, not 3"),  # type: ignore[call-overload]
    (lambda: mb.binary("x", 0), ValueError, "size of 'x' must be a positive whole number"),
    (lambda: mb.binary("x", (2, -1)), ValueError, "size of 'x' must be a positive whole number"),
    (lambda: mb.binary("x", ()), ValueError, "size of 'x' must be a positive whole number"),
    (lambda: mb.binary("x", 2.5), ValueError, "size of 'x' .* not 2.5"),  # type: ignore[call-overload]
    (lambda: mb.binary("x", True), ValueError, "size of 'x' .* not True"),
    (lambda: mb.integer("k", 3, 1), ValueError, "integer 'k' has an empty range: low is 3, high is 1"),
    (lambda: mb.integer("k", 3, 1, 5), ValueError, "integer 'k' has an empty range"),
    (lambda: mb.integer("k", 1.5, 3), TypeError, "low of integer 'k' must be a whole"),  # type: ignore[call-overload]
    (lambda: mb.integer("k", 1, math.inf), TypeError, "high of integer 'k'"),  # type: ignore[call-overload]
    (
        lambda: mb.integer("k", 0, LARGEST_ONEHOT, encoding="onehot"),
        ValueError,
        "declare it with encoding='integer'",
    ),
    (lambda: mb.integer("k", 1, 3, encoding="unary"), ValueError, "'onehot' or 'integer'"),  # type: ignore[call-overload]
    (
        lambda: mb.integer("k", 0, 2**53 + 1, encoding="integer"),
        ValueError,
        "high of integer 'k' must lie between",
    ),
    (lambda: mb.integer("k", -(10**5000), 0), ValueError, "low of integer 'k' must lie between"),
    (lambda: mb.binary("x", 10**9), ValueError, "size of 'x' is 1000000000: that is more than the 100,000"),
    (lambda: mb.binary("x", (1000, 1000, 1000)), ValueError, r"size of 'x' is \(1000, 1000, 1000\): that is"),
    (lambda: mb.integer("k", 0, 999, 2000), ValueError, "size of 'k' is 2000: .* or the 1,048,576 features"),
    (
        lambda: Domain(
            [mb.binary("x"), mb.integer("k", 0, 999, 1000), mb.integer("n", 0, 99_999, encoding="onehot")]
        ),
        ValueError,
        "1,002 variables with 1,100,001 features, of which 'k' has most; a domain may have 100,000 and 1,048",
    ),
    (
        lambda: Domain([mb.binary("x", 60_000), mb.binary("y", 60_000)]),
        ValueError,
        "120,000 variables with 120,000 features, of which 'x' has most",
    ),
    (lambda: mb.categorical("c", []), ValueError, "categorical 'c' has no choices"),
    (lambda: mb.categorical("c", 5), TypeError, "choices of 'c' must be a list"),  # type: ignore[call-overload]
    (lambda: mb.categorical("c", ["a", "b", "a"]), ValueError, "categorical 'c' lists a choice twice"),
    (lambda: mb.categorical("c", [1, True]), ValueError, "lists a choice twice"),
    (
        lambda: mb.categorical("c", [math.nan]),
        TypeError,
        "choice nan of 'c' must be a string, a finite number",
    ),
    (lambda: mb.categorical("c", [["a"]]), TypeError, r"choice \['a'\] of 'c'"),
    (lambda: mb.categorical("c", {"a", "b"}), TypeError, "choices of 'c' are a set, which has no order"),
]

EXPRESSIONS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: K * math.nan, TypeError, "nan is not a finite number"),
    (lambda: math.inf * K, TypeError, "inf is not a finite number"),
    (lambda: math.inf >= K, TypeError, "inf is not a finite number"),
    (lambda: np.float64("nan") * X[0] + K, TypeError, "nan.* is not a finite number"),
    (lambda: 10**16 * K, ValueError, "10000000000000000 is too large"),
    (lambda: K + "a", TypeError, "'a' is not a finite number"),
    (lambda: K == "a", TypeError, "'a' is not a finite number"),
    (lambda: K == None, TypeError, "None is not a finite number"),  # noqa: E711
    (lambda: K + C, TypeError, "categorical 'c' is not a number; c == 'a' is one"),
    (lambda: K + (K <= 3), TypeError, "the constraint k <= 3 is not a number"),
    (lambda: X[0] == (K <= 3), TypeError, "the constraint k <= 3 is not a number"),
    (lambda: K / 0, TypeError, "cannot be divided by 0"),
    (lambda: K / X[0], TypeError, "cannot be divided by Binary"),
    (lambda: C == "z", ValueError, r"'c' has no choice 'z'; its choices are \['a', 'b', 'c'\]"),
    (lambda: C != 1, ValueError, "'c' has no choice 1"),
    (lambda: C <= 3, TypeError, "'c' is a choice and has no order and no sum; compare it with == or !="),
    (lambda: C < 2, TypeError, "'c' is a choice and has no order"),
    (lambda: C + 1, TypeError, "'c' is a choice and has no order"),
    (lambda: 2 * C, TypeError, "'c' is a choice and has no order"),
    (lambda: C == K, TypeError, "cannot be compared: one is a choice, the other a number"),
    (lambda: X[0] == C, TypeError, "cannot be compared: one is a choice, the other a number"),
    (lambda: C == K + 1, TypeError, r"categorical 'c' cannot be compared with the expression k \+ 1"),
    (lambda: mb.integer("u", 0, 2000) * mb.integer("w", 0, 2000), ValueError, "u, w has 4,004,001 terms"),
]

TRUTHS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: 1 <= K <= 3, TypeError, r"k >= 1 has no truth value .* between\(a, expression, b\)"),
    (lambda: 1 if K == 1 else 0, TypeError, "k == 1 has no truth value"),
    (lambda: 1 if C == "a" else 0, TypeError, "c == 'a' has no truth value"),
    (lambda: (X[0] == 1) and (X[1] == 1), TypeError, r"x\[0\] == 1 has no truth value .* all_of"),
    (lambda: not X[0], TypeError, r"Binary\('x\[0\]'\) has no truth value"),
    (lambda: bool(C), TypeError, "has no truth value"),
    (lambda: bool(K + 1), TypeError, r"k \+ 1 has no truth value"),
    (lambda: K in [1, 2], TypeError, "k == 1 has no truth value"),
    (lambda: max(K, 3), TypeError, "has no truth value"),
    (lambda: bool(mb.all_different(X)), TypeError, "has no truth value"),
    (lambda: bool(mb.implies(X[0], X[1])), TypeError, "has no truth value"),
]

CONSTRAINTS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: mb.implies(K, K <= 3), TypeError, r"Integer\('k', 1, 5\) is not a constraint"),
    (lambda: mb.any_of(X[0], 1), TypeError, "1 is not a constraint"),
    (lambda: mb.negate(True), TypeError, "True is not a constraint"),
    (lambda: X[0] & 1, TypeError, "1 is not a constraint"),
    (lambda: mb.at_most(2.5, X), TypeError, "a count must be a whole number, not 2.5"),  # type: ignore[arg-type]
    (lambda: mb.exactly(True, X), TypeError, "a count must be a whole number, not True"),
    (lambda: mb.all_different(K), ValueError, "at least two variables"),
    (lambda: mb.all_different(K, K), ValueError, r"a variable appears twice in \(k, k\)"),
    (lambda: mb.all_different(K + 1, K), TypeError, r"k \+ 1 is not a variable"),
    (lambda: mb.table([], [[]]), ValueError, "a table needs at least one variable"),
    (lambda: mb.table([K, C], [[1]]), ValueError, r"row 0 .* \(k, c\) should have 2 values, and is \[1\]"),
    (lambda: mb.table([K, C], [[1, "a"], 2]), ValueError, "row 1 .* should have 2 values, and is 2"),  # type: ignore[list-item]
    (lambda: mb.table([K, C], [[1, "z"]]), ValueError, "'c' has no choice 'z'"),
    (lambda: mb.table([K, C], [[9, "a"]]), ValueError, "'k' takes 1 to 5, not 9"),
    (lambda: mb.table([K, K], [[1, 1]]), ValueError, "a variable appears twice"),
    (lambda: mb.forbid(K <= 3, []), TypeError, "k <= 3 is not a variable"),
    (lambda: mb.between(1, K, math.inf), TypeError, "inf is not a finite number"),
]

DOMAINS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: Domain([]), ValueError, "at least one variable"),
    (lambda: Domain(3), TypeError, "3 is not a declared variable"),  # type: ignore[arg-type]
    (lambda: Domain(["x"]), TypeError, "'x' is not a declared variable; make one with binary"),
    (lambda: Domain([K + 1]), TypeError, r"k \+ 1 is not a declared variable"),
    (lambda: Domain([X[0:2]]), TypeError, "an array of 2 is not a declared variable"),
    (lambda: Domain([X, mb.integer("x", 0, 1)]), ValueError, "two variables are named 'x'"),
    (lambda: Domain([X, mb.binary("x[2]")]), ValueError, r"two variables are named 'x\[2\]'"),
    (
        lambda: Domain([X], K <= 3),
        ValueError,
        "the constraint k <= 3 is about 'k', which is not in the domain",
    ),
    (
        lambda: Domain([X], [mb.negate(mb.any_of(X[0], C == "a"))]),
        ValueError,
        "about 'c', which is not in the domain",
    ),
    (
        lambda: Domain([mb.integer("k", 1, 4)], K <= 3),
        ValueError,
        r"'k', 1, 5\), but the domain has .*1, 4\)",
    ),
    (lambda: Domain([mb.categorical("c", "abd")], C == "a"), ValueError, "but the domain has"),
    (lambda: Domain([K], [3 <= 4]), TypeError, "True is not a constraint"),
    (lambda: Domain([K], "k <= 3"), TypeError, "'k <= 3' is not a constraint"),
    (lambda: Domain([K], [K]), TypeError, r"Integer\('k', 1, 5\) is not a constraint"),
    (lambda: Domain([K], None), TypeError, "None is not a constraint"),
    (
        lambda: Domain.from_json({"variables": [{"kind": "complex", "name": "r"}], "constraints": []}),
        ValueError,
        "'complex'",
    ),
    (
        lambda: Domain.from_json(
            {"variables": [{"kind": "binary", "name": "r"}], "constraints": [{"kind": "zig"}]}
        ),
        ValueError,
        "no kind of constraint is called 'zig'",
    ),
]

ASSIGNMENT = {"x": [0, 1, 0, 1], "k": 2, "c": "b"}

POINTS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: D.violations((0, 0, 0, 0, 9, 0)), ValueError, r"Integer\('k', 1, 5\) has no code 9"),
    (lambda: D.violations((0, 0)), ValueError, "a point of this domain has 6 codes, not 2"),
    (lambda: D.assignment((0, 0)), ValueError, "a point of this domain has 6 codes, not 2"),
    (lambda: D.assignment((0, 0, 0, 0, 1, -1)), ValueError, "has no code -1"),
    (lambda: D.encode((0, 0, 0, 0, 1, 0)), ValueError, r"6 codes each; got an array of shape \(6,\)"),  # type: ignore[arg-type]
    (lambda: D.encode([(0, 0, 0)]), ValueError, r"6 codes each; got an array of shape \(1, 3\)"),
    (lambda: D.point({}), ValueError, r"\['x', 'k', 'c'\] are missing"),
    (lambda: D.point({**ASSIGNMENT, "z": 1}), ValueError, r"\['z'\] are not variables"),
    (lambda: D.point({**ASSIGNMENT, "k": 9}), ValueError, "'k' takes 1 to 5, not 9"),
    (lambda: D.point({**ASSIGNMENT, "k": 2.5}), ValueError, "'k' takes whole numbers from 1 to 5, not 2.5"),
    (lambda: D.point({**ASSIGNMENT, "k": "2"}), ValueError, "'k' takes whole numbers from 1 to 5, not '2'"),
    (lambda: D.point({**ASSIGNMENT, "k": None}), ValueError, "not None"),
    (lambda: D.point({**ASSIGNMENT, "c": "z"}), ValueError, "'c' has no choice 'z'"),
    (lambda: D.point({**ASSIGNMENT, "x": [0, 1]}), ValueError, r"'x' has shape \(4,\), but \(2,\) was given"),
    (lambda: D.point({**ASSIGNMENT, "x": 1}), ValueError, r"'x' has shape \(4,\), but \(\) was given"),
    (lambda: D.point({**ASSIGNMENT, "x": [0, 1, 2, 0]}), ValueError, r"'x\[2\]' takes 0 to 1, not 2"),
]


@pytest.mark.parametrize(
    ("wrong", "error", "message"), DECLARATIONS + EXPRESSIONS + TRUTHS + CONSTRAINTS + DOMAINS + POINTS
)
def test_a_mistake_is_told(wrong: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


@pytest.mark.parametrize(
    "point", [(), (0,), (0, 0, 0, 0, 9, 0), (0, 0, 0, 0, 1, -1), (0, 0, 0, 0, 1.5, 0), "000010"]
)
def test_what_is_no_point_is_not_contained(point: Any) -> None:
    assert not D.contains(point)


def test_values_of_other_types_are_understood() -> None:
    given = {"x": np.array([False, True, 0, 1.0], dtype=object), "k": np.float64(2.0), "c": np.str_("b")}
    assert D.point(given) == D.point(ASSIGNMENT) == (0, 1, 0, 1, 2, 1)
    low, high = np.array([1, 3])
    assert mb.integer("k", low, high).codes == range(1, 4)
    assert mb.categorical("c", np.array(["u", "v"])).choices == ("u", "v")
    assert mb.categorical("c", range(3)).choices == (0, 1, 2)
    assert Domain([K], np.int64(2) * K <= np.float32(4)).size == 2


def test_decimals_mean_what_they_say() -> None:
    one: Any = mb.binary("a")
    other: Any = mb.binary("b")
    k: Any = mb.integer("k", 0, 10)
    assert Domain([one, other], 0.1 * one + 0.2 * other == 0.3).size == 1
    assert Domain([one, other], 0.1 * one + 0.2 * one >= 0.3).size == 2
    assert Domain([k], k > 1 / 3).size == 10
    assert Domain([k], ~(k <= 1 / 3)).size == 10
    assert Domain([k], 1.1 * k <= 3.3).size == 4
    assert Domain([k], 1.1 * k < 3.3).size == 3
    assert Domain([k], k / 3 == 2 / 3).size == 1
    assert Domain([k], (0.1 + 0.2) * k >= 3).size == 1
    assert Domain([k], k * math.pi >= 3 * math.pi).size == 8
    assert Domain([k], k * math.pi > 3 * math.pi).size == 7
    assert Domain([k], k != 0.5).size == 11


def test_a_generator_of_constraints_is_read_once() -> None:
    a = mb.binary("a", 3)
    domain = Domain([a], [mb.forbid(a[0], (each for each in (a[1] == 1, a[2] == 1)))])
    assert domain.size == 7


def test_things_are_shown_as_they_were_written() -> None:
    x, op = mb.binary("x", 3), mb.categorical("op", ["a", "b"])
    domain = mb.Domain([x, op], [x.sum() <= 1, mb.implies(op == "a", x[0] == 1)])
    assert repr(domain.violations((1, 1, 0, 0))) == "[x[0] + x[1] + x[2] <= 1]"
    assert repr(x[0:2].sum()) == "x[0] + x[1]"
    assert repr(domain) == "Domain(4 variables, 2 constraints)"
    assert repr(list(domain.constraints)[1]) == "op == 'a' -> x[0] == 1"


def test_an_assignment_is_no_point() -> None:
    domain = mb.Domain([mb.integer("k", 0, 9), mb.categorical("c", ["a", "b"])])
    for question in (domain.contains, domain.violations):
        with pytest.raises(TypeError, match=r"use domain.point\(assignment\)"):
            question({"k": 1, "c": "a"})  # type: ignore[arg-type]
    assert domain.contains(domain.point({"k": 1, "c": "a"}))
