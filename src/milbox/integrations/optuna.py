"""An Optuna sampler whose proposals come from a milbox strategy and keep hard constraints.

Optuna's distributions cannot say what holds between parameters, so the domain is handed to the sampler; the
objective suggests one parameter per scalar variable, by its name: `trial.suggest_int("x[3]", 0, 1)`.
"""

import contextlib
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from milbox.arrays import BoolArray
from milbox.domain import Binary, Categorical, Domain, Real, Variable
from milbox.domain.assignments import point_of_values
from milbox.domain.model.numbers import number
from milbox.embed.conflict import ensure_feasible
from milbox.errors import Exhausted, Undecided
from milbox.milp.solvers import Scip
from milbox.strategies.identity import identity
from milbox.strategies.initial import settled
from milbox.strategies.named import chosen
from milbox.strategies.protocol import ensure_taken
from milbox.trials import Empty, Failed, Finished, History, Pending, Proposal, Trial, Unknown
from milbox.trials.exhaustion import nothing_found
from milbox.trials.goal import ONE, Goal, goal_of
from milbox.trials.sense import Sense, sign_of

if TYPE_CHECKING:
    from milbox.strategies import Strategy

POINT = "milbox:point"
ORIGIN = "milbox:origin"
CERTIFICATE = "milbox:certificate"
CONSTRAINTS = "constraints"
"""Optuna's key for what `constraints_func` returned; with a colon and a name, for `set_constraint`."""
LOGGER = optuna.logging.get_logger(__name__)


class MilboxSampler(BaseSampler):
    """Proposes feasible points that were never tried, each the certified best of a fresh surrogate.

    Parallel workers on one storage see one another's running trials: a proposal is written to its trial as
    soon as it is made, and a worker that finds it taken chooses again. Parameters
    that are not in the domain are drawn at random, as Optuna's `RandomSampler` does.

    An objective with branches is written as it is, with `only_if` in the domain for what a branch suggests.

    Args:
        domain: what may be proposed. Scalar variables are the parameters, by name.
        seed: makes a sequential study repeatable; None takes a fresh one.
        strategy: who chooses, an object or a name such as "nn+milp/mixed"; NN+MILP by default.
        budget: how many trials there will be, if that is known; the number of random points first follows
            from it where the strategy does not say.
        constraints_func: called with each trial that has ended, as Optuna's own samplers do; returns numbers
            that are at most zero where a constraint on what was measured is kept. Each is learned.
    """

    def __init__(
        self,
        domain: Domain,
        seed: int | None = None,
        strategy: "Strategy | str | None" = None,
        *,
        budget: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        ensure_feasible(domain, Scip())
        self._domain = domain
        self._seed = secrets.randbits(128) if seed is None else seed
        self._strategy: Strategy = settled(chosen(strategy, domain), domain, budget)
        ensure_taken(self._strategy, identity(self._strategy, domain), domain)
        self._constraints = constraints_func
        self._others = RandomSampler(seed=seed)
        self._lock = threading.Lock()

    def reseed_rng(self) -> None:
        """Nothing of ours to do: each proposal's generator comes from the seed and the trial's number."""
        self._others.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Empty: every parameter is answered on its own, from the trial's one proposal."""
        del study, trial
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The proposal's values of the parameters in the search space."""
        return {
            name: self.sample_independent(study, trial, name, distribution)
            for name, distribution in search_space.items()
        }

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """The value of one parameter in the trial's proposal; a random one when it is not in the domain."""
        place = self._domain.index.get(param_name)
        if place is None:
            self._check_spelling(param_name)
            return self._others.sample_independent(study, trial, param_name, param_distribution)
        variable = self._domain.variables[place]
        check_distribution(variable, param_distribution)
        try:
            point = self._point(study, trial)
        except Exhausted as error:
            end(study, error)
        if missing_at(self._domain, point)[place]:
            raise ValueError(
                f"the objective suggests {param_name!r} where the domain says that it does not exist: "
                f"{self._domain.conditions[place]} fails"
            )
        value = variable.value(point[place])
        if isinstance(variable, Binary) and isinstance(param_distribution, CategoricalDistribution):
            # True and False equal one and zero, so that this finds the choice as the user wrote it.
            return param_distribution.choices[param_distribution.choices.index(value)]
        return value

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Keep the constraints; say so when the objective suggested only some of the domain's variables."""
        if self._constraints is not None:
            _process_constraints_after_trial(self._constraints, study, trial, state)
        self._others.after_trial(study, trial, state, values)
        if state is TrialState.COMPLETE:
            unsaid = [v.name for v in self._domain.variables if v.name not in trial.params]
            written = trial.system_attrs.get(POINT)
            if written is not None:
                gone = missing_at(self._domain, written)
                missing = [name for name in unsaid if not gone[self._domain.index[name]]]
            else:
                missing = unsaid
            if missing and len(unsaid) < len(self._domain.variables):
                raise ValueError(
                    f"the objective suggested no value for {', '.join(missing[:5])}"
                    f"{', ...' if len(missing) > 5 else ''}; it must suggest every variable of the domain"
                )

    def _check_spelling(self, name: str) -> None:
        near = name.partition("[")[0]
        if near in {str(thing.name) for thing in self._domain.declared}:
            some = [v.name for v in self._domain.variables if v.name.startswith(f"{near}[")]
            raise ValueError(
                f"the objective suggests {name!r}, but the domain's {near!r} has the variables "
                f"{', '.join(some[:3])}{', ...' if len(some) > 3 else ''}"
            )

    def _point(self, study: Study, trial: FrozenTrial) -> Sequence[int]:
        """The trial's point: as proposed before, or proposed now and written down at once."""
        with self._lock:
            written = study._storage.get_trial(trial._trial_id).system_attrs.get(POINT)
            while written is None:
                proposal = self._propose(study, trial)
                self._write(study, trial, proposal)
                # A worker elsewhere may have written the same proposal meanwhile. Of two that wrote the same,
                # the later to write is sure to see the other's, so nobody keeps a point that is taken.
                others = study._storage.get_all_trials(study._study_id, deepcopy=False)
                taken = {
                    tuple(other.system_attrs[POINT])
                    for other in others
                    if other.number != trial.number and POINT in other.system_attrs
                }
                if proposal.point not in taken:
                    written = proposal.point
            point: Sequence[int] = written
            return point

    def _propose(self, study: Study, trial: FrozenTrial) -> Proposal:
        others = study._storage.get_all_trials(study._study_id, deepcopy=False)
        history = history_of(
            [other for other in others if other.number != trial.number],
            self._domain,
            ["maximize" if each is StudyDirection.MAXIMIZE else "minimize" for each in study.directions],
        )
        if history.goal.named and not getattr(self._strategy, "takes_goals", False):
            raise TypeError(
                f"the strategy {self._strategy} looks at one value of each trial; NNMILP, LinearMILP and "
                f"RandomSearch take several directions and constraints_func"
            )
        rng = np.random.default_rng([self._seed, trial.number, len(history)])
        answer = self._strategy.propose(self._domain, history, 1, rng)
        if isinstance(answer, Empty):
            raise Exhausted(
                f"every point of the domain, {len(history)} in all, has been tried"
                + self._others_text(others)
            )
        if isinstance(answer, Unknown):
            raise Undecided(nothing_found(history, answer.reason))
        proposal = answer.proposals[0]
        if not self._domain.contains(proposal.point) or proposal.point in history.asked_points:
            raise RuntimeError(
                f"the strategy {self._strategy} proposed a point that is infeasible or not new"
            )
        return proposal

    def _others_text(self, trials: Sequence[FrozenTrial]) -> str:
        """What there is to say of parameters that the domain does not have, as the end of a sentence."""
        names = sorted({name for trial in trials for name in trial.params if name not in self._domain.index})
        if not names:
            return ""
        return (
            f"; {', '.join(names)} is not in the domain and makes no point new: declare it there, a float "
            f"with mb.real, to go on"
        )

    def _write(self, study: Study, trial: FrozenTrial, proposal: Proposal) -> None:
        certificate = proposal.certificate
        if certificate is not None:
            shown = f"{certificate.status}, gap {certificate.gap:.3g}, {certificate.solver}"
            study._storage.set_trial_system_attr(trial._trial_id, CERTIFICATE, shown)
        study._storage.set_trial_system_attr(trial._trial_id, ORIGIN, proposal.origin)
        study._storage.set_trial_system_attr(trial._trial_id, POINT, list(proposal.point))


def end(study: Study, error: Exhausted) -> NoReturn:
    """End `study.optimize` where no point of the domain is left; the trial that found out is pruned.

    Whoever asks by hand gets the error.
    """
    try:
        study.stop()
    except RuntimeError:
        raise error from None
    LOGGER.warning(f"The study ends: {error}.")
    raise optuna.TrialPruned(str(error)) from None


def history_of(trials: Sequence[FrozenTrial], domain: Domain, senses: Sequence[Sense]) -> History:
    """Optuna's trials as a history, in the sense in which large is good.

    A trial counts with the parameters it really had, also when a user enqueued or added it; one that lies
    outside the domain, or has a value that is not finite, teaches nothing and is left out.
    """
    goal = goal_in(trials, senses)
    found: dict[tuple[int, ...], Trial] = {}
    for trial in trials:
        point = point_of(trial, domain)
        if point is None or not domain.contains(point):
            continue
        outcome = outcome_of(trial, goal, senses)
        # Of a point tried twice (Optuna lets users add such trials) a measured one counts.
        if point not in found or not isinstance(found[point].outcome, Finished):
            found[point] = Trial(len(found), Proposal(point, "optuna"), outcome)
    return History(tuple(Trial(i, t.proposal, t.outcome) for i, t in enumerate(found.values())), goal)


def goal_in(trials: Sequence[FrozenTrial], senses: Sequence[Sense]) -> Goal:
    """What is wanted: every objective large, as `outcome_of` turns them, and every constraint kept."""
    kept = dict.fromkeys(name for trial in trials for name in constraints_of(trial))
    if len(senses) == 1 and not kept:
        return ONE
    return goal_of(
        objectives={f"objective {i}": "maximize" for i in range(len(senses))},
        limits=dict.fromkeys(kept, ("<=", 0.0)),
    )


def outcome_of(trial: FrozenTrial, goal: Goal, senses: Sequence[Sense]) -> Pending | Finished | Failed:
    """What came of a trial, with values of which large ones are good."""
    if not trial.state.is_finished():
        return Pending()
    if trial.state is not TrialState.COMPLETE:
        return Failed(trial.state.name, infeasible=trial.state is TrialState.FAIL)
    values = [sign_of(sense) * value for sense, value in zip(senses, trial.values or (), strict=False)]
    names = [name for name, _ in goal.objectives]
    outputs = dict(zip(names, values, strict=False)) | constraints_of(trial)
    if not all(name in outputs and np.isfinite(outputs[name]) for name in goal.outputs):
        return Failed(trial.state.name, infeasible=False)
    return goal.told({name: outputs[name] for name in goal.outputs}, f"trial {trial.number}")


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """What a trial says of its constraints, by name; at most zero where they are kept."""
    listed = enumerate(trial.system_attrs.get(CONSTRAINTS) or ())
    named = {f"{CONSTRAINTS} {place}": value for place, value in listed}
    prefix = f"{CONSTRAINTS}:"
    return named | {
        f"{CONSTRAINTS} {key.removeprefix(prefix)}": value
        for key, value in trial.system_attrs.items()
        if key.startswith(prefix)
    }


def point_of(trial: FrozenTrial, domain: Domain) -> tuple[int, ...] | None:
    """The point of a trial: from its parameters when all that exist are there, else from its proposal."""
    needed = [v.name for i, v in enumerate(domain.variables) if i not in domain.conditions]
    if all(name in trial.params for name in needed):
        with contextlib.suppress(ValueError):
            return point_of_values(domain, [trial.params.get(v.name) for v in domain.variables])
        if all(v.name in trial.params for v in domain.variables):
            return None
    written = trial.system_attrs.get(POINT)
    return None if written is None else tuple(written)


def missing_at(domain: Domain, point: Sequence[int]) -> BoolArray:
    """Which variables do not exist at a point."""
    missing: BoolArray = domain.absent(domain.codes([point]))[0]
    return missing


def check_distribution(variable: Variable, distribution: BaseDistribution) -> None:
    """Refuse a suggestion that allows other values than the domain's variable."""
    match distribution:
        case CategoricalDistribution() if isinstance(variable, Categorical):
            agrees = list(distribution.choices) == list(variable.choices)
        case CategoricalDistribution() if isinstance(variable, Binary):
            agrees = sorted(distribution.choices, key=repr) in ([0, 1], [False, True])
        case FloatDistribution() if isinstance(variable, Real):
            step = variable.step if distribution.step is None else number(distribution.step)
            ends = number(distribution.low), number(distribution.high), step
            agrees = ends == (variable.low, variable.high, variable.step) and not distribution.log
        case IntDistribution() if not isinstance(variable, Categorical | Real):
            codes = variable.codes
            agrees = (distribution.low, distribution.high, distribution.step) == (codes[0], codes[-1], 1)
        case _:
            agrees = False
    if not agrees:
        raise ValueError(
            f"the objective suggests {variable.name!r} as {distribution}, but the domain has {variable}; "
            f"write trial.{suggestion(variable)}"
        )


def suggestion(variable: Variable) -> str:
    """The call that agrees with a variable."""
    if isinstance(variable, Categorical):
        return f"suggest_categorical({variable.name!r}, {list(variable.choices)})"
    if isinstance(variable, Real):
        low, high, step = (float(each) for each in (variable.low, variable.high, variable.step))
        return f"suggest_float({variable.name!r}, {low}, {high}, step={step})"
    return f"suggest_int({variable.name!r}, {variable.codes[0]}, {variable.codes[-1]})"
