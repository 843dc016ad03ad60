"""Strategies by name, for Python, plans, problem files and the command line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from milbox.domain import Domain
from milbox.errors import nearest
from milbox.inner.pairs.solve import Pairs
from milbox.inner.sample import undrawable
from milbox.inner.spacing import ranges_refused
from milbox.strategies.by_domain import pairs_pay
from milbox.strategies.evolution import ConEvo, NNConEvo, NNRegEvo, NNRejSample, RegEvo
from milbox.strategies.local import Local
from milbox.strategies.model_based import NNMILP, LinearMILP, ModelBased
from milbox.strategies.neighbourhood import Neighbourhood
from milbox.strategies.pairwise import Pairwise
from milbox.strategies.paper import PaperLinearMILP, PaperNNMILP
from milbox.strategies.penalised import EnsembleRegEvo
from milbox.strategies.protocol import Strategy, objection
from milbox.strategies.random import RandomSearch
from milbox.strategies.runs import Runs
from milbox.surrogates import PAPER, LinearDraw, LinearSkip, Ranked, ReluLearner, Several, TreesLearner
from milbox.trials.goal import Goal

INITIAL = 50
"""Random points first in the paper; what an identity leaves out."""


def everywhere(domain: Domain) -> str | None:
    """No objection to any domain."""
    del domain
    return None


def unpaired(domain: Domain) -> str | None:
    """Why pairs cannot be searched; None when they can."""
    refusal = ranges_refused(domain)
    if refusal is None and (refusal := Pairs().domain_refusal(domain)) is not None:
        refusal = f"{refusal}; use nn+milp"
    return refusal


@dataclass(frozen=True, slots=True)
class Named:
    """A strategy by name.

    Attributes:
        summary: what it is, in a line.
        make: the strategy with so many random points first, where it has any.
        besides: why it cannot be used on a domain that its inner solver takes; None when it can.
        version: raised when it would propose something else than before; part of its identity.
        with_reals: the same for domains with reals or wide integers, where it is another.
        with_pairs: the same for domains where some of its steps are by pairs, and others have none.
        adapts: whether budget and domain give the number of random points where nobody does; else it is 50.
    """

    summary: str
    make: Callable[[int], Strategy]
    besides: Callable[[Domain], str | None] = everywhere
    version: int = 2
    with_reals: int | None = None
    with_pairs: int | None = None
    adapts: bool = False

    def refusal(self, domain: Domain) -> str | None:
        """Why it cannot be used on a domain; None when it can."""
        return objection(self.make(INITIAL), domain) or self.besides(domain)

    def version_on(self, domain: Domain, goal: Goal) -> int:
        """The version in studies of a domain and a goal; fronts are searched everywhere, without pairs."""
        if len(domain.coding.shares):
            return self.version if self.with_reals is None else self.with_reals
        if self.with_pairs is not None and not goal.several and pairs_pay(domain):
            return self.with_pairs
        return self.version

    def default(self) -> Strategy:
        """The strategy where nobody gives a number of random points."""
        strategy: Any = self.make(INITIAL)
        return cast("Strategy", replace(strategy, initial=None) if self.adapts else strategy)


TABLE_2_SECONDS = 300.0
"""The paper's Table 2 has a shorter limit than its other experiments."""

FC32 = ReluLearner(hidden=(32,))
FC16_16 = ReluLearner(hidden=(16, 16))
PAPER_FC32 = replace(PAPER, hidden=(32,))
PAPER_FC16_16 = replace(PAPER, hidden=(16, 16))

NAMED: Mapping[str, Named] = {
    "nn+milp": Named(
        "our default: ReLU network FC(16), 1000 Adam steps, half of the fits by rank, exact inner solver; "
        "with constraints, a pairwise model near the best point in half of the steps; with reals, boxes "
        "round the best point, and random hinges too",
        lambda initial: NNMILP(initial=initial),
        with_reals=4,
        with_pairs=7,
        adapts=True,
    ),
    "nn+milp/network": Named(
        "the default of milbox 1.0: without pairs, a network for the whole domain in every step",
        lambda initial: ModelBased(Ranked(), initial=initial, local=Local()),
        with_reals=4,
        adapts=True,
    ),
    "nn+milp/values": Named(
        "our default without ranks", lambda initial: NNMILP(ReluLearner(), initial=initial), adapts=True
    ),
    "nn+milp/scip": Named(
        "the paper's method as published: 25K epochs, no decay, inputs as they are, the program of "
        "Section 3.3 with bounds by linear programs, SCIP's defaults, 500 s",
        PaperNNMILP,
        version=1,
    ),
    "nn+milp/paper": Named(
        "the paper's training (25K epochs, no decay) with the fast exact inner solver",
        lambda initial: NNMILP(PAPER, initial=initial),
    ),
    "nn+milp/fc32": Named(
        "NN+MILP with FC(32)", lambda initial: NNMILP(Ranked(FC32), initial=initial), adapts=True
    ),
    "nn+milp/fc16-16": Named(
        "NN+MILP with FC(16,16)", lambda initial: NNMILP(Ranked(FC16_16), initial=initial), adapts=True
    ),
    "nn+milp/scip-fc32": Named(
        "NN+MILP as published, with FC(32) and 300 s (Table 2)",
        lambda initial: PaperNNMILP(initial, PAPER_FC32, TABLE_2_SECONDS),
        version=1,
    ),
    "nn+milp/scip-fc16-16": Named(
        "NN+MILP as published, with FC(16,16) and 300 s (Table 2)",
        lambda initial: PaperNNMILP(initial, PAPER_FC16_16, TABLE_2_SECONDS),
        version=1,
    ),
    "nn+milp/skip": Named(
        "our default with a linear model beside the network, which learns what that leaves over",
        lambda initial: NNMILP(Ranked(LinearSkip()), initial=initial),
        version=1,
    ),
    "nn+milp/pairs": Named(
        "a pairwise model, drawn from its posterior and searched exactly in a ball round the best point",
        lambda initial: ModelBased(Ranked(), initial=initial, local=Pairwise()),
        besides=unpaired,
        version=6,
        adapts=True,
    ),
    "nn+milp/mixed": Named(
        "a network in half of the steps, by chance, and nn+milp/pairs in the others, with constraints or not",
        lambda initial: ModelBased(Ranked(), initial=initial, local=Pairwise(share=0.5)),
        besides=unpaired,
        version=6,
        adapts=True,
    ),
    "nn+milp/near": Named(
        "our default in a neighbourhood of the best point that grows and shrinks, for discrete domains",
        lambda initial: ModelBased(Ranked(), initial=initial, local=Neighbourhood()),
        besides=ranges_refused,
        version=1,
        adapts=True,
    ),
    "nn+milp/apart": Named(
        "a network in every step, with points of a batch that differ in at least 15 % of the variables",
        lambda initial: ModelBased(Ranked(), initial=initial, local=Local(), apart=0.15),
        besides=ranges_refused,
        version=1,
        adapts=True,
    ),
    "nn+milp/ei": Named(
        "four networks FC(8), half of the time of ranks; the point of their largest expected improvement",
        lambda initial: NNMILP(Ranked(Several()), initial=initial),
        version=1,
        adapts=True,
    ),
    "nn+milp/ucb": Named(
        "four networks FC(8), half of the time of ranks; the point of the largest mean plus deviation",
        lambda initial: NNMILP(Ranked(Several(say="optimism")), initial=initial),
        version=1,
        adapts=True,
    ),
    "trees+milp": Named(
        "a random forest of small trees (scikit-learn), maximised exactly by a program",
        lambda initial: ModelBased(Ranked(TreesLearner()), initial=initial),
        version=1,
        adapts=True,
    ),
    "linear+milp": Named(
        "linear surrogate on a bootstrap, exact inner solver", lambda initial: LinearMILP(initial=initial)
    ),
    "linear+milp/runs": Named(
        "a linear surrogate drawn from its posterior, in a ball round the best point of a run; after 50 "
        "points without a gain another run begins; for sequences over large alphabets",
        lambda initial: ModelBased(Ranked(LinearDraw()), initial=initial, local=Runs()),
        besides=ranges_refused,
        version=1,
        adapts=True,
    ),
    "linear+milp/scip": Named(
        "Linear+MILP as published: linear surrogate on a bootstrap, SCIP's defaults, 500 s",
        PaperLinearMILP,
        version=1,
    ),
    "regevo": Named(
        "regularised evolution, T = 10, D = 100, (0.1, 0.1)", lambda initial: RegEvo(initial=initial)
    ),
    "nn+regevo": Named(
        "NN+MILP with evolution as inner solver: B = 10,000, b = 100, T = 20, D = 1000, (0.2, 0.01)",
        lambda initial: NNRegEvo(initial=initial),
    ),
    "nn+regevo/ranked": Named(
        "NN+RegEvo with half of the fits by rank, as in our default",
        lambda initial: NNRegEvo(Ranked(), initial),
    ),
    "nn+regevo/paper": Named(
        "NN+RegEvo as published: the paper's training",
        lambda initial: NNRegEvo(PAPER, initial),
    ),
    "nn+regevo/fc32": Named("NN+RegEvo with FC(32)", lambda initial: NNRegEvo(FC32, initial)),
    "ensemble+regevo": Named(
        "Lasso, Ridge, random forest and LightGBM, averaged; evolution with B = 12,500, b = 25",
        EnsembleRegEvo,
    ),
    "conevo": Named("evolution that keeps paired subsets balanced, T = 20, pm = 0.05", ConEvo),
    "nn+conevo": Named(
        "NN+MILP with ConEvo as inner solver: B = 10,000, b = 100",
        lambda initial: NNConEvo(initial=initial),
    ),
    "nn+conevo/paper": Named(
        "NN+ConEvo as published: the paper's training",
        lambda initial: NNConEvo(PAPER, initial),
    ),
    "nn+conevo/fc32": Named("NN+ConEvo with FC(32)", lambda initial: NNConEvo(FC32, initial)),
    "nn+rejsample": Named(
        "NN+MILP with the best of 10,000 uniform feasible points",
        lambda initial: NNRejSample(initial=initial),
        besides=undrawable,
    ),
    "random": Named("random feasible points", lambda _: RandomSearch()),
}


def by_name(name: str, domain: Domain, initial: int | None = None) -> Strategy:
    """The strategy with that name, and with so many random points first.

    Raises:
        ValueError: there is no such strategy, it cannot be used on the domain, or it has no random points.
    """
    if name not in NAMED:
        raise ValueError(f"no strategy named {name!r}{nearest(name, NAMED)}")
    named = NAMED[name]
    objection = named.refusal(domain)
    if objection is not None:
        raise ValueError(f"the strategy {name!r} cannot be used here: {objection}")
    if initial is None:
        return named.default()
    strategy = named.make(initial)
    if not hasattr(strategy, "initial"):
        raise ValueError(f"the strategy {name!r} has no number of initial points")
    return strategy


def chosen(given: object, domain: Domain) -> Strategy:
    """The strategy that a user means by an object, by a name or by None."""
    if given is None:
        return NNMILP()
    if isinstance(given, str):
        return by_name(given, domain)
    if isinstance(given, type) or not callable(getattr(given, "propose", None)):
        raise TypeError(
            f"strategy must be a name such as 'nn+milp' or an object with a propose method such as NNMILP(), "
            f"not {given!r}"
        )
    return cast("Strategy", given)
