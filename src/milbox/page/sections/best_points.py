"""The section on the best points and their differences from the very best."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from milbox.page.formats import NOTHING, assignment_text, number, share, short
from milbox.page.svg.charts import scrolled
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.values import gap
from milbox.trials import Trial
from milbox.trials.origin import Source
from milbox.trials.record import Record
from milbox.trials.trial import EVERYWHERE

TOP = 10
# How many characters of one point are shown.
LONGEST = 2400
# Up to so many characters, points stand beside their numbers.
SHORT = 48


def best_points(record: Record) -> Markup:
    """A table of the best finished trials."""
    if not record.finished:
        return tag("p", text("No point has been measured yet."), class_="quiet")
    best, *others = leading(record)
    points = [point(best.assignment, None), *(point(t.assignment, best.assignment) for t in others)]
    longest = max(len(assignment_text(trial.assignment)) for trial in (best, *others))
    beside = longest <= SHORT
    value = record.goal.label(record.goal.name)
    value = f"estimate of {value}" if record.goal.noise else value
    names = [("rank", "n"), (value, "n"), ("trial", "n"), ("chosen by", None), ("proved", None)]
    names += [("point", None)] if beside else []
    head = tag("tr", *(tag("th", text(name), scope="col", class_=kind) for name, kind in names))
    rows = [
        row(k, t, value_of(record, t), p, beside)
        for k, (t, p) in enumerate(zip((best, *others), points, strict=True), start=1)
    ]
    caption = tag("caption", text("The best points, best first"), class_="unseen")
    note = "Coloured: what differs from the best point." if others else ""
    kind = "points" if beside else "points below"
    table = tag("table", caption, tag("thead", head), *rows, class_=kind)
    return joined(
        [
            scrolled(table, "the best points, best first"),
            tag("p", text(note), class_="caption"),
        ]
    )


def leading(record: Record) -> list[Trial]:
    """The best trials; with noise, the first ones of the points with the best estimates."""
    if not record.goal.noise:
        return record.ranked[:TOP]
    order = np.argsort(-record.sign * record.estimates.means, kind="stable").tolist()
    return [record.estimates.groups[place].first for place in order[:TOP]]


def value_of(record: Record, trial: Trial) -> str:
    """A value; with noise, an estimate with its standard error and the number of measurements."""
    if not record.goal.noise:
        return "" if trial.value is None else number(trial.value, 6)
    believed = record.estimates
    place = believed.place(trial.point)
    assert place is not None, "every point listed has an estimate"
    error, times = float(believed.errors[place]), believed.groups[place].count
    shown = number(float(believed.means[place]), 5) + (f" ± {number(error, 2)}" if np.isfinite(error) else "")
    return f"{shown} ({times}×)"


def row(rank: int, trial: Trial, value: str, shown: Markup, beside: bool) -> Markup:
    """A trial's numbers and its point, on a line of its own where points are long."""
    cells = [
        tag("th", text(rank), scope="row", class_="n"),
        tag("td", text(value), class_="n strong"),
        tag("td", text(trial.number), class_="n"),
        tag("td", text(short(trial.origin, 40))),
        tag("td", text(verdict(trial))),
    ]
    if beside:
        return tag("tbody", tag("tr", *cells, tag("td", shown, class_="point")))
    return tag("tbody", tag("tr", *cells), tag("tr", tag("td"), tag("td", shown, colspan=4, class_="point")))


def verdict(trial: Trial) -> str:
    """The proof of a proposal, in a word or two."""
    certificate = trial.certificate
    if certificate is None:
        return "not chosen by a surrogate" if trial.origin.source is Source.METHOD else "nothing"
    if certificate.status == "optimal":
        return "best untried" if certificate.about == EVERYWHERE else "best, with a qualification"
    return "nothing" if np.isinf(certificate.gap) else f"within {share(gap(certificate))}"


def point(assignment: Mapping[str, Any], best: Mapping[str, Any] | None) -> Markup:
    """An assignment with what differs from the best one marked; cut where it would be too long to read."""
    parts: list[Markup] = []
    room = LONGEST
    for name, value in assignment.items():
        entries = list(shown_entries(value, None if best is None else best.get(name)))
        shown = joined(marked(entries[:room]))
        parts.append(tag("span", tag("i", text(f"{short(name, 40)} ")), shown))
        room -= sum(len(entry) for entry, _ in entries) + len(name)
        if room <= 0:
            parts.append(tag("span", text("… and more: see milbox trials")))
            break
    return joined(parts, " ")


def shown_entries(value: Any, reference: Any) -> Iterator[tuple[str, bool]]:
    """The texts a value is written with, and whether each differs from the reference's."""
    items = np.asarray(value, dtype=object)
    others = items if reference is None else np.asarray(reference, dtype=object)
    if items.shape != others.shape:  # an array that exists in one of them only
        others = items
    if items.ndim == 0:
        yield shown_item(items[()]), bool(items[()] != others[()])
        return
    close = all(len(shown_item(item)) == 1 for item in items.ravel())
    for place in np.ndindex(items.shape):
        if place[-1] == 0 and any(place):
            yield " / ", False
        elif any(place):
            yield "" if close else ", ", False
        yield shown_item(items[place]), bool(items[place] != others[place])


def shown_item(item: Any) -> str:
    """One value; a dash where there is none."""
    return NOTHING if item is None else str(item)


def marked(entries: list[tuple[str, bool]]) -> Iterator[Markup]:
    """Runs of equal and of different entries."""
    for differs, run in itertools.groupby(entries, key=lambda entry: entry[1]):
        shown = text("".join(entry for entry, _ in run))
        yield tag("b", shown) if differs else shown
