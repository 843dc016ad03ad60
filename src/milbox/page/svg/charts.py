"""Small SVG charts whose colours come from the page's style.

Many dots are one path, a few bytes each; where they are and what they are called stands beside the chart, and
the page's script shows the name of the nearest one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from milbox.page.svg.markup import Markup, coordinate, data, joined, tag, text
from milbox.page.svg.scales import Scale

T = TypeVar("T")

# A chart is drawn twice, for desks and for phones, where one drawing would be too small to read on a phone.
WIDE, NARROW, HALF = 960, 400, 460

# More dots than this are thinned out evenly.
MOST_DOTS = 2000


@dataclass(frozen=True, slots=True)
class Dot:
    """A place on a chart, in pixels, and what a reader learns when pointing at it."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Axes:
    """The inside of a chart: two scales and their titles."""

    x: Scale
    y: Scale
    x_title: str = ""
    y_title: str = ""
    x_ticks: Sequence[tuple[float, str]] = field(default=())
    y_ticks: Sequence[tuple[float, str]] = field(default=())


def chart(width: int, height: int, parts: Iterable[Markup], label: str, dots: Sequence[Dot] = ()) -> Markup:
    """A chart. `label` says in words what it shows; the dots' labels appear on hover and with arrow keys."""
    drawing = tag(
        "svg",
        *parts,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=label + (" Arrow keys step through the points." if dots else ""),
        tabindex="0" if dots else None,
    )
    places = [[round(dot.x, 1), round(dot.y, 1), dot.label] for dot in dots]
    return tag("div", drawing, *([data("dots", places)] if places else []), class_="chart")


def both(draw: Callable[[int], Markup]) -> Markup:
    """The same chart for wide and for narrow windows; the page shows one of them."""
    return joined([tag("div", draw(WIDE), class_="wide"), tag("div", draw(NARROW), class_="narrow")])


def axes(inside: Axes) -> list[Markup]:
    """Grid lines, ticks and titles; the vertical axis is titled above its numbers, so nobody tilts a head."""
    left, right = sorted((inside.x.start, inside.x.end))
    top, bottom = sorted((inside.y.start, inside.y.end))
    parts = [
        joined(
            [
                tag("line", x1=left, x2=right, y1=y, y2=y, class_="grid"),
                tag("text", text(label), x=left - 8, y=y + 4, class_="tick end"),
            ]
        )
        for y, label in inside.y_ticks
    ]
    parts.append(tag("line", x1=left, x2=right, y1=bottom, y2=bottom, class_="axis"))
    for x, label in inside.x_ticks:
        parts.append(tag("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="axis"))
        parts.append(tag("text", text(label), x=x, y=bottom + 18, class_="tick middle"))
    parts.append(tag("text", text(inside.y_title), x=0, y=top - 12, class_="title"))
    parts.append(tag("text", text(inside.x_title), x=right, y=bottom + 36, class_="title end"))
    return parts


def dots(places: Iterable[Dot], class_: str) -> Markup:
    """Round dots as one path."""
    return tag("path", d="".join(f"M{coordinate(p.x)} {coordinate(p.y)}h0" for p in places), class_=class_)


def crosses(places: Iterable[Dot], class_: str, size: float = 3.0) -> Markup:
    """Small crosses as one path."""
    arm, back = coordinate(2 * size), coordinate(-2 * size)
    drawn = (
        f"M{coordinate(p.x - size)} {coordinate(p.y - size)}l{arm} {arm}m{back} 0l{arm} {back}"
        for p in places
    )
    return tag("path", d="".join(drawn), class_=class_)


def staircase(corners: Sequence[tuple[float, float]], end: float) -> str:
    """A line that goes right, then up or down, through the corners and on to `end`."""
    if not corners:
        return ""
    (x, y), *rest = corners
    steps = (f"H{coordinate(x)}V{coordinate(y)}" for x, y in rest)
    return f"M{coordinate(x)} {coordinate(y)}{''.join(steps)}H{coordinate(end)}"


def thinned(items: Sequence[T], most: int = MOST_DOTS) -> Sequence[T]:
    """At most `most` of the items, evenly spaced, the last one included."""
    if len(items) <= most:
        return items
    return [items[(k + 1) * len(items) // most - 1] for k in range(most)]


def legend(entries: Iterable[tuple[str, str]]) -> Markup:
    """The meaning of the colours: (class of the mark, words)."""
    return tag(
        "ul",
        *(
            tag("li", tag("span", class_=f"key {mark}", aria_hidden="true"), text(words))
            for mark, words in entries
        ),
        class_="legend",
    )


def figure(drawing: Markup, caption: Markup, **attributes: str) -> Markup:
    """A drawing with the words that say what it shows."""
    return tag("figure", drawing, tag("figcaption", caption), **attributes)


def table(
    head: Sequence[str], rows: Iterable[Sequence[Markup]], words: str, numeric: Sequence[int]
) -> Markup:
    """A table; `words` is its caption for who cannot see it, `numeric` lists the columns of numbers."""
    kind = ["n" if column in numeric else None for column in range(len(head))]
    return scrolled(
        tag(
            "table",
            tag("caption", text(words), class_="unseen"),
            tag(
                "thead",
                tag(
                    "tr",
                    *(tag("th", text(h), scope="col", class_=k) for h, k in zip(head, kind, strict=True)),
                ),
            ),
            tag(
                "tbody",
                *(
                    tag("tr", *(tag("td", cell, class_=k) for cell, k in zip(row, kind, strict=True)))
                    for row in rows
                ),
            ),
        ),
        words,
    )


def scrolled(table: Markup, words: str, kind: str = "scroll") -> Markup:
    """A table that scrolls by itself where it is too wide, by keyboard too."""
    return tag("div", table, class_=kind, tabindex="0", role="region", aria_label=f"Table: {words}")
