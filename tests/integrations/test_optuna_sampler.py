"""Optuna's studies with a milbox sampler: hard constraints, no repeats, parallel workers, clear errors."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import optuna
import pytest
from optuna.samplers import BaseSampler
from optuna.storages.journal import JournalFileBackend
from optuna.testing.pytest_samplers import BasicSamplerTestCase, MultiObjectiveSamplerTestCase
from optuna.trial import FrozenTrial, Trial, TrialState

import milbox as mb
from milbox.integrations.optuna import POINT, MilboxSampler
from milbox.strategies.evolution import RegEvo

optuna.logging.set_verbosity(optuna.logging.ERROR)


def small_domain() -> mb.Domain:
    k, op, x = mb.integer("k", 1, 4), mb.categorical("op", ["a", "b", "c"]), mb.binary("b", 3)
    return mb.Domain([k, op, x], [mb.implies(op == "b", k <= 2), x.sum() == 1])


def objective(trial: Trial) -> float:
    k = trial.suggest_int("k", 1, 4)
    op = trial.suggest_categorical("op", ["a", "b", "c"])
    bits = [trial.suggest_int(f"b[{i}]", 0, 1) for i in range(3)]
    assert sum(bits) == 1
    assert op != "b" or k <= 2
    return k + {"a": 0, "b": 5, "c": 1}[op] + bits[2]


class TestOptunasOwnSuite(BasicSamplerTestCase, MultiObjectiveSamplerTestCase):
    """The parts of Optuna's suite that do not suggest floats as relative parameters."""

    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: MilboxSampler(small_domain(), seed=0)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_finds_the_optimum_without_a_repeat(direction: Literal["maximize", "minimize"]) -> None:
    domain = small_domain()
    assert domain.size == 30
    sampler = MilboxSampler(domain, seed=1, strategy=mb.NNMILP(initial=6))
    study = optuna.create_study(direction=direction, sampler=sampler)
    study.optimize(objective, n_trials=20)
    assert len({tuple(sorted(t.params.items())) for t in study.trials}) == 20
    assert study.best_value == (8 if direction == "maximize" else 1)


def test_same_seed_same_study() -> None:
    def params(seed: int) -> list[dict[str, object]]:
        study = optuna.create_study(sampler=MilboxSampler(small_domain(), seed, mb.NNMILP(initial=4)))
        study.optimize(objective, n_trials=10)
        return [t.params for t in study.trials]

    assert params(3) == params(3)
    assert params(3) != params(4)


def test_every_point_once_and_then_exhausted() -> None:
    study = optuna.create_study(sampler=MilboxSampler(small_domain(), 0, mb.RandomSearch()))
    study.optimize(objective, n_trials=30)
    assert len({tuple(sorted(t.params.items())) for t in study.trials}) == 30
    study.optimize(objective, n_trials=5)
    assert [trial.state for trial in study.trials[30:]] == [TrialState.PRUNED]
    with pytest.raises(mb.Exhausted, match="every point of the domain, 30 in all"):
        study.ask().suggest_int("k", 1, 4)


def test_a_float_beside_the_domain_ends_the_study_cleanly() -> None:
    def with_rate(trial: Trial) -> float:
        return objective(trial) + trial.suggest_float("rate", 0.0, 1.0)

    study = optuna.create_study(sampler=MilboxSampler(small_domain(), 0, mb.RandomSearch()))
    study.optimize(with_rate, n_trials=40)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 30 + [TrialState.PRUNED]
    with pytest.raises(mb.Exhausted, match="rate is not in the domain and makes no point new: declare it"):
        study.ask().suggest_int("k", 1, 4)


def test_a_float_of_the_domain_comes_out_as_it_went_in() -> None:
    rate, k = mb.real("rate", 0.1, 0.9, step=0.2), mb.integer("k", 1, 2)
    domain = mb.Domain([rate, k], [rate + k <= 2.7])

    def measured(trial: Trial) -> float:
        return trial.suggest_float("rate", 0.1, 0.9, step=0.2) * trial.suggest_int("k", 1, 2)

    study = optuna.create_study(direction="maximize", sampler=MilboxSampler(domain, 0, mb.NNMILP(initial=3)))
    study.optimize(measured, n_trials=20)
    complete = [trial.params for trial in study.trials if trial.state is TrialState.COMPLETE]
    seen = {(params["rate"], params["k"]) for params in complete}
    assert seen == {(r, k) for r in (0.1, 0.3, 0.5, 0.7, 0.9) for k in (1, 2) if r + k <= 2.7 + 1e-9}
    assert len(complete) == len(seen) == domain.size


def test_failed_pruned_and_enqueued_trials_count() -> None:
    study = optuna.create_study(direction="maximize", sampler=MilboxSampler(small_domain(), 0))
    study.enqueue_trial({"k": 4, "op": "c", "b[0]": 0, "b[1]": 0, "b[2]": 1})

    def sometimes(trial: Trial) -> float:
        value = objective(trial)
        if trial.number % 3 == 1:
            raise RuntimeError("broken")
        if trial.number % 3 == 2:
            raise optuna.TrialPruned
        return value

    study.optimize(sometimes, n_trials=12, catch=RuntimeError)
    assert study.trials[0].params["op"] == "c"
    states = {t.state for t in study.trials}
    assert states == {TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED}
    assert len({tuple(sorted(t.params.items())) for t in study.trials}) == 12


def test_binaries_may_be_suggested_as_choices() -> None:
    domain = mb.Domain([mb.binary("flag"), mb.binary("other")], [])
    study = optuna.create_study(sampler=MilboxSampler(domain, 0, mb.RandomSearch()))

    def flags(trial: Trial) -> float:
        return trial.suggest_categorical("flag", [True, False]) + trial.suggest_int("other", 0, 1)

    study.optimize(flags, n_trials=4)
    assert {(t.params["flag"], t.params["other"]) for t in study.trials} == {
        (a, b) for a in (True, False) for b in (0, 1)
    }


@pytest.mark.parametrize(
    ("suggest", "message"),
    [
        (
            lambda t: t.suggest_int("k", 1, 9),
            r"'k' as IntDistribution.* write trial.suggest_int\('k', 1, 4\)",
        ),
        (lambda t: t.suggest_float("k", 1, 4), "'k' as FloatDistribution"),
        (lambda t: t.suggest_categorical("op", ["a", "b"]), r"write trial.suggest_categorical\('op'"),
        (lambda t: t.suggest_int("b", 0, 1), r"the domain's 'b' has the variables b\[0\], b\[1\], b\[2\]"),
        (lambda t: t.suggest_int("k", 1, 4), "suggested no value for op, "),
    ],
)
def test_disagreement_is_refused(suggest: Callable[[Trial], float], message: str) -> None:
    study = optuna.create_study(sampler=MilboxSampler(small_domain(), 0))

    def wrong(trial: Trial) -> float:
        suggest(trial)
        return 0.0

    with pytest.raises(ValueError, match=message):
        study.optimize(wrong, n_trials=1)


def test_infeasible_domain_is_refused_at_once() -> None:
    k = mb.integer("k", 1, 4)
    with pytest.raises(mb.DomainError, match="k >= 3"):
        MilboxSampler(mb.Domain([k], [k >= 3, k <= 2]))


WORKER = textwrap.dedent(
    """
    import sys
    import optuna
    import milbox as mb
    from milbox.integrations.optuna import MilboxSampler
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    k = mb.integer("k", 0, 6, 2)
    domain = mb.Domain([k], [k.sum() == 6])
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(sys.argv[1]))
    sampler = MilboxSampler(domain, seed=0, strategy=mb.RandomSearch())
    study = optuna.load_study(study_name="shared", storage=storage, sampler=sampler)
    difference = lambda t: t.suggest_int("k[0]", 0, 6) - t.suggest_int("k[1]", 0, 6)
    study.optimize(difference, n_trials=int(sys.argv[2]))
    """
)


def test_workers_on_one_storage_never_repeat(tmp_path: Path) -> None:
    file = str(tmp_path / "study.log")
    storage = optuna.storages.JournalStorage(JournalFileBackend(file))
    optuna.create_study(study_name="shared", storage=storage)
    # Together they use up the domain's seven points, so that they are bound to meet.
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, file, str(n)]) for n in (3, 4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0]
    trials = optuna.load_study(study_name="shared", storage=storage).trials
    assert sorted(t.params["k[0]"] for t in trials) == list(range(7))
    assert all(t.params["k[0]"] + t.params["k[1]"] == 6 for t in trials)
    assert all(POINT in t.system_attrs for t in trials)


def test_threads_never_repeat() -> None:
    study = optuna.create_study(sampler=MilboxSampler(small_domain(), 0, mb.NNMILP(initial=5)))
    study.optimize(objective, n_trials=20, n_jobs=4)
    assert len({tuple(sorted(t.params.items())) for t in study.trials}) == 20


def test_several_directions_and_constraints() -> None:
    x, t = mb.integer("x", 0, 3), mb.real("t", 0, 1, step=0.5)
    domain = mb.Domain([x, t])

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        a, b = trial.suggest_int("x", 0, 3), trial.suggest_float("t", 0, 1, step=0.5)
        trial.set_user_attr("heat", a + b)
        return a + b, a * a - b

    def heat(trial: FrozenTrial) -> tuple[float, ...]:
        return (trial.user_attrs["heat"] - 2.5,)

    sampler = MilboxSampler(domain, 0, mb.NNMILP(initial=3), constraints_func=heat)
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
    study.optimize(objective, n_trials=12)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 12
    points = [(a + b, a * a - b) for a in range(4) for b in (0.0, 0.5, 1.0) if a + b <= 2.5]
    front = {p for p in points if not any(q != p and q[0] >= p[0] and q[1] <= p[1] for q in points)}
    assert {tuple(trial.values) for trial in study.best_trials} == front


def test_one_direction_with_a_constraint_is_learned() -> None:
    x = mb.integer("x", 0, 30, encoding="integer")

    def objective(trial: optuna.Trial) -> float:
        return float(trial.suggest_int("x", 0, 30))

    sampler = MilboxSampler(
        mb.Domain([x]), 0, mb.LinearMILP(initial=4), constraints_func=lambda trial: (trial.params["x"] - 9,)
    )
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=12)
    assert any(trial.params["x"] == 9 for trial in study.trials)


def test_strategies_that_see_one_value_refuse_several() -> None:
    x = mb.integer("x", 0, 3)
    study = optuna.create_study(
        directions=["maximize", "minimize"], sampler=MilboxSampler(mb.Domain([x]), 0, RegEvo())
    )
    with pytest.raises(TypeError, match="one value of each trial"):
        study.optimize(lambda trial: (trial.suggest_int("x", 0, 3), 0.0), n_trials=1)
