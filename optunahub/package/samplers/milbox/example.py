"""A schedule of six jobs on three machines, with capacities and an order between two of them."""

import optuna
import optunahub

import milbox as mb

machine = mb.categorical("machine", ["small", "large", "fast"], 6)
slot = mb.integer("slot", 0, 3, 6)
domain = mb.Domain(
    [machine, slot],
    [
        mb.assignment(machine, capacity={"small": 2, "large": 3, "fast": 2}),
        mb.precedes(slot[0], slot[1]),  # job 0 is done before job 1 begins
        *(  # one job at a time on a machine
            mb.forbid(machine[i] == machine[j], slot[i] == slot[j]) for i in range(6) for j in range(i)
        ),
    ],
)

SECONDS = {"small": 5.0, "large": 3.0, "fast": 1.0}
WORK = [4, 2, 6, 1, 3, 5]


def objective(trial: optuna.Trial) -> float:
    """Stands for a slow simulation: how long the work takes, and how late it is done."""
    total = 0.0
    for job, work in enumerate(WORK):
        machine = trial.suggest_categorical(f"machine[{job}]", ["small", "large", "fast"])
        slot = trial.suggest_int(f"slot[{job}]", 0, 3)
        total += work * SECONDS[machine] + 2.0 * slot * (work > 3)
    return total


if __name__ == "__main__":
    module = optunahub.load_module("samplers/milbox")
    sampler = module.MilboxSampler(domain, seed=0, strategy=mb.NNMILP(initial=20))
    study = optuna.create_study(direction="minimize", sampler=sampler)
    study.optimize(objective, n_trials=50)
    print(study.best_value, study.best_params)
    print(study.best_trial.system_attrs.get("milbox:certificate", "a random point"))
