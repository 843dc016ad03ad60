"""A structure in a problem file states what the same line states in Python."""

from typing import Any

import pytest

import milbox as on
import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain.constraints import graphs
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.rules.read import RuleError, rule
from milbox.domain.rules.write import rule_text
from structure_cases import STRUCTURES, Structure

x = mb.binary("x", 6)
y = mb.binary("y", (3, 2))
p = mb.integer("p", 0, 3, 4)
s = mb.categorical("s", "ACGT", 8)
op = mb.categorical("op", ["conv", "null"], 2)
DECLARED = (x, y, p, s, op)
NAMED: dict[str, Any] = {str(each.name): each for each in DECLARED}
ROADS = [["a", "b"], ["b", "c"], ["c", "a"], ["c", "d"], ["b", "d"], ["a", "d"]]

LINES: list[tuple[str, Any]] = [
    ("permutation(p)", on.permutation(p)),
    ("assignment(y, [2, 1])", on.assignment(y, [2, 1])),
    ("assignment(p, 2)", on.assignment(p, 2)),
    ("subset_of_size(x, 3)", on.subset_of_size(x, 3)),
    ("subset_of_size(x, [1, 3])", on.subset_of_size(x, (1, 3))),
    ("balanced([x[0:3], x[3:6]])", on.balanced([x[0:3], x[3:6]])),
    ("budget(x, [1, 2, 3, 4, 5, 6.5], 9.5)", on.budget(x, [1, 2, 3, 4, 5, 6.5], 9.5)),
    ("precedes(p[0], p[1], 2)", on.precedes(p[0], p[1], 2)),
    ("before(s, 'A', 'T')", on.before(s, "A", "T")),
    ("ordered(p)", on.ordered(p)),
    ("no_runs(s, 3)", on.no_runs(s, 3)),
    ("share(s, 'GC', 0.4, 0.6)", on.share(s, "GC", 0.4, 0.6)),
    ("without(s, 'GAATTC', 'GG')", on.without(s, "GAATTC", "GG")),
    ("containing(s, ['T', ['A', 'C'], 'T'])", on.containing(s, ["T", ["A", "C"], "T"])),
    ("x[0] -> containing(s, 'TATA')", mb.implies(x[0], on.containing(s, "TATA"))),
    ("automaton(s, [[0, 'A', 1], [1, 'C', 0]], 0, [0])", mb.automaton(s, [(0, "A", 1), (1, "C", 0)], 0, [0])),
    ("connected_vertices(p == 1, [[0, 1], [1, 2]])", graphs.connected_vertices(p == 1, [(0, 1), (1, 2)])),
    (f"connected_edges(x, {ROADS})", graphs.connected_edges(x, ROADS)),
    (f"spanning(x, {ROADS})", graphs.spanning(x, ROADS)),
    (f"spanning_tree(x, {ROADS})", graphs.spanning_tree(x, ROADS)),
    (f"tour(x, {ROADS})", graphs.tour(x, ROADS)),
    (f"path(x, {ROADS}, 'a', 'd')", graphs.path(x, ROADS, "a", "d")),
    (
        "dag(x, [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]], op != 'null', 5)",
        graphs.dag(x, graphs.arcs(4), op != "null", 5),
    ),
]


def plain(*constraints: Any) -> Any:
    return Domain(DECLARED, constraints).to_json()["constraints"]


@pytest.mark.parametrize(("text", "expected"), LINES, ids=[text for text, _ in LINES])
def test_a_line_in_a_file_is_the_line_in_python(text: str, expected: Any) -> None:
    # A rule's conjunction is several rules.
    assert plain(*conjuncts(rule(text, NAMED))) == plain(*conjuncts([expected]))


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_a_structure_is_written_as_a_rule_and_read_back(structure: Structure) -> None:
    domain = structure.domain
    named = {each.name: each for each in domain.declared}
    read = [each for constraint in domain.constraints for each in rule(rule_text(constraint), named)]
    assert list(Domain(domain.declared, read)) == list(domain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("permutation(x)", "6 variables take 2 different values"),
        ("no_runs(s, 0)", "at least 1, not 0"),
        ("without(s, 'AXA')", "no choice 'X'"),
        ("path(x, [['a', 'b']], 'a', 'b')", "1 edges is chosen by 6 variables"),
        ("containing(s)", "containing"),
        ("share(p, 'GC')", "takes whole numbers"),
        ("connected_vertices(p, [[0, 1]])", "is not a constraint"),
    ],
)
def test_a_mistake_in_a_file_is_told(text: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        rule(text, NAMED)
