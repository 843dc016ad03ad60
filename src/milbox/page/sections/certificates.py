"""The section on certificates: what was proved about each proposal, by which solver, in what time."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from milbox.display import duration
from milbox.page.formats import count, number, of_all, share, short
from milbox.page.svg.charts import HALF, Axes, Dot, axes, chart, dots, figure, legend, table, thinned
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import Scale, spanning
from milbox.page.values import gap
from milbox.trials import Certificate, Trial
from milbox.trials.record import Record, evaluation_seconds, usable
from milbox.trials.trial import EVERYWHERE

LEFT, TOP = 62.0, 34.0
MOST_METHODS = 12


def certificates(record: Record) -> Markup:
    """Gaps, times and methods."""
    if not record.certified:
        return tag("p", text("No point was chosen by a surrogate yet."), class_="quiet")
    charts = tag("div", gaps(record), times(record), class_="half")
    return joined([charts, methods(record), tag("p", text(f"{subjects(record)} {MEANING}"))])


def subjects(record: Record) -> str:
    """How many certificates are about all untried points, and how many are not."""
    total = len(record.certified)
    everywhere = sum(certificate.about == EVERYWHERE for _, certificate in record.certified)
    which = of_all(everywhere, total, "certificate")
    first = f"{which[0].upper()}{which[1:]} {'is' if everywhere == 1 else 'are'} about all untried points"
    if everywhere == total:
        return f"{first}."
    return (
        f"{first}, {total - everywhere:,} about a part of them, such as those near the best point, or with "
        "another qualification; the table of all trials says which."
    )


MEANING = (
    "A certificate is a statement about the surrogate, whatever the objective is: none of the points that "
    "it is about has a better acquisition value than its bound. The gap is the distance from the chosen "
    "point's acquisition value to that bound, relative to the larger of the two; where the choice is proved "
    "to be the best of these points, it is 0 or no more than rounding. The residual is how far the solver's "
    "value is from the surrogate's own prediction at the point."
)


def gaps(record: Record) -> Markup:
    """The gap of each certificate, 0 and infinity on lines of their own."""
    found = [(trial, gap(c), c.status == "optimal") for trial, c in record.certified]
    between = [size for _, size, _ in found if 0 < size < math.inf]
    endless = any(math.isinf(size) for _, size, _ in found)
    height = 250 if between else 130
    bottom = height - 46.0
    x = trial_scale(record)
    zero = bottom - 14
    ceiling = TOP + 12
    ticks = [(zero, "0")]
    place: Callable[[float], float] = lambda _: zero  # noqa: E731
    if between:
        low, high = min(between), max(*between, 10 * min(between))
        y = Scale(low, high, zero - 26, ceiling + (26 if endless else 0), log=True)
        ticks += y.ticks(4, share) or [(y(high), share(high))]
        place = y
    if endless:
        ticks.append((ceiling, "∞"))
    places = [
        Dot(
            x(trial.number),
            zero if size == 0 else ceiling if math.isinf(size) else place(size),
            f"trial {trial.number}: gap {share(size)}, {'proved' if proved else 'not proved'}",
        )
        for trial, size, proved in found
    ]
    parts = [
        *axes(Axes(x, Scale(0, 1, bottom, TOP), "trial", "gap", x.ticks(5), ticks)),
        dots(thinned(places), "dots model"),
    ]
    words = proved_gaps([certificate for _, certificate in record.certified])
    return figure(chart(HALF, height, parts, f"Gaps over time. {words}", thinned(places)), text(words))


def proved_gaps(certificates: Sequence[Certificate]) -> str:
    """How many choices are proved, and with what gaps."""
    sizes = [gap(certificate) for certificate in certificates if certificate.status == "optimal"]
    which = of_all(len(sizes), len(certificates), "choice")
    exact = sizes.count(0.0)
    parts = [
        f"{many:,} with a gap {of}"
        for many, of in ((exact, "of 0"), (len(sizes) - exact, "that is no more than rounding"))
        if many
    ]
    proved = f"{which[0].upper()}{which[1:]} {'is' if len(sizes) == 1 else 'are'} proved"
    return f"{proved}, {' and '.join(parts)}." if parts else f"{proved}."


def times(record: Record) -> Markup:
    """Seconds spent on each trial: surrogate, solver, evaluation."""
    series: list[tuple[str, str, list[tuple[Trial, float]]]] = [
        ("a", "fitting the surrogate", [(t, usable(t.proposal.fit_seconds)) for t in record.trials]),
        ("b", "solving for the point", [(t, usable(c.seconds)) for t, c in record.certified]),
        ("c", "evaluating it", [(t, evaluation_seconds(t)) for t in record.trials]),
    ]
    series = [(key, name, [(t, s) for t, s in taken if s > 0]) for key, name, taken in series]
    series = [entry for entry in series if entry[2]]
    if not series:
        return tag("p", text("No durations were recorded."), class_="quiet")
    seconds = [s for _, _, taken in series for _, s in taken]
    low = 10.0 ** math.floor(math.log10(min(seconds)))
    high = 10.0 ** math.ceil(math.log10(max(seconds)) + 1e-9)
    height, bottom = 250, 204.0
    x, y = trial_scale(record), Scale(low, max(high, 10 * low), bottom - 4, TOP + 4, log=True)
    places = {
        key: thinned(
            [Dot(x(t.number), y(s), f"trial {t.number}: {name}, {duration(s)}") for t, s in taken], 700
        )
        for key, name, taken in series
    }
    parts = axes(Axes(x, y, "trial", "time (log scale)", x.ticks(5), y.ticks(5, seconds_tick)))
    parts += [dots(drawn, f"dots small series-{key}") for key, drawn in places.items()]
    every = sorted((d for drawn in places.values() for d in drawn), key=lambda d: d.x)
    words = "; ".join(
        f"{name} took {duration(float(np.median([s for _, s in taken])))} at the median"
        for _, name, taken in series
    )
    drawing = chart(HALF, height, parts, f"Seconds over time: {words}.", every)
    keys = legend((f"k-{key}", name) for key, name, _ in series)
    return figure(joined([drawing, keys]), text(f"{words[0].upper()}{words[1:]}."))


def seconds_tick(seconds: float) -> str:
    """A power of ten of seconds."""
    return duration(seconds) if seconds < 60 else f"{number(seconds)} s"


def trial_scale(record: Record) -> Scale:
    """Numbers of trials across a half-width chart."""
    return spanning(0, max(1, len(record.trials) - 1), LEFT, HALF - 14.0, pad=0.02)


def kind(name: str) -> str:
    """A method without the counts of one proposal: nodes, points listed, the trial that was mutated."""
    return re.sub(r" \(\d+ nodes?\)| of \d+( points)?$", "", name)


def methods(record: Record) -> Markup:
    """One row for each way in which points were found."""
    groups: dict[tuple[str, str], list[Certificate]] = defaultdict(list)
    for trial, certificate in record.certified:
        groups[kind(trial.origin), kind(certificate.solver)].append(certificate)
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))
    rows = [method(origin, solver, found) for (origin, solver), found in largest[:MOST_METHODS]]
    head = (
        "method",
        "solver",
        "points",
        "proved best",
        "of all untried",
        "largest gap",
        "largest residual",
        "median time",
        "longest",
    )
    more = len(largest) - MOST_METHODS
    note = [tag("p", text(f"And {count(more, 'other method')}."), class_="caption")] if more > 0 else []
    return joined([table(head, rows, "How points were found", range(2, 9)), *note])


def method(origin: str, solver: str, found: Sequence[Certificate]) -> list[Markup]:
    """One way of finding points, in numbers."""
    seconds = [usable(certificate.seconds) for certificate in found]
    shown = (
        short(origin, 40),
        short(solver, 60),
        f"{len(found):,}",
        f"{sum(c.status == 'optimal' for c in found):,}",
        f"{sum(c.status == 'optimal' and c.about == EVERYWHERE for c in found):,}",
        share(max(map(gap, found))),
        number(max(c.residual for c in found), 2),
        duration(float(np.median(seconds))),
        duration(max(seconds)),
    )
    return [text(entry) for entry in shown]
