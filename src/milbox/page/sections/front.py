"""The section on the front of several objectives: the trials nobody dominates, and their hypervolume."""

from itertools import combinations

from milbox.page.formats import assignment_text, count, number, short
from milbox.page.svg.charts import (
    Axes,
    Dot,
    axes,
    chart,
    crosses,
    dots,
    figure,
    legend,
    scrolled,
    staircase,
    thinned,
)
from milbox.page.svg.markup import Markup, coordinate, joined, tag, text
from milbox.page.svg.scales import spanning
from milbox.trials import Trial
from milbox.trials.front import hypervolume_course
from milbox.trials.goal import Goal
from milbox.trials.record import Record

LONGEST = 200
"""How many characters of one point are shown."""

WIDTH, HEIGHT = 460, 330
MOST_PAIRS = 3
"""Pairs of objectives that are drawn."""


def front(record: Record) -> Markup | None:
    """Charts and a table of the front, in the order of the first objective; None with one objective."""
    if not record.goal.several:
        return None
    if not record.finished:
        return tag("p", text("No trial has finished yet."), class_="quiet")
    best = "on the front, estimated" if record.goal.front_estimated else "on the front"
    entries = [("k-best", best), ("k-model", "measured"), ("k-start", "initial design")]
    if len(record.finished) > sum(record.goal.keeps(trial) for trial in record.finished):
        entries.append(("k-failed", "breaks a limit"))
    names = [name for name, _ in record.goal.objectives]
    charts = [pair(record, *both) for both in list(combinations(names, 2))[:MOST_PAIRS]]
    if not record.front:
        quiet = tag("p", text("No trial keeps the limits yet."), class_="quiet")
        return joined([quiet, legend(entries), tag("div", *charts, class_="half")])
    return joined([legend(entries), tag("div", *charts, course(record), class_="half"), listed(record)])


def listed(record: Record) -> Markup:
    """The front as a table."""
    first = record.goal.objectives[0][0]
    trials = sorted(record.front, key=lambda trial: trial.values[first])
    heads = [
        *((heading(record.goal, name), "n") for name in record.goal.outputs),
        ("trial", "n"),
        ("point", None),
    ]
    head = tag("tr", *(tag("th", text(name), scope="col", class_=kind) for name, kind in heads))
    rows = [
        tag(
            "tr",
            *(tag("td", text(number(trial.values[name], 6)), class_="n") for name in record.goal.outputs),
            tag("td", text(str(trial.number)), class_="n"),
            tag("td", text(short(assignment_text(trial.assignment), LONGEST))),
        )
        for trial in trials
    ]
    caption = tag("caption", text("The trials nobody dominates"), class_="unseen")
    table = tag("table", caption, tag("thead", head), tag("tbody", *rows), class_="points")
    return scrolled(table, "the trials nobody dominates")


def heading(goal: Goal, name: str) -> str:
    """The head of the column of an output: with noise it has estimates, of what is no objective means."""
    if not goal.front_estimated:
        return goal.label(name)
    return f"{'estimate' if name in dict(goal.objectives) else 'mean'} of {goal.label(name)}"


def pair(record: Record, across: str, up: str) -> Markup:
    """Two objectives of every finished trial; with two in all, the front as a line.

    With noise, what was measured is drawn, and besides it the front, which are estimates.
    """
    goal = record.goal
    senses = {name: sense.replace("ize", "ise") for name, sense in goal.objectives}
    ahead = set() if goal.front_estimated else {trial.number for trial in record.front}
    measured = [trial for trial in record.finished if trial.number not in ahead]
    left, right, top, bottom = 62.0, WIDTH - 14.0, 34.0, HEIGHT - 46.0
    a = [trial.values[across] for trial in (*measured, *record.front)]
    b = [trial.values[up] for trial in (*measured, *record.front)]
    x, y = spanning(min(a), max(a), left, right), spanning(min(b), max(b), bottom, top)
    kinds: dict[str, list[Trial]] = {"start": [], "model": [], "broken": [], "best": list(record.front)}
    for trial in measured:
        kinds[kind_of(record, trial)].append(trial)
    groups = {
        kind: [
            Dot(x(trial.values[across]), y(trial.values[up]), label_of(record, trial, kind == "best"))
            for trial in thinned(members)
        ]
        for kind, members in kinds.items()
    }
    line = ""
    if len(goal.objectives) == 2 and record.front:
        corners = sorted((x(t.values[across]), y(t.values[up])) for t in record.front)
        line = staircase(corners, corners[-1][0]) if senses[across] == "minimise" else descending(corners)
    inside = Axes(
        x,
        y,
        f"{goal.label(across)}, to {senses[across]}",
        f"{goal.label(up)}, to {senses[up]}",
        x.ticks(4),
        y.ticks(5),
    )
    parts = [
        *axes(inside),
        *(dots(groups[kind], f"dots {kind}") for kind in ("start", "model")),
        crosses(groups["broken"], "failed"),
        tag("path", d=line, class_="best-line"),
        dots(groups["best"], "dots best"),
    ]
    words = (
        f"{goal.label(up)} against {goal.label(across)} for {count(len(record.finished), 'trial')}, "
        f"{len(record.front):,} of them on the front."
    )
    places = sorted((d for places in groups.values() for d in places), key=lambda d: d.x)
    return figure(chart(WIDTH, HEIGHT, parts, words, places), text(""))


def descending(corners: list[tuple[float, float]]) -> str:
    """A line through the corners that goes up or down first, then right."""
    (x, y), *rest = corners
    return f"M{coordinate(x)} {coordinate(y)}" + "".join(f"V{coordinate(b)}H{coordinate(a)}" for a, b in rest)


def kind_of(record: Record, trial: Trial) -> str:
    """How a trial is drawn that is not on the front, or was measured with noise."""
    if not record.goal.keeps(trial):
        return "broken"
    return "start" if trial.number < record.initial else "model"


def label_of(record: Record, trial: Trial, best: bool) -> str:
    """The note on one trial, or on one of the front: all its outputs, and its point."""
    goal = record.goal
    errors = {name: f" ± {number(error, 3)}" for name, error in trial.errors.items()}
    shown = ", ".join(
        f"{name} {number(value)}{errors.get(name, '')}{goal.unit(name)}"
        for name, value in trial.values.items()
    )
    shown += ", estimated," if best and goal.front_estimated else ""
    return f"trial {trial.number}: {shown} at {short(assignment_text(trial.assignment), 60)}"


def course(record: Record) -> Markup:
    """The hypervolume of the front after each trial."""
    found = hypervolume_course(record.judged, record.goal)
    left, right, top, bottom = 62.0, WIDTH - 14.0, 34.0, HEIGHT - 46.0
    x = spanning(0, max(1, len(record.trials) - 1), left, right, pad=0.012)
    y = spanning(0.0, max((volume for _, volume in found), default=1.0), bottom, top)
    corners = [(x(trial), y(volume)) for trial, volume in found]
    places = [Dot(x(t), y(v), f"after trial {t}: hypervolume {number(v)}") for t, v in found]
    inside = Axes(x, y, "trial", "hypervolume", x.ticks(4), y.ticks(5))
    parts = [
        *axes(inside),
        tag("path", d=staircase(corners, right), class_="best-line"),
        dots(places, "dots improved"),
    ]
    last = number(found[-1][1], 6) if found else "0"
    words = f"Hypervolume {last}, from the worst finished value of each objective."
    return figure(
        chart(WIDTH, HEIGHT, parts, f"{words} It grew in {count(len(found), 'trial')}.", places), text(words)
    )
