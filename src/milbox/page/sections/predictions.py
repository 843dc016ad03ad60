"""The section that compares predictions with measured values."""

import numpy as np

from milbox.arrays import FloatArray
from milbox.page.formats import count, number
from milbox.page.svg.charts import HALF, Axes, Dot, axes, chart, dots, figure, thinned
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.page.svg.scales import spanning
from milbox.trials.record import Record
from milbox.trials.trust import rank_correlation, running_correlation, sentence


def agreement(record: Record) -> Markup:
    """Predictions at the time of choice against measured values."""
    pairs = [
        (trial, certificate.value, trial.value)
        for trial, certificate in record.certified
        if trial.value is not None and np.isfinite(certificate.value)
    ]
    if not pairs:
        return tag("p", text("No point that a surrogate chose has been measured yet."), class_="quiet")
    predicted = np.array([p for _, p, _ in pairs])
    measured = np.array([m for _, _, m in pairs])
    both = np.concatenate([predicted, measured])
    low, high = robust_range(both)
    size = HALF
    left, right, top, bottom = 62.0, size - 14.0, 34.0, size - 96.0
    x, y = spanning(low, high, left, right), spanning(low, high, bottom, top)
    places = [
        Dot(x(p), y(m), f"trial {t.number}: predicted {number(p)}, measured {number(m)}") for t, p, m in pairs
    ]
    outside = int(
        ((predicted < x.low) | (predicted > x.high) | (measured < x.low) | (measured > x.high)).sum()
    )
    parts = [
        *axes(
            Axes(
                x,
                y,
                "predicted when chosen",
                f"measured {record.goal.label(record.goal.name)}",
                x.ticks(4),
                y.ticks(5),
            )
        ),
        tag("line", x1=left, y1=bottom, x2=right, y2=top, class_="diagonal"),
        dots(thinned(places), "dots model"),
    ]
    label = (
        f"Predicted against measured values of {count(len(pairs), 'trial')}; {strength(predicted, measured)}"
    )
    drawing = chart(size, int(bottom) + 46, parts, label, thinned(places))
    edge = f" {count(outside, 'point')} beyond the axes drawn at the edge." if outside else ""
    return tag(
        "div",
        figure(drawing, text(f"On the dashed line, what was predicted was measured.{edge}")),
        tag("div", *words(record, predicted, measured)),
        class_="half",
    )


def sampled(length: int, most: int = 6) -> list[int]:
    """A few places from the first windows to the last."""
    return sorted({length - 1 - round(k * length / most) for k in range(most)} & set(range(length)))


def robust_range(values: FloatArray) -> tuple[float, float]:
    """From the least to the largest, unless a few lie far from all others."""
    low, high = np.quantile(values, [0.02, 0.98])
    room = 1.0 * (high - low)
    return float(max(values.min(), low - room)), float(min(values.max(), high + room))


def strength(predicted: FloatArray, measured: FloatArray) -> str:
    """The rank correlation as the end of a sentence."""
    rho = rank_correlation(predicted, measured)
    if rho is None:
        return "too few or too equal to correlate."
    return f"the rank correlation is {number(round(rho, 2))}."


def words(record: Record, predicted: FloatArray, measured: FloatArray) -> list[Markup]:
    """The reading of the scatter, and its limits."""
    rho = rank_correlation(predicted, measured)
    error = np.abs(predicted - measured)
    too_good = int((record.sign * (predicted - measured) > 0).sum())
    side = "above" if record.sign > 0 else "below"
    facts = [
        ("Rank correlation", "too few values" if rho is None else number(round(rho, 2))),
        ("Median distance", number(float(np.median(error)), 3)),
        (f"Predictions {side} the measurement", f"{too_good:,} of {len(measured):,}"),
    ]
    half = len(measured) // 2
    if half >= 10:
        early, late = (float(np.median(part)) for part in (error[:half], error[half:]))
        facts.append(("Median distance, first and second half", f"{number(early, 3)}, {number(late, 3)}"))
    latest = running_correlation(record.trials)
    shown = [rho for rho in (latest[k] for k in sampled(len(latest))) if rho is not None]
    if len(shown) > 1:
        facts.append(("Rank correlation as the run went on", ", ".join(number(round(r, 2)) for r in shown)))
    rows = joined([tag("div", tag("dt", text(a)), tag("dd", text(b))) for a, b in facts])
    verdict = sentence(record.trust)
    return [
        *([tag("p", text(verdict), class_="warning" if record.trust.doubtful else None)] if verdict else []),
        tag("dl", rows, class_="facts"),
        tag(
            "p",
            text(
                "The prediction is the acquisition value that the inner solver maximised; with the default "
                "strategy that is the surrogate's own prediction. Half of its surrogates learn ranks "
                "in place of values: their predictions are in the right order, and in the right units near "
                "the median and the best. Each surrogate saw only the trials before it. Points are chosen "
                "because they are predicted to be good, so predictions tend to lie "
                f"{side} what is measured, and over so narrow a range the correlation is lower than it would "
                "be over random points."
            ),
        ),
    ]
