"""Variables that exist only sometimes, against an oracle that decides each of them by hand."""

import itertools
import json
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import milbox as mb
from milbox.domain import Constraint, Domain, OnlyIf
from milbox.domain.rules.read import rule
from milbox.domain.rules.write import rule_text
from milbox.milp.solvers import Scip
from rows import completable, completed, formulated


@dataclass(frozen=True)
class Compared:
    """A comparison of one variable with a value."""

    name: str
    mark: str
    value: Any

    def build(self, variables: dict[str, Any]) -> Constraint:
        v = variables[self.name]
        found: Constraint = {"==": v == self.value, "!=": v != self.value}[self.mark]
        return found

    def truth(self, seen: dict[str, Any], positive: bool = True) -> bool:
        if seen[self.name] is None:
            return False
        return bool(((seen[self.name] == self.value) == (self.mark == "==")) == positive)


@dataclass(frozen=True)
class Joined:
    """All, any or none of some conditions, or an exact number of them."""

    word: str
    parts: tuple[Any, ...]
    count: int = 1

    def build(self, variables: dict[str, Any]) -> Constraint:
        parts = [part.build(variables) for part in self.parts]
        match self.word:
            case "all":
                return mb.all_of(*parts)
            case "any":
                return mb.any_of(*parts)
            case "implies":
                return mb.implies(parts[0], parts[-1])
            case "not":
                return mb.negate(parts[0])
        return mb.at_least(self.count, parts)

    def truth(self, seen: dict[str, Any], positive: bool = True) -> bool:
        if self.word == "not":
            return bool(self.parts[0].truth(seen, not positive))
        if self.word == "implies":
            first, last = self.parts[0].truth(seen, not positive), self.parts[-1].truth(seen, positive)
            return bool(first or last) if positive else bool(first and last)
        if self.word == "count":
            # How many hold; where fewer are wanted, those that fail are no comparisons of their own.
            return bool((sum(part.truth(seen) for part in self.parts) >= self.count) == positive)
        held = [part.truth(seen, positive) for part in self.parts]
        return all(held) if (self.word == "all") == positive else any(held)


def conditions(earlier: list[Any], depth: int = 2) -> st.SearchStrategy[Any]:
    compared = st.sampled_from(earlier).flatmap(
        lambda v: st.builds(
            Compared,
            st.just(v.name),
            st.sampled_from(["==", "!="]),
            st.sampled_from([v.value(code) for code in v.codes]),
        )
    )
    if depth == 0:
        return compared
    parts = st.lists(conditions(earlier, depth - 1), min_size=1, max_size=3).map(tuple)
    words = st.sampled_from(["all", "any", "not", "implies", "count"])
    return compared | st.builds(Joined, words, parts, st.integers(1, 2))


@st.composite
def spaces(draw: st.DrawFn) -> tuple[Domain, list[Any], dict[str, Any], list[Any]]:
    """A domain with conditions, its variables in the order of their conditions, these, and rules as data."""
    made: list[Any] = []
    for name in "abcde"[: draw(st.integers(2, 5))]:
        match draw(st.sampled_from(["binary", "integer", "unary", "real", "categorical"])):
            case "binary":
                made.append(mb.binary(name))
            case "integer":
                made.append(mb.integer(name, -1, draw(st.integers(-1, 1))))
            case "unary":
                made.append(mb.integer(name, 2, 4, encoding="integer"))
            case "real":
                made.append(mb.real(name, 0.5, 1.5, step=0.5))
            case _:
                made.append(mb.categorical(name, draw(st.sampled_from([("x", "y"), (3, "z", 1.5)]))))
    stated = {}
    for place, v in enumerate(made):
        if place and draw(st.booleans()):
            stated[v.name] = draw(conditions(made[:place]))
    by_name = {v.name: v for v in made}
    rules = draw(st.lists(conditions(made, 1), max_size=2))
    given_rules = [mb.only_if(by_name[name], stated[name].build(by_name)) for name in stated]
    given_rules += [each.build(by_name) for each in rules]
    domain = Domain(draw(st.permutations(made)), draw(st.permutations(given_rules)))
    return domain, made, stated, rules


def seen_points(made: list[Any], stated: dict[str, Any], rules: list[Any]) -> list[dict[str, Any]]:
    """What the objective may see, by deciding one variable after the other."""
    found: list[dict[str, Any]] = []
    by_name = {v.name: v for v in made}

    def go_on(seen: dict[str, Any], place: int) -> None:
        if place == len(made):
            # Rules see the first value of what does not exist.
            values = {n: by_name[n].value(by_name[n].codes[0]) if x is None else x for n, x in seen.items()}
            if all(each.truth(values) for each in rules):
                found.append(seen)
            return
        v = made[place]
        exists = v.name not in stated or stated[v.name].truth(seen)
        for value in [v.value(code) for code in v.codes] if exists else [None]:
            go_on({**seen, v.name: value}, place + 1)

    go_on({}, 0)
    return found


def key(assignment: dict[str, Any]) -> str:
    return json.dumps(assignment, sort_keys=True)


@settings(max_examples=100, deadline=None)
@given(spaces())
def test_points_are_what_the_objective_may_see(space: Any) -> None:
    domain, made, stated, rules = space
    expected = sorted(map(key, seen_points(made, stated, rules)))
    points = list(domain)
    assert sorted(key(domain.assignment(p)) for p in points) == expected
    assert domain.size == len(expected) == len(set(expected))
    inside = {p for p in itertools.product(*(v.codes for v in domain.variables)) if domain.contains(p)}
    assert inside == set(points)
    for p in points:
        assignment = domain.assignment(p)
        assert domain.point(assignment) == p
        assert domain.point({name: value for name, value in assignment.items() if value is not None}) == p
        for name in (name for name, value in assignment.items() if value is None):
            with pytest.raises(ValueError, match="does not exist here"):
                domain.point(
                    {
                        **assignment,
                        name: domain.variables[domain.index[name]].value(
                            domain.variables[domain.index[name]].codes[-1]
                        ),
                    }
                )


@settings(max_examples=40, deadline=None)
@given(spaces())
def test_written_and_read_again_it_is_the_same_domain(space: Any) -> None:
    domain = space[0]
    again = Domain.from_json(json.loads(json.dumps(domain.to_json())))
    assert again == domain
    assert list(again) == list(domain)
    assert pickle.loads(pickle.dumps(domain)) == domain
    declared = {v.name: v for v in domain.declared}
    texts = [rule_text(c) for c in domain.constraints]
    read = Domain(domain.declared, [c for text in texts for c in rule(text, declared)])
    assert sorted(read) == sorted(domain)
    assert [domain.assignment(p) for p in read] == [read.assignment(p) for p in read]
    narrowed = Domain(domain.declared, domain.constraints)
    assert narrowed == domain


@settings(max_examples=20, deadline=None)
@given(spaces())
def test_rows_leave_exactly_these_points(space: Any) -> None:
    domain = space[0]
    formulation = formulated(domain)
    milp = formulation.milp.build()
    for point in itertools.product(*(v.codes for v in domain.variables)):
        if domain.contains(point):
            assert completed(milp, formulation, point)
        else:
            assert not completable(milp, formulation, point, Scip())


@settings(max_examples=15, deadline=None)
@given(spaces(), st.sampled_from(["nn", "random"]))
def test_studies_propose_each_once_until_none_is_left(space: Any, kind: str) -> None:
    domain, made, stated, rules = space
    expected = sorted(map(key, seen_points(made, stated, rules)))
    if not expected or len(expected) > 30 or never_holds(made, stated, rules):
        return
    strategy = mb.NNMILP(initial=3) if kind == "nn" else mb.RandomSearch()
    study = mb.Study(domain, strategy)
    proposed = []
    while not study.exhausted:
        trial = study.ask()
        proposed.append(key(dict(trial.assignment)))
        study.tell(trial.number, float(sum(map(ord, proposed[-1])) % 97))
    assert sorted(proposed) == expected


def never_holds(made: list[Any], stated: dict[str, Any], rules: list[Any]) -> bool:
    seen = seen_points(made, stated, rules)
    return any(all(each[name] is None for each in seen) for name in stated)


def test_a_variable_that_does_not_exist_is_none() -> None:
    op = mb.categorical("op", ["pool", "conv"])
    width = mb.integer("width", 3, 5)
    domain = mb.Domain([op, width], [mb.only_if(width, op == "conv")])
    assert domain.size == 4
    assert domain.assignment((0, 3)) == {"op": "pool", "width": None}
    assert domain.assignment((1, 3)) == {"op": "conv", "width": 3}
    assert not domain.contains((0, 4))
    assert domain.point({"op": "pool"}) == (0, 3)
    with pytest.raises(ValueError, match="'width' is missing, and exists here: only_if"):
        domain.point({"op": "conv"})
    with pytest.raises(ValueError, match=r"'op'.*missing"):
        domain.point({"width": 4})


def test_conditions_on_variables_that_do_not_exist_fail() -> None:
    deep = mb.binary("deep")
    op = mb.categorical("op", ["conv", "pool"])  # its first code is the one that the next condition wants
    width = mb.integer("width", 1, 3)
    other = mb.binary("other")
    either = mb.only_if(other, mb.any_of(op != "pool", deep == 0))
    domain = mb.Domain(
        [width, other, op, deep], [mb.only_if(width, op == "conv"), either, mb.only_if(op, deep)]
    )
    seen = [domain.assignment(p) for p in domain]
    assert {"deep": 0, "op": None, "width": None, "other": 1} in seen
    assert sum(each["deep"] == 0 for each in seen) == 2
    assert domain.size == 2 + 3 * 2 + 1


def test_arrays_are_none_as_a_whole_or_item_by_item() -> None:
    blend = mb.binary("blend")
    shares = mb.real("shares", 0, 1, 3, step=0.5)
    depth = mb.integer("depth", 1, 3)
    units = mb.integer("units", 8, 9, 3)
    domain = mb.Domain(
        [blend, shares, depth, units],
        [
            mb.only_if(shares, blend),
            mb.only_if(units, [depth > i for i in range(3)]),
            mb.implies(blend, shares.sum() == 1),
        ],
    )
    again = Domain.from_json(domain.to_json())
    for each in (domain, again):
        nothing = each.assignment((0, 0, 0, 0, 2, 9, 8, 8))
        assert nothing["shares"] is None
        assert nothing["units"].tolist() == [9, 8, None]
        assert each.assignment((1, 1, 1, 0, 2, 9, 8, 8))["shares"].dtype == np.float64
        assert each.point(nothing) == (0, 0, 0, 0, 2, 9, 8, 8)
        assert each.point({"blend": 0, "depth": 2, "units": [9, 8, None]}) == (0, 0, 0, 0, 2, 9, 8, 8)
    assert domain.size == (1 + 6) * (2 + 4 + 8)


def test_mistakes_are_named() -> None:
    op, width = mb.categorical("op", ["a", "b"]), mb.integer("width", 0, 3)
    other = mb.categorical("other", [None, "a"])
    condition = mb.only_if(width, op == "a")
    with pytest.raises(ValueError, match="'width' has two conditions"):
        mb.Domain([op, width], [condition, mb.only_if(width, op == "b")])
    with pytest.raises(ValueError, match=r"wait for one another.*only_if\(width, op == 'a'\).*only_if\(op"):
        mb.Domain([op, width], [condition, mb.only_if(op, width > 2)])
    with pytest.raises(ValueError, match="'other' has the choice None"):
        mb.Domain([op, other], [mb.only_if(other, op == "a")])
    with pytest.raises(TypeError, match="no part of another constraint"):
        mb.any_of(condition, op == "b")
    with pytest.raises(TypeError, match="no part of another constraint"):
        _ = ~condition
    with pytest.raises(TypeError, match="about a variable"):
        mb.only_if(op == "a", width > 2)
    with pytest.raises(ValueError, match=r"shape \(3,\), and its conditions \(2,\)"):
        mb.only_if(mb.binary("x", 3), [op == "a", op == "b"])
    with pytest.raises(ValueError, match="'op', which is not in the domain"):
        mb.Domain([width], [condition])
    assert isinstance(condition, OnlyIf)
    assert str(condition) == "only_if(width, op == 'a')"
