"""The algorithms of the paper and of this project by name, each with its settings.

Each is an ordinary strategy. `ALGORITHMS` is for plans and the command line; library code passes objects.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from milbox.bench import cell_search
from milbox.domain import Domain
from milbox.problems import Problem
from milbox.problems.nasbench import cell_domain
from milbox.strategies import (
    NNMILP,
    ConEvo,
    EnsembleRegEvo,
    LinearMILP,
    NNConEvo,
    NNRegEvo,
    NNRejSample,
    RandomSearch,
    RegEvo,
    Strategy,
    rbfopt,
)
from milbox.surrogates import DEFAULT, PAPER, Ranked, ReluLearner


def as_it_is(problem: Problem) -> Problem:
    """The problem itself."""
    return problem


def everywhere(problem: Problem) -> str | None:
    """No objection to any problem."""
    del problem
    return None


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A strategy by name.

    Attributes:
        summary: what it is, in a line.
        strategy: made for a problem, with a number of initial points and a seed of its own if it needs one.
        problem: what is changed in the problem first (an encoding, constraints).
        refusal: why it cannot be used on a problem; None when it can.
    """

    summary: str
    strategy: Callable[[Problem, int, int], Strategy]
    problem: Callable[[Problem], Problem] = as_it_is
    refusal: Callable[[Problem], str | None] = everywhere


def integer_encoded(problem: Problem) -> Problem:
    """The problem with each integer or categorical variable as one feature (Appendix D)."""
    form = problem.domain.to_json()
    for variable in form["variables"]:
        if "encoding" in variable:
            variable["encoding"] = "integer"
    return replace(problem, domain=Domain.from_json(form))


def with_symmetry(problem: Problem) -> Problem:
    """The cells of NAS-Bench-101 with null vertices last."""
    return replace(problem, domain=cell_domain(symmetry=True))


FC32 = ReluLearner(hidden=(32,))
FC16_16 = ReluLearner(hidden=(16, 16))

ALGORITHMS: Mapping[str, Algorithm] = {
    "nn+milp": Algorithm(
        "our default: ReLU network FC(16), 1000 Adam steps, half of the fits by rank, exact inner solver",
        lambda _, initial, __: NNMILP(initial=initial),
    ),
    "nn+milp/values": Algorithm(
        "our default without ranks", lambda _, initial, __: NNMILP(DEFAULT, initial=initial)
    ),
    # The optimum of the acquisition is the same whoever finds it, so quality is compared with the fast exact
    # inner solver; the paper's own solver settings are timed by `milbox bench speed`.
    "nn+milp/paper": Algorithm(
        "the paper's training (25K epochs, no decay) with the fast exact inner solver",
        lambda _, initial, __: NNMILP(PAPER, initial=initial),
    ),
    "nn+milp/fc32": Algorithm(
        "NN+MILP with FC(32)", lambda _, initial, __: NNMILP(Ranked(FC32), initial=initial)
    ),
    "nn+milp/fc16-16": Algorithm(
        "NN+MILP with FC(16,16)", lambda _, initial, __: NNMILP(Ranked(FC16_16), initial=initial)
    ),
    "nn+milp/integer": Algorithm(
        "NN+MILP with one feature per variable in place of one-hot",
        lambda _, initial, __: NNMILP(initial=initial),
        problem=integer_encoded,
    ),
    "linear+milp": Algorithm(
        "linear surrogate on a bootstrap, exact inner solver",
        lambda _, initial, __: LinearMILP(initial=initial),
    ),
    "regevo": Algorithm(
        "regularised evolution, T = 10, D = 100, (0.1, 0.1)",
        lambda _, initial, __: RegEvo(initial=initial),
    ),
    "nn+regevo": Algorithm(
        "NN+MILP with evolution as inner solver: B = 10,000, b = 100, T = 20, D = 1000, (0.2, 0.01)",
        lambda _, initial, __: NNRegEvo(initial=initial),
    ),
    "nn+regevo/ranked": Algorithm(
        "NN+RegEvo with half of the fits by rank, as in our default",
        lambda _, initial, __: NNRegEvo(Ranked(), initial),
    ),
    "nn+regevo/paper": Algorithm(
        "NN+RegEvo with the paper's training", lambda _, initial, __: NNRegEvo(PAPER, initial)
    ),
    "nn+regevo/fc32": Algorithm("NN+RegEvo with FC(32)", lambda _, initial, __: NNRegEvo(FC32, initial)),
    "ensemble+regevo": Algorithm(
        "Lasso, Ridge, random forest and LightGBM, averaged; evolution with B = 12,500, b = 25",
        lambda _, initial, __: EnsembleRegEvo(initial),
    ),
    "conevo": Algorithm(
        "evolution that keeps paired subsets balanced, T = 20, pm = 0.05",
        lambda _, initial, __: ConEvo(initial),
    ),
    "nn+conevo": Algorithm(
        "NN+MILP with ConEvo as inner solver: B = 10,000, b = 100",
        lambda _, initial, __: NNConEvo(initial=initial),
    ),
    "nn+conevo/paper": Algorithm(
        "NN+ConEvo with the paper's training", lambda _, initial, __: NNConEvo(PAPER, initial)
    ),
    "nn+conevo/fc32": Algorithm("NN+ConEvo with FC(32)", lambda _, initial, __: NNConEvo(FC32, initial)),
    "nn+rejsample": Algorithm(
        "NN+MILP with the best of 10,000 uniform feasible points",
        lambda _, initial, __: NNRejSample(initial=initial),
    ),
    "rbfopt": Algorithm(
        "RBFOpt 4 with its defaults, its own initial points included; no constraints",
        lambda _, __, seed: rbfopt.RbfOpt(seed),
        refusal=lambda problem: rbfopt.refusal(problem.domain),
    ),
    "nn+milp/symmetry": Algorithm(
        "NN+MILP with the symmetry-breaking constraints of NAS-Bench-101 (Appendix G, (8))",
        lambda _, initial, __: NNMILP(initial=initial),
        problem=with_symmetry,
        refusal=lambda problem: cell_search.refusal(problem.domain),
    ),
    "re": Algorithm(
        "the NAS-Bench-101 paper's regularised evolution: population 50, tournament 10, rate 1",
        lambda _, initial, __: cell_search.CellEvolution(initial=initial),
        refusal=lambda problem: cell_search.refusal(problem.domain),
    ),
    "rs": Algorithm(
        "the NAS-Bench-101 paper's random search",
        lambda _, initial, __: cell_search.CellSampling(initial),
        refusal=lambda problem: cell_search.refusal(problem.domain),
    ),
    "random": Algorithm("random feasible points", lambda _, __, ___: RandomSearch()),
}
