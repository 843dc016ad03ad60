"""The section on progress: values over trials, and the share of the initial design."""

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
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import spanning
from milbox.page.values import worst_shown
from milbox.trials import Trial
from milbox.trials.record import Record, evaluation_seconds


def progress(record: Record) -> Markup:
    """Every value against its trial's number, and the best so far."""
    if not record.finished:
        return tag("p", text("There is no value to show yet."), class_="quiet")
    failed = record.having("failed")
    entries = [("k-line", "best so far"), ("k-model", "measured value")]
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
    last = improving[-1]
    since = len(record.trials) - 1 - last.number
    notes.append(
        f"The best value improved {count(len(improving) - 1, 'time')} after the first, last in trial "
        f"{last.number}" + (f", {count(since, 'trial')} ago." if since else ", the latest.")
    )
    return figure(
        joined([legend(entries), both(lambda width: drawn(record, improving, width))]), text(" ".join(notes))
    )


def improvements(record: Record) -> list[Trial]:
    """The trials that were better than all before them."""
    found: list[Trial] = []
    best = 0.0
    for trial, value in zip(record.finished, record.sign * record.values, strict=True):
        if not found or value > best:
            found.append(trial)
            best = float(value)
    return found


def drawn(record: Record, improving: list[Trial], width: int) -> Markup:
    """The chart at a given width."""
    wide = width > 600
    left, right, top, height = 62.0, width - 10.0, 34.0, 340 if wide else 300
    bottom = height - 46.0
    best = record.best
    assert best is not None, "there is no chart without values"
    assert best.value is not None, "the best trial has finished"
    ends = sorted((worst_shown(record), best.value))
    x = spanning(0, max(1, len(record.trials) - 1), left, right, pad=0.012)
    y = spanning(ends[0], ends[1], bottom, top, pad=0.07)
    places = thinned([Dot(x(t.number), y(float(t.value or 0)), label_of(t)) for t in record.finished])
    edge = x(record.initial - 0.5) if record.initial < len(record.trials) else right
    start = [d for d in places if d.x < edge] if record.initial else []
    failed = thinned(
        [Dot(x(t.number), bottom - 5, label_of(t)) for t in record.trials if t.state == "failed"]
    )
    corners = [(x(t.number), y(float(t.value or 0))) for t in improving]
    parts = []
    if record.initial:
        parts.append(tag("rect", x=left, y=top, width=edge - left, height=bottom - top, class_="start-zone"))
        if edge - left > 84:
            parts.append(tag("text", text("initial design"), x=left + 8, y=top + 16, class_="tick"))
    inside = Axes(x, y, "trial", "value", x.ticks(8 if wide else 4), y.ticks(6))
    parts += [
        *axes(inside),
        dots([d for d in places if d.x >= edge or not record.initial], "dots model"),
        dots(start, "dots start"),
        crosses(failed, "failed"),
        tag("path", d=staircase(corners, right), class_="best-line"),
        dots([Dot(px, py, "") for px, py in corners], "dots improved"),
    ]
    words = (
        f"Values of {count(len(record.finished), 'trial')} in order; the best so far ends at "
        f"{number(best.value)} in trial {best.number}."
    )
    return chart(width, height, parts, words, sorted([*places, *failed], key=lambda d: d.x))


def label_of(trial: Trial) -> str:
    """The note on one trial."""
    if trial.value is None:
        reason = trial.short_reason[:80]
        return f"trial {trial.number}: failed, {reason}"
    took = evaluation_seconds(trial)
    spent = f", measured in {duration(took)}" if took > 0 else ""
    point = short(assignment_text(trial.assignment), 80)
    return f"trial {trial.number}: {number(trial.value)} ({trial.origin[:40]}{spent}) at {point}"
