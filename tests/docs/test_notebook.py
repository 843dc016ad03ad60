"""The notebook runs from top to bottom, without Jupyter, and prints what is kept in it."""

import json
import runpy
from typing import Any

from pages import ROOT

NOTEBOOK = ROOT / "examples" / "notebook.ipynb"


def printed(notebook: dict[str, Any]) -> list[str]:
    """What its cells print; values and tables of a run are for looking at."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return ["".join(output["text"]) for output in outputs if output["output_type"] == "stream"]


def shown(notebook: dict[str, Any]) -> list[set[str]]:
    """In which forms its cells show values."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return [set(output["data"]) for output in outputs if output["output_type"] == "execute_result"]


def test_the_notebook_runs_and_says_what_is_kept_in_it() -> None:
    kept = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    executed = runpy.run_path(str(ROOT / "scripts" / "run_notebook.py"))["executed"]
    now = executed(kept)
    assert len(printed(kept)) == 4
    assert printed(now) == printed(kept)
    assert shown(now) == shown(kept)
    assert sum("text/html" in forms for forms in shown(now)) == 3
    assert (kept["nbformat"], kept["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in kept["cells"]}) == len(kept["cells"])
