"""Seconds per acquisition problem on snapshots of real studies: the paper's pipeline, ours, and evolution.

A snapshot is the first so many trials of a study. A network is trained on it by the paper's recipe, and each
method finds its best untried point, one after the other in one process; programs and bounds are built within
the time. Another network is trained by our recipe, for our default. Seconds are processor time, which other
processes on the machine do not lengthen; the limit of a solver is on the clock.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from milbox.arrays import Point
from milbox.bench.measure.cells import CellRecord, read_cells
from milbox.bench.report.published import INNER_SECONDS, SOLVE_SECONDS
from milbox.bench.report.tables import markdown, number
from milbox.domain import Domain
from milbox.errors import DataError, Undecided
from milbox.inner import Auto, Evolution, InnerSolver, PaperMip
from milbox.inner.evolution.mutators import Balanced, paired_subsets
from milbox.inner.query import Query
from milbox.milp.solution import Limits, Status
from milbox.surrogates import PAPER, Learner, Ranked, ReluLearner
from milbox.surrogates.linear import LinearLearner
from milbox.trials.answer import Found

UNCONSTRAINED = ("randommlp", "tfbind", "bbob")

PUBLISHED = "published"
OUR_SOLVER = "published training, our solver"
DEFAULT = "our default"
EVOLUTION = "NN+RegEvo"
BALANCED = "NN+ConEvo"


@dataclass(frozen=True, slots=True)
class Solve:
    """One acquisition problem, solved by one method."""

    problem: str
    algorithm: str
    trial: int
    tried: int
    net: str
    method: str
    seconds: float
    """Processor time, as `fit_seconds`."""
    fit_seconds: float
    value: float
    """Of the point found, by the surrogate's own word."""
    proved: bool
    at_limit: bool

    @property
    def key(self) -> tuple[str, str, int, int, str, str]:
        """What it is a measurement of."""
        return self.problem, self.algorithm, self.trial, self.tried, self.net, self.method


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The first trials of a study."""

    record: CellRecord
    tried: int

    @property
    def domain(self) -> Domain:
        """The domain of the study."""
        return self.record.domain

    @property
    def points(self) -> list[Point]:
        """The points tried so far."""
        return [tuple(point) for point in self.record.points[: self.tried].tolist()]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        algorithm: whose studies the snapshots are of.
        tried: after how many trials, each where a study has as many.
        nets: hidden widths; none for the linear surrogate.
        seconds: the limit of the published pipeline.
    """

    algorithm: str = "nn+milp"
    tried: Sequence[int] = (50, 100, 200, 400, 700, 1000)
    nets: Sequence[tuple[int, ...]] = ((16,),)
    seconds: float = 500.0


def snapshots(folder: Path, extent: Extent) -> list[Snapshot]:
    """Of every study of the algorithm, those with few trials first, problem after problem."""
    records = [record for record in read_cells(folder) if record.algorithm == extent.algorithm]
    if not records:
        raise DataError(f"no study of {extent.algorithm} is in {folder}; name another with --algorithm")
    found = [
        Snapshot(record, tried) for record in records for tried in extent.tried if len(record.values) >= tried
    ]
    return sorted(found, key=lambda each: (each.record.trial, each.tried, each.record.problem))


def measured(folder: Path, out: Path, extent: Extent, say: Callable[[str], None]) -> list[Solve]:
    """Every solve, those in the file `out` included; each is written there as soon as it is measured."""
    done = read_solves(out) if out.exists() else []
    known = {solve.key for solve in done}
    todo = snapshots(folder, extent)
    warm = False
    for place, snapshot in enumerate(todo, start=1):
        for hidden in extent.nets:
            missing = [
                pair
                for pair in methods(snapshot, hidden, extent)
                if key(snapshot, hidden, pair[0]) not in known
            ]
            if not missing:
                continue
            what = f"{snapshot.record.problem}: {net_name(hidden)} at {snapshot.tried} tried points"
            say(f"[{place}/{len(todo)}] {what}")
            if not warm:  # compiled code is loaded on first use
                warm_up(snapshot)
                warm = True
            for solve in solved(snapshot, hidden, missing):
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(solve)) + "\n")
                done.append(solve)
    return done


def read_solves(path: Path) -> list[Solve]:
    """The solves in a file of JSON lines."""
    try:
        return [Solve(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (TypeError, ValueError) as error:
        raise DataError(f"{path} is not a file of solves ({error}); give another with --out") from error


def key(snapshot: Snapshot, hidden: tuple[int, ...], method: str) -> tuple[str, str, int, int, str, str]:
    """What would be measured."""
    record = snapshot.record
    return record.problem, record.algorithm, record.trial, snapshot.tried, net_name(hidden), method


def methods(
    snapshot: Snapshot, hidden: tuple[int, ...], extent: Extent
) -> list[tuple[str, Learner, InnerSolver]]:
    """Who is timed: a name, a recipe and an inner solver each."""
    theirs: Learner = replace(PAPER, hidden=hidden) if hidden else LinearLearner()
    ours: Learner = Ranked(ReluLearner(hidden=hidden)) if hidden else LinearLearner()
    found: list[tuple[str, Learner, InnerSolver]] = [
        (PUBLISHED, theirs, PaperMip(limits=Limits(seconds=extent.seconds))),
        (OUR_SOLVER, theirs, Auto()),
        (DEFAULT, ours, Auto()),
    ]
    if hidden and not snapshot.domain.constraints:
        found.append((EVOLUTION, theirs, Evolution()))
    if hidden and paired_subsets(snapshot.domain) is not None:
        found.append((BALANCED, theirs, Evolution(Balanced(0.05))))
    return found


def warm_up(snapshot: Snapshot) -> None:
    """Train and search once without a clock."""
    net = ReluLearner(steps=2).fit(
        snapshot.domain.encode(snapshot.points), rewards(snapshot), np.random.default_rng(0)
    )
    for inner in (Auto(), Evolution()):
        inner.solve(Query.of(net, snapshot.domain, snapshot.points), np.random.default_rng(0))


def rewards(snapshot: Snapshot) -> Any:
    """What was measured at the points."""
    return snapshot.record.values[: snapshot.tried]


def solved(
    snapshot: Snapshot, hidden: tuple[int, ...], chosen: Iterable[tuple[str, Learner, InnerSolver]]
) -> Iterator[Solve]:
    """One snapshot by several methods; methods with the same recipe have the same surrogate."""
    domain, points = snapshot.domain, snapshot.points
    features = domain.encode(points)
    fitted: dict[Learner, tuple[Any, float]] = {}
    for method, learner, inner in chosen:
        if learner not in fitted:
            began = time.process_time()
            surrogate = learner.fit(features, rewards(snapshot), np.random.default_rng([snapshot.tried, 1]))
            fitted[learner] = surrogate, time.process_time() - began
        surrogate, fit_seconds = fitted[learner]
        began, clock = time.process_time(), time.perf_counter()
        answer = inner.solve(Query.of(surrogate, domain, points), np.random.default_rng(0))
        seconds, waited = time.process_time() - began, time.perf_counter() - clock
        if not isinstance(answer, Found):
            raise Undecided(f"{method} found no point of {snapshot.record.problem}: {answer}")
        (proposal,) = answer.proposals
        certificate = proposal.certificate
        proved = certificate is not None and certificate.status is Status.OPTIMAL
        limit = inner.limits.seconds if isinstance(inner, PaperMip) else np.inf
        yield Solve(
            *key(snapshot, hidden, method),
            seconds=seconds,
            fit_seconds=fit_seconds,
            value=float(surrogate.predict(domain.encode([proposal.point]))[0]),
            proved=proved,
            at_limit=waited >= limit and not proved,
        )


def disagreements(solves: Sequence[Solve]) -> list[Solve]:
    """Solves that are proved optimal and worse than another method's point of the same surrogate."""
    best: dict[tuple[str, str, int, int, str], float] = {}
    same = [solve for solve in solves if solve.method != DEFAULT]
    for solve in same:
        best[solve.key[:-1]] = max(best.get(solve.key[:-1], -np.inf), solve.value)
    return [
        solve
        for solve in same
        if solve.proved and best[solve.key[:-1]] - solve.value > 1e-5 * max(1.0, abs(best[solve.key[:-1]]))
    ]


def net_name(hidden: tuple[int, ...]) -> str:
    """A network by its widths, as the paper writes it."""
    return f"FC({','.join(map(str, hidden))})" if hidden else "Linear"


def setting(problem: str) -> str:
    """The group in which the paper gives times: all unconstrained problems together, Ising by its size."""
    family = problem.partition("/")[0]
    if family in UNCONSTRAINED:
        return "unconstrained"
    return "/".join(problem.split("/")[:2]) if family == "ising" else family


def means(solves: Sequence[Solve]) -> str:
    """Average ± standard deviation, as in Section 4.4 of the paper."""
    groups = grouped((setting(solve.problem), solve.net, solve.method, solve) for solve in solves)
    lines = []
    for (where, net, method), group in groups.items():
        seconds = np.array([solve.seconds for solve in group])
        fits = np.array([solve.fit_seconds for solve in group])
        spread = f" ± {seconds.std(ddof=1):.3g}" if len(seconds) > 1 else ""
        theirs = INNER_SECONDS.get((where, net, method))
        lines.append(
            (
                where,
                net,
                method,
                len(group),
                f"{seconds.mean():.3g}{spread}",
                f"{fits.mean():.3g}",
                f"{np.mean([solve.proved for solve in group]):.0%}",
                "–" if theirs is None else f"{theirs[0]:.2f} ± {theirs[1]:.2f}",
            )
        )
    headers = (
        "problems",
        "network",
        "method",
        "solves",
        "processor seconds, mean ± sd",
        "training",
        "proved",
        "paper",
    )
    return markdown(headers, lines)


def distribution(solves: Sequence[Solve], family: str = "tfbind") -> str | None:
    """The paper's Table 2 on TfBind, with programs solved by SCIP, and ours; None without such solves."""
    wanted = [solve for solve in solves if solve.problem.startswith(f"{family}/")]
    wanted = [solve for solve in wanted if solve.method in (PUBLISHED, OUR_SOLVER)]
    groups = grouped((solve.net, solve.method, "", solve) for solve in wanted)
    lines: list[Sequence[object]] = []
    for (net, method, _), group in groups.items():
        seconds = [solve.seconds for solve in group]
        shown = [*np.percentile(seconds, [0, 50, 95, 99, 100])]
        late = np.mean([solve.at_limit for solve in group])
        lines.append((net, method, len(group), *(number(value, 3) for value in shown), f"{late:.1%}"))
        if method == PUBLISHED and net in SOLVE_SECONDS:
            *theirs, limit = SOLVE_SECONDS[net]
            lines.append(
                (net, "the paper, SCIP 7", "–", *(number(value, 3) for value in theirs), f"{limit:.1f}%")
            )
    headers = ("network", "method", "solves", "min", "median", "95 %", "99 %", "max", "at the limit")
    return markdown(headers, lines) if lines else None


def grouped(entries: Iterable[tuple[str, str, str, Solve]]) -> dict[tuple[str, str, str], list[Solve]]:
    """Solves by three words, in the order in which these first come."""
    found: dict[tuple[str, str, str], list[Solve]] = {}
    for *words, solve in entries:
        found.setdefault(tuple(words), []).append(solve)  # type: ignore[arg-type]
    return dict(sorted(found.items(), key=lambda item: item[0][:2]))
