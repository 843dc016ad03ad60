"""Feasibility of a domain, and a few constraints that exclude one another where it is empty."""

import numpy as np

from milbox.domain import Constraint, Domain, Implies, OnlyIf
from milbox.domain.feasibility import GLANCE, Verdict, find
from milbox.embed.domain import formulate, trusted
from milbox.errors import DomainError
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Solver, Status

# How many drawn points are looked at before a solver is asked whether a condition can hold.
GLANCES = 64


def ensure_feasible(domain: Domain, solver: Solver) -> None:
    """Refuse a domain without points, naming a few constraints that already exclude one another."""
    if feasible(domain, solver):
        return
    guilty = conflict(domain, solver)
    names = sorted({v.name for c in guilty for v in c.variables})
    shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    rules = domain.rules_of(guilty)
    listing = "".join(f"\n  {rule.in_short()}" for rule in rules)
    remedy = "drop it" if len(rules) == 1 else "drop or loosen one of them"
    raise DomainError(
        f"no point satisfies the domain's {len(domain.rules)} constraints; "
        f"{'this one' if len(rules) == 1 else f'these {len(rules)}'} on ({shown}) cannot hold "
        f"{'at all' if len(rules) == 1 else 'together'}, {remedy}:{listing}"
    )


def ensure_conditions(domain: Domain, solver: Solver) -> None:
    """Refuse a domain, which has points, with a conditional variable that exists at none of them."""
    if not domain.conditions:
        return
    met: set[int] = set()
    if domain.drawing is not None:
        drawn = domain.drawing.draw(GLANCES, np.random.default_rng(0))
        met = set(np.flatnonzero(~domain.absent(drawn).all(axis=0)).tolist())
    for place, condition in domain.conditions.items():
        if place in met:
            continue
        where = Domain(domain.declared, (*domain.constraints, condition.presence))
        if not feasible(where, solver):
            guilty = [c for c in conflict(where, solver) if c is not where.constraints[-1]]
            others = [c for c in guilty if not (isinstance(c, OnlyIf) and c.variable is condition.variable)]
            listing = "".join(f"\n  {c}" for c in others)
            raise ValueError(
                f"{condition.variable.name!r} never exists, since its condition cannot hold: {condition}"
                + (f"; it is excluded by{listing}" if others else "")
            )


def feasible(domain: Domain, solver: Solver) -> bool:
    """Whether a domain has a point; where neither is proved, it counts as yes.

    Diagrams and sums in whole numbers decide before a solver, which works to tolerances.
    """
    if not all(part.edges for part in domain.product.parts):
        return False
    if domain.product.exact:
        return True
    found = find(domain, nodes=GLANCE)
    if found is not Verdict.OPEN:
        return found is not Verdict.EMPTY
    milp = MilpBuilder()
    formulation = formulate(domain, milp)
    solution = solver.solve(milp.build(), Limits(seconds=60.0))
    if solution.x is not None and domain.contains(formulation.point(solution.x)):
        return True
    if solution.status is Status.INFEASIBLE and trusted(domain):
        return False
    return find(domain) is not Verdict.EMPTY


def conflict(domain: Domain, solver: Solver) -> tuple[Constraint, ...]:
    """Constraints that no point satisfies together, none of which can be left out (Junker 2004)."""

    def explain(given: list[Constraint], added: bool, candidates: list[Constraint]) -> list[Constraint]:
        if added and not feasible(Domain(domain.declared, tuple(map(as_implication, given))), solver):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        first, second = candidates[:half], candidates[half:]
        from_second = explain([*given, *first], True, second)
        from_first = explain([*given, *from_second], bool(from_second), first)
        return [*from_first, *from_second]

    return tuple(explain([], False, list(domain.constraints)))


def as_implication(constraint: Constraint) -> Constraint:
    """The constraint, with what a condition says kept when those of other variables are left out."""
    if isinstance(constraint, OnlyIf):
        return Implies(constraint.condition, constraint.consequence)
    return constraint
