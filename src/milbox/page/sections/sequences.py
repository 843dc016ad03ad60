"""A logo of the best sequences: tall where they agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray
from milbox.domain import Array, Categorical
from milbox.domain.assignments import array_conditions
from milbox.page.formats import count, number, short
from milbox.page.svg.charts import both, chart, figure
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials.record import Record

# The best tenth of the points, but no fewer than ten and no more than fifty; with five one sees little.
FEWEST, FEW, MOST = 5, 10, 50
MOST_PLACES = 240
HEIGHT = 120.0
# The usual colours of the bases; other alphabets take these classes in turn.
BASES = {"A": 0, "C": 1, "G": 2, "T": 3, "U": 3}
COLOURS = 8


@dataclass(frozen=True, slots=True)
class Logo:
    """The frequency of each choice at each place among the best points."""

    name: str
    choices: tuple[str, ...]
    shares: FloatArray  # (places, choices)
    points: int

    @property
    def bits(self) -> FloatArray:
        """log2(choices) minus the entropy at each place, less what so few points would show by chance.

        The correction (choices - 1) / (2 ln 2 points) is Schneider et al. 1986.
        """
        logs = np.log2(self.shares, out=np.zeros_like(self.shares), where=self.shares > 0)
        entropy = -(self.shares * logs).sum(axis=1)
        correction = (len(self.choices) - 1) / (2 * np.log(2) * self.points)
        return np.asarray(np.maximum(0.0, np.log2(len(self.choices)) - entropy - correction))


def logos(record: Record, without: frozenset[str] = frozenset()) -> list[Logo]:
    """A logo for each one-dimensional array of choices, except those that are drawn otherwise.

    An array with items that do not exist in some points has none.
    """
    without = without | array_conditions(record.domain).keys()
    top = record.ranked[: max(FEW, min(MOST, len(record.ranked) // 10))]
    found, first = [], 0
    for thing in record.domain.declared:
        size = thing.size if isinstance(thing, Array) else 1
        scalar = next(thing.flat) if isinstance(thing, Array) else thing
        if isinstance(thing, Array) and isinstance(scalar, Categorical) and thing.name not in without:
            choices = tuple(str(choice) for choice in scalar.choices)
            if len(thing.shape) == 1 and 1 < size <= MOST_PLACES and len(choices) > 1 and len(top) >= FEWEST:
                codes = np.array([trial.point[first : first + size] for trial in top])
                shares = (codes[:, :, None] == np.arange(len(choices))).mean(axis=0)
                found.append(Logo(str(thing.name), choices, shares, len(top)))
        first += size
    return found


def sequence_logos(record: Record, without: frozenset[str] = frozenset()) -> Markup | None:
    """The logos of a run's sequences; None where there are none."""
    found = logos(record, without)
    return joined([logo_figure(record, logo) for logo in found[:3]]) if found else None


def logo_figure(record: Record, logo: Logo) -> Markup:
    """One logo with its words."""
    best = record.best
    assert best is not None, "there is no logo without finished trials"
    sequence = [str(item) for item in best.assignment[logo.name]]
    close = all(len(item) == 1 for item in sequence)
    shown = short(("" if close else " ").join(sequence), 160)
    words = (
        f"{short(logo.name, 40)} in the {logo.points} best points: the taller a stack, the more of them "
        f"agree there. The best is {shown}. Good points are found near good points, so some letters may be "
        f"inherited rather than needed."
    )
    return figure(both(lambda width: drawn(logo, width)), text(words))


def drawn(logo: Logo, width: int) -> Markup:
    """Stacks of letters, in rows where one row would be too long."""
    left, right = 44.0, 8.0
    letters = all(len(choice) == 1 for choice in logo.choices)
    widest = (52.0 if width > 600 else 36.0) if letters else 88.0
    least = 16.0 if letters else 52.0
    per_row = max(1, int((width - left - right) // least))
    places = len(logo.shares)
    rows = -(-places // per_row)
    per_row = -(-places // rows)
    cell = min(widest, (width - left - right) / per_row)
    top_bits = float(np.log2(len(logo.choices)))
    tall = HEIGHT + 40
    parts = []
    for row in range(rows):
        floor = row * tall + HEIGHT + 14
        inner = range(row * per_row, min(places, (row + 1) * per_row))
        end = left + cell * len(inner)
        parts.append(tag("line", x1=left, x2=end, y1=floor, y2=floor, class_="axis"))
        for bits in (0.0, top_bits):
            y = floor - HEIGHT * bits / top_bits
            parts.append(tag("text", text(number(bits, 2)), x=left - 6, y=y + 4, class_="tick end"))
        parts.append(tag("text", text("bits"), x=0, y=floor - HEIGHT / 2, class_="title"))
        for place in inner:
            x = left + cell * (place - inner.start)
            parts.append(stack(logo, place, x, floor, cell, top_bits))
            parts.append(tag("text", text(place), x=x + cell / 2, y=floor + 16, class_="tick middle"))
    agreed = "".join(logo.choices[int(np.argmax(row))] for row in logo.shares) if letters else ""
    words = f"Logo of {logo.name} in the {count(logo.points, 'best point')}"
    return chart(
        width, int(rows * tall) + 4, parts, f"{words}{f'; most frequent: {agreed}' if agreed else ''}."
    )


def stack(logo: Logo, place: int, x: float, floor: float, cell: float, top_bits: float) -> Markup:
    """The choices at one place, the most frequent on top."""
    height = HEIGHT * float(logo.bits[place]) / top_bits
    parts, y = [], floor
    for choice in np.argsort(logo.shares[place], kind="stable"):
        share = float(logo.shares[place, choice])
        tall = height * share
        if tall < 1.0:
            continue
        note = f"{logo.choices[choice]} at {place}: {round(100 * share)}% of the best points"
        parts.append(glyph(logo.choices, int(choice), x, y, cell, tall, note))
        y -= tall
    return tag("g", *parts)


def glyph(
    choices: Sequence[str], choice: int, x: float, y: float, cell: float, tall: float, note: str
) -> Markup:
    """A letter stretched to its height, or a box with its name where a choice is longer than a letter."""
    shown = choices[choice]
    colour = BASES.get(shown, choice % COLOURS) if set(choices) <= set(BASES) else choice % COLOURS
    if len(shown) == 1:
        # Capitals and digits are 0.72 of their font size tall.
        scale = tall / (0.72 * 100)
        return tag(
            "text",
            tag("title", text(note)),
            text(shown),
            transform=f"translate({x + 1:.1f} {y:.1f}) scale(1 {scale:.3f})",
            textLength=cell - 2,
            lengthAdjust="spacingAndGlyphs",
            class_=f"letter c{colour}",
        )
    label = [
        tag("text", text(short(shown, int(cell // 7))), x=x + cell / 2, y=y - tall / 2 + 4, class_="inlay")
    ]
    box = tag("rect", x=x + 1, y=y - tall, width=cell - 2, height=tall - 1, rx=2, class_=f"box c{colour}")
    return tag("g", tag("title", text(note)), box, *(label if tall > 14 else []))
