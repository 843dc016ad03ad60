"""The section on the front of several objectives: the trials nobody dominates, and their hypervolume."""

from milbox.page.formats import assignment_text, number, short
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials.front import hypervolume_of
from milbox.trials.record import Record

LONGEST = 200
"""How many characters of one point are shown."""


def front(record: Record) -> Markup | None:
    """A table of the front, in the order of the first objective; None where there is one objective."""
    if not record.goal.several:
        return None
    if not record.front:
        return tag("p", text("No trial keeps the limits yet."), class_="quiet")
    first = record.goal.objectives[0][0]
    trials = sorted(record.front, key=lambda trial: trial.values[first])
    names = [*((name, "n") for name in record.goal.outputs), ("trial", "n"), ("point", None)]
    head = tag("tr", *(tag("th", text(name), scope="col", class_=kind) for name, kind in names))
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
    volume = number(hypervolume_of(record.trials, record.goal), 6)
    note = f"Hypervolume {volume}, from the worst finished value of each objective."
    return joined(
        [
            tag("div", tag("table", caption, tag("thead", head), *rows, class_="points"), class_="scroll"),
            tag("p", text(note), class_="caption"),
        ]
    )
