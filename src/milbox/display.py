"""Short texts and small tables, for people at a prompt and in a notebook."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

MOST_CHARACTERS = 120
"""Of an assignment in one line."""
MOST_IN_CELL = 300
"""Characters in a cell of a table."""
MOST_ROWS = 20
"""Of a table, before the rest is counted instead."""


def in_short(assignment: Mapping[str, Any], most: int = MOST_CHARACTERS) -> str:
    """An assignment in one line, cut where it is long."""
    return cut(" ".join(f"{name}={one_line(value)}" for name, value in assignment.items()), most)


def cut(text: str, most: int) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else text[: most - 3] + "..."


def one_line(value: Any) -> str:
    """A value, or an array of them, without line breaks."""
    return " ".join(str(value).split())


def duration(seconds: float) -> str:
    """Seconds as people say them: `12.3 ms`, `4 min 05 s`."""
    if seconds <= 0:
        return "0"
    for below, unit, name in ((0.9995e-3, 1e-6, "µs"), (0.9995, 1e-3, "ms"), (59.95, 1.0, "s")):
        if seconds < below:
            return f"{seconds / unit:.3g} {name}"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    endings = {} if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}
    return f"{number:,}{endings.get(number % 10, 'th')}"


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in HTML; cells are texts, never markup."""
    listed = list(rows)
    shown = listed if len(listed) <= MOST_ROWS else listed[: MOST_ROWS - 1]
    body = "".join(_row("td", row) for row in shown)
    if len(shown) < len(listed):
        body += _row("td", [f"and {len(listed) - len(shown):,} more"])
    return f"<table><caption>{escape(title)}</caption>{_row('th', headings)}{body}</table>"


def _row(tag: str, cells: Sequence[Any]) -> str:
    return (
        "<tr>"
        + "".join(f"<{tag}>{escape(cut(one_line(cell), MOST_IN_CELL))}</{tag}>" for cell in cells)
        + "</tr>"
    )
