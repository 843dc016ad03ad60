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
        between,
        binary,
        categorical,
        exactly,
        forbid,
        implies,
        integer,
        negate,
        table,
    )
    from milbox.errors import (
        DataError,
        DomainError,
        Exhausted,
        JournalError,
        JournalMismatch,
        MilboxError,
        ObjectiveFailed,
        SolverUnavailable,
        UnsupportedProgram,
    )
    from milbox.inner.argmax import Optimum, argmax
    from milbox.milp.solution import Limits, Status
    from milbox.run import Result, maximize, minimize
    from milbox.strategies import NNMILP, LinearMILP, ModelBased, RandomSearch
    from milbox.study import Study
    from milbox.trials import Certificate, Trial

_HOMES = {
    "milbox.domain": (
        "Domain all_different all_of any_of at_least at_most between binary categorical exactly forbid "
        "implies integer negate table"
    ),
    "milbox.errors": (
        "DataError DomainError Exhausted JournalError JournalMismatch MilboxError ObjectiveFailed "
        "SolverUnavailable UnsupportedProgram"
    ),
    "milbox.inner.argmax": "Optimum argmax",
    "milbox.milp.solution": "Limits Status",
    "milbox.run": "Result maximize minimize",
    "milbox.strategies": "LinearMILP ModelBased NNMILP RandomSearch",
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
    "RandomSearch",
    "Result",
    "SolverUnavailable",
    "Status",
    "Study",
    "Trial",
    "UnsupportedProgram",
    "all_different",
    "all_of",
    "any_of",
    "argmax",
    "at_least",
    "at_most",
    "between",
    "binary",
    "categorical",
    "exactly",
    "forbid",
    "implies",
    "integer",
    "maximize",
    "minimize",
    "negate",
    "table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'milbox' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
