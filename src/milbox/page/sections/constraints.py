"""The section on constraints: those the best point makes tight, and the room the others leave."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import IntArray, Point
from milbox.domain import AllDifferent, AnyOf, Constraint, Count, Domain, Implies, Linear, Literal, OnlyIf
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.model.monomials import Monomial, total
from milbox.domain.rules.write import rule_text
from milbox.domain.stated import Stated
from milbox.page.formats import count, number, short
from milbox.page.svg.markup import Markup, coordinate, joined, tag, text
from milbox.trials.record import Record

SHOWN, MOST = 12, 200
LONGEST = 220


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one constraint at a point."""

    rule: str
    verdict: str
    detail: str
    room: float
    """The sort key of the table: 0 is tight, 1 leaves all the room there is, more has no measure of room."""
    gauge: Markup = Markup("")
    name: str | None = None


def constraints(record: Record) -> Markup:
    """A row for each constraint, the tightest first."""
    rules = record.domain.rules
    if not rules:
        return tag("p", text("The domain has no constraints."), class_="quiet")
    if record.best is None:
        words = f"The domain has {count(len(rules), 'constraint')}; there is no best point to check yet."
        return tag("p", text(words), class_="quiet")
    found = standings_at(record.domain, record.best.point)
    standings = sorted((state for _, state in found), key=lambda state: state.room)
    tight = sum(s.verdict == "tight" for s in standings)
    equal = sum(s.verdict == "equality" for s in standings)
    facts = [f"{count(tight, 'constraint')} of {len(rules):,} {'is' if tight == 1 else 'are'} tight"]
    if equal:
        plural = "is an equality, which leaves" if equal == 1 else "are equalities, which leave"
        facts.append(f"{equal:,} {plural} no room anywhere")
    if equal == len(rules):
        facts = ["every constraint is an equality, which leaves no room anywhere"]
    rest = standings[SHOWN:MOST]
    more = len(standings) - MOST
    return joined(
        [
            tag("p", text(f"At the best point, {'; '.join(facts)}. {MEANING}")),
            listing(standings[:SHOWN]),
            *([tag("details", tag("summary", text(f"{len(rest):,} more")), listing(rest))] if rest else []),
            *([tag("p", text(f"And {count(more, 'constraint')} with more room."))] if more > 0 else []),
        ]
    )


def standings_at(domain: Domain, point: Point) -> list[tuple[Stated, Standing]]:
    """Each rule of the domain with its state at a point."""
    codes = domain.columns(domain.codes([point]))
    return [(rule, stated(rule, codes)) for rule in domain.rules]


def listing(standings: Sequence[Standing]) -> Markup:
    """A row for each constraint."""
    return tag("ul", *map(row, standings), class_="rules")


MEANING = (
    "A tight constraint leaves no room in the direction it limits; whether loosening it would help, the run "
    "does not know. Bars run over all values the sum could take without constraints; the thick part is "
    "allowed."
)


def row(standing: Standing) -> Markup:
    """A constraint, its verdict and its gauge."""
    rule = " ".join(standing.rule.split())
    shown = short(rule, LONGEST)
    full = tag("code", text(shown), title=rule[:2000] if shown != rule else None)
    kind = standing.verdict.replace(" ", "-")
    name = [] if standing.name is None else [tag("strong", text(standing.name), class_="name")]
    return tag(
        "li",
        tag("span", text(standing.verdict), class_=f"badge {kind}"),
        tag("div", *name, full, tag("span", text(standing.detail), class_="detail"), class_="rule"),
        standing.gauge,
    )


def stated(rule: Stated, codes: Mapping[str, IntArray]) -> Standing:
    """The state of a rule at one point: that of its tightest part, in the user's words."""
    parts = [standing(part, codes) for part in conjuncts(rule.constraints)]
    # A rule that is always true has no part.
    tightest = min(parts, key=lambda part: part.room, default=Standing("", "holds", "", 2.0))
    detail = tightest.detail
    if len(parts) > 1:
        alike = sum(part.verdict == tightest.verdict for part in parts)
        detail = f"{alike:,} of its {len(parts):,} parts: {tightest.verdict}" + (
            f"; {detail}" if alike == 1 and detail else ""
        )
    gauge = tightest.gauge if len(parts) == 1 else Markup("")
    return Standing(rule.text, tightest.verdict, detail, tightest.room, gauge, rule.name)


def standing(constraint: Constraint, codes: Mapping[str, IntArray]) -> Standing:
    """The state of a constraint at one point."""
    rule = rule_text(constraint)
    if not bool(np.all(constraint.holds(codes))):
        return Standing(rule, "broken", "does not hold at the best point", -1.0)
    match constraint:
        case Linear(terms, lower, upper) if terms:
            unit, added = map(float, constraint.units)
            activity, lower, upper, low, high = (
                (float(end) - added) / unit
                for end in (total(terms, codes)[0], lower, upper, *reach(constraint))
            )
            return limited(rule, "the sum is", activity, (lower, upper), (low, high))
        case Count(parts, lower, upper):
            held = float(sum(bool(part.holds(codes)[0]) for part in parts))
            return limited(rule, f"of {len(parts)} parts hold", held, (lower, upper), (0, len(parts)))
        case Literal():
            return Standing(rule, "equality", "fixes or excludes a value", 1.5)
        case OnlyIf():
            exists = not bool(constraint.condition.holds(codes)[0])
            return Standing(rule, "idle", f"the variable {'exists' if exists else 'does not exist'}", 1.2)
        case Implies(condition, consequence):
            if not bool(condition.holds(codes)[0]):
                return Standing(rule, "idle", "its condition does not hold, so it asks for nothing", 1.2)
            inner = standing(consequence, codes)
            detail = f"its condition holds; {inner.detail}"
            if inner.verdict == "equality":  # of the consequence alone: other points leave room
                return Standing(rule, "in force", detail, 1.1, inner.gauge)
            return Standing(rule, inner.verdict, detail, inner.room, inner.gauge)
        case AnyOf(parts):
            held = sum(bool(part.holds(codes)[0]) for part in parts)
            if held == 1:
                return Standing(rule, "tight", f"only one of its {len(parts)} alternatives holds", 0.0)
            return Standing(
                rule, "room", f"{held} of its {len(parts)} alternatives hold", (held - 1) / len(parts)
            )
        case AllDifferent(variables) if len(constraint.values) == len(variables):
            return Standing(rule, "equality", "a permutation: every value is taken once", 1.5)
        case _:
            return Standing(rule, "holds", "", 2.0)


def limited(
    rule: str, words: str, activity: float, limits: tuple[float, float], ends: tuple[float, float]
) -> Standing:
    """A number between its limits, and how far it is from them."""
    lower, upper = float(limits[0]), float(limits[1])
    shown = f"{number(activity)} {words}" if words.startswith("of") else f"{words} {number(activity)}"
    gauge = gauge_of(activity, (lower, upper), ends)
    if lower == upper:
        return Standing(rule, "equality", f"{shown}, as it must", 1.5, gauge)
    # Rounding may carry a sum of fractions a little past its limit.
    below, above = max(0.0, activity - lower), max(0.0, upper - activity)
    slack = min(below, above)
    if math.isinf(slack):
        return Standing(rule, "holds", "it has no limits", 2.0)
    limit = lower if below <= above else upper
    side = "at least" if below <= above else "at most"
    scale = max(abs(limit), abs(activity), 1.0)
    if slack <= 1e-9 * scale:
        return Standing(rule, "tight", f"{shown}, {side} {number(limit)} asked", 0.0, gauge)
    width = max(float(ends[1]) - float(ends[0]), slack)
    return Standing(
        rule, "room", f"{shown}, {side} {number(limit)} asked: {number(slack)} left", slack / width, gauge
    )


def reach(constraint: Linear) -> tuple[float, float]:
    """The least and the largest the sum could be if every variable were free."""
    own: dict[str, dict[int | None, float]] = {}
    codes: dict[str, range] = {}
    low = high = 0.0
    for monomial, coefficient in constraint.terms:
        if len(monomial) > 1:
            one, other = sorted(float(coefficient) * end for end in product_range(monomial))
            low, high = low + one, high + other
            continue
        (factor,) = monomial
        codes[factor.name] = factor.variable.codes
        parts = own.setdefault(factor.name, {})
        parts[factor.code] = parts.get(factor.code, 0.0) + float(coefficient)
    for name, parts in own.items():
        slope = parts.get(None, 0.0)
        special = {code: slope * code + extra for code, extra in parts.items() if code is not None}
        # Over the codes without an extra of their own the sum is a straight line: its ends are enough.
        others = [
            slope * next(code for code in order if code not in special)
            for order in (codes[name], reversed(codes[name]))
            if len(special) < len(codes[name])
        ]
        low += min([*special.values(), *others])
        high += max([*special.values(), *others])
    return low, high


def product_range(monomial: Monomial) -> tuple[float, float]:
    """The range of a product of factors."""
    low, high = 1.0, 1.0
    for factor in monomial:
        codes = factor.variable.codes
        a, b = (0, 1) if factor.code is not None else (codes[0], codes[-1])
        corners = [low * a, low * b, high * a, high * b]
        low, high = min(corners), max(corners)
    return low, high


def gauge_of(activity: float, limits: tuple[float, float], ends: tuple[float, float]) -> Markup:
    """A line over the possible values, thick over the allowed ones, with a mark at the point."""
    low = min(float(ends[0]), activity)
    high = max(float(ends[1]), activity)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return Markup("")

    def place(value: float) -> float:
        return 6 + 148 * (min(max(value, low), high) - low) / (high - low)

    first, last = place(limits[0]), place(limits[1])
    start, width = (first - 1.5, 3.0) if last - first < 3 else (first, last - first)
    words = f"{number(activity)} on a line from {number(low)} to {number(high)}"
    return tag(
        "svg",
        tag("line", x1=6, x2=154, y1=9, y2=9, class_="axis"),
        tag("rect", x=start, y=6, width=width, height=6, rx=2, class_="allowed"),
        tag("path", d=f"M{coordinate(place(activity))} 2v14", class_="needle"),
        viewBox="0 0 160 18",
        width=160,
        height=18,
        role="img",
        aria_label=words,
        class_="gauge",
    )
