"""The command `milbox-bonmin`: Bonmin as AMPL calls it, from the library inside the wheel of casadi.

RBFOpt solves its auxiliary problems with a command `bonmin`, for which PyPI has no package; the wheel of
casadi contains the library. The command takes what Pyomo gives it,
`milbox-bonmin STUB.nl -AMPL name=value ...`, and writes STUB.sol.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

SOLVED, INFEASIBLE, LIMIT, FAILED = 0, 220, 421, 500  # Bonmin's own codes in .sol files
CODES = {"SUCCESS": SOLVED, "INFEASIBLE": INFEASIBLE, "LIMIT_EXCEEDED": LIMIT}


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer of Bonmin."""

    status: str
    point: tuple[float, ...]
    rows: int

    def text(self) -> str:
        """The answer as a .sol file: message, options, sizes, no duals, the point and the code."""
        sizes = (self.rows, 0, len(self.point), len(self.point))
        lines = [f"{name()}: {self.status}", "", "Options", "3", "1", "1", "0"]
        lines += [str(size) for size in sizes]
        lines += [f"{value:.17g}" for value in self.point]
        return "\n".join([*lines, f"objno 0 {CODES.get(self.status, FAILED)}"]) + "\n"


def name() -> str:
    """Bonmin by the version of the wheel it is in."""
    return f"Bonmin of casadi {version('casadi')}"


def solved(model: Path, options: dict[str, Any]) -> Solution:
    """Bonmin's answer to the program in a .nl file."""
    import casadi

    program = casadi.NlpBuilder()
    program.import_nl(str(model), {})
    rows = casadi.vertcat(*program.g) if program.g else casadi.MX(0, 1)
    solver = casadi.nlpsol(
        "bonmin",
        "bonmin",
        {"x": casadi.vertcat(*program.x), "f": program.f, "g": rows},
        {
            "discrete": list(program.discrete),
            "print_time": False,
            "error_on_fail": False,
            "bonmin": {"print_level": 0, **options},
        },
    )
    answer = solver(x0=program.x_init, lbx=program.x_lb, ubx=program.x_ub, lbg=program.g_lb, ubg=program.g_ub)
    status = str(solver.stats()["return_status"])
    return Solution(status, tuple(float(value) for value in answer["x"].elements()), rows.shape[0])


def option(argument: str) -> tuple[str, int | float | str]:
    """`bonmin.time_limit=45` as a name that the library knows and a value of its type."""
    key, _, text = argument.partition("=")
    value: int | float | str = text
    for kind in (int, float):
        try:
            value = kind(text)
            break
        except ValueError:
            pass
    return key.removeprefix("bonmin."), value


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve one file; or say the version, which Pyomo asks for first."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-v", "--version"):
        print(name())
        return 0
    model = Path(given[0]).with_suffix(".nl")
    solution = solved(model, dict(option(argument) for argument in given[1:] if "=" in argument))
    model.with_suffix(".sol").write_text(solution.text(), encoding="ascii")
    print(solution.status)
    return 0
