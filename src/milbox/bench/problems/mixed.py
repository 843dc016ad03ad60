"""Problems with real variables from the literature, most of them mixed, as published.

What is linear is a constraint of the domain. Where a limit is not linear, the objective is charged for what
exceeds it, as is usual for these problems: every point can be evaluated, and points within all limits have
the published objective.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, binary, categorical, integer, real

THICKNESS = 0.0625
"""Plates of the pressure vessel come in multiples of this many inches."""


@dataclass(frozen=True, slots=True)
class Published:
    """A problem as published, always minimised there.

    Attributes:
        domain: makes the domain.
        cost: what is minimised, of the values of its variables in order.
        source: where the function comes from, in one line.
        citation: what to cite.
        best: the least cost that anyone has reported within all limits.
    """

    domain: Callable[[], Domain]
    cost: Callable[..., float]
    source: str
    citation: str
    best: float | None = None


def vessel_domain() -> Domain:
    """Shell and head in multiples of 1/16 inch, radius and length in inches; two limits are linear."""
    plates, radius, length = (
        integer("plates", 1, 99, 2, encoding="integer"),
        real("r", 10, 200),
        real("l", 10, 200),
    )
    return Domain(
        [plates, radius, length],
        [0.0193 * radius <= THICKNESS * plates[0], 0.00954 * radius <= THICKNESS * plates[1]],
    )


def vessel(plates: FloatArray, r: float, l: float) -> float:  # noqa: E741 - as published
    """The cost of a pressure vessel of at least 750 cubic feet."""
    shell, head = THICKNESS * plates
    cost = 0.6224 * shell * r * l + 1.7781 * head * r**2 + 3.1661 * shell**2 * l + 19.84 * shell**2 * r
    short = 1 - (math.pi * r**2 * l + 4 / 3 * math.pi * r**3) / 1_296_000
    return float(cost + 1e4 * max(0.0, short))


def beam_domain() -> Domain:
    """Thickness and length of the weld, width and thickness of the beam, in inches; one limit is linear."""
    h, l, t, b = real("h", 0.125, 2), real("l", 0.1, 10), real("t", 0.1, 10), real("b", 0.1, 2)  # noqa: E741
    return Domain([h, l, t, b], [h <= b])


def beam(h: float, l: float, t: float, b: float) -> float:  # noqa: E741 - as published
    """The cost of a welded beam that carries 6,000 pounds."""
    load, arm, young, shear = 6000.0, 14.0, 30e6, 12e6
    direct = load / (math.sqrt(2) * h * l)
    reach = math.sqrt(l**2 / 4 + ((h + t) / 2) ** 2)
    inertia = 2 * math.sqrt(2) * h * l * (l**2 / 12 + ((h + t) / 2) ** 2)
    bending = load * (arm + l / 2) * reach / inertia
    stress = math.sqrt(direct**2 + direct * bending * l / reach + bending**2)
    buckling = (
        4.013
        * young
        * math.sqrt(t**2 * b**6 / 36)
        / arm**2
        * (1 - t / (2 * arm) * math.sqrt(young / (4 * shear)))
    )
    exceeded = (
        stress / 13_600 - 1,
        6 * load * arm / (b * t**2) / 30_000 - 1,
        4 * load * arm**3 / (young * t**3 * b) / 0.25 - 1,
        1 - buckling / load,
    )
    cost = 1.10471 * h**2 * l + 0.04811 * t * b * (14 + l)
    return float(cost + sum(min(10.0, 5 * max(0.0, excess)) for excess in exceeded))


def reducer_domain() -> Domain:
    """Face width, module, teeth, lengths of two shafts and their diameters; four limits are linear."""
    face, module, teeth = (
        real("face", 2.6, 3.6),
        real("module", 0.7, 0.8),
        integer("teeth", 17, 28, encoding="integer"),
    )
    length, width = real("length", 7.3, 8.3, 2), [real("d0", 2.9, 3.9), real("d1", 5.0, 5.5)]
    return Domain(
        [face, module, teeth, length, *width],
        [
            5 * module <= face,
            face <= 12 * module,
            1.5 * width[0] + 1.9 <= length[0],
            1.1 * width[1] + 1.9 <= length[1],
        ],
    )


def reducer(face: float, module: float, teeth: int, length: FloatArray, d0: float, d1: float) -> float:
    """The weight of a speed reducer."""
    l0, l1 = length
    cost = (
        0.7854 * face * module**2 * (3.3333 * teeth**2 + 14.9334 * teeth - 43.0934)
        - 1.508 * face * (d0**2 + d1**2)
        + 7.4777 * (d0**3 + d1**3)
        + 0.7854 * (l0 * d0**2 + l1 * d1**2)
    )
    exceeded = (
        27 / (face * module**2 * teeth) - 1,
        397.5 / (face * module**2 * teeth**2) - 1,
        1.93 * l0**3 / (module * teeth * d0**4) - 1,
        1.93 * l1**3 / (module * teeth * d1**4) - 1,
        math.sqrt((745 * l0 / (module * teeth)) ** 2 + 16.9e6) / (110 * d0**3) - 1,
        math.sqrt((745 * l1 / (module * teeth)) ** 2 + 157.5e6) / (85 * d1**3) - 1,
        module * teeth / 40 - 1,
    )
    return float(cost + 2e4 * sum(max(0.0, excess) for excess in exceeded))


def rosenbrock(x: float, y: float) -> float:
    """Rosenbrock's valley, divided by 300."""
    return (100 * (y - x**2) ** 2 + (x - 1) ** 2) / 300


def camel(x: float, y: float) -> float:
    """The six-hump camel, divided by 10."""
    return ((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (-4 + 4 * y**2) * y**2) / 10


def beale(x: float, y: float) -> float:
    """Beale's function, divided by 50."""
    return ((1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2) / 50


CURVES = {"rosenbrock": rosenbrock, "camel": camel, "beale": beale}
SECOND = (*CURVES, "beale 2", "beale 3")
"""The second choice has five names, the last two of which mean Beale's function too."""

THIRD: dict[str, Callable[[float, float], float]] = {
    "5 camel": lambda x, y: 5 * camel(x, y),
    "2 rosenbrock": lambda x, y: 2 * rosenbrock(x, y),
    "2 beale": lambda x, y: 2 * beale(x, y),
    "3 beale": lambda x, y: 3 * beale(x, y),
}


def curves_domain(choices: int) -> Domain:
    """Two or three choices of a function, and a point of a square."""
    names = (tuple(CURVES), SECOND, tuple(THIRD))
    kinds = [categorical(f"f{i}", list(names[i])) for i in range(choices)]
    return Domain([*kinds, real("x", -2, 2, 2)])


def curves(x: FloatArray, **chosen: Any) -> float:
    """The sum of the functions that were chosen."""
    value = sum(CURVES[chosen[name].partition(" ")[0]](*x) for name in ("f0", "f1"))
    return float(value + (THIRD[chosen["f2"]](*x) if "f2" in chosen else 0.0))


def ackley(on: FloatArray, x: FloatArray) -> float:
    """Ackley's function of fifty zeros and ones and three reals."""
    z = np.concatenate([on, x]).astype(np.float64)
    return float(
        20 + math.e - 20 * np.exp(-0.2 * np.sqrt(np.mean(z**2))) - np.exp(np.mean(np.cos(2 * np.pi * z)))
    )


STEEPNESS: FloatArray = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
CENTRES = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann(x: FloatArray) -> float:
    """Hartmann's function of six reals."""
    heights = np.array([1.0, 1.2, 3.0, 3.2])
    return -float(heights @ np.exp(-(STEEPNESS * (x - CENTRES) ** 2).sum(axis=1)))


def hartmann_domain() -> Domain:
    """The unit cube with a limit on the sum."""
    x = real("x", 0, 1, 6)
    return Domain([x], [x.sum() <= 3])


def flare_domain() -> Domain:
    """Magnesium, sodium nitrate, strontium nitrate and binder, which add up to one."""
    bounds = {"magnesium": (0.4, 0.6), "sodium": (0.1, 0.5), "strontium": (0.1, 0.5), "binder": (0.03, 0.08)}
    amounts = [real(name, low, high, step=0.0001) for name, (low, high) in bounds.items()]
    return Domain(amounts, [sum(amounts) == 1])


def flare(magnesium: float, sodium: float, strontium: float, binder: float) -> float:
    """The illumination of a flare, by the quadratic mixture model of its experiment; negated."""
    x = np.array([magnesium, sodium, strontium, binder])
    pairs = {(0, 1): 8300, (0, 2): 8076, (0, 3): -6608, (1, 2): 3213, (1, 3): -16982, (2, 3): -17111}
    light = np.array([-1558, -2351, -2426, 14372]) @ x + sum(c * x[i] * x[j] for (i, j), c in pairs.items())
    return -float(light)


def ackley_domain() -> Domain:
    """Fifty binaries and three reals."""
    return Domain([binary("on", 50), real("x", -1, 1, 3)])


COCABO = "Ru et al., Bayesian Optimisation over Multiple Continuous and Categorical Inputs, ICML 2020"

PUBLISHED: dict[str, Published] = {
    "vessel": Published(
        vessel_domain,
        vessel,
        "design of a pressure vessel",
        "Kannan and Kramer, An augmented Lagrange multiplier based method for mixed integer discrete "
        "continuous optimization, J. Mech. Des. 116 (1994)",
        best=6059.714335,
    ),
    "beam": Published(
        beam_domain,
        beam,
        "design of a welded beam",
        "Coello Coello, Use of a self-adaptive penalty approach for engineering optimization problems, "
        "Computers in Industry 41 (2000)",
        best=1.724852,
    ),
    "reducer": Published(
        reducer_domain,
        reducer,
        "design of a speed reducer",
        "Golinski, Optimal synthesis problems solved by means of nonlinear programming and random methods, "
        "J. Mechanisms 5 (1970)",
        best=2994.471066,
    ),
    "func2c": Published(
        lambda: curves_domain(2),
        curves,
        "two choices of a function, and its arguments",
        COCABO,
        best=-0.20632569,
    ),
    "func3c": Published(
        lambda: curves_domain(3),
        curves,
        "three choices of a function, and its arguments",
        COCABO,
        best=-0.72213992,
    ),
    "ackley53": Published(
        ackley_domain,
        ackley,
        "Ackley's function of 50 binaries and 3 reals",
        "Bliek et al., Black-box Mixed-Variable Optimisation using a Surrogate Model that Satisfies Integer "
        "Constraints, GECCO Companion 2021",
        best=0.0,
    ),
    "hartmann": Published(
        hartmann_domain,
        hartmann,
        "Hartmann's function of six reals whose sum is at most three",
        "Balandat et al., BoTorch: A Framework for Efficient Monte-Carlo Bayesian Optimization, NeurIPS 2020 "
        "(the tutorial on closed-loop optimisation)",
        best=-3.32236801,
    ),
    "flare": Published(
        flare_domain,
        flare,
        "illumination of a flare of four ingredients",
        "McLean and Anderson, Extreme Vertices Design of Mixture Experiments, Technometrics 8 (1966); model "
        "of Cornell, Experiments with Mixtures, Wiley 2002",
    ),
}

NAMES = tuple(f"mixed/{name}" for name in PUBLISHED)


def mixed(name: str) -> Problem:
    """The problem `mixed/<name>`, negated, since problems are maximised."""
    published = PUBLISHED[name.removeprefix("mixed/")]
    domain = published.domain()

    def evaluate(points: IntArray) -> FloatArray:
        values = (domain.assignment(tuple(point)) for point in points.tolist())
        return np.array([-published.cost(**each) for each in values])

    return Problem(
        name=name,
        domain=domain,
        evaluate=evaluate,
        source=published.source,
        citation=published.citation,
        best_known=None if published.best is None else -published.best,
    )
