"""HTML and SVG built from escaped text only; everything passes through `text` or `tag`."""

import html
import json
import re
from collections.abc import Iterable
from typing import Any, NewType

Markup = NewType("Markup", str)
"""Text that is HTML already. Plain text becomes it through `text`, and mypy sees to it that it does."""

# What HTML does not allow, and halves of characters, which no file can hold.
STRANGE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def text(plain: object) -> Markup:
    """Any text, whatever is in it, as HTML that shows it."""
    return Markup(html.escape(STRANGE.sub("\ufffd", str(plain))))


def tag(element: str, *children: Markup, **attributes: Any) -> Markup:
    """An element. `class_` is class, `aria_label` is aria-label; an attribute that is None is left out."""
    shown = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(plain(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{shown}>{''.join(children)}</{element}>")


def joined(parts: Iterable[Markup], between: str = "") -> Markup:
    """The parts one after the other."""
    return Markup(text(between).join(parts))


def plain(value: object) -> object:
    """Coordinates to a tenth of a pixel, everything else as it is."""
    return coordinate(value) if isinstance(value, float) else value


def coordinate(value: float) -> str:
    """A length in as few characters as a tenth of a pixel needs."""
    shown = f"{value:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def data(name: str, content: object) -> Markup:
    """JSON for the page's own script; nothing in it can end the element or be run."""
    form = json.dumps(content, separators=(",", ":"), allow_nan=False)
    form = form.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json" class="{text(name)}">{form}</script>')
