"""Measure what the marks of failures, noise and several objectives ask for.

    python scripts/reach.py failures --seeds 100 120 --out reach.jsonl
    python scripts/reach.py noise    --seeds 100 120 --out reach.jsonl
    python scripts/reach.py front    --seeds 100 105 --out reach.jsonl
    python scripts/reach.py table --out reach.jsonl
    python scripts/reach.py speed

A run is a line of the file as soon as it ends; what is in the file is not run again. All arms of a seed start
from the same random points.
"""

import argparse
import functools
import itertools
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import milbox as mb
from milbox.surrogates import ReluLearner

Row = dict[str, Any]


# The domains and what is measured on them.


def subset() -> tuple[mb.Domain, Callable[..., float]]:
    """Eight of twenty things, that are worth more or less in pairs."""
    x = mb.binary("x", 20)
    pairs = np.random.default_rng(1).normal(size=(20, 20))

    def worth(x: Any) -> float:
        return float(x @ pairs @ x)

    return mb.Domain([x], [x.sum() == 8]), worth


def sequence() -> tuple[mb.Domain, Callable[..., float]]:
    """Eight letters of five, no two alike side by side; neighbours at one and two places count."""
    s = mb.categorical("s", list("ABCDE"), 8)
    rng = np.random.default_rng(2)
    single, near, far = rng.normal(size=(8, 5)), rng.normal(size=(5, 5)), rng.normal(size=(5, 5))

    def worth(s: Any) -> float:
        k = np.array(["ABCDE".index(letter) for letter in s])
        own = single[np.arange(8), k].sum()
        return float(own + near[k[:-1], k[1:]].sum() + 0.7 * far[k[:-2], k[2:]].sum())

    return mb.Domain([s], [s[i] != s[i + 1] for i in range(7)]), worth


def process() -> tuple[mb.Domain, Callable[..., float]]:
    """A catalyst, a temperature, a grid of acidities and a mixture of four."""
    catalyst = mb.categorical("catalyst", ["none", "iron", "nickel", "copper"])
    t, ph = mb.real("t", 20, 80), mb.real("ph", 4, 8, step=0.5)
    mix = mb.real("mix", 0, 1, 4, step=0.001)
    rules = [mix.sum() == 1, mb.at_most(3, mix > 0), mb.implies(catalyst == "none", t >= 40)]

    def worth(catalyst: str, t: float, ph: float, mix: Any) -> float:
        active = {"none": 0.0, "iron": 0.6, "nickel": 1.0, "copper": 0.8}[catalyst]
        best = {"none": 70.0, "iron": 62.0, "nickel": 55.0, "copper": 35.0}[catalyst]
        heat = np.exp(-(((t - best) / 15) ** 2))
        acid = -0.1 * (ph - 6.5) ** 2
        blend = 2 * mix[0] * mix[1] + 1.5 * mix[1] * mix[2] - 0.5 * mix[3]
        return float(active * heat + acid + blend)

    return mb.Domain([catalyst, t, ph, mix], rules), worth


def settings() -> tuple[mb.Domain, Callable[..., float]]:
    """Six switches and four levels, of which some exclude others."""
    on, level = mb.binary("on", 6), mb.integer("level", 0, 7, 4)
    rng = np.random.default_rng(3)
    weights, peaks = rng.normal(size=(6, 4)), rng.integers(1, 7, size=4)

    def worth(on: Any, level: Any) -> float:
        bent = -(((level - peaks) / 4) ** 2)
        return float(bent.sum() + 0.3 * (on @ weights @ (level / 7)) + 0.1 * on.sum())

    return mb.Domain([on, level], [on.sum() <= 4, mb.implies(on[0] == 1, level.sum() <= 16)]), worth


def best_known(domain: mb.Domain, worth: Callable[..., float], name: str) -> tuple[dict[str, Any], float]:
    """The best point: listed where that is possible, else by many short climbs on the grid."""
    if name == "process":
        found = []
        for catalyst in ("none", "iron", "nickel", "copper"):
            best = {"none": 70.0, "iron": 62.0, "nickel": 55.0, "copper": 35.0}[catalyst]
            for a in np.arange(0, 1001, 5):
                # Either two of the three that are worth something, or all three of them.
                for b in (500, 571, 400, 429):
                    mix = np.array([a, b, 1000 - a - b, 0]) / 1000
                    if (mix >= 0).all():
                        point = {"catalyst": catalyst, "t": best, "ph": 6.5, "mix": mix}
                        found.append((worth(**point), point))
        value, point = max(found, key=lambda pair: pair[0])
        return point, value
    everything = (domain.assignment(tuple(codes)) for codes in listed(domain))
    return max(((point, worth(**point)) for point in everything), key=lambda pair: pair[1])


def listed(domain: mb.Domain) -> Iterator[list[int]]:
    """Every point of a small domain."""
    sizes = tuple(len(v.codes) for v in domain.variables)
    codes = np.stack(np.unravel_index(np.arange(np.prod(sizes)), sizes), axis=1)
    codes = codes + np.array([v.codes[0] for v in domain.variables])
    yield from codes[domain.feasible(codes)].tolist()


PROBLEMS = {"subset": subset, "sequence": sequence, "process": process, "settings": settings}


# Failures.

FAILURES = ("subset", "sequence", "process")
BUDGET = 80


@dataclass(frozen=True)
class Clause:
    """A conjunction that fails, and that the best point of all satisfies; nobody is told of it."""

    tests: tuple[Callable[[dict[str, Any]], bool], ...]

    def __call__(self, point: dict[str, Any]) -> bool:
        """Whether a point fails."""
        return all(test(point) for test in self.tests)


def hidden(name: str, best: dict[str, Any], seed: int) -> Clause:
    """Two literals of the best point, chosen by the seed; of a real, that it is beyond some value."""
    rng = np.random.default_rng([seed, 7])
    if name == "process":
        share, heat = float(rng.uniform(0.1, 0.3)), float(rng.uniform(5, 20))
        every = [
            lambda p: p["catalyst"] == best["catalyst"],
            lambda p: p["t"] > best["t"] - heat,
            lambda p: p["mix"][1] > best["mix"][1] - share,
            lambda p: p["ph"] > 5.5,
        ]
    else:
        key = "x" if name == "subset" else "s"
        places = [i for i, value in enumerate(best[key]) if name == "sequence" or value]
        every = [lambda p, i=i: p[key][i] == best[key][i] for i in places]
    chosen = rng.choice(len(every), size=2, replace=False)
    return Clause(tuple(every[i] for i in chosen))


def failures(name: str, arm: str, seed: int) -> Row:
    """One run under a hidden clause."""
    domain, worth = PROBLEMS[name]()
    clause = hidden(name, BEST[name][0], seed)

    def measured(**point: Any) -> float:
        if clause(point):
            raise mb.ObjectiveFailed("nobody knows why")
        return worth(**point)

    result = mb.maximize(
        measured,
        domain,
        budget=BUDGET,
        initial=12,
        seed=seed,
        learn_failures=arm == "learning",
        failures=1.0,
    )
    return {"failed": sum(trial.state == "failed" for trial in result.trials), "best": result.best.value}


# Noise.

NOISE = {"subset": 6.0, "sequence": 2.0, "process": 0.3, "settings": 0.8}
"""The standard deviation of a measurement, about that of the values over the domain."""


def noise(name: str, arm: str, seed: int) -> Row:
    """One run whose measurements vary; what counts is the true value of the point that it recommends."""
    domain, worth = PROBLEMS[name]()
    luck = np.random.default_rng([seed, 11])

    def measured(**point: Any) -> float:
        return worth(**point) + NOISE[name] * float(luck.normal())

    result = mb.maximize(measured, domain, budget=BUDGET, initial=12, seed=seed, noise=arm == "noise=True")
    return {
        "regret": BEST[name][1] - worth(**result.best.assignment),
        "points": len({trial.point for trial in result.trials}),
    }


# Several objectives under hard constraints.


@dataclass(frozen=True)
class Several:
    """A problem with two outputs that are wanted large.

    Attributes:
        domain: with its hard constraints.
        outputs: of the variables, as an array.
        space: the same variables as Optuna suggests them; gives values by name.
        excess: by how much a suggestion breaks each constraint, as `constraints_func` wants it.
    """

    domain: mb.Domain
    outputs: Callable[..., Any]
    space: Callable[[Any], dict[str, Any]]
    excess: Callable[[dict[str, Any]], list[float]]


def bits(trial: Any, name: str, count: int) -> Any:
    """Binaries as Optuna's users suggest them."""
    return np.array([trial.suggest_int(f"{name}{i}", 0, 1) for i in range(count)])


def knapsack() -> Several:
    """Thirty things with two worths, of which a part may be carried."""
    rng = np.random.default_rng(21)
    weight = rng.integers(5, 30, size=30)
    worth = rng.uniform(0, 1, size=(2, 30)) * weight
    limit = int(weight.sum() * 0.4)
    x = mb.binary("x", 30)
    return Several(
        mb.Domain([x], [(weight * x).sum() <= limit]),
        lambda x: worth @ x,
        lambda trial: {"x": bits(trial, "x", 30)},
        lambda p: [float(weight @ p["x"] - limit)],
    )


def portfolio() -> Several:
    """Six of eighteen assets, two of them at most of each sector: return and (negated) risk."""
    rng = np.random.default_rng(22)
    gain, parts = rng.uniform(0, 1, size=18), rng.normal(size=(18, 5))
    risk = parts @ parts.T + np.diag(rng.uniform(0, 1, size=18))
    x = mb.binary("x", 18)
    sectors = [slice(k, k + 3) for k in range(0, 18, 3)]
    return Several(
        mb.Domain([x], [x.sum() == 6, *(x[part].sum() <= 2 for part in sectors)]),
        lambda x: np.array([gain @ x, -(x @ risk @ x)]),
        lambda trial: {"x": bits(trial, "x", 18)},
        lambda p: [abs(float(p["x"].sum() - 6)), *(float(p["x"][part].sum() - 2) for part in sectors)],
    )


def alloy() -> Several:
    """Four amounts that add up to one, three of them at most: strength and (negated) price."""
    mix = mb.real("mix", 0, 1, 4, step=0.001)
    price = np.array([1.0, 3.0, 6.0, 9.0])

    def outputs(mix: Any) -> Any:
        strength = (
            4 * mix[0] * mix[2] + 5 * mix[1] * mix[3] + 3 * mix[2] * mix[3] + mix @ [0.2, 0.5, 0.9, 0.4]
        )
        return np.array([strength, -float(price @ mix)])

    def space(trial: Any) -> dict[str, Any]:
        first = np.array([trial.suggest_float(f"mix{i}", 0, 1, step=0.001) for i in range(3)])
        return {"mix": np.round(np.append(first, 1 - first.sum()), 3)}

    return Several(
        mb.Domain([mix], [mix.sum() == 1, mb.at_most(3, mix > 0)]),
        outputs,
        space,
        lambda p: [float(-p["mix"][3]), float((p["mix"] > 0).sum() - 3)],
    )


def plant() -> Several:
    """The process above: what it is worth, and (negated) what heat and catalyst cost."""
    domain, worth = process()
    price = {"none": 0.0, "iron": 0.3, "nickel": 1.0, "copper": 0.6}

    def outputs(catalyst: str, t: float, ph: float, mix: Any) -> Any:
        return np.array(
            [worth(catalyst, t, ph, mix), -(price[catalyst] + (t - 20) / 60 + mix @ [0.8, 0.5, 0.2, 0])]
        )

    def space(trial: Any) -> dict[str, Any]:
        first = np.array([trial.suggest_float(f"mix{i}", 0, 1, step=0.001) for i in range(3)])
        return {
            "catalyst": trial.suggest_categorical("catalyst", ["none", "iron", "nickel", "copper"]),
            "t": round(trial.suggest_float("t", 20, 80), 5),
            "ph": trial.suggest_float("ph", 4, 8, step=0.5),
            "mix": np.round(np.append(first, 1 - first.sum()), 3),
        }

    def excess(p: dict[str, Any]) -> list[float]:
        cold = 40 - p["t"] if p["catalyst"] == "none" else 0.0
        return [float(-p["mix"][3]), float((p["mix"] > 0).sum() - 3), float(cold)]

    return Several(domain, outputs, space, excess)


def switches() -> Several:
    """The settings above, and (negated) what they consume."""
    domain, worth = settings()
    on_cost, level_cost = np.array([3, 1, 2, 4, 1, 2]), np.array([1.0, 0.5, 2.0, 1.5])

    def space(trial: Any) -> dict[str, Any]:
        level = np.array([trial.suggest_int(f"level{i}", 0, 7) for i in range(4)])
        return {"on": bits(trial, "on", 6), "level": level}

    def excess(p: dict[str, Any]) -> list[float]:
        crowded = p["level"].sum() - 16 if p["on"][0] else 0
        return [float(p["on"].sum() - 4), float(crowded)]

    return Several(
        domain,
        lambda on, level: np.array([worth(on, level), -float(on @ on_cost + level @ level_cost)]),
        space,
        excess,
    )


def chain() -> Several:
    """The sequence above, and how many of its letters are cheap ones, later ones the more."""
    domain, worth = sequence()
    cheap = np.random.default_rng(26).uniform(0, 1, size=(8, 5))

    def outputs(s: Any) -> Any:
        return np.array([worth(s), float(cheap[np.arange(8), ["ABCDE".index(c) for c in s]].sum())])

    return Several(
        domain,
        outputs,
        lambda trial: {"s": np.array([trial.suggest_categorical(f"s{i}", list("ABCDE")) for i in range(8)])},
        lambda p: [float(p["s"][i] == p["s"][i + 1]) for i in range(7)],
    )


def cantilever() -> Several:
    """A beam of three sections with widths and heights on a grid: (negated) volume and deflection.

    Heights do not grow towards the tip, and no section is slimmer than one to twenty.
    """
    b, h = mb.integer("b", 1, 8, 3), mb.integer("h", 4, 60, 3, encoding="integer")
    rules = [h[0] >= h[1], h[1] >= h[2], *(h[i] <= 20 * b[i] for i in range(3))]

    def outputs(b: Any, h: Any) -> Any:
        stiff = np.array([7.0, 5.0, 3.0]) / (b * (h / 20.0) ** 3)
        return np.array([-float((b * h).sum()) / 100, -float(np.log(stiff.sum()))])

    def space(trial: Any) -> dict[str, Any]:
        return {
            "b": np.array([trial.suggest_int(f"b{i}", 1, 8) for i in range(3)]),
            "h": np.array([trial.suggest_int(f"h{i}", 4, 60) for i in range(3)]),
        }

    return Several(
        mb.Domain([b, h], rules),
        outputs,
        space,
        lambda p: [
            *(float(p["h"][i + 1] - p["h"][i]) for i in range(2)),
            *(float(p["h"][i] - 20 * p["b"][i]) for i in range(3)),
        ],
    )


FRONTS = {
    "knapsack": knapsack,
    "portfolio": portfolio,
    "alloy": alloy,
    "plant": plant,
    "switches": switches,
    "chain": chain,
    "cantilever": cantilever,
}
SUGGESTIONS = 5
"""Optuna may suggest so many times as many points as are evaluated; infeasible ones do not count."""
FRONT_BUDGET, FRONT_INITIAL = 100, 20


def starts(problem: Several, seed: int) -> list[dict[str, Any]]:
    """The random feasible points that every arm begins with."""
    study = mb.Study(problem.domain, mb.RandomSearch(), seed=seed)
    return [trial.assignment for trial in study.ask_many(FRONT_INITIAL)]


@functools.cache
def corner(name: str) -> Any:
    """The reference of the hypervolume: the worst values of a thousand random points, the same for all."""
    problem = FRONTS[name]()
    drawn = mb.Study(problem.domain, mb.RandomSearch(), seed=12345).ask_many(1000)
    return np.array([problem.outputs(**trial.assignment) for trial in drawn]).min(axis=0)


def front(name: str, arm: str, seed: int) -> Row:
    """One run; the hypervolume of what it has evaluated, from a fixed corner."""
    from milbox.trials.front import hypervolume

    problem = FRONTS[name]()
    first = starts(problem, seed)
    outputs, suggested = (
        ours(problem, first, seed) if arm == "nn+milp" else optunas(problem, arm, first, seed)
    )
    volume = hypervolume(np.array(outputs), corner(name))
    return {"hypervolume": volume, "evaluations": len(outputs), "suggested": suggested}


def ours(problem: Several, first: list[dict[str, Any]], seed: int) -> tuple[list[Any], int]:
    """The study of milbox."""
    known = [(point, dict(zip("ab", map(float, problem.outputs(**point)), strict=True))) for point in first]
    study = mb.Study(
        problem.domain,
        mb.NNMILP(initial=1),
        seed=seed,
        objectives={"a": "maximize", "b": "maximize"},
        known=known,
    )
    outputs = [problem.outputs(**point) for point in first]
    while len(outputs) < FRONT_BUDGET:
        trial = study.ask()
        outputs.append(problem.outputs(**trial.assignment))
        study.tell(trial.number, dict(zip("ab", map(float, outputs[-1]), strict=True)))
    return outputs, len(outputs)


def optunas(problem: Several, arm: str, first: list[dict[str, Any]], seed: int) -> tuple[list[Any], int]:
    """A study of Optuna with `constraints_func`, as its manual has it.

    Infeasible suggestions are told with their constraints and with their outputs, for nothing: they do not
    count as evaluations. A suggestion that was evaluated before gets its outputs again and does not count.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if arm == "tpe":
        sampler: Any = optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=FRONT_INITIAL, constraints_func=lambda t: t.user_attrs["excess"]
        )
    else:
        sampler = optuna.samplers.NSGAIISampler(
            seed=seed, population_size=FRONT_INITIAL, constraints_func=lambda t: t.user_attrs["excess"]
        )
    study = optuna.create_study(directions=["maximize", "maximize"], sampler=sampler)
    for point in first:
        study.enqueue_trial(flat(point))
    outputs: list[Any] = []
    seen: set[str] = set()
    suggested = 0
    while len(outputs) < FRONT_BUDGET and suggested < SUGGESTIONS * FRONT_BUDGET:
        suggested += 1
        trial = study.ask()
        point = problem.space(trial)
        excess = problem.excess(point)
        trial.set_user_attr("excess", excess)
        measured = problem.outputs(**point)
        study.tell(trial, [float(value) for value in measured])
        key = str(sorted(trial.params.items()))
        if max(excess) <= 0 and key not in seen:
            if not problem.domain.contains(problem.domain.point(point)):
                raise AssertionError(f"{point} keeps the constraints of Optuna and not of the domain")
            seen.add(key)
            outputs.append(measured)
    return outputs, suggested


def flat(point: dict[str, Any]) -> dict[str, Any]:
    """A point as Optuna's parameters."""
    found: dict[str, Any] = {}
    for name, value in point.items():
        if isinstance(value, np.ndarray):
            last = len(value) - 1 if name == "mix" else len(value)
            found |= {f"{name}{i}": item for i, item in enumerate(value.tolist()[:last])}
        else:
            found[name] = value
    return found


# What is run, and what came of it.

MARKS: dict[str, tuple[Callable[[str, str, int], Row], tuple[str, ...], tuple[str, ...]]] = {
    "failures": (failures, FAILURES, ("learning", "ignoring")),
    "noise": (noise, tuple(NOISE), ("noise=True", "measured once")),
    "front": (front, tuple(FRONTS), ("nn+milp", "tpe", "nsga-ii")),
}
BEST: dict[str, tuple[dict[str, Any], float]] = {}


def run(mark: str, seeds: range, out: Path, only: list[str] | None) -> None:
    """Every run that is not in the file, seed by seed."""
    measure, problems, arms = MARKS[mark]
    done = {(row["mark"], row["problem"], row["arm"], row["seed"]) for row in rows(out)}
    for seed, problem in itertools.product(seeds, problems):
        if only and problem not in only:
            continue
        if mark != "front" and problem not in BEST:
            BEST[problem] = best_known(*PROBLEMS[problem](), problem)
        for arm in arms:
            if (mark, problem, arm, seed) in done:
                continue
            began = time.perf_counter()
            row = {"mark": mark, "problem": problem, "arm": arm, "seed": seed} | measure(problem, arm, seed)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row | {"seconds": round(time.perf_counter() - began, 2)}) + "\n")


def rows(out: Path) -> list[Row]:
    """What has been run."""
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()] if out.exists() else []


SHOWN = {"failures": ("failed", "best"), "noise": ("regret", "points"), "front": ("hypervolume", "suggested")}


def table(out: Path, seeds: range | None) -> None:
    """Means over the seeds that every arm has, and how many of them the first arm wins against each other."""
    every = [row for row in rows(out) if seeds is None or row["seed"] in seeds]
    for mark, (_, problems, arms) in MARKS.items():
        for problem in problems:
            own = {
                (row["arm"], row["seed"]): row
                for row in every
                if (row["mark"], row["problem"]) == (mark, problem)
            }
            shared = [s for s in sorted({seed for _, seed in own}) if all((arm, s) in own for arm in arms)]
            if not shared:
                continue
            parts = []
            for arm in arms:
                means = [f"{key} {np.mean([own[arm, s][key] for s in shared]):.4g}" for key in SHOWN[mark]]
                seconds = np.mean([own[arm, s]["seconds"] for s in shared])
                parts.append(f"{arm}: {', '.join(means)}, {seconds:.1f} s")
            key = {"failures": "best", "noise": "regret", "front": "hypervolume"}[mark]
            sign = -1 if mark == "noise" else 1
            for arm in arms[1:]:
                margins = [sign * (own[arms[0], s][key] - own[arm, s][key]) for s in shared]
                won, lost = sum(m > 1e-9 for m in margins), sum(m < -1e-9 for m in margins)
                parts.append(f"{key} against {arm} won {won}, tied {len(shared) - won - lost}, lost {lost}")
            print(f"{mark} {problem} ({len(shared)} seeds) | " + " | ".join(parts))


# Whole steps over reals: fit, search and bookkeeping.

TRIED, STEPS = 300, 24


def speed() -> None:
    """The processor time of `ask` after 300 measured points, by FC(16) everywhere and by the default."""
    x, b, box = mb.real("x", 0, 1, 5), mb.binary("b", 20), mb.real("x", 0, 1, 20)
    domains = {
        "5 reals, 20 binaries, a sum": mb.Domain([x, b], [x.sum() + b.sum() <= 8]),
        "20 reals": mb.Domain([box]),
    }
    strategies = {"FC(16)": mb.NNMILP(ReluLearner(), initial=1), "default": mb.NNMILP(initial=1)}
    for (name, domain), (who, strategy) in itertools.product(domains.items(), strategies.items()):
        rng = np.random.default_rng(1)
        slopes = rng.normal(size=len(domain.variables))

        def value(point: dict[str, Any], slopes: Any = slopes) -> float:
            codes = np.concatenate([np.ravel(each) for each in point.values()])
            return float(np.sin(3 * codes * slopes).sum())

        ends = np.array([(v.codes[0], v.codes[-1] + 1) for v in domain.variables])
        codes = rng.integers(ends[:, 0], ends[:, 1], size=(40_000, len(ends)))
        drawn = [domain.assignment(tuple(row)) for row in codes[domain.feasible(codes)][:TRIED].tolist()]
        known = [(point, value(point)) for point in drawn]
        study = mb.Study(domain, strategy, known=known)
        seconds, proved = [], 0
        for _ in range(STEPS):
            began = time.process_time()
            trial = study.ask()
            seconds.append(time.process_time() - began)
            proved += trial.certificate is not None and trial.certificate.status == "optimal"
            study.tell(trial.number, value(dict(trial.assignment)))
        own = 1e3 * np.array(seconds[1:])  # the first one loads what was compiled
        print(
            f"{name}, {who}: median {np.median(own):.1f} ms, largest {own.max():.1f} ms, "
            f"{proved} of {STEPS} proved"
        )


def main() -> None:
    """Run one of the marks, or print what came of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mark", choices=[*MARKS, "table", "speed"])
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    parser.add_argument("--out", type=Path, default=Path("reach.jsonl"))
    parser.add_argument("--problem", action="append", help="only this one; may be repeated")
    given = parser.parse_args()
    seeds = None if given.seeds is None else range(*given.seeds)
    if given.mark == "speed":
        speed()
    elif given.mark == "table":
        table(given.out, seeds)
    else:
        run(given.mark, seeds or range(100, 120), given.out, given.problem)


if __name__ == "__main__":
    main()
