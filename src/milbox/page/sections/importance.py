"""The section on variables and pairs that matter, with its caveats."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from milbox.domain import Array, Categorical
from milbox.page.analysis.effects import (
    FEWEST,
    MOST_TRIALS,
    SHUFFLES,
    Effect,
    Effects,
    Level,
    PairEffect,
    analyse,
)
from milbox.page.formats import count, number, share, short
from milbox.page.svg.charts import HALF, both, chart, figure, legend, table
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import Scale, spanning
from milbox.page.values import worst_shown
from milbox.trials.record import Record

SHOWN = 12
# Sums of squares of larger numbers would overflow.
LARGEST = 1e100
ROW = 26
# A map has a cell for each value at each place of an array; larger ones are not drawn.
MOST_PLACES, MOST_CHOICES = 60, 24


def matter(record: Record) -> Markup:
    """Which variables and pairs matter, as far as the finished trials tell."""
    if len(record.finished) < FEWEST:
        missing = f"At least {FEWEST} finished trials are needed to say which variables matter."
        return tag("p", text(missing), class_="quiet")
    if np.abs(record.values).max() > LARGEST:
        return tag("p", text("The values are too large to be compared."), class_="quiet")
    # What is drawn at the edge of the progress chart counts as lying there.
    values = record.sign * np.maximum(record.sign * record.values, record.sign * worst_shown(record))
    effects = analyse(record.domain, [trial.point for trial in record.finished], values)
    if effects is None:
        return tag("p", text("All values, or all points, are alike so far."), class_="quiet")
    return joined(
        [
            tag("p", text(reading(effects))),
            tag("div", variables_figure(record, effects), pairs_figure(effects), class_="half"),
            *maps(record, effects),
            tag("details", tag("summary", text("All of it as a table")), effect_table(effects)),
            tag("p", text(caveats(record, effects)), class_="caption"),
        ]
    )


def reading(effects: Effects) -> str:
    """The section in two or three sentences."""
    standing = [effect for effect in effects.variables if effect.spread > effects.chance]
    pairs = [pair for pair in effects.pairs if abs(pair.correlation) > effects.pair_chance]
    explained = (
        f"A model that adds up one effect per variable predicts a trial from the others with "
        f"{share(effects.explained)} of the variance explained."
        if effects.explained > 0
        else "A model that adds up one effect per variable predicts a trial from the others no better than "
        "the mean does, so little can be read from the effects below."
    )
    many = len(effects.variables)
    which = (
        f"{count(len(standing), 'variable')} of {many:,} {'stands' if len(standing) == 1 else 'stand'} out "
        f"from chance"
        if standing
        else f"None of the {count(many, 'variable')} stands out from chance"
    )
    also = (
        f"; so {'does' if len(pairs) == 1 else 'do'} {count(len(pairs), 'pair')} of them."
        if pairs
        else "; no pair of them does."
    )
    if not effects.pairs:
        also = "."
    return f"{explained} {which}{also}"


def caveats(record: Record, effects: Effects) -> str:
    """How it was computed, and how not to read it."""
    notes = [
        f"Ridge regression on {count(effects.trials, 'finished trial')}"
        + (f", drawn at random from {len(record.finished):,}" if len(record.finished) > MOST_TRIALS else "")
        + ", the penalty chosen by leaving one trial out; effects are relative to the mean over the trials.",
        "A pair's number is the correlation of what that model leaves over with the product of the two "
        f"centred indicators. To stand out is to exceed the largest that the same analysis finds in "
        f"{SHUFFLES} shuffles of the model's errors, which chance does once in {SHUFFLES + 1} times.",
        "These are associations among the points tried, not causes: proposals crowd round good points, so "
        "values that were seldom tried, or only together with others, are judged poorly.",
    ]
    if effects.unchanged:
        notes.append(f"{count(effects.unchanged, 'variable')} had the same value in every trial.")
    if effects.screened:
        notes.append(
            f"{count(effects.screened, 'variable')} with the weakest relation to the values left out."
        )
    return " ".join(notes)


def variables_figure(record: Record, effects: Effects) -> Markup:
    """The strongest variables, a row each, their values placed by effect."""
    shown = effects.variables[:SHOWN]
    ends = [level.effect for effect in shown for level in effect.levels]
    left, right, top = 118.0, HALF - 26.0, 34.0
    x = spanning(min(ends), max(ends), left, right, pad=0.06)
    bottom = top + ROW * len(shown)
    zero = x(0.0)
    parts = [
        tag("text", text("effect on the value"), x=0, y=14, class_="title"),
        *(tag("text", text(label), x=px, y=bottom + 18, class_="tick middle") for px, label in x.ticks(4)),
        *(tag("line", x1=px, x2=px, y1=top, y2=bottom, class_="grid") for px, _ in x.ticks(4)),
        tag("line", x1=zero, x2=zero, y1=top, y2=bottom, class_="axis"),
    ]
    for k, effect in enumerate(shown):
        parts.append(effect_row(effect, effect.spread > effects.chance, x, top + ROW * (k + 0.5)))
    words = "; ".join(f"{e.name}: best {best_level(record, e)}" for e in shown[:5])
    drawing = chart(HALF, int(bottom) + 28, parts, f"The variables with the largest effects. {words}.")
    more = len(effects.variables) - len(shown)
    keys = legend([("k-model", "stands out"), ("k-start", "could be chance")])
    rest = (
        f"The {len(shown)} strongest of {len(effects.variables):,} variables." if more > 0 else "Variables."
    )
    return figure(joined([drawing, keys]), text(f"{rest} Each dot is a value, placed by its effect."))


def best_level(record: Record, effect: Effect) -> str:
    """The value of a variable with the best effect."""
    return max(effect.levels, key=lambda level: record.sign * level.effect).shown


def level_text(level: Level) -> str:
    """A value's effect and how much is known about it."""
    return f"effect {number(level.effect, 3)}, tried {count(level.tried, 'time')}"


def effect_row(effect: Effect, stands: bool, x: Scale, y: float) -> Markup:
    """A variable's name, a line over its effects, and its values as dots with their texts at the ends."""
    kind = "model" if stands else "start"
    ordered = sorted(effect.levels, key=lambda level: level.effect)
    first, last = x(ordered[0].effect), x(ordered[-1].effect)
    parts = [
        tag(
            "text",
            text(short(effect.name, 16)),
            tag("title", text(effect.name)),
            x=0,
            y=y + 4,
            class_="label",
        ),
        tag("line", x1=first, x2=last, y1=y, y2=y, class_=f"range {kind}"),
    ]
    for level in ordered:
        note = f"{effect.name} = {level.shown}: {level_text(level)}"
        parts.append(
            tag("circle", tag("title", text(note)), cx=x(level.effect), cy=y, r=4, class_=f"spot {kind}")
        )
    parts.append(tag("text", text(short(ordered[-1].shown, 8)), x=last + 7, y=y + 4, class_="tick"))
    parts.append(tag("text", text(short(ordered[0].shown, 8)), x=first - 7, y=y + 4, class_="tick end"))
    return tag("g", *parts)


def pairs_figure(effects: Effects) -> Markup:
    """The strongest pairs as bars, with what chance gives."""
    if not effects.pairs:
        return tag("p", text("There are too few trials or variables to compare pairs."), class_="quiet")
    left, right, top, row = 0.0, HALF - 60.0, 34.0, 34.0
    largest = max(effects.pair_chance, abs(effects.pairs[0].correlation))
    x = Scale(0.0, largest * 1.05, left, right)
    shown = effects.pairs[:9]
    bottom = top + row * len(shown)
    limit = x(effects.pair_chance)
    parts = [
        tag("text", text("correlation with what is left over"), x=0, y=14, class_="title"),
        tag("line", x1=limit, x2=limit, y1=top, y2=bottom, class_="diagonal"),
        *(pair_row(pair, effects, x, top + row * k) for k, pair in enumerate(shown)),
        tag("text", text("largest by chance"), x=limit, y=bottom + 16, class_="tick end"),
    ]
    words = "; ".join(pair_text(pair) for pair in shown[:5])
    drawing = chart(HALF, int(bottom) + 28, parts, f"The strongest pairs: {words}.")
    ahead = f"The {len(shown)} strongest pairs" if len(shown) > 1 else "The only pair"
    return figure(
        drawing,
        text(
            f"{ahead} of {count(effects.paired, 'variable')}. Plus: together more than their effects added."
        ),
    )


def pair_row(pair: PairEffect, effects: Effects, x: Scale, y: float) -> Markup:
    """A pair's values, and its bar."""
    kind = "model" if abs(pair.correlation) > effects.pair_chance else "start"
    end = x(abs(pair.correlation))
    full = pair_text(pair, 1000)
    sign = "+" if pair.correlation > 0 else "\N{MINUS SIGN}"
    return tag(
        "g",
        tag("title", text(f"{full}: {number(pair.correlation, 2)}")),
        tag("text", text(pair_text(pair)), x=0, y=y + 12, class_="label"),
        tag("rect", x=x.start, y=y + 17, width=max(1.0, end - x.start), height=7, class_=f"bar {kind}"),
        tag("text", text(f"{sign}{abs(pair.correlation):.2f}"), x=HALF - 8, y=y + 24, class_="tick end"),
    )


def pair_text(pair: PairEffect, length: int = 18) -> str:
    """Two values, short enough for a chart."""
    return " & ".join(
        f"{short(name, length)} = {short(level, length * 2 // 3)}"
        if level
        else f"larger {short(name, length)}"
        for name, level in zip(pair.names, pair.levels, strict=True)
    )


def maps(record: Record, effects: Effects) -> list[Markup]:
    """For an array of choices, a map of the effect of every choice at every place."""
    by_place = {effect.place: effect for effect in effects.variables}
    found, first = [], 0
    for thing in record.domain.declared:
        size = thing.size if isinstance(thing, Array) else 1
        if isinstance(thing, Array) and isinstance(next(thing.flat), Categorical):
            choices = next(thing.flat).choices
            own = [by_place.get(first + k) for k in range(size)]
            if 1 < size <= MOST_PLACES and len(choices) <= MOST_CHOICES and any(own):
                found.append(effect_map(str(thing.name), [str(c) for c in choices], own))
        first += size
    return found


def effect_map(name: str, choices: Sequence[str], places: Sequence[Effect | None]) -> Markup:
    """Places from left to right, choices from top to bottom, effects as shades."""
    known = [{level.shown: level for level in place.levels} if place else {} for place in places]
    words = f"Effects of each choice at each place of {short(name, 40)}"
    keys = legend([("k-plus", "raises the value"), ("k-minus", "lowers it"), ("k-none", "never tried")])
    drawing = both(lambda width: cells(name, choices, known, f"{words}.", width))
    return figure(joined([drawing, keys]), text(f"{words}, places from left to right."))


def cells(
    name: str, choices: Sequence[str], places: Sequence[Mapping[str, Level]], words: str, width: int
) -> Markup:
    """The cells of a map, none wider than need be."""
    strongest = max(abs(level.effect) for place in places for level in place.values()) or 1.0
    left = 14.0 + 7.0 * max(len(short(choice, 12)) for choice in choices)
    wide = min(44.0, (width - left) / len(places))
    tall = 26.0
    parts = []
    for row, choice in enumerate(choices):
        y = 4 + row * tall
        parts.append(tag("text", text(short(choice, 12)), x=left - 8, y=y + tall / 2 + 4, class_="label end"))
        for column, place in enumerate(places):
            level = place.get(choice)
            note = "never tried"
            if level is not None:
                note = level_text(level)
            strength = abs(level.effect) / strongest if level else 0.0
            parts.append(
                tag(
                    "rect",
                    tag("title", text(f"{name}[{column}] = {choice}: {note}")),
                    x=left + column * wide,
                    y=y,
                    width=max(1.0, wide - 2),
                    height=tall - 2,
                    rx=2,
                    class_="cell none"
                    if level is None
                    else "cell plus"
                    if level.effect > 0
                    else "cell minus",
                    fill_opacity=None if level is None else f"{0.06 + 0.94 * strength:.2f}",
                )
            )
    bottom = 4 + len(choices) * tall
    for column in range(0, len(places), max(1, math.ceil(22 / wide))):
        x = left + (column + 0.5) * wide - 1
        parts.append(tag("text", text(column), x=x, y=bottom + 14, class_="tick middle"))
    return chart(width, int(bottom) + 22, parts, words)


def effect_table(effects: Effects) -> Markup:
    """The effects in numbers."""
    rows = [
        [
            text(short(effect.name, 60)),
            text(number(effect.spread, 3)),
            text("yes" if effect.spread > effects.chance else "no"),
            text(
                ", ".join(
                    f"{short(v.shown, 20)} {number(v.effect, 3)} ({v.tried:,}×)" for v in effect.levels[:12]
                )
            ),
        ]
        for effect in effects.variables[:60]
    ]
    head = ("variable", "spread", "stands out", "effects of its values (times tried)")
    return table(head, rows, "Effects of variables", [1])
