"""Black-box optimisation over constrained discrete domains: every proposal feasible, new and certified.

The names below are the public surface. They are loaded on first use, so that `import milbox` and the command
line start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from milbox.domain import (
        Domain,
        all_different,
        all_of,
        any_of,
        at_least,
        at_most,
        automaton,
        between,
        binary,
        categorical,
        exactly,
        forbid,
        implies,
        integer,
        interchangeable,
        negate,
        only_if,
        real,
        reverse_complement,
        table,
    )
    from milbox.domain.assignments import plain
    from milbox.domain.constraints.graphs import (
        arcs,
        connected_edges,
        connected_vertices,
        dag,
        path,
        spanning,
        spanning_tree,
        tour,
    )
    from milbox.domain.constraints.orders import assignment, before, ordered, permutation, precedes
    from milbox.domain.constraints.selections import balanced, budget, subset_of_size
    from milbox.domain.constraints.sequences import containing, no_runs, share, without
    from milbox.errors import (
        DataError,
        DomainError,
        Exhausted,
        JournalError,
        JournalMismatch,
        MilboxError,
        ObjectiveFailed,
        SolverUnavailable,
        Unavailable,
        Undecided,
        UnsupportedProgram,
    )
    from milbox.inner.argmax import Optimum, argmax
    from milbox.milp.solution import Limits, Status
    from milbox.run import Result, maximize, minimize, optimize
    from milbox.strategies import NNMILP, LinearMILP, ModelBased, PaperNNMILP, RandomSearch
    from milbox.study import Study
    from milbox.trials import Certificate, Trial

_HOMES = {
    "milbox.domain": (
        "Domain all_different all_of any_of at_least at_most automaton between binary categorical exactly "
        "forbid implies integer interchangeable negate only_if real reverse_complement table"
    ),
    "milbox.domain.constraints.graphs": (
        "arcs connected_edges connected_vertices dag path spanning spanning_tree tour"
    ),
    "milbox.domain.constraints.orders": "assignment before ordered permutation precedes",
    "milbox.domain.constraints.selections": "balanced budget subset_of_size",
    "milbox.domain.constraints.sequences": "containing no_runs share without",
    "milbox.domain.assignments": "plain",
    "milbox.errors": (
        "DataError DomainError Exhausted JournalError JournalMismatch MilboxError ObjectiveFailed "
        "SolverUnavailable Unavailable Undecided UnsupportedProgram"
    ),
    "milbox.inner.argmax": "Optimum argmax",
    "milbox.milp.solution": "Limits Status",
    "milbox.run": "Result maximize minimize optimize",
    "milbox.strategies": "LinearMILP ModelBased NNMILP PaperNNMILP RandomSearch",
    "milbox.study": "Study",
    "milbox.trials": "Certificate Trial",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "NNMILP",
    "Certificate",
    "DataError",
    "Domain",
    "DomainError",
    "Exhausted",
    "JournalError",
    "JournalMismatch",
    "Limits",
    "LinearMILP",
    "MilboxError",
    "ModelBased",
    "ObjectiveFailed",
    "Optimum",
    "PaperNNMILP",
    "RandomSearch",
    "Result",
    "SolverUnavailable",
    "Status",
    "Study",
    "Trial",
    "Unavailable",
    "Undecided",
    "UnsupportedProgram",
    "all_different",
    "all_of",
    "any_of",
    "arcs",
    "argmax",
    "assignment",
    "at_least",
    "at_most",
    "automaton",
    "balanced",
    "before",
    "between",
    "binary",
    "budget",
    "categorical",
    "connected_edges",
    "connected_vertices",
    "containing",
    "dag",
    "exactly",
    "forbid",
    "implies",
    "integer",
    "interchangeable",
    "maximize",
    "minimize",
    "negate",
    "no_runs",
    "only_if",
    "optimize",
    "ordered",
    "path",
    "permutation",
    "plain",
    "precedes",
    "real",
    "reverse_complement",
    "share",
    "spanning",
    "spanning_tree",
    "subset_of_size",
    "table",
    "tour",
    "without",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("milbox")
    if name not in _HOME:
        raise AttributeError(f"module 'milbox' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
