"""The section on limits of outputs: which trials keep them, and how proposals have learned to."""

from collections.abc import Sequence

from milbox.page.formats import count, number, of_all, share, short
from milbox.page.svg.charts import Axes, Dot, axes, chart, crosses, dots, figure, legend, thinned
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import spanning
from milbox.trials import Trial
from milbox.trials.goal import Limit
from milbox.trials.record import Record

WIDTH, HEIGHT = 460, 270


def limits(record: Record) -> Markup | None:
    """Each limited output over the trials, and the share that keeps the limit; None without limits."""
    if not record.goal.limits or not record.finished:
        return None
    entries = [("k-model", "keeps the limit"), ("k-failed", "breaks it"), ("k-limit", "limit")]
    every = [trial for trial in record.finished if record.goal.keeps(trial)]
    together = (
        f" All limits together are kept by {learned(record, every)}." if len(record.goal.limits) > 1 else ""
    )
    words = (
        "Each limited output has a model of its own, and proposals are required to keep the limit by what it "
        f"has learned.{together}"
    )
    charts = [panel(record, limit) for limit in record.goal.limits]
    return joined([tag("p", text(words)), legend(entries), tag("div", *charts, class_="half")])


def learned(record: Record, kept: Sequence[Trial]) -> str:
    """How many trials do so: among the first points, and among those chosen since."""
    numbers = {trial.number for trial in kept}
    start = [trial for trial in record.finished if trial.number < record.initial]
    later = [trial for trial in record.finished if trial.number >= record.initial]
    words = of_all(len(kept), len(record.finished), "trial")
    if not start or not later:
        return words
    early, late = (sum(t.number in numbers for t in part) for part in (start, later))
    return (
        f"{words}: {share(early / len(start))} of the initial design, {share(late / len(later))} of those "
        f"chosen since"
    )


def panel(record: Record, limit: Limit) -> Markup:
    """One limited output against the number of the trial, with the limit as a line."""
    goal = record.goal
    trials = [trial for trial in record.finished if limit.output in trial.values]
    values = [trial.values[limit.output] for trial in trials]
    left, right, top, bottom = 62.0, WIDTH - 12.0, 30.0, HEIGHT - 44.0
    x = spanning(0, max(1, len(record.trials) - 1), left, right, pad=0.012)
    y = spanning(min([*values, limit.level]), max([*values, limit.level]), bottom, top, pad=0.07)
    at = y(limit.level)
    kept: list[Dot] = []
    broken: list[Dot] = []
    for trial, value in zip(trials, values, strict=True):
        shown = f"{limit.output} {number(value)}{goal.unit(limit.output)}"
        (kept if limit.slack(value) >= 0 else broken).append(
            Dot(x(trial.number), y(value), f"trial {trial.number}: {shown}")
        )
    forbidden = (top, at) if limit.direction == "<=" else (at, bottom)
    inside = Axes(x, y, "trial", short(goal.label(limit.output), 40), x.ticks(4), y.ticks(5))
    parts = [
        tag(
            "rect",
            x=left,
            y=forbidden[0],
            width=right - left,
            height=forbidden[1] - forbidden[0],
            class_="forbidden",
        ),
        *axes(inside),
        tag("line", x1=left, x2=right, y1=at, y2=at, class_="limit"),
        dots(thinned(kept), "dots model"),
        crosses(thinned(broken), "failed"),
    ]
    keeping = [trial for trial in trials if limit.slack(trial.values[limit.output]) >= 0]
    said = f"{limit}{goal.unit(limit.output)} is kept by {learned(record, keeping)}."
    words = f"{goal.label(limit.output)} of {count(len(trials), 'trial')} in order. {said}"
    places = sorted([*thinned(kept), *thinned(broken)], key=lambda d: d.x)
    return figure(chart(WIDTH, HEIGHT, parts, words, places), text(said))
