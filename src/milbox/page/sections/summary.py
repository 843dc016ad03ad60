"""The summary: what was found and what is proved, in two sentences and four figures."""

import math

from milbox.display import duration
from milbox.page.formats import count, number, of_all, share, short
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.values import gap
from milbox.trials import Trial
from milbox.trials.front import hypervolume_of
from milbox.trials.record import Record
from milbox.trials.trial import VALUE


def found(record: Record) -> Markup:
    """The best value and how it compares with the start."""
    best, goal = record.best, record.goal
    if goal.several and record.front:
        return on_the_front(record)
    if best is None or best.value is None:
        return text(nothing_yet(record))
    if record.estimate is not None:
        return by_estimate(record, best)
    word = "largest" if record.sign > 0 else "smallest"
    what = "value" if goal.name == VALUE else f"value of {goal.name}"
    many = f"The {word} of {count(len(record.finished), f'measured {what}')} is ".replace(
        f"{what}s", plural(what)
    )
    if len(record.finished) == 1:
        many = f"The only measured {what} is "
    if goal.limits:
        kept = " and ".join(map(str, goal.limits))
        many = f"The {word} {what} with {kept}, among {count(len(record.finished), 'measured trial')}, is "
    start = [t for t in record.ranked if t.number < record.initial]
    ahead = ""
    if start and start[0].value is not None and best.number >= record.initial:
        difference = abs(best.value - start[0].value)
        more = "more" if record.sign > 0 else "less"
        first = f"{len(start):,} points it started from" if len(start) > 1 else "point it started from"
        ahead = f", {number(difference, 4)} {more} than the best of the {first}"
        if difference == 0:
            ahead = f", as good as the best of the {first}"
    return joined(
        [
            text(many),
            tag("strong", text(f"{number(best.value)}{goal.unit(goal.name)}")),
            text(f" (trial {best.number}){ahead}."),
        ]
    )


def plural(what: str) -> str:
    """`values`, `values of yield`."""
    return what.replace("value", "values", 1)


def on_the_front(record: Record) -> Markup:
    """The front of several objectives in a sentence."""
    goal = record.goal
    senses = " and ".join(f"{sense.replace('ize', 'ise')} {name}" for name, sense in goal.objectives)
    kept = f" and keep {' and '.join(map(str, goal.limits))}" if goal.limits else ""
    judged = ", by estimates," if goal.front_estimated else ""
    return joined(
        [
            text(f"To {senses}: of {count(len(record.finished), 'measured trial')} "),
            tag("strong", text(f"{len(record.front):,}")),
            text(f" {'is' if len(record.front) == 1 else 'are'}{judged} dominated by no other{kept}."),
        ]
    )


def by_estimate(record: Record, best: Trial) -> Markup:
    """The best point under noise in a sentence."""
    goal = record.goal
    assert record.estimate is not None, "there is noise"
    mean, error = record.estimate
    place = record.estimates.place(best.point)
    times = 1 if place is None else record.estimates.groups[place].count
    shown = f"{number(mean)} ± {number(error, 2)}" if math.isfinite(error) else number(mean)
    return joined(
        [
            text(
                f"The best estimate of {goal.name} among {count(len(record.estimates.groups), 'point')} is "
            ),
            tag("strong", text(f"{shown}{goal.unit(goal.name)}")),
            text(f" (the point of trial {best.number}, measured {count(times, 'time')})."),
        ]
    )


def nothing_yet(record: Record) -> str:
    """The reason why there is no best point."""
    if not record.trials:
        return "The journal is empty: no point has been asked yet."
    pending, failed = record.having("pending"), record.having("failed")
    if record.finished:
        return f"No measured trial keeps {' and '.join(map(str, record.goal.limits))} yet."
    if record.outside and not (pending or failed):
        return "Nothing has been measured in the domain yet."
    parts = [f"{n:,} {state}" for n, state in ((pending, "pending"), (failed, "failed")) if n]
    return f"No trial has finished yet: {' and '.join(parts)}."


def proved(record: Record) -> str:
    """The sum of what the certificates prove, and its limits."""
    if record.proved:
        return (
            f"Every one of the {count(len(record.finished), 'point')} of the domain has been measured: "
            f"{'the front is proved.' if record.goal.several else 'this is the proved optimum.'}"
        )
    if not record.trials:
        return ""
    certificates = [certificate for _, certificate in record.certified]
    if not certificates:
        return "No point was chosen by a surrogate, so nothing is proved about the choice."
    optimal = record.proofs.optimal
    which = of_all(optimal, len(certificates), "point")
    was = "was" if optimal == 1 else "were"
    sentence = (
        f"{which[0].upper()}{which[1:]} chosen by a surrogate {was} proved to be its best"
        f"{record.proofs.among}"
    )
    if optimal < len(certificates):
        largest = max(map(gap, certificates))
        rest = "nothing is proved about some of the others" if math.isinf(largest) else ""
        sentence += f"; {rest or f'the largest gap is {share(largest)}'}"
    doubt = " The model predicts no better than the mean: see below." if record.trust.doubtful else ""
    return f"{sentence}. That no other point of the domain is better is not proved.{doubt}"


def best_tile(record: Record) -> tuple[str, str, str]:
    """The best value, or the size of the front."""
    best, goal = record.best, record.goal
    if goal.several:
        volume = number(hypervolume_of(record.judged, goal), 4)
        note = f"hypervolume {volume}{', estimated' if goal.front_estimated else ''}"
        return "On the front", f"{len(record.front):,}", note if record.front else ""
    name = f"Best {short(goal.name, 24)}"
    if best is None or best.value is None:
        return name, "none yet", ""
    note = f"trial {best.number}, {short(best.origin, 40)}"
    if record.estimate is not None:
        mean, error = record.estimate
        said = f"± {number(error, 2)}, estimated; {note}" if math.isfinite(error) else f"estimated; {note}"
        return name, f"{number(mean)}{goal.unit(goal.name)}", said
    return name, f"{number(best.value)}{goal.unit(goal.name)}", note


def proved_note(record: Record) -> str:
    """What is proved of proposals, in a few words."""
    if not record.certified:
        return ""
    found = record.proofs
    if not found.qualified:
        return "best of all untried points"
    return f"{found.everywhere:,} best of all untried points, {found.qualified:,} with a qualification"


def figures(record: Record) -> Markup:
    """Four numbers at a glance."""
    optimal = record.proofs.optimal
    time = record.spent
    states = [(record.having(state), state) for state in ("pending", "failed")]
    rest = ", ".join(f"{n:,} {state}" for n, state in states if n)
    tiles = [
        best_tile(record),
        ("Trials", record.counted, rest or "all finished" if record.trials else ""),
        (
            "Proposals proved",
            f"{optimal:,} of {len(record.certified):,}" if record.certified else "none yet",
            proved_note(record),
        ),
        (
            "Time",
            duration(time.model + time.solver + time.evaluation),
            f"model {duration(time.model)}, solver {duration(time.solver)}, "
            f"evaluation {duration(time.evaluation)}",
        ),
    ]
    return tag(
        "dl",
        *(
            tag("div", tag("dt", text(name)), tag("dd", text(value)), tag("dd", text(note), class_="note"))
            for name, value, note in tiles
        ),
        class_="figures",
    )
