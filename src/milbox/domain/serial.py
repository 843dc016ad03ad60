"""Domains as plain JSON."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from milbox.domain.model.array import Array, binary, categorical, integer, real
from milbox.domain.model.constraint import constraint_from_json
from milbox.domain.model.numbers import Exact, Number, number, plain
from milbox.domain.model.variables import Categorical, Integer, Real, Variable
from milbox.domain.stated import words_from_json, words_to_json
from milbox.domain.symmetries import symmetry_from_json

if TYPE_CHECKING:
    from milbox.domain.domain import Domain


def domain_to_json(domain: "Domain") -> dict[str, Any]:
    """Declarations, constraints, symmetries and what the user said of the rules."""
    form: dict[str, Any] = {
        "variables": [variable_to_json(thing) for thing in domain.declared],
        "constraints": [c.to_json() for c in domain.constraints],
    }
    # Left out where there are none, as in journals written before there were any.
    if domain.symmetries:
        form["symmetries"] = [s.to_json() for s in domain.symmetries]
    if domain.words:
        form["rules"] = words_to_json(domain.words)
    return form


def domain_from_json(form: Mapping[str, Any]) -> "Domain":
    """The domain behind its plain form."""
    from milbox.domain.domain import Domain

    declared = [variable_from_json(each) for each in form["variables"]]
    by_name = {v.name: v for v in Domain(declared).variables}
    return Domain(
        declared,
        [constraint_from_json(each, by_name) for each in form["constraints"]],
        [symmetry_from_json(each, by_name) for each in form.get("symmetries", ())],
        words_from_json(form.get("rules", ())),
    )


def variable_to_json(thing: Array[Any, Any] | Variable) -> dict[str, Any]:
    """One declaration."""
    first = next(thing.flat) if isinstance(thing, Array) else thing
    form: dict[str, Any] = {"name": thing.name, "kind": first.kind}
    match first:
        case Integer():
            form |= {"low": first.low, "high": first.high, "encoding": first.encoding}
        case Real():
            form |= {"low": written(first.low), "high": written(first.high), "step": written(first.step)}
            form |= {"encoding": first.encoding}
        case Categorical():
            form |= {"choices": list(first.choices), "encoding": first.encoding}
    return form | ({"size": list(thing.shape)} if isinstance(thing, Array) else {})


def variable_from_json(form: Mapping[str, Any]) -> Any:
    """The declaration behind its plain form."""
    size = tuple(form["size"]) if "size" in form else None
    match form["kind"]:
        case "binary":
            return binary(form["name"], size)
        case "integer":
            return integer(form["name"], form["low"], form["high"], size, encoding=form["encoding"])
        case "real":
            low, high, step = (read(form[key]) for key in ("low", "high", "step"))
            return real(form["name"], low, high, size, step=step, encoding=form["encoding"])
        case "categorical":
            return categorical(form["name"], form["choices"], size, encoding=form["encoding"])
    raise ValueError(f"no kind of variable is called {form['kind']!r}")


def written(value: Exact) -> Number | str:
    """A number that `read` gives back: plain where a float says it exactly, else as a fraction."""
    return plain(value) if number(plain(value)) == value else str(value)


def read(value: Number | str) -> Any:
    """The number behind its plain form."""
    return Fraction(value) if isinstance(value, str) else value
