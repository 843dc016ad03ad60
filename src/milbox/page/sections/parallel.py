"""The section with every variable side by side: a line for each trial, in parallel coordinates."""

import numpy as np

from milbox.page.formats import count, number, short
from milbox.page.sections.scalars import ScalarAxis, axes_of, ordered, values_of
from milbox.page.svg.charts import Dot, both, chart, figure, legend
from milbox.page.svg.markup import Markup, coordinate, joined, tag, text
from milbox.page.svg.scales import Scale, spanning
from milbox.page.values import worst_shown
from milbox.trials import Trial
from milbox.trials.front import objectives_of
from milbox.trials.record import Record

# Axes on wide and on narrow screens, outputs not counted.
WIDE_AXES, NARROW_AXES = 9, 4
MOST_LINES = 150
SHADES = 5


def parallel(record: Record) -> Markup | None:
    """The trials as lines across their variables and outputs; None where there is little to draw."""
    if len(record.finished) < 2:
        return None
    axes = axes_of(record, record.finished, WIDE_AXES)
    if not axes:
        return None
    trials = chosen(record)
    best = "on the front" if record.goal.several else "best"
    rank = "from the best fifth to the worst"
    if record.goal.several:
        rank += ", by their mean rank in the objectives"
    entries = [
        ("k-best", best),
        *((f"k-shade{k}", "") for k in reversed(range(1, SHADES))),
        ("k-shade0", rank),
    ]
    some = f"{count(len(trials), 'trial')}, the best ones among them, of {len(record.finished):,}. "
    words = (some if len(trials) < len(record.finished) else "") + (
        "Each line is a trial; pointing at one lifts it out."
    )
    if any(place in record.domain.conditions for place, _ in axes):
        words += " Lines pass below an axis where its variable does not exist."
    more = sum(1 for _ in record.domain.variables) - len(axes)
    if more > 0:
        words += f" The variables that matter most are shown; {more:,} are not."
    return figure(
        joined([legend(entries), both(lambda width: drawn(record, trials, axes, width))]), text(words)
    )


def goodness(record: Record, trials: list[Trial]) -> np.ndarray:
    """How good each trial is among these, from 0 to 1."""
    values = objectives_of(trials, record.goal)
    return ordered(np.mean([ordered(column) for column in values.T], axis=0))


def chosen(record: Record) -> list[Trial]:
    """The trials that are drawn: all, or the best half of the lines and an even share of the others."""
    trials = list(record.finished)
    if len(trials) <= MOST_LINES:
        return trials
    order = np.argsort(-goodness(record, trials), kind="stable").tolist()
    first, rest = order[: MOST_LINES // 2], order[MOST_LINES // 2 :]
    share = MOST_LINES - len(first)
    kept = [*first, *(rest[k * len(rest) // share] for k in range(share))]
    return [trials[place] for place in sorted(kept)]


def drawn(record: Record, trials: list[Trial], axes: list[tuple[int, ScalarAxis]], width: int) -> Markup:
    """The chart at a given width."""
    wide = width > 600
    axes = axes[: WIDE_AXES if wide else NARROW_AXES]
    outputs = [name for name, _ in record.goal.objectives][: 4 if wide else 2]
    height, top = 360 if wide else 320, 46.0
    bottom = height - 34.0
    columns = len(axes) + len(outputs)
    x = Scale(0, max(1, columns - 1), 46.0 if wide else 34.0, width - (64.0 if wide else 44.0))
    room = (x.end - x.start) / max(1, columns - 1)
    letters = max(4, int(room / 8))
    scales = [output_scale(record, name, bottom, top) for name in outputs]
    parts = []
    for column, (_, axis) in enumerate(axes):
        ticks = [(bottom - share * (bottom - top), label) for share, label in axis.ticks(4)]
        parts.append(
            upright(x(column), top, bottom, short(axis.name, letters), ticks, column % 2 == 1 and not wide)
        )
    for column, (name, scale) in enumerate(zip(outputs, scales, strict=True), start=len(axes)):
        title = short(record.goal.label(name), letters)
        parts.append(
            upright(x(column), top, bottom, title, scale.ticks(4), column % 2 == 1 and not wide, "strong")
        )
    shades = np.minimum((goodness(record, trials) * SHADES).astype(int), SHADES - 1)
    best = {t.number for t in record.front} if record.goal.several else best_number(record)
    kinds = [*(f"line shade{k}" for k in range(SHADES)), "line best"]
    lines: dict[str, list[str]] = {kind: [] for kind in kinds}
    places: list[Dot] = []
    for trial, shade in zip(trials, shades.tolist(), strict=True):
        values = values_of(trial)
        ys = [
            bottom + 12
            if values.get(axis.name) is None
            else bottom - axis.place(trial.point[place]) * (bottom - top)
            for place, axis in axes
        ]
        ys += [scale(trial.values[name]) for name, scale in zip(outputs, scales, strict=True)]
        corners = [(x(column), y) for column, y in enumerate(ys)]
        kind = "line best" if trial.number in best else f"line shade{shade}"
        lines[kind].append("M" + "L".join(f"{coordinate(px)} {coordinate(py)}" for px, py in corners))
        label = f"trial {trial.number}: " + ", ".join(
            f"{number(trial.values[name])}{record.goal.unit(name)}" for name in outputs
        )
        places += [Dot(px, py, label) for px, py in corners]
    drawing = [tag("path", d="".join(path), class_=kind) for kind, path in lines.items() if path]
    named = ", ".join(short(axis.name, 30) for _, axis in axes)
    last = ", ".join(map(record.goal.label, outputs))
    words = f"{count(len(trials), 'trial')} as lines across {named}, and {last}."
    return chart(width, height, [*drawing, *parts], words, places)


def best_number(record: Record) -> set[int]:
    """The number of the best trial, if there is one."""
    return set() if record.best is None else {record.best.number}


def output_scale(record: Record, name: str, bottom: float, top: float) -> Scale:
    """The scale of an output; what lies far on the bad side is drawn at the edge."""
    values = [trial.values[name] for trial in record.finished]
    low, high = min(values), max(values)
    if not record.goal.several:
        low, high = (
            (max(low, worst_shown(record)), high)
            if record.sign > 0
            else (low, min(high, worst_shown(record)))
        )
    return spanning(low, high, bottom, top, pad=0.0)


def upright(
    x: float,
    top: float,
    bottom: float,
    title: str,
    ticks: list[tuple[float, str]],
    lower: bool,
    kind: str = "",
) -> Markup:
    """One axis, its name above it and its labels beside it."""
    return joined(
        [
            tag("line", x1=x, x2=x, y1=top, y2=bottom, class_=f"upright {kind}".strip()),
            tag("text", text(title), x=x, y=top - (14 if lower else 30), class_="middle label"),
            *(tag("text", text(label), x=x + 5, y=y + 4, class_="tick haloed") for y, label in ticks),
        ]
    )
