"""A page about several studies of one domain: their courses in one chart, and their ends in a table."""

import numpy as np

from milbox.display import duration
from milbox.page.document import document
from milbox.page.formats import count, number, short, value_text
from milbox.page.sections.best_points import LONGEST
from milbox.page.svg.charts import Axes, Dot, axes, both, chart, dots, figure, legend, staircase, table
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import spanning
from milbox.trials.course import Comparison
from milbox.trials.record import Record

SERIES = "abcdef"
"""Marks of the studies; there are no more in one page."""

HEAD = ("study", "trials", "failed", "best", "in trial", "as good after", "proved", "time")


def comparison_page(compared: Comparison, names: list[str]) -> str:
    """The studies side by side as one HTML file."""
    title = " and ".join(names) if len(names) == 2 else f"{len(names)} studies"
    goal = str(compared.records[0].goal).replace("ize", "ise")
    domain = compared.records[0].domain
    eyebrow = (
        f"{goal} over {count(len(domain.variables), 'variable')} · {count(len(domain.rules), 'constraint')}"
    )
    main = [
        tag(
            "header",
            tag("p", text(eyebrow), class_="eyebrow"),
            tag("h1", text(title)),
            tag("p", text(verdict(compared, names)), class_="lede"),
        ),
        part("courses", "Best so far", courses(compared, names)),
        part(
            "ends",
            "In numbers",
            joined([ends(compared, names), tag("p", text(reading(compared)), class_="caption")]),
        ),
    ]
    differing = differences(compared, names)
    if differing is not None:
        main.append(part("points", "Where the best points differ", differing))
    return document(title, joined(main))


def part(anchor: str, title: str, body: Markup) -> Markup:
    """A section with its heading."""
    return tag(
        "section",
        tag("h2", text(title), id=f"{anchor}-title"),
        body,
        id=anchor,
        aria_labelledby=f"{anchor}-title",
    )


def verdict(compared: Comparison, names: list[str]) -> str:
    """Who is ahead, in a sentence."""
    ended = [(compared.sign * course[-1][1], k) for k, course in enumerate(compared.courses) if course]
    if not ended:
        return "None of them has a value yet."
    ended.sort(reverse=True)
    best, place = ended[0]
    tied = [names[k] for value, k in ended if value == best]
    if len(tied) > 1:
        return f"{' and '.join(tied)} have reached the same {compared.quantity}."
    many = count(len(compared.records[place].trials), "trial")
    return f"{names[place]} is ahead after {many}: {compared.quantity} {number(compared.sign * best)}."


def reading(compared: Comparison) -> str:
    """What the columns mean."""
    return (
        "As good after: the number of trials until a study was as good as the least good one is in the end. "
        f"{count(compared.shared, 'point')} measured by all of them."
    )


def rows(compared: Comparison, names: list[str]) -> list[tuple[str, ...]]:
    """A row of texts for each study, under `HEAD`."""
    found: list[tuple[str, ...]] = []
    for place, (record, course) in enumerate(zip(compared.records, compared.courses, strict=True)):
        proofs, spent = record.proofs, record.spent
        reached = compared.reached(place)
        found.append(
            (
                names[place],
                f"{len(record.trials):,}",
                f"{record.having('failed'):,}",
                number(course[-1][1], 6) if course else "none yet",
                str(course[-1][0]) if course else "",
                "" if reached is None else f"{reached:,}",
                f"{proofs.optimal:,} of {proofs.certified:,}",
                duration(spent.model + spent.solver + spent.evaluation),
            )
        )
    return found


def ends(compared: Comparison, names: list[str]) -> Markup:
    """The ends of the studies as a table."""
    head = (*HEAD[:3], compared.quantity, *HEAD[4:])
    body = [[text(entry) for entry in row] for row in rows(compared, names)]
    return table(head, body, "The studies in numbers", range(1, len(head)))


def courses(compared: Comparison, names: list[str]) -> Markup:
    """The best so far of each study."""
    entries = [(f"k-{SERIES[k]}", name) for k, name in enumerate(names)]
    return figure(
        joined([legend(entries), both(lambda width: drawn(compared, names, width))]),
        text("The lines end with the last trial of each study."),
    )


def drawn(compared: Comparison, names: list[str], width: int) -> Markup:
    """The chart at a given width."""
    wide = width > 600
    left, right, top, height = 62.0, width - 14.0, 34.0, 360 if wide else 300
    bottom = height - 46.0
    values = [value for course in compared.courses for _, value in course] or [0.0]
    # The first trials of a study may be far worse than anything that matters later.
    worst = float(np.quantile(compared.sign * np.array(values), 0.02))
    best = float((compared.sign * np.array(values)).max())
    low, high = sorted((compared.sign * worst, compared.sign * best))
    longest = max(len(record.trials) for record in compared.records)
    x = spanning(0, max(1, longest - 1), left, right, pad=0.012)
    y = spanning(low, high, bottom, top, pad=0.07)
    parts = axes(Axes(x, y, "trial", compared.quantity, x.ticks(8 if wide else 4), y.ticks(6)))
    places: list[Dot] = []
    for k, (record, course) in enumerate(zip(compared.records, compared.courses, strict=True)):
        own = [Dot(x(t), y(v), f"{names[k]}, trial {t}: {number(v)}") for t, v in course]
        line = staircase([(d.x, d.y) for d in own], x(max(0, len(record.trials) - 1)))
        parts.append(tag("path", d=line, class_=f"course series-{SERIES[k]}"))
        parts.append(dots(own, f"dots small series-{SERIES[k]}"))
        places += own
    reached = ", ".join(f"{names[k]} ends at {number(c[-1][1])}" for k, c in enumerate(compared.courses) if c)
    words = f"Best {compared.quantity} so far against the number of the trial: {reached}."
    return chart(width, height, parts, words, sorted(places, key=lambda d: d.x))


def differences(compared: Comparison, names: list[str]) -> Markup | None:
    """The variables in which the best points differ; None where there is no best point, or no difference."""
    best = [record.best for record in compared.records]
    if any(trial is None for trial in best):
        return None
    found = [{} if trial is None else dict(trial.assignment) for trial in best]
    body = []
    for name in found[0]:
        shown = [value_text(each.get(name)) for each in found]
        if len(set(shown)) > 1:
            body.append([tag("code", text(name)), *(text(short(each, LONGEST // 10)) for each in shown)])
    if not body:
        return tag("p", text("They are the same point."))
    return table(("variable", *names), body, "Where the best points differ", [])


def named(records: list[Record]) -> list[str]:
    """What the studies are called: by their titles, or by their journals where two titles are alike."""
    titles = [record.title for record in records]
    if len(set(titles)) == len(titles):
        return titles
    places = [str(record.path) for record in records]
    return places if len(set(places)) == len(places) else [f"{t} ({k + 1})" for k, t in enumerate(titles)]
