"""The algorithms of the paper by name, with their settings.

Most are named strategies of the library; the others change the problem first, or belong to benchmarks alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from milbox.bench import botorch, cell_search, rbfopt, tpe
from milbox.bench.problems import Problem
from milbox.bench.problems.binding import BASES
from milbox.bench.problems.nasbench import cell_domain
from milbox.domain import Domain, reverse_complement
from milbox.strategies import NNMILP, Strategy
from milbox.strategies.named import NAMED, everywhere


def as_it_is(problem: Problem) -> Problem:
    """The problem itself."""
    return problem


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A strategy by name.

    Attributes:
        summary: what it is, in a line.
        strategy: made with a number of initial points, and a seed of its own if it needs one.
        problem: what is changed in the problem first (an encoding, constraints).
        refusal: why it cannot be used on a domain; None when it can.
    """

    summary: str
    strategy: Callable[[int, int], Strategy]
    problem: Callable[[Problem], Problem] = as_it_is
    refusal: Callable[[Domain], str | None] = everywhere


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


def both_strands(problem: Problem) -> Problem:
    """The problem with the reverse complement of its sequence declared as a symmetry."""
    domain = problem.domain
    strand = reverse_complement(domain.declared[0])
    return replace(problem, domain=Domain(domain.declared, domain.constraints, [strand]))


def strands_refusal(domain: Domain) -> str | None:
    """Why a domain is not one of double-stranded DNA; None for the 8-mers of TfBind."""
    is_dna = len(domain.declared) == 1 and all(
        getattr(v, "choices", ()) == tuple(BASES) for v in domain.variables
    )
    return None if is_dna else f"it is for sequences of the letters {', '.join(BASES)}"


def symmetry_refusal(domain: Domain) -> str | None:
    """Why the symmetry-breaking constraints cannot be added to a domain; None for the cells of Appendix G."""
    if cell_search.refusal(domain) is None and domain != cell_domain(symmetry=False):
        return "it is for all cells under all their names"
    return cell_search.refusal(domain)


def from_library() -> dict[str, Algorithm]:
    """The strategies that the library has by name."""

    def algorithm(name: str) -> Algorithm:
        named = NAMED[name]
        return Algorithm(named.summary, lambda initial, _: named.make(initial), refusal=named.refusal)

    return {name: algorithm(name) for name in NAMED}


ALGORITHMS: Mapping[str, Algorithm] = from_library() | {
    "nn+milp/integer": Algorithm(
        "NN+MILP with one feature per variable in place of one-hot",
        lambda initial, _: NNMILP(initial=initial),
        problem=integer_encoded,
    ),
    "nn+milp/symmetry": Algorithm(
        "NN+MILP with the symmetry-breaking constraints of NAS-Bench-101 (Appendix G, (8))",
        lambda initial, _: NNMILP(initial=initial),
        problem=with_symmetry,
        refusal=symmetry_refusal,
    ),
    "nn+milp/strands": Algorithm(
        "NN+MILP that knows that DNA has two strands: the reverse complement is declared as a symmetry",
        lambda initial, _: NNMILP(initial=initial),
        problem=both_strands,
        refusal=strands_refusal,
    ),
    "rbfopt": Algorithm(
        "RBFOpt 4 with its defaults, its own initial points included; no constraints",
        lambda _, seed: rbfopt.RbfOpt(seed),
        refusal=rbfopt.refusal,
    ),
    "optuna/tpe": Algorithm(
        "Optuna's TPE with its defaults; infeasible suggestions are pruned and do not count",
        lambda initial, seed: tpe.Tpe(seed, initial),
    ),
    "botorch": Algorithm(
        "BoTorch: a Gaussian process with LogEI over mixed variables, under the linear constraints",
        lambda initial, _: botorch.BoTorch(initial),
    ),
    "re": Algorithm(
        "the NAS-Bench-101 paper's regularised evolution: population 50, tournament 10, rate 1",
        lambda initial, _: cell_search.CellEvolution(initial=initial),
        refusal=cell_search.refusal,
    ),
    "rs": Algorithm(
        "the NAS-Bench-101 paper's random search",
        lambda initial, _: cell_search.CellSampling(initial),
        refusal=cell_search.refusal,
    ),
}
