"""The section on progress: values over trials, and the share of the initial design."""

import math

from milbox.display import duration
from milbox.page.formats import assignment_text, count, number, short
from milbox.page.svg.charts import (
    Axes,
    Dot,
    axes,
    both,
    chart,
    crosses,
    dots,
    figure,
    legend,
    staircase,
    thinned,
)
from milbox.page.svg.markup import Markup, coordinate, joined, tag, text
from milbox.page.svg.scales import Scale, spanning
from milbox.page.values import worst_shown
from milbox.trials import Trial
from milbox.trials.course import estimates, improvements, kept
from milbox.trials.record import Record, evaluation_seconds


def progress(record: Record) -> Markup:
    """Every value against its trial's number, and the best so far."""
    if not record.finished:
        return tag("p", text("There is no value to show yet."), class_="quiet")
    failed = record.having("failed")
    noisy, limited = record.goal.noise, len(record.finished) > len(kept(record))
    entries = [("k-line", "best so far"), ("k-model", f"measured {record.goal.name}")]
    if noisy:
        entries[0] = ("k-line", "best estimate so far")
        entries.append(("k-bar", "estimate and its standard error"))
    if limited:
        entries.append(("k-broken", "breaks a limit"))
    if record.initial:
        entries.append(("k-start", f"initial design ({count(record.initial, 'trial')})"))
    if failed:
        entries.append(("k-failed", f"failed ({count(failed, 'trial')})"))
    beyond = int((record.sign * record.values < record.sign * worst_shown(record)).sum())
    notes = []
    if beyond:
        side = "below" if record.sign > 0 else "above"
        notes.append(f"{count(beyond, 'value')} {side} {number(worst_shown(record))} drawn at the edge.")
    improving = improvements(record)
    last = improving[-1][0]
    since = len(record.trials) - 1 - last
    what = "estimate" if noisy else record.goal.name
    notes.append(
        f"The best {what} improved {count(len(improving) - 1, 'time')} after "
        f"the first, last in trial {last}" + (f", {count(since, 'trial')} ago." if since else ", the latest.")
    )
    if noisy:
        notes.append("Estimates join all measurements of a point with what its neighbours say.")
    return figure(
        joined([legend(entries), both(lambda width: drawn(record, improving, width))]), text(" ".join(notes))
    )


def bars(record: Record, x: Scale, y: Scale) -> Markup:
    """Estimates as ticks, with their standard errors as upright bars."""
    shown = []
    for number_, mean, error in estimates(record):
        across, middle = x(number_), y(mean)
        if math.isfinite(error):
            shown.append(f"M{coordinate(across)} {coordinate(y(mean - error))}V{coordinate(y(mean + error))}")
        shown.append(f"M{coordinate(across - 3)} {coordinate(middle)}h6")
    return tag("path", d="".join(shown), class_="error-bar")


def drawn(record: Record, improving: list[tuple[int, float]], width: int) -> Markup:
    """The chart at a given width."""
    wide = width > 600
    left, right, top, height = 62.0, width - 10.0, 34.0, 340 if wide else 300
    bottom = height - 46.0
    best = record.best
    assert best is not None, "there is no chart without values"
    assert best.value is not None, "the best trial has finished"
    ends = sorted((worst_shown(record), record.sign * float((record.sign * record.values).max())))
    x = spanning(0, max(1, len(record.trials) - 1), left, right, pad=0.012)
    y = spanning(ends[0], ends[1], bottom, top, pad=0.07)
    within = {trial.number for trial in kept(record)}
    keep = thinned([trial for trial in record.finished if trial.number in within])
    others = thinned([trial for trial in record.finished if trial.number not in within])
    places, broken = ([place_of(record, t, x, y) for t in part] for part in (keep, others))
    edge = x(record.initial - 0.5) if record.initial < len(record.trials) else right
    start = [d for d in places if d.x < edge] if record.initial else []
    failed = thinned(
        [Dot(x(t.number), bottom - 5, label_of(record, t)) for t in record.trials if t.state == "failed"]
    )
    corners = [(x(number_), y(value)) for number_, value in improving]
    parts = []
    if record.initial:
        parts.append(tag("rect", x=left, y=top, width=edge - left, height=bottom - top, class_="start-zone"))
        if edge - left > 84:
            parts.append(tag("text", text("initial design"), x=left + 8, y=top + 16, class_="tick haloed"))
    inside = Axes(x, y, "trial", record.goal.label(record.goal.name), x.ticks(8 if wide else 4), y.ticks(6))
    parts += [
        *axes(inside),
        dots([d for d in places if d.x >= edge or not record.initial], "dots model"),
        dots(start, "dots start"),
        dots(broken, "dots broken"),
        *([bars(record, x, y)] if record.goal.noise else []),
        crosses(failed, "failed"),
        tag("path", d=staircase(corners, right), class_="best-line"),
        dots([Dot(px, py, "") for px, py in corners], "dots improved"),
    ]
    words = (
        f"Values of {count(len(record.finished), 'trial')} in order; the best so far ends at "
        f"{number(improving[-1][1])}{record.goal.unit(record.goal.name)} in trial {best.number}."
    )
    return chart(width, height, parts, words, sorted([*places, *broken, *failed], key=lambda d: d.x))


def place_of(record: Record, trial: Trial, x: Scale, y: Scale) -> Dot:
    """Where a finished trial stands."""
    return Dot(x(trial.number), y(float(trial.value or 0)), label_of(record, trial))


def label_of(record: Record, trial: Trial) -> str:
    """The note on one trial."""
    if trial.value is None:
        reason = trial.short_reason[:80]
        return f"trial {trial.number}: failed, {reason}"
    took = evaluation_seconds(trial)
    spent = f", measured in {duration(took)}" if took > 0 else ""
    point = short(assignment_text(trial.assignment), 80)
    asked = f", asked with {short(' and '.join(trial.where), 60)}" if trial.where else ""
    error = f" ± {number(trial.error, 3)}" if trial.error is not None else ""
    value = f"{number(trial.value)}{error}{record.goal.unit(record.goal.name)}"
    return f"trial {trial.number}: {value} ({trial.origin[:40]}{spent}{asked}) at {point}"
