"""The section on what was run: domain, strategy, versions, failures."""

from collections import Counter
from typing import Any

from milbox.domain import Array, Binary, Categorical, Integer, Real
from milbox.page.formats import about, count, moment, share, short
from milbox.page.svg.charts import table
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials.record import Record

SHOWN = 40


def failures(record: Record) -> Markup | None:
    """The reasons of failures, the most frequent first; None when no trial failed."""
    reasons = Counter(
        trial.short_reason or "no reason given" for trial in record.trials if trial.state == "failed"
    )
    if not reasons:
        return None
    rows = [[text(f"{times:,}"), text(short(reason, 300))] for reason, times in reasons.most_common(8)]
    more = len(reasons) - len(rows)
    rest = f"And {count(more, 'other reason')}. " if more > 0 else ""
    words = f"{rest}Failed points are not proposed again. {lesson(record)}"
    return joined([table(("trials", "reason"), rows, "Why trials failed", [0]), tag("p", text(words))])


def lesson(record: Record) -> str:
    """What the model makes of failures, and whether there are fewer of them since."""
    if not record.goal.learn_failures:
        return "The model learns nothing from them."
    taught = "A model of what failed keeps proposals away from points like them."
    ended = [trial for trial in record.trials if trial.ended]
    parts = [
        [trial for trial in ended if trial.number < record.initial],
        [trial for trial in ended if trial.number >= record.initial],
    ]
    if not all(parts):
        return taught
    early, late = (share(sum(t.state == "failed" for t in part) / len(part)) for part in parts)
    return f"{taught} Of the initial design {early} failed, of the trials since {late}."


def about_run(record: Record) -> Markup:
    """The domain, the strategy and where it is all kept."""
    header, domain = record.header, record.domain
    size = domain.size
    points = f"{about(size)}" if size is not None else f"at most {about(domain.box_size)}"
    last = record.last_told
    facts = [
        ("Wanted", str(record.goal).replace("ize", "ise")),
        ("Points in the domain", points),
        ("Variables", f"{len(domain.variables):,}"),
        ("Constraints", f"{len(domain.rules):,}"),
        ("Seed", str(header.seed)),
        ("Started", moment(header.created_at)),
        ("Last value", moment(last) if last is not None else "none yet"),
        ("Made with", f"milbox {header.package}"),
        ("Domain's fingerprint", header.domain_fingerprint[:16]),
    ]
    if record.outside:
        facts.insert(2, ("Measured outside it", f"{len(record.outside):,}, which train the model"))
    rows = joined([tag("div", tag("dt", text(a)), tag("dd", text(b))) for a, b in facts])
    return joined(
        [
            tag("dl", rows, class_="facts columns"),
            tag("p", text("Strategy: "), tag("code", text(short(header.strategy, 1200)), class_="wrap")),
            variables(record),
        ]
    )


def variables(record: Record) -> Markup:
    """The declared variables, a row each."""
    declared = record.domain.declared
    rows = [[tag("code", text(short(str(thing.name), 60))), *kind_of(thing)] for thing in declared[:SHOWN]]
    more = len(declared) - SHOWN
    note = [tag("p", text(f"And {count(more, 'other')}."), class_="caption")] if more > 0 else []
    return joined([table(("name", "kind", "size", "values"), rows, "Variables", [2]), *note])


def kind_of(thing: Array[Any, Any] | Binary | Integer | Real | Categorical) -> list[Markup]:
    """Kind, shape and values of something declared."""
    scalar = next(thing.flat) if isinstance(thing, Array) else thing
    shape = " × ".join(str(length) for length in thing.shape) if isinstance(thing, Array) else "1"
    match scalar:
        case Binary():
            values = "0, 1"
        case Integer(_, low, high):
            values = f"{low} to {high}"
        case Real():
            values = f"{float(scalar.low):g} to {float(scalar.high):g} in steps of {float(scalar.step):g}"
        case _:
            values = short(", ".join(str(choice) for choice in scalar.choices), 200)
    return [text(scalar.kind), text(shape), text(values)]
