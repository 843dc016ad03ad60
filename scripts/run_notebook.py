"""Run a notebook from top to bottom, and write what its cells print and show into it.

    python scripts/run_notebook.py examples/notebook.ipynb

Needs neither Jupyter nor IPython: a cell is Python, and the value of its last line is shown as a notebook
shows it, as text and, where it can, as HTML.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells have now; raises what a cell raises."""
    space: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = outputs_of("".join(cell["source"]), space, count)
            cells.append({**cell, "execution_count": count, "outputs": outputs})
        else:
            cells.append(cell)
    return {**notebook, "cells": cells}


def outputs_of(source: str, space: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line where that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {count}>", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {count}>", "eval"), space)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        shown = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = lines(value._repr_html_())
        outputs.append(
            {"data": shown, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def lines(text: str) -> list[str]:
    """The text as notebooks keep it."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    place = Path(sys.argv[1])
    done = executed(json.loads(place.read_text(encoding="utf-8")))
    place.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
