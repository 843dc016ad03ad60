"""The section on single variables: what was measured against each of them."""

from collections.abc import Sequence

from milbox.page.formats import count, number, short
from milbox.page.sections.scalars import ScalarAxis, axes_of
from milbox.page.svg.charts import Axes, Dot, axes, chart, dots, figure, legend, thinned
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import Scale, spanning
from milbox.page.values import worst_shown
from milbox.trials import Trial
from milbox.trials.record import Record

# Variables shown at once, and behind a click.
FIRST, MORE = 6, 6
MOST_DOTS = 150
WIDTH, HEIGHT = 300, 230


def slices(record: Record) -> Markup | None:
    """A small chart for each variable that was varied; None where there is none, or too little to draw."""
    if len(record.finished) < 2:
        return None
    found = axes_of(record, record.finished, FIRST + MORE)
    if not found:
        return None
    parts = [
        legend([("k-start", "initial design"), ("k-model", "chosen later"), ("k-best", best_words(record))])
    ]
    for output, _ in record.goal.objectives:
        if record.goal.several:
            parts.append(tag("h3", text(record.goal.label(output))))
        parts.append(panels(record, output, found[:FIRST]))
        if len(found) > FIRST:
            shown = tag("summary", text(f"{count(len(found) - FIRST, 'more variable')}"))
            parts.append(tag("details", shown, panels(record, output, found[FIRST:])))
    words = "Where trials share a value, earlier ones stand to the left of later ones."
    left = sum(1 for _ in record.domain.variables) - len(found)
    rest = (
        f" {count(left, 'variable')} without a chart of {'its' if left == 1 else 'their'} own."
        if left
        else ""
    )
    parts.append(tag("p", text(words + rest), class_="caption"))
    return joined(parts)


def best_words(record: Record) -> str:
    """What is marked as best."""
    return "on the front" if record.goal.several else "best"


def panels(record: Record, output: str, found: Sequence[tuple[int, ScalarAxis]]) -> Markup:
    """Charts of one output side by side."""
    return tag("div", *(panel(record, output, place, axis) for place, axis in found), class_="thirds")


def panel(record: Record, output: str, place: int, axis: ScalarAxis) -> Markup:
    """One output against one variable."""
    trials = [trial for trial in record.finished if output in trial.values]
    values = [trial.values[output] for trial in trials]
    ends = (min(values), max(values))
    if not record.goal.several:
        ends = (
            (max(ends[0], worst_shown(record)), ends[1])
            if record.sign > 0
            else (ends[0], min(ends[1], worst_shown(record)))
        )
    left, right, top, bottom = 52.0, WIDTH - 12.0, 30.0, HEIGHT - 44.0
    y = spanning(ends[0], ends[1], bottom, top, pad=0.07)
    room = 0.5 if axis.crowded else 0.04 * (axis.high - axis.low or 1.0)
    x = Scale(axis.low - room, axis.high + room, left, right)
    best = {trial.number for trial in record.front} if record.goal.several else best_numbers(record)
    there = exist(record, trials, place)
    absent = len(trials) - sum(there)
    kinds: dict[str, list[Trial]] = {"start": [], "model": [], "best": []}
    for trial, exists in zip(trials, there, strict=True):
        if exists:
            first = trial.number < record.initial
            kinds["best" if trial.number in best else "start" if first else "model"].append(trial)
    groups = {
        kind: [placed(record, trial, output, place, axis, x, y) for trial in thinned(members, MOST_DOTS)]
        for kind, members in kinds.items()
    }
    ticks = [(x(axis.low + share * (axis.high - axis.low)), label) for share, label in axis.ticks(4)]
    inside = Axes(x, y, short(axis.name, 34), short(record.goal.label(output), 30), spaced(ticks), y.ticks(4))
    parts = [*axes(inside), *(dots(places, f"dots small {kind}") for kind, places in groups.items())]
    together = sorted((d for places in groups.values() for d in places), key=lambda d: d.x)
    ends_shown = " to ".join(shown_end(axis, end) for end in (axis.low, axis.high))
    words = (
        f"{record.goal.label(output)} against {axis.name} from {ends_shown}, for "
        f"{count(len(trials) - absent, 'trial')}."
    )
    note = f"{count(absent, 'trial')} where it does not exist left out." if absent else ""
    return figure(chart(WIDTH, HEIGHT, parts, words, together), text(note))


def exist(record: Record, trials: Sequence[Trial], place: int) -> list[bool]:
    """In which trials a variable exists."""
    if place not in record.domain.conditions:
        return [True] * len(trials)
    absent = record.domain.absent(record.domain.codes([trial.point for trial in trials]))
    found: list[bool] = (~absent[:, place]).tolist()
    return found


def placed(
    record: Record, trial: Trial, output: str, place: int, axis: ScalarAxis, x: Scale, y: Scale
) -> Dot:
    """The dot of a trial; where many share a value, the later ones stand to the right."""
    code = trial.point[place]
    aside = 0.7 * (trial.number / max(1, len(record.trials) - 1) - 0.5) if axis.crowded else 0.0
    label = label_of(record, trial, output, axis.name, axis.variable.value(code))
    return Dot(x(axis.number(code) + aside), y(trial.values[output]), label)


def shown_end(axis: ScalarAxis, end: float) -> str:
    """The first or the last value as text."""
    return short(str(axis.variable.value(int(end))), 40) if axis.listed else number(end)


def best_numbers(record: Record) -> set[int]:
    """The number of the best trial, if there is one."""
    return set() if record.best is None else {record.best.number}


def spaced(ticks: list[tuple[float, str]], between: float = 6.0) -> list[tuple[float, str]]:
    """The ticks without those whose labels would run into the one before."""
    kept: list[tuple[float, str]] = []
    free = float("-inf")
    for place, label in ticks:
        half = 3.5 * len(label)
        if place - half >= free:
            kept.append((place, label))
            free = place + half + between
    return kept


def label_of(record: Record, trial: Trial, output: str, name: str, value: object) -> str:
    """The note on one trial."""
    shown = number(value) if isinstance(value, float) else str(value)
    unit = record.goal.unit(output)
    measured = f"{number(trial.values[output])}{unit}"
    return f"trial {trial.number}: {measured} at {short(name, 30)} = {short(shown, 30)}"
