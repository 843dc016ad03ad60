"""Optuna's tree-structured Parzen estimator as a strategy, used as its users use it under constraints.

Optuna's parameters know no constraints. Where amounts have to add up, one of them is what is left of the sum
and not a parameter. A suggestion that is infeasible is not evaluated: it is pruned, and the sampler is
told how many constraints it breaks. A suggestion that was evaluated before gets its value again,
and the next one is asked for; neither counts as an evaluation.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Binary, Categorical, Domain, Real
from milbox.domain.model.expressions import Linear
from milbox.strategies.identity import own_identity
from milbox.strategies.random import RandomSearch, filled
from milbox.trials import Answer, History, Proposal

if TYPE_CHECKING:
    import optuna

BROKEN = "broken"
SUGGESTIONS = 2000
"""So many infeasible suggestions in a row are taken before a random feasible point is."""


@dataclass(frozen=True, slots=True)
class Tpe:
    """`TPESampler` with its defaults after some random feasible points, which it sees too.

    Attributes:
        seed: of the sampler.
        initial: how many random feasible points come first.
    """

    seed: int = 0
    initial: int = 50

    @property
    def identity(self) -> str:
        """Name, version and settings that are not the default."""
        return own_identity(self, "optuna/tpe", 1)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """The point that Optuna suggests; random ones beside it in a batch, and at the start."""
        if len(history.finished) < self.initial:
            return RandomSearch().propose(domain, history, count, rng)
        point = Run.of(self, domain, history).suggested(history)
        found = () if point is None else (Proposal(point, "tpe"),)
        return filled(found, domain, history, count, rng)


class Run:
    """An Optuna study that has been told a history; it is kept for the next step, which goes on with it."""

    last: "Run | None" = None

    def __init__(self, strategy: Tpe, domain: Domain) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.strategy: Tpe = strategy
        self.domain: Domain = domain
        self.told: list[Point] = []
        self.waiting: dict[Point, optuna.Trial] = {}
        sampler = optuna.samplers.TPESampler(
            seed=strategy.seed % 2**32,
            n_startup_trials=strategy.initial,
        )
        self.study: optuna.Study = optuna.create_study(direction="maximize", sampler=sampler)
        self.left_over: dict[int, tuple[Linear, int]] = left_over(domain)
        self.spaces: dict[str, Any] = {
            variable.name: space_of(variable)
            for i, variable in enumerate(domain.variables)
            if i not in self.left_over
        }

    @classmethod
    def of(cls, strategy: Tpe, domain: Domain, history: History) -> "Run":
        """The run that knows the history: the last one, if it has seen the beginning, or a new one."""
        run, points = cls.last, list(history.points)
        if (
            run is None
            or (run.strategy, run.domain.fingerprint) != (strategy, domain.fingerprint)
            or run.told != points[: len(run.told)]
        ):
            run = cls.last = Run(strategy, domain)
        for point, value in list(zip(points, history.values.tolist(), strict=True))[len(run.told) :]:
            run.tell(point, value)
        return run

    def tell(self, point: Point, value: float) -> None:
        """Let the sampler know a value, of its own suggestion or of another point."""
        import optuna

        self.told.append(point)
        if point in self.waiting:
            self.study.tell(self.waiting.pop(point), value)
            return
        variables = {v.name: (v, code) for v, code in zip(self.domain.variables, point, strict=True)}
        params = {name: parameter(*variables[name]) for name in self.spaces}
        self.study.add_trial(
            optuna.trial.create_trial(
                params=params, distributions=self.spaces, value=value, constraints={BROKEN: 0.0}
            )
        )

    def suggested(self, history: History) -> Point | None:
        """The next feasible point that is new; None after too many suggestions of others."""
        import optuna

        measured = dict(zip(history.points, history.values.tolist(), strict=True))
        for _ in range(SUGGESTIONS):
            trial = self.study.ask(self.spaces)
            point = self.point(trial.params)
            broken = broken_by(self.domain, point)
            trial.set_constraint(BROKEN, float(broken))
            if broken:
                self.study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            elif point in measured:
                self.study.tell(trial, measured[point])
            elif point in history.asked_points:
                self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                self.waiting[point] = trial
                return point
        return None

    def point(self, params: dict[str, Any]) -> Point:
        """The point nearest to the parameters, with what is left of sums; codes may be out of range."""
        codes = np.zeros(len(self.domain.variables), dtype=np.int64)
        for i, variable in enumerate(self.domain.variables):
            if variable.name in params:
                codes[i] = code_of(variable, params[variable.name])
        for i, (constraint, own) in self.left_over.items():
            rest = sum(
                c * int(codes[self.domain.index[monomial[0].name]])
                for monomial, c in constraint.terms
                if self.domain.index[monomial[0].name] != i
            )
            codes[i] = (int(constraint.lower) - rest) // own
        return tuple(codes.tolist())


def left_over(domain: Domain) -> dict[int, tuple[Linear, int]]:
    """For each sum of reals that has a fixed value, the real of the widest range, and its coefficient."""
    found: dict[int, tuple[Linear, int]] = {}
    for constraint in domain.constraints:
        if not (isinstance(constraint, Linear) and constraint.lower == constraint.upper):
            continue
        if not all(len(monomial) == 1 and monomial[0].code is None for monomial, _ in constraint.terms):
            continue
        members = {domain.index[monomial[0].name]: c for monomial, c in constraint.terms}
        reals = [i for i in members if isinstance(domain.variables[i], Real) and i not in found]
        if reals:
            widest = max(reals, key=lambda i: abs(members[i]) * len(domain.variables[i].codes))
            found[widest] = constraint, members[widest]
    return found


def broken_by(domain: Domain, point: Point) -> int:
    """How many constraints and ranges a point breaks."""
    codes = np.array([point], dtype=np.int64)
    outside = int(((codes < domain.coding.low) | (codes > domain.coding.high)).sum())
    columns = domain.columns(codes)
    return outside + sum(not bool(np.all(constraint.holds(columns))) for constraint in domain.constraints)


def space_of(variable: Any) -> "optuna.distributions.BaseDistribution":
    """The distribution that a user of Optuna would write for a variable."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    codes = variable.codes
    if isinstance(variable, Real):
        return FloatDistribution(float(variable.value(codes[0])), float(variable.value(codes[-1])))
    if isinstance(variable, Binary | Categorical):
        return CategoricalDistribution(list(range(codes[0], codes[-1] + 1)))
    return IntDistribution(codes[0], codes[-1])


def parameter(variable: Any, code: int) -> Any:
    """The value of the variable's parameter at a code."""
    return float(variable.value(code)) if isinstance(variable, Real) else code


def code_of(variable: Any, value: Any) -> int:
    """The code nearest to the value of a parameter."""
    if not isinstance(variable, Real):
        return int(value)
    low, high = float(variable.value(variable.codes[0])), float(variable.value(variable.codes[-1]))
    steps = len(variable.codes) - 1
    return int(variable.codes[0]) + round((float(value) - low) / (high - low) * steps)
