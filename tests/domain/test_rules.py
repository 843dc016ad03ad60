"""A rule states what the same lines state in Python; anything else is refused with a clear message."""

import itertools
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import milbox.domain as mb
from generators import box, small_domains
from generators import constraints as any_constraints
from milbox.arrays import BoolArray
from milbox.domain import Constraint, Domain
from milbox.domain.model.text import RESERVED
from milbox.domain.rules.meaning import FUNCTIONS
from milbox.domain.rules.read import RuleError, rule
from milbox.domain.rules.write import rule_text

x = mb.binary("x", 10)
m = mb.binary("m", (2, 3))
k = mb.integer("k", 1, 8, 3)
n = mb.integer("n", 0, 20)
op = mb.categorical("op", ["conv1", "conv3", "pool"])
ops: Any = mb.categorical("ops", ["conv1", "conv3", "pool"], 4)
flag = mb.categorical("flag", [True, False, None, 2])
odd = mb.binary("my var")
odds = mb.binary("my vars", 3)
DECLARED = (x, m, k, n, op, ops, flag, odd, odds)
NAMED = {str(each.name): each for each in DECLARED}


def plain(*constraints: Any) -> list[Any]:
    """Constraints in their JSON form, which is equal exactly when they are the same objects' data."""
    return Domain(DECLARED, constraints).to_json()["constraints"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum(x[0:5]) == sum(x[5:10])", [x[0:5].sum() == x[5:10].sum()]),
        ("op == 'pool' -> k[0] <= 3", [mb.implies(op == "pool", k[0] <= 3)]),
        ("all_different(k)", [mb.all_different(k)]),
        ("at_most(2, ops == 'conv3')", [mb.at_most(2, [ops[i] == "conv3" for i in range(4)])]),
        ("at_least(1, x[0], x[1])", [mb.at_least(1, [x[0], x[1]])]),
        ("exactly(2, [x[0], ops[1] != 'pool', n >= 3])", [mb.exactly(2, [x[0], ops[1] != "pool", n >= 3])]),
        ("1 <= n <= 3", [mb.between(1, n, 3)]),
        ("1 <= k[0] <= n", [k[0] >= 1, k[0] <= n]),
        ("0 < n < 5", [n > 0, n < 5]),
        ("k <= 3", [k[0] <= 3, k[1] <= 3, k[2] <= 3]),
        ("ops == 'pool' -> n >= 2", [mb.implies(ops[i] == "pool", n >= 2) for i in range(4)]),
        ("x[0] and x[1]", [x[0] == 1, x[1] == 1]),
        ("x[0] or not x[1] or n > 3", [mb.any_of(x[0], ~x[1], n > 3)]),
        ("x[0] <-> x[1]", [mb.implies(x[0], x[1]), mb.implies(x[1], x[0])]),
        ("x[0] -> x[1] -> x[2]", [mb.implies(x[0], mb.implies(x[1], x[2]))]),
        ("not x[0] and x[1] or x[2]", [mb.any_of(mb.all_of(~x[0], x[1]), x[2])]),
        ("not (x[0] and x[1])", [mb.negate(mb.all_of(x[0], x[1]))]),
        ("2*n - 3 * k[0]/2 + -x[0] >= -1.5", [2 * n - 3 * k[0] / 2 - x[0] >= -1.5]),
        ("sum([3, 1, 2] * k) <= 10", [3 * k[0] + k[1] + 2 * k[2] <= 10]),
        ("sum(m[0, :]) == m[1, -1] + sum(m[:, 0:2])", [m[0, :].sum() == m[1, -1] + m[:, 0:2].sum()]),
        ("sum(x[::2]) <= 2", [x[::2].sum() <= 2]),
        ("(op == 'pool') * n <= 4", [(op == "pool") * n <= 4]),
        ("n * k[0] <= 20", [n * k[0] <= 20]),
        ("table([op, n], [['pool', 1], ['conv1', 2]])", [mb.table([op, n], [["pool", 1], ["conv1", 2]])]),
        ("forbid([op, n], [['pool', 1]])", [mb.forbid([op, n], [["pool", 1]])]),
        ("forbid(op == 'pool', n == 1)", [mb.forbid(op == "pool", n == 1)]),
        ("any_of(x[0], n == 2) and all_of(x[3:5])", [mb.any_of(x[0], n == 2), x[3] == 1, x[4] == 1]),
        ("flag == true or flag == none or flag != 2", [mb.any_of(flag == True, flag == None, flag != 2)]),  # noqa: E711, E712
        ("`my var` -> `my vars`[1]", [mb.implies(odd, odds[1])]),
        ('op != "pool"', [op != "pool"]),
        ("ops[0] == ops[1]", (ops[0] == ops[1]).parts),
        ("n <= 3 and n <= m[0, 0:2]", [n <= 3, n <= m[0, 0], n <= 3, n <= m[0, 1]]),
        ("between(1, n, 3)", [mb.between(1, n, 3)]),
        ("implies(negate(x[0]), n == 1)", [mb.implies(~x[0], n == 1)]),
        ("\n  sum(x)\n    <= 3\n", [x.sum() <= 3]),
    ],
)
def test_a_rule_is_what_python_says(text: str, expected: Any) -> None:
    assert plain(*rule(text, NAMED)) == plain(*expected)


def holds(constraints: Any, domain: Domain) -> BoolArray:
    """Where on the whole box all of the constraints hold."""
    points = np.array(box(domain), dtype=np.int64)
    return Domain(domain.declared, constraints).feasible(points)


@given(st.data())
def test_printed_constraints_read_back(data: st.DataObject) -> None:
    domain = data.draw(small_domains(max_claims=0))
    constraint: Constraint = data.draw(any_constraints(domain.variables))
    text = rule_text(constraint)
    declared = {str(each.name): each for each in domain.declared}
    assert (holds([constraint], domain) == holds(rule(text, declared), domain)).all(), text


def test_awkward_names_and_choices_read_back() -> None:
    letters = mb.categorical("a 'b'", ["it's", 'say "x"', "back\\slash", "two\nlines\tand tab", "", "and"])
    word = mb.binary("not")
    rows = mb.binary("odd name", (2, 2))
    named = {str(each.name): each for each in (letters, word, rows)}
    for constraint in [
        *(letters == choice for choice in letters.choices),
        word == 1,
        rows[1, 0] + rows[0, 1] <= 1,
    ]:
        domain = Domain(list(named.values()))
        read = rule(rule_text(constraint), named)
        assert (holds([constraint], domain) == holds(read, domain)).all(), rule_text(constraint)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("opp == 'pool'", "no variable named 'opp'; did you mean 'op'?", 1),
        ("n + zzz <= 1", "no variable named 'zzz'; there are x, m, k, n, op, ops, flag, my var, ...", 5),
        ("at_mots(2, x)", "no function named 'at_mots'; did you mean 'at_most'?", 1),
        ("n = 3", "'=' was not expected here; to compare, write ==", 3),
        ("x[0] => x[1]", "'=' was not expected here; write -> for if-then, or >= to compare", 6),
        ("x[0] && x[1]", "'&' is not part of a rule; write 'and'", 6),
        ("n**2 <= 3", "'*' was not expected here", 3),
        ("op == 'pool", "this quotation has no end", 7),
        ("op == 'pol'", "'op' has no choice 'pol'; its choices are ['conv1', 'conv3', 'pool']", 4),
        ("op <= 'pool'", "'op' is a choice and has no order; compare it with == or !=", 4),
        ("op + 1 <= 3", "'op' is not a number; op == 'conv1' is one, 0 or 1", 4),
        (
            "sum(n <= 3) <= 1",
            "'n <= 3' is not a number; count conditions with at_most, at_least or exactly",
            1,
        ),
        ("n <= 'a'", "the text 'a' is not a number", 3),
        ("3 <= 4", "3 <= 4 compares two numbers; one side needs a variable", 3),
        ("x[10] == 1", "index 10 is outside array 'x' of 10: it goes from 0 to 9", 2),
        ("x[0, 1] == 1", "array 'x' of 10 takes 1 indices, not 2", 2),
        ("x[5:5] == 1", "this slice of array 'x' of 10 is empty: it goes from 0 to 9", 2),
        ("x[0.5] == 1", "an index must be a whole number, not the number 0.5", 3),
        ("x[] == 1", "expected an index such as 3, 0:5 or 0:10:2", 3),
        ("n[0] == 1", "'n' has no items to index", 1),
        ("n", "'n' is not a condition; compare it with something, as in k <= 3", 1),
        ("sum(x", "expected ')' to end the call of sum, but the rule ends", 6),
        ("(x[0] or x[1]", "expected ')' to end the parenthesis, but the rule ends", 14),
        ("x[0] or", "the rule ends too early", 8),
        ("", "the rule ends too early", 1),
        ("x[0] x[1]", "'x' was not expected here", 6),
        ("n / 0 <= 1", "division by zero", 3),
        ("n / k[0] <= 1", "only numbers can divide, not 'k[0]'", 3),
        ("k + x <= 1", "arrays of shapes (3,) and (10,) do not fit together", 3),
        ("all_different(n)", "all_different needs at least two variables", 1),
        ("at_most(1.5, x)", "a count must be a whole number, not 1.5", 1),
        ("n <= 1e999", "1e999 is too large", 6),
        ("n <= 3 $", "'$' is not part of a rule", 8),
        ("(" * 200, "the rule is nested more than 60 deep; split it into several rules", 61),
    ],
)
def test_a_bad_rule_says_what_and_where(text: str, message: str, column: int) -> None:
    with pytest.raises(RuleError) as caught:
        rule(text, NAMED)
    assert caught.value.message == message
    assert caught.value.column == column
    *_, line, caret = str(caught.value).splitlines()
    assert line[4:] in text
    assert caret.index("^") - 4 + 1 == column


def test_the_caret_of_a_long_rule_stays_in_sight() -> None:
    text = " + ".join(["x[0]"] * 60) + " <= opp"
    with pytest.raises(RuleError) as caught:
        rule(text, NAMED)
    *_, line, caret = str(caught.value).splitlines()
    assert len(line) <= 104
    assert line[caret.index("^") :].startswith("opp")


def test_a_rule_of_several_lines_shows_the_right_one() -> None:
    with pytest.raises(RuleError) as caught:
        rule("n <= 3\nand opp == 'pool'", NAMED)
    assert (caught.value.line, caught.value.column) == (2, 5)
    assert str(caught.value).splitlines()[1:] == ["    and opp == 'pool'", "        ^"]


def test_huge_products_are_refused_at_once() -> None:
    wide = {f"w{i}": mb.integer(f"w{i}", 0, 10**6) for i in range(3)}
    with pytest.raises(RuleError, match="more than 100,000 terms"):
        rule("w0 * w1 <= 3", wide)
    assert len(rule("3 * w0 + w1 <= 3", wide)) == 1


MARKS = "[ ] ( ) , : + - * / == != <= >= < > -> <-> = ' \" ` (( % \\ [0] [0:2] [1,2] 'pool' \"conv1\""
NUMBERS = "0 1 2 3 10 0.5 1e400"
PIECES = [*NAMED, *FUNCTIONS, *sorted(RESERVED), *MARKS.split(), *NUMBERS.split(), "\n", "é"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | st.text(max_size=40))
@example("`")
@example("x[" + "9" * 5000 + "]")
@example("n <= " + "9" * 5000)
@example("-" * 5000 + "n")
@example("not " * 5000 + "n")
@example("x[0]" + " -> x[0]" * 5000)
@example("sum(x)*sum(x)*sum(x)*sum(x)*sum(x)*sum(x)*sum(x) <= 3")
@example("table(n, 3)")
@example("table([], [[]])")
@example("forbid(3, [[1]])")
@example("sum([1, [2, 3]] * x[0:2]) <= 1")
@example("[[x, 1]] == 1")
@example("all_different(low=3)")
@example("x[0:5:0] == 1")
@example("n * 1e300 * 1e300 <= 1")
@example("n * 1e-300 / 1e300 >= 1")
def test_nonsense_is_refused_and_never_crashes(text: str) -> None:
    try:
        stated = rule(text, NAMED)
    except RuleError as refusal:
        stated = ()
        lines = text.split("\n")
        place = (refusal.line, refusal.column)
        assert 1 <= place[0] <= len(lines), place
        assert 1 <= place[1] <= len(lines[place[0] - 1]) + 1, place
    assert all(isinstance(each, Constraint) for each in stated)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_a_chain_of_equivalences_groups_from_the_left(count: int) -> None:
    b = mb.binary("b", count)
    names = [f"b[{i}]" for i in range(count)]
    nested = names[0]
    for name in names[1:]:
        nested = f"({nested} <-> {name})"
    chain = Domain([b], rule(" <-> ".join(names), {"b": b}))
    wanted = {p for p in itertools.product((0, 1), repeat=count) if reduce(lambda a, b: int(a == b), p)}
    assert set(chain) == set(Domain([b], rule(nested, {"b": b}))) == wanted


def test_a_long_chain_of_equivalences_stays_small() -> None:
    b = mb.binary("b", 40)
    domain = Domain([b], rule(" <-> ".join(f"b[{i}]" for i in range(40)), {"b": b}))
    assert domain.contains((1,) * 40)
    assert not domain.contains((0,) + (1,) * 39)
    nested = "b[0]"
    for i in range(1, 30):
        nested = f"({nested} <-> b[{i}])"
    with pytest.raises(RuleError, match="this <-> repeats its sides too often"):
        rule(nested, {"b": b})


@pytest.mark.parametrize("digits", ["1" + 400 * "0", "1" + 5000 * "0", "1e400", "1" + 400 * "0" + ".5"])
def test_numbers_beyond_floats_are_refused_where_they_stand(digits: str) -> None:
    b = mb.binary("b")
    with pytest.raises(RuleError, match="is too large") as caught:
        rule(f"b <= {digits}", {"b": b})
    assert len(str(caught.value)) < 400
