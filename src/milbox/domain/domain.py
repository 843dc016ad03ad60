"""The domain: variables, constraints, and conversions between points and assignments."""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from milbox import display
from milbox.arrays import BoolArray, FloatArray, IntArray, Point
from milbox.domain.coding import Coding
from milbox.domain.constraints.conditions import OnlyIf, closed, in_order, statements
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.linear_system import is_exact, relaxed
from milbox.domain.model.array import Array
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear
from milbox.domain.model.operators import shown
from milbox.domain.model.variables import MOST_FEATURES, MOST_VARIABLES, Variable, width
from milbox.domain.stated import Stated, Words, named, stated
from milbox.domain.symmetries import count_orbits, prove, symmetries_of

if TYPE_CHECKING:
    from pathlib import Path

    from milbox.domain.diagrams.product import Product


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """Variables and the constraints between them: the set of points that may be proposed.

    `declared` is what the user named (scalars and arrays); `variables` are the scalars behind it, in order.
    A point has one code for each of them. Constraints are given in lists, or by name, as
    `{"budget": x.sum() <= 3}`: messages, tables and pages then name them. `words` are what the user said
    of the constraints, in order.
    """

    declared: Sequence[Any]
    constraints: Any = ()
    symmetries: Sequence[Any] = ()
    """Maps of the domain onto itself that change no value, such as `reverse_complement(sequence)`."""
    words: Sequence[Words] = ()

    def __post_init__(self) -> None:
        single = isinstance(self.declared, Array) or not isinstance(self.declared, Iterable)
        given: list[Any] = [self.declared] if single else list(self.declared)
        for thing in given:
            if not isinstance(thing, Variable) and not (isinstance(thing, Array) and thing.name is not None):
                raise TypeError(
                    f"{shown(thing)} is not a declared variable; make one with binary, integer, real or "
                    f"categorical"
                )
        object.__setattr__(self, "declared", tuple(given))
        names = [thing.name for thing in given]
        twice = repeated(names)
        if twice is None:
            twice = repeated(v.name for v in self.variables)
        if twice is not None:
            raise ValueError(f"two variables are named {twice!r}; give each its own name")
        if not given:
            raise ValueError("a domain needs at least one variable")
        if len(self.variables) > MOST_VARIABLES or self.features > MOST_FEATURES:
            widest = max(given, key=lambda thing: sum(map(width, scalars_of(thing))))
            raise ValueError(
                f"the domain has {len(self.variables):,} variables with {self.features:,} features, of which "
                f"{widest.name!r} has most; a domain may have {MOST_VARIABLES:,} and {MOST_FEATURES:,}"
            )
        if isinstance(self.constraints, Mapping):
            flat, words = named(self.constraints)
            object.__setattr__(self, "words", words)
        else:
            flat = statements(self.constraints)
        object.__setattr__(self, "constraints", flat)
        object.__setattr__(self, "symmetries", symmetries_of(self.symmetries))
        for what, things in (("constraint", self.constraints), ("symmetry", self.symmetries)):
            for thing in things:
                for variable in thing.variables:
                    own = self.index.get(variable.name)
                    if own is None:
                        raise ValueError(
                            f"the {what} {thing} is about {variable.name!r}, which is not in the domain"
                        )
                    if str(self.variables[own]) != str(variable):
                        raise ValueError(
                            f"the {what} {thing} is about {variable}, but the domain has "
                            f"{self.variables[own]}"
                        )
        object.__setattr__(self, "constraints", closed(self.constraints))
        if self.symmetries:
            prove(self)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The scalar variables, one for each entry of a point."""
        return tuple(itertools.chain.from_iterable(map(scalars_of, self.declared)))

    @cached_property
    def index(self) -> dict[str, int]:
        """The entry of a point that belongs to each variable's name."""
        return {v.name: i for i, v in enumerate(self.variables)}

    @cached_property
    def coding(self) -> Coding:
        """The coding of variables into features."""
        return Coding.of(self.variables)

    @property
    def features(self) -> int:
        """The length of an encoded point."""
        return self.coding.features

    def contains(self, point: Sequence[int]) -> bool:
        """Whether the point has a legal code for every variable and satisfies every constraint."""
        if isinstance(point, Mapping):
            raise _no_point()
        if len(point) != len(self.variables):
            return False
        if not all(code in v.codes for code, v in zip(point, self.variables, strict=True)):
            return False
        return bool(self.feasible(np.array([point], dtype=np.int64))[0])

    def violations(self, point: Sequence[int]) -> list[Constraint]:
        """The constraints that the point breaks; empty when it is contained."""
        columns = self.columns(self.codes([self.checked(point)]))
        return [c for c in self.constraints if not np.all(c.holds(columns))]

    def feasible(self, points: IntArray) -> BoolArray:
        """Whether each of many points, one a row and within the codes, satisfies every constraint."""
        matrix, lower, upper, others = self.linear_system
        keep = np.ones(len(points), dtype=bool)
        if matrix.shape[0]:
            activity = matrix @ self.coding.whole(points).T
            keep &= ((activity >= lower[:, None]) & (activity <= upper[:, None])).all(axis=0)
        if others or self.wide:
            columns = self.columns(points)
            for constraint in (*others, *self.wide):
                keep &= constraint.holds(columns)
        return keep

    @cached_property
    def wide(self) -> tuple[Linear, ...]:
        """The linear constraints on features whose rows in floats allow more than they do."""
        found = []
        for constraint in conjuncts(self.constraints):
            row = self.feature_row(constraint) if isinstance(constraint, Linear) else None
            if isinstance(constraint, Linear) and row is not None:
                ranges = [self.feature_range(j) for j, _ in row]
                if not is_exact([c for _, c in row], ranges):
                    found.append(constraint)
        return tuple(found)

    @cached_property
    def linear_system(self) -> tuple[Any, FloatArray, FloatArray, tuple[Constraint, ...]]:
        """Linear constraints as (sparse matrix, lower, upper), and all other constraints.

        The matrix is about the whole numbers behind the features (`Coding.whole`).
        No row excludes a point that its constraint allows; it may allow more where the constraint is wide.
        """
        entries: list[tuple[int, int, float]] = []
        limits: list[tuple[float, float]] = []
        others: list[Constraint] = []
        for constraint in conjuncts(self.constraints):
            row = self.feature_row(constraint) if isinstance(constraint, Linear) else None
            if row is None or not isinstance(constraint, Linear):
                others.append(constraint)
                continue
            coefficients, lower, upper = relaxed(
                [c for _, c in row],
                [self.feature_range(j) for j, _ in row],
                constraint.lower,
                constraint.upper,
            )
            entries += [(len(limits), j, c) for (j, _), c in zip(row, coefficients, strict=True) if c != 0.0]
            limits.append((lower, upper))
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        matrix = csr_array((values, (rows, columns)), shape=(len(limits), self.features), dtype=np.float64)
        sides = np.array(limits, dtype=np.float64).reshape(-1, 2)
        return matrix, sides[:, 0], sides[:, 1], tuple(others)

    def feature_range(self, feature: int) -> tuple[int, int]:
        """The least and the largest of the whole number behind a feature."""
        low, high = self.coding.limits
        return int(low[feature]), int(high[feature])

    def feature_row(self, constraint: Linear) -> list[tuple[int, int]] | None:
        """The constraint's coefficients on features; None where it multiplies or asks for single codes."""
        row: list[tuple[int, int]] = []
        for monomial, coefficient in constraint.terms:
            if len(monomial) > 1:
                return None
            (factor,) = monomial
            i = self.index[factor.name]
            if factor.code is None:
                features, sizes = self.coding.code_terms(i)
                row += [
                    (feature, coefficient * size)
                    for feature, size in zip(features.tolist(), sizes.tolist(), strict=True)
                ]
                continue
            feature = self.coding.indicator(i, factor.code)
            if feature is None:
                return None
            row.append((feature, coefficient))
        return row

    def columns(self, points: IntArray) -> dict[str, IntArray]:
        """Many points as one array of codes per variable's name."""
        return {v.name: points[:, i] for i, v in enumerate(self.variables)}

    def encode(self, points: Sequence[Point] | IntArray) -> FloatArray:
        """Points as features, one row each."""
        return self.coding.encode(self.codes(points))

    def codes(self, points: Sequence[Sequence[int]] | IntArray) -> IntArray:
        """Points as an array of codes, (points, variables)."""
        rows = np.array(points, dtype=np.int64)
        if rows.size == 0:
            return rows.reshape(0, len(self.variables))
        if rows.ndim != 2 or rows.shape[1] != len(self.variables):
            raise ValueError(
                f"points of this domain have {len(self.variables)} codes each; "
                f"got an array of shape {rows.shape}"
            )
        return rows

    def checked(self, point: Sequence[int]) -> Sequence[int]:
        """The point, or an error that says which code no variable takes."""
        if isinstance(point, Mapping):
            raise _no_point()
        if len(point) != len(self.variables):
            raise ValueError(f"a point of this domain has {len(self.variables)} codes, not {len(point)}")
        for code, variable in zip(point, self.variables, strict=True):
            if code not in variable.codes:
                raise ValueError(f"{variable} has no code {code!r}")
        return point

    def decode(self, features: FloatArray) -> Point:
        """The point behind one row of features."""
        return tuple(self.coding.decode(np.asarray(features)).tolist())

    @cached_property
    def conditions(self) -> dict[int, OnlyIf]:
        """The conditional variables by index, each behind those that its condition is about."""
        stated = {each.variable.name: each for each in self.constraints if isinstance(each, OnlyIf)}
        return {self.index[name]: stated[name] for name in in_order(stated)}

    def absent(self, points: IntArray) -> BoolArray:
        """Which variables do not exist, (points, variables): their conditions fail."""
        missing = np.zeros(points.shape, dtype=bool)
        columns = self.columns(points)
        for place, each in self.conditions.items():
            missing[:, place] = each.condition.holds(columns)
        return missing

    def assignment(self, point: Sequence[int]) -> dict[str, Any]:
        """The arguments of the objective: arrays for array variables, plain values for scalars.

        A conditional variable that does not exist is None. So is an array whose items have one condition;
        where each has its own, the array holds None for those that do not exist.
        """
        from milbox.domain.assignments import assignment_of

        return assignment_of(self, point)

    def point(self, assignment: Mapping[str, Any]) -> Point:
        """The point behind an assignment; the inverse of `assignment`.

        A conditional variable that does not exist is None, or left out.
        """
        from milbox.domain.assignments import point_of

        return point_of(self, assignment)

    def __iter__(self) -> Iterator[Point]:
        """Every feasible point, for small domains."""
        from milbox.domain.components import components
        from milbox.domain.states import joint_states

        groups = components(self)
        listed = []
        for members, own in groups:
            states = joint_states([self.variables[i] for i in members], own, None)
            assert states is not None, "without a limit every state is listed"
            listed.append(states.tolist())
        order = np.argsort([i for members, _ in groups for i in members])
        for choice in itertools.product(*listed):
            codes = [code for state in choice for code in state]
            yield tuple(codes[i] for i in order)

    @cached_property
    def product(self) -> "Product":
        """The domain taken apart for a search: diagrams, free variables, and sums that tie them together."""
        from milbox.domain.diagrams.product import for_search

        return for_search(self)

    @cached_property
    def drawing(self) -> "Product | None":
        """The domain as diagrams that hold every constraint, to draw and count; None where too large."""
        from milbox.domain.diagrams.product import for_drawing

        return for_drawing(self, self.product)

    @cached_property
    def size(self) -> int | None:
        """The number of points; None when the constraints tie too many variables together to count."""
        return None if self.drawing is None else self.drawing.count

    @property
    def box_size(self) -> int:
        """The number of points without the constraints."""
        return int(np.prod([len(v.codes) for v in self.variables], dtype=object))

    @cached_property
    def results(self) -> dict[Hashable, Any]:
        """What functions marked `kept` have worked out about the domain."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what was worked out.
        return _restored, (self.declared, self.constraints, self.symmetries, self.words)

    @cached_property
    def orbits(self) -> int | None:
        """The number of points that differ by more than a symmetry; None when it cannot be counted."""
        return count_orbits(self) if self.symmetries else self.size

    def narrowed(self, rules: Iterable[Any]) -> "Domain":
        """The points that keep more rules. Images of points under the symmetries may break these."""
        found = _restored(self.declared, (*self.constraints, *rules), self.symmetries, self.words)
        found.__dict__["whole"] = self.whole
        return found

    @cached_property
    def whole(self) -> "Domain":
        """The domain that this one narrows; itself where it narrows none."""
        return self

    @cached_property
    def rules(self) -> tuple[Stated, ...]:
        """The constraints as the user stated them: by name, and in the user's own words."""
        return tuple(stated(self.constraints, self.words))

    def rules_of(self, guilty: Iterable[Constraint]) -> list[Stated]:
        """The rules behind some of the domain's constraints."""
        wanted = {id(constraint) for constraint in guilty}
        return [rule for rule in self.rules if any(id(c) in wanted for c in rule.constraints)]

    def to_json(self) -> dict[str, Any]:
        """A plain form that `from_json` rebuilds the domain from."""
        from milbox.domain.serial import domain_to_json

        return domain_to_json(self)

    @staticmethod
    def from_json(form: Mapping[str, Any]) -> "Domain":
        """The domain behind its plain form."""
        from milbox.domain.serial import domain_from_json

        return domain_from_json(form)

    @staticmethod
    def from_file(path: "Path | str") -> "Domain":
        """The domain of a model in an LP, MPS or OSiL file, with its names; its objective is left out.

        Raises:
            DataError: the file cannot be read, or has what a domain cannot keep; the error names it.
        """
        from milbox.domain.files import read_domain

        return read_domain(path)

    def to_lp(self, path: "Path | str") -> None:
        """Write the domain as a program in LP format, as the inner solver `Mip` formulates it.

        A categorical and a one-hot integer are a binary for each value; other columns are auxiliary.
        """
        from milbox.embed.files import write_lp

        write_lp(self, path)

    @cached_property
    def fingerprint(self) -> str:
        """The same for two domains exactly when their plain forms are, but for names and texts of rules."""
        form = {key: part for key, part in self.to_json().items() if key != "rules"}
        text = json.dumps(form, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __str__(self) -> str:
        symmetries = "".join(f", {symmetry}" for symmetry in self.symmetries)
        return f"Domain({len(self.variables)} variables, {len(self.constraints)} constraints{symmetries})"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [("variable", thing) for thing in self.declared] + [
            (rule.name or "constraint", rule.text) for rule in self.rules
        ]
        rows += [("symmetry", symmetry) for symmetry in self.symmetries]
        return display.table(str(self), ("", ""), rows)


def _restored(
    declared: Sequence[Any],
    constraints: Sequence[Any],
    symmetries: Sequence[Any],
    words: Sequence[Words] = (),
) -> Domain:
    """The domain with symmetries that were proved before."""
    domain = Domain(declared, constraints, words=words)
    object.__setattr__(domain, "symmetries", symmetries)
    return domain


def scalars_of(thing: Any) -> Iterable[Variable]:
    """The scalar variables behind a declared one, in order."""
    return thing.flat if isinstance(thing, Array) else (thing,)


def repeated(names: Iterable[str]) -> str | None:
    """A name that stands there more than once; None when there is none."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _no_point() -> TypeError:
    """The error for an assignment in place of a point."""
    return TypeError("a point has one code a variable; use domain.point(assignment) for an assignment")
