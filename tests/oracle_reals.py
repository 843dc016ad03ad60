"""Random questions about reals whose answers follow from geometry, and checks of what milbox answers.

A network is linear between the kinks of its units, so over a polygon its maximum is at a vertex of the
arrangement of kinks, sides and borders of what is excluded. With one or two reals all vertices are listed,
for each choice of the discrete variables; with three, a linear program is solved for each activation
pattern. Neither knows anything of milbox's programs.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator
from scipy.optimize import linprog

import milbox as mb
from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain.box import Box
from milbox.inner import Auto
from milbox.inner.query import Query, Region
from milbox.milp.solution import Status
from milbox.surrogates import Hinges
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Empty, Found
from milbox.trials.points import Points

STEPS = (20, 1000, 1_000_000)
"""How many steps a real has: a short grid, one of whole columns, and one of continuous columns."""

ROUNDING = 1e-7


@dataclass(frozen=True)
class Row:
    """weights·reals + extra·discretes <= limit, in whole hundredths."""

    weights: tuple[int, ...]
    extra: tuple[int, ...]
    limit: int


@dataclass(frozen=True)
class Case:
    """Reals from 0 to 1, binaries, a choice among three; rows; a network; tried points; a box or none."""

    domain: mb.Domain
    reals: int
    steps: int
    rows: tuple[Row, ...]
    net: ReluNet
    tried: tuple[Point, ...]
    box: Box | None


def drawn(rng: Generator) -> Case:
    """A random case with at least one feasible point that is tried."""
    while True:
        reals, binaries, colours = int(rng.integers(1, 4)), int(rng.integers(3)), int(rng.integers(2))
        steps = int(rng.choice(STEPS))
        x = mb.real("x", 0, 1, reals, step=Fraction(1, steps))  # type: ignore[call-overload]
        declared: list[object] = [x]
        on = mb.binary("on", binaries) if binaries else None
        declared += [on] if on is not None else []
        declared += [mb.categorical("colour", ["red", "green", "blue"])] * colours
        rows, constraints = [], []
        for _ in range(int(rng.integers(3))):
            weights = tuple(int(w) for w in rng.integers(-100, 101, reals))
            extra = tuple(int(w) for w in rng.integers(-50, 51, binaries))
            row = Row(weights, extra, int(rng.integers(-20, 120)))
            if not any(weights):
                continue
            rows.append(row)
            total = sum(w * x[i] for i, w in enumerate(weights) if w)
            if on is not None:
                total = total + sum(w * on[i] for i, w in enumerate(extra) if w)
            constraints.append(total <= row.limit)
        domain = mb.Domain(declared, constraints)
        codes = np.column_stack(
            [rng.integers(v.codes[0], v.codes[-1] + 1, size=400) for v in domain.variables]
        )
        codes = codes[domain.feasible(codes)]
        if not len(codes):
            continue
        # Three reals are searched pattern by pattern, and a tried point would multiply the patterns.
        count = 1 if reals == 3 else int(rng.integers(1, 8))
        tried = tuple(dict.fromkeys(map(tuple, codes[:count].tolist())))
        net = network(rng, domain, codes)
        box = (
            Box.around(domain, tried[0], float(rng.choice([1.6, 0.8, 0.4, 0.1])))
            if rng.random() < 0.6
            else None
        )
        return Case(domain, reals, steps, tuple(rows), net, () if reals == 3 else tried, box)


def network(rng: Generator, domain: mb.Domain, codes: IntArray) -> ReluNet:
    """A network of random weights, or hinges fitted to random values."""
    if rng.random() < 0.5:
        units = int(rng.integers(1, 6))
        first = 2 * rng.standard_normal((domain.features, units)), rng.standard_normal(units)
        return ReluNet.of([first, (rng.standard_normal((units, 1)), rng.standard_normal(1))])
    features = domain.encode(codes[: int(rng.integers(3, 30))])
    return Hinges(units=4).fit(features, rng.standard_normal(len(features)), rng)


def discrete_parts(case: Case) -> list[tuple[int, ...]]:
    """The codes of the discrete variables that the box allows."""
    found = list(itertools.product(*(v.codes for v in case.domain.variables[case.reals :])))
    if case.box is None:
        return found
    centre = case.box.centre[case.reals :]
    return [
        part for part in found if sum(a != b for a, b in zip(part, centre, strict=True)) <= case.box.changes
    ]


def bounds(case: Case) -> tuple[FloatArray, FloatArray]:
    """The least and the largest share of each real."""
    if case.box is None:
        return np.zeros(case.reals), np.ones(case.reals)
    return case.box.low[: case.reals] / case.steps, case.box.high[: case.reals] / case.steps


def sliced(case: Case, part: tuple[int, ...]) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The network over the reals alone: weights, biases, output weights, output bias."""
    features = case.domain.encode([(0,) * case.reals + part])[0]
    layer, output = case.net.hidden[0], case.net.output
    weights = layer.weights[: case.reals]
    bias = layer.bias + features[case.reals :] @ layer.weights[case.reals :]
    return weights, bias, output.weights[:, 0], float(output.bias[0])


def limits(case: Case, part: tuple[int, ...]) -> list[tuple[FloatArray, float]]:
    """Half-planes a·x <= b of the rows, for the reals."""
    binaries = [
        code for code, v in zip(part, case.domain.variables[case.reals :], strict=True) if v.kind == "binary"
    ]
    return [
        (
            np.array(row.weights, dtype=float),
            row.limit - sum(w * b for w, b in zip(row.extra, binaries, strict=True)),
        )
        for row in case.rows
    ]


def highest(case: Case, apart: int) -> float | None:
    """The most over what lies at least `apart` steps from tried points, between points of the grid too."""
    values = [
        by_patterns(case, part) if case.reals == 3 else by_vertices(case, part, apart / case.steps)
        for part in discrete_parts(case)
    ]
    return max((value for value in values if value is not None), default=None)


def by_vertices(case: Case, part: tuple[int, ...], apart: float) -> float | None:
    """The highest vertex of the arrangement for one choice of the discrete variables."""
    low, high = bounds(case)
    weights, bias, pull, level = sliced(case, part)
    rows = limits(case, part)
    zones = [np.array(t[: case.reals]) / case.steps for t in case.tried if t[case.reals :] == part]
    lines = [(weights[:, k], -bias[k]) for k in range(len(bias)) if np.abs(weights[:, k]).max() > 0]
    lines += rows
    for i, unit in enumerate(np.eye(case.reals)):
        ends = [low[i], high[i], *(z[i] + way * apart for z in zones for way in (-1, 1))]
        lines += [(unit, end) for end in ends]
    if case.reals == 1:
        points = np.array([[side / a[0]] for a, side in lines if a[0] != 0])
    else:
        found = []
        for (a, p), (b, q) in itertools.combinations(lines, 2):
            determinant = a[0] * b[1] - a[1] * b[0]
            if abs(determinant) > 1e-12 * np.abs(a).max() * np.abs(b).max():
                found.append([(p * b[1] - q * a[1]) / determinant, (q * a[0] - p * b[0]) / determinant])
        points = np.array(found).reshape(-1, 2)
    inside = ((points >= low - ROUNDING) & (points <= high + ROUNDING)).all(axis=1)
    for row, limit in rows:
        inside &= points @ row <= limit + ROUNDING * 100
    for zone in zones:
        inside &= ~(np.abs(points - zone) < apart - ROUNDING).all(axis=1)
    if not inside.any():
        return None
    points = points[inside]
    return float((np.maximum(points @ weights + bias, 0) @ pull).max() + level)


def by_patterns(case: Case, part: tuple[int, ...]) -> float | None:
    """The highest of linear programs, one for each pattern of active units."""
    low, high = bounds(case)
    weights, bias, pull, level = sliced(case, part)
    rows = limits(case, part)
    best = None
    for pattern in itertools.product((0, 1), repeat=len(bias)):
        on = np.array(pattern, dtype=float)
        sign = 1 - 2 * on  # active: -(w·x) <= b
        A = np.vstack([(weights * sign).T, *(a[None] for a, _ in rows)])
        b = np.concatenate([-bias * sign, [side for _, side in rows]])
        gain = weights @ (pull * on)
        solved = linprog(-gain, A_ub=A, b_ub=b, bounds=list(zip(low, high, strict=True)), method="highs")
        if solved.status == 0:
            value = -solved.fun + float(bias @ (pull * on)) + level
            best = value if best is None else max(best, value)
    return best


def wanted_apart(case: Case) -> list[int]:
    """The distances in steps, from the first one on, each a fourth of the one before."""
    share = (
        min(0.1, 0.1 * case.box.side)
        if case.box is not None
        else max(0.001, 0.1 * 0.01 ** (len(case.tried) / 90))
    )
    steps = [max(1, int(share / 4**k * case.steps)) for k in range(20)]
    return steps[: steps.index(1) + 1]


def keeps_rows(case: Case, point: Point) -> bool:
    """Whether a point keeps the rows, in fractions."""
    x = [Fraction(code, case.steps) for code in point[: case.reals]]
    variables = case.domain.variables[case.reals :]
    binaries = [code for code, v in zip(point[case.reals :], variables, strict=True) if v.kind == "binary"]
    return all(
        sum(w * value for w, value in zip(row.weights, x, strict=True))
        + sum(w * b for w, b in zip(row.extra, binaries, strict=True))
        <= row.limit
        for row in case.rows
    )


def distance(case: Case, point: Point) -> float:
    """How many steps a point is from the nearest tried one with the same discrete codes."""
    away = [
        max(abs(a - b) for a, b in zip(point[: case.reals], tried[: case.reals], strict=True))
        for tried in case.tried
        if tried[case.reals :] == point[case.reals :]
    ]
    return min(away, default=np.inf)


def answered(case: Case, rng: Generator) -> str:
    """Ask milbox, check its answer, and say what the certificate says."""
    domain, box = case.domain, case.box
    region = Region(domain, Points(case.tried), box=box)
    answer = Auto().solve(Query(case.net, region), rng)
    levels = wanted_apart(case)
    sample = np.column_stack([rng.integers(v.codes[0], v.codes[-1] + 1, size=2000) for v in domain.variables])
    if box is not None:
        sample = np.clip(sample, box.low, box.high)
        sample = sample[box.holds(sample)]
    sample = sample[[keeps_rows(case, tuple(row)) for row in sample.tolist()]] if len(sample) else sample
    if isinstance(answer, Empty):
        assert not any(distance(case, tuple(row)) >= 1 for row in sample.tolist()), "a point was left"
        return "empty"
    assert isinstance(answer, Found), answer
    (proposal,) = answer.proposals
    point, proof = proposal.point, proposal.certificate
    assert proof is not None
    assert keeps_rows(case, point), "infeasible in decimals"
    assert box is None or box.holds(np.array([point]))[0], "outside of the box"
    own = float(case.net.predict(domain.encode([point]))[0])
    scale = max(1.0, abs(own))
    assert abs(own - proof.value) <= 1e-9 * scale, (own, proof.value)

    # The distance is the first at which anything is left; what the geometry calls empty surely is.
    kept = next(level for level in levels if distance(case, point) >= level)
    assert all(highest(case, level) is None or case.steps < 5000 for level in levels[: levels.index(kept)])
    left = [row for row in sample.tolist() if distance(case, tuple(row)) >= kept]
    if left:
        dense = float(case.net.predict(domain.encode(left)).max())
        assert proof.bound >= dense - 1e-9 * scale, (proof.bound, dense)
    top = highest(case, kept)
    assert top is not None
    slope = float(
        np.abs(case.net.hidden[0].weights[: case.reals])
        @ np.abs(case.net.output.weights[:, 0])
        @ np.ones(case.reals)
    )
    assert own <= top + 1e-6 * max(scale, slope), (own, top)
    if proof.status is Status.OPTIMAL and case.steps == STEPS[-1]:
        assert own >= top - 1e-5 * max(1.0, abs(top), abs(proof.bound)) - 1e-6 * slope, (own, top)
    return str(proof.status)
