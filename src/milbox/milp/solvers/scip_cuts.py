"""A SCIP separator that asks a program for further rows, at the root and now and then below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from pyscipopt.scip import PY_SCIP_RESULT, Sepa

from milbox.milp.program import Cutter

# Two rounds at the root, then one at depths 3, 6, 12, 24 and so on. Of three FC(32) programs over 40 groups
# of three, which take SCIP ten seconds without, rounds at the root alone leave 0.4 to 1.1 of the time, such
# as these 0.2 to 0.5, and rounds at every node 0.3 to 0.7.
_OPTIONS = {
    "separating/maxroundsroot": 2,
    "separating/maxrounds": 1,
    "separating/maxbounddist": 1.0,
    "separating/maxlocalbounddist": 1.0,
    "separating/cutters/expbackoff": 2,
}


class Separator(Sepa):
    """Puts the cutters' rows into SCIP's linear programs; SCIP drops those that do nothing for long."""

    def __init__(self, variables: Sequence[Any], cutters: Sequence[Cutter]) -> None:
        self.variables: Sequence[Any] = variables
        self.cutters: Sequence[Cutter] = cutters
        self.error: BaseException | None = None

    def sepaexeclp(self) -> dict[str, Any]:
        """Called by SCIP with the solution of a linear program at hand."""
        try:
            return {"result": self.separate(self.model)}
        except BaseException as error:  # which would be lost on its way through C
            self.error = error
            self.model.interruptSolve()
            return {"result": PY_SCIP_RESULT.DIDNOTRUN}

    def separate(self, model: Any) -> Any:
        """Add the rows that the solution violates; what SCIP wants to hear about it."""
        x = np.array([model.getSolVal(None, variable) for variable in self.variables])
        result = PY_SCIP_RESULT.DIDNOTFIND
        for cutter in self.cutters:
            cuts = cutter(x)
            for entries, upper in zip(cuts.matrix, cuts.upper.tolist(), strict=True):
                row = model.createEmptyRowSepa(self, "", lhs=None, rhs=upper, local=False, removable=True)
                model.cacheRowExtensions(row)
                for k in np.flatnonzero(entries).tolist():
                    model.addVarToRow(row, self.variables[cuts.columns[k]], float(entries[k]))
                model.flushRowExtensions(row)
                infeasible = model.addCut(row)
                model.releaseRow(row)
                if infeasible:
                    return PY_SCIP_RESULT.CUTOFF
                result = PY_SCIP_RESULT.SEPARATED
        return result


@contextmanager
def asked(model: Any, variables: Sequence[Any], cutters: Sequence[Cutter]) -> Iterator[None]:
    """While SCIP solves the model it asks the cutters, whatever its own separators are set to."""
    separator = Separator(variables, cutters)
    model.includeSepa(separator, "cutters", "", priority=1, freq=3, maxbounddist=1.0)
    for name, value in _OPTIONS.items():
        model.setParam(name, value)
    try:
        yield
    finally:
        # The model holds the separator: if that held the model too, both would stay in memory for long.
        separator.model = None
    if separator.error is not None:
        raise separator.error
