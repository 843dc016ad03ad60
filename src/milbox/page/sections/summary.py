"""The summary: what was found and what is proved, in two sentences and four figures."""

import math

from milbox.display import duration
from milbox.page.formats import count, number, of_all, share, short
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.values import gap
from milbox.trials.record import Record


def found(record: Record) -> Markup:
    """The best value and how it compares with the start."""
    best = record.best
    if best is None or best.value is None:
        return text(nothing_yet(record))
    word = "largest" if record.sign > 0 else "smallest"
    many = f"The {word} of {count(len(record.finished), 'measured value')} is "
    if len(record.finished) == 1:
        many = "The only measured value is "
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
        [text(many), tag("strong", text(number(best.value))), text(f" (trial {best.number}){ahead}.")]
    )


def nothing_yet(record: Record) -> str:
    """The reason why there is no best point."""
    if not record.trials:
        return "The journal is empty: no point has been asked yet."
    pending, failed = record.having("pending"), record.having("failed")
    if record.outside and not (pending or failed):
        return "Nothing has been measured in the domain yet."
    parts = [f"{n:,} {state}" for n, state in ((pending, "pending"), (failed, "failed")) if n]
    return f"No trial has finished yet: {' and '.join(parts)}."


def proved(record: Record) -> str:
    """The sum of what the certificates prove, and its limits."""
    if record.proved:
        return (
            f"Every one of the {count(len(record.finished), 'point')} of the domain has been measured: "
            f"this is the proved optimum."
        )
    if not record.trials:
        return ""
    certificates = [certificate for _, certificate in record.certified]
    if not certificates:
        return "No point was chosen by a surrogate, so nothing is proved about the choice."
    optimal = [c for c in certificates if c.status == "optimal"]
    which = of_all(len(optimal), len(certificates), "point")
    was = "was" if len(optimal) == 1 else "were"
    sentence = (
        f"{which[0].upper()}{which[1:]} chosen by a surrogate {was} proved to be its best untried point"
    )
    if len(optimal) < len(certificates):
        largest = max(map(gap, certificates))
        rest = "nothing is proved about some of the others" if math.isinf(largest) else ""
        sentence += f"; {rest or f'the largest gap is {share(largest)}'}"
    doubt = " The model predicts no better than the mean: see below." if record.trust.doubtful else ""
    return f"{sentence}. That no other point of the domain is better is not proved.{doubt}"


def figures(record: Record) -> Markup:
    """Four numbers at a glance."""
    best, optimal = record.best, record.proofs.optimal
    time = record.spent
    states = [(record.having(state), state) for state in ("pending", "failed")]
    rest = ", ".join(f"{n:,} {state}" for n, state in states if n)
    of = f" of {record.budget:,}" if record.budget else ""
    tiles = [
        (
            "Best value",
            "none yet" if best is None or best.value is None else number(best.value),
            "" if best is None else f"trial {best.number}, {short(best.origin, 40)}",
        ),
        ("Trials", f"{len(record.trials):,}{of}", rest or "all finished" if record.trials else ""),
        (
            "Proposals proved",
            f"{optimal:,} of {len(record.certified):,}" if record.certified else "none yet",
            "best untried point of the surrogate" if record.certified else "",
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
