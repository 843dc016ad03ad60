"""Assignments as plain lists, strings and numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(assignment: Mapping[str, Any]) -> dict[str, Any]:
    """The assignment with arrays as nested lists and numbers as Python's own, as `json.dumps` takes it."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        for name, value in assignment.items()
    }
