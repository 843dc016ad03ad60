"""Solve times of every exact method and of the paper's configuration, measured side by side in one run.

Nets are trained on the first points of real runs; each method then finds the best untried point of the same
nets, model building included, and all must agree. Ratios are of medians within this run; seconds are of
processor time, which other processes do not lengthen, depend on the machine, and are for reading only.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, Point
from milbox.bench.problems import Problem, load
from milbox.errors import DataError
from milbox.inner import Auto, Branch, Enumerate, InnerSolver, Mip, PaperMip
from milbox.inner.query import Query
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.solvers import Scip, Settings
from milbox.strategies import NNMILP
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import PAPER, ReluLearner, ReluNet
from milbox.trials import Finished, Found, History

PROBLEMS = (
    "tfbind/SIX6_REF_R1",
    "randommlp/fcc-13",
    "bbob/schaffers_f7",
    "ising/100/0",
    "ising/200/0",
    "ising/400/0",
    "minlplib/graphpart_clique-40",
    "minlplib/qap",
)
NETS = ((16,), (32,), (16, 16))

# The paper stops its solver after 500 s; a hundredth of that many steps would take a day here.
PAPER_LIMIT = 120.0


@dataclass(frozen=True, slots=True)
class Row:
    """One method on one kind of net: the table's and the JSON's row."""

    domain: str
    net: str
    tried: int
    method: str
    seconds_median: float
    seconds_p95: float
    ratio_to_paper: float | None
    agrees: bool


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    problems: Sequence[str] = PROBLEMS
    nets: Sequence[tuple[int, ...]] = NETS
    tried: Sequence[int] = (50, 300, 1000)
    repeats: int = 5
    ablation: bool = True
    methods: Sequence[str] = ()
    """Only these; all when empty."""


QUICK = Extent(
    problems=("tfbind/SIX6_REF_R1", "randommlp/fcc-13", "ising/100/0", "minlplib/qap"),
    nets=((16,),),
    tried=(50, 300),
    repeats=3,
    ablation=False,
)


def methods(limit: float = PAPER_LIMIT) -> dict[str, InnerSolver]:
    """The exact methods that are compared; the first is the paper's configuration."""
    return {
        "paper": PaperMip(limits=Limits(seconds=limit)),
        "SCIP tuned": Mip(),
        "branch and bound": Branch(),
        "enumeration": Enumerate(),
        "auto": Auto(),
    }


@dataclass(frozen=True, slots=True)
class Eager:
    """SCIP as it is tuned, except that no row may wait."""

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise."""
        return Scip().solve(replace(milp, lazy=np.zeros_like(milp.lazy)), limits, start)


@dataclass(frozen=True, slots=True)
class Uncut:
    """SCIP as it is tuned, except that no rows of hulls are asked for."""

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise."""
        return Scip().solve(replace(milp, cutters=()), limits, start)


def ablations(limit: float = PAPER_LIMIT) -> dict[str, InnerSolver]:
    """The tuned program with each trick off in turn."""
    return {
        "tuned, but no start and all no-goods": Mip(limits=Limits(seconds=limit), start=False),
        "tuned, but SCIP's default settings": Mip(Scip(Settings.PAPER), Limits(seconds=limit)),
        "tuned, but all rows from the start": Mip(Eager(), Limits(seconds=limit)),
        "tuned, but no rows of hulls": Mip(Uncut(), Limits(seconds=limit)),
        "tuned, but both sides of every neuron": Mip(limits=Limits(seconds=limit), one_sided=False),
        "tuned, but bounds by linear programs": Mip(limits=Limits(seconds=limit), lp_bounds=True),
    }


def measure(extent: Extent, say: Callable[[str], None], data: Any = None) -> Iterator[Row]:
    """Every row, as it is measured; problems whose data are missing are said and left out."""
    for name in extent.problems:
        try:
            problem = load(name, data)
        except DataError as error:
            say(f"{name} is left out: {error}")
            continue
        say(f"{name}: a real run of {max(extent.tried)} evaluations")
        history = real_run(problem, max(extent.tried))
        for tried in extent.tried:
            for hidden in extent.nets:
                say(f"{name}: FC{hidden} at {tried} tried points")
                yield from cell(problem, history, tried, hidden, extent)
            if not extent.methods:
                yield from steps(problem, history, tried)
    if not extent.methods:
        say("training")
        yield from training()


def real_run(problem: Problem, count: int) -> History:
    """The trials of our default strategy, whose points crowd where the optimum is sought."""
    history, strategy = History(), NNMILP()
    for number in range(count):
        answer = strategy.propose(problem.domain, history, 1, np.random.default_rng([0, number]))
        if not isinstance(answer, Found):
            break
        proposal = answer.proposals[0]
        history = history.asked([proposal]).told(number, Finished(problem.value(proposal.point)))
    return history


def cell(
    problem: Problem, history: History, tried: int, hidden: tuple[int, ...], extent: Extent
) -> Iterator[Row]:
    """Every method that applies, on the same nets."""
    points, values = history.points[:tried], history.values[:tried]
    features = problem.domain.encode(points)
    nets = [
        ReluLearner(hidden=hidden).fit(features, values, np.random.default_rng([1, k]))
        for k in range(extent.repeats)
    ]
    chosen = methods() | (ablations() if extent.ablation and tried == max(extent.tried) else {})
    answers = {
        method: [timed(inner, net, problem, points) for net in nets]
        for method, inner in chosen.items()
        if (not extent.methods or method in extent.methods) and applies(inner, nets[0], problem)
    }
    if not answers:
        return
    best = [max(runs[k][1] for runs in answers.values()) for k in range(len(nets))]
    paper = statistics.median(seconds for seconds, _, _ in answers.get("paper", [(math.nan, 0.0, False)]))
    for method, runs in answers.items():
        median = statistics.median(seconds for seconds, _, _ in runs)
        scales = [max(1.0, abs(value)) for value in best]
        yield Row(
            domain=problem.name,
            net=f"FC({','.join(map(str, hidden))})",
            tried=tried,
            method=method,
            seconds_median=median,
            seconds_p95=float(np.percentile([seconds for seconds, _, _ in runs], 95)),
            ratio_to_paper=paper / median if "paper" in answers else None,
            # A search that a limit stopped claims nothing, and cannot disagree.
            agrees=all(
                not proved or abs(value - top) <= 1e-5 * scale
                for (_, value, proved), top, scale in zip(runs, best, scales, strict=True)
            ),
        )


def applies(inner: InnerSolver, net: ReluNet, problem: Problem) -> bool:
    """Whether a method takes such a net on such a domain."""
    return inner.refusal(Query.of(net, problem.domain)) is None


def timed(
    inner: InnerSolver, net: ReluNet, problem: Problem, points: Sequence[Point]
) -> tuple[float, float, bool]:
    """Seconds of processor time, the value found by the net's own word, and whether it is proved best."""
    began = time.process_time()
    answer = inner.solve(Query.of(net, problem.domain, points), np.random.default_rng(0))
    seconds = time.process_time() - began
    if not isinstance(answer, Found):
        raise RuntimeError(f"{inner} answered {answer} on {problem.name}")
    proposal = answer.proposals[0]
    value = float(net.predict(problem.domain.encode([proposal.point]))[0])
    certificate = proposal.certificate
    return seconds, value, certificate is not None and certificate.status is Status.OPTIMAL


def steps(problem: Problem, history: History, tried: int) -> Iterator[Row]:
    """A whole step, training included: the paper's recipe and solver against the default."""
    features = problem.domain.encode(history.points[:tried])
    values, points = history.values[:tried], history.points[:tried]
    seconds: dict[str, float] = {}
    for method, learner, inner in (
        ("step: paper", PAPER, methods()["paper"]),
        ("step: default", Ranked(), Auto()),
    ):
        began = time.process_time()
        net = learner.fit(features, values, np.random.default_rng(2))
        inner.solve(Query.of(net, problem.domain, points), np.random.default_rng(0))
        seconds[method] = time.process_time() - began
    for method, spent in seconds.items():
        ratio = seconds["step: paper"] / spent
        yield Row(problem.name, "FC(16)", tried, method, spent, spent, ratio, agrees=True)


def training(inputs: Sequence[int] = (32, 125, 400), steps: int = 1000, repeats: int = 5) -> Iterator[Row]:
    """Adam steps on the same data: torch eager, where it is installed, and ours."""
    for width in inputs:
        rng = np.random.default_rng(width)
        features = np.zeros((1000, width))
        features[
            np.arange(1000)[:, None], rng.integers(0, 4, (1000, width // 4)) + 4 * np.arange(width // 4)
        ] = 1
        values = rng.normal(size=1000)
        learner = ReluLearner(steps=steps, decay=0.0)
        learner.fit(features, values, rng)
        ours = [our_training(learner, features, values) / steps for _ in range(repeats)]
        torch = torch_steps(features, values, max(50, steps // 5), repeats)
        rows = {"training: torch eager": torch, "training: ours": ours}
        for method, runs in rows.items():
            if runs:
                ratio = statistics.median(torch) / statistics.median(runs) if torch else None
                yield Row(
                    f"{width} inputs",
                    "FC(16)",
                    len(values),
                    method,
                    statistics.median(runs),
                    max(runs),
                    ratio,
                    True,
                )


def our_training(learner: ReluLearner, features: FloatArray, values: FloatArray) -> float:
    """How long one fit takes, in seconds of processor time."""
    return clocked(lambda: learner.fit(features, values, np.random.default_rng(0)))


def torch_steps(features: FloatArray, values: FloatArray, steps: int, repeats: int) -> list[float]:
    """Seconds a step of the same training in torch eager, one thread; empty without torch."""
    try:
        import torch
        from torch import nn
    except ImportError:
        return []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    inputs, targets = (torch.tensor(a, dtype=torch.float32) for a in (features, values))

    def descend() -> None:
        model = nn.Sequential(nn.Linear(features.shape[1], 16), nn.ReLU(), nn.Linear(16, 1))
        adam = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(steps):
            batch = torch.randint(len(inputs), (64,))
            loss = nn.functional.mse_loss(model(inputs[batch])[:, 0], targets[batch])
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()

    descend()
    found = [clocked(descend) / steps for _ in range(repeats)]
    torch.set_num_threads(threads)
    return found


def clocked(action: Callable[[], object]) -> float:
    """How long it takes, in seconds of processor time."""
    began = time.process_time()
    action()
    return time.process_time() - began


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as plain values."""
    return [asdict(row) for row in rows]
