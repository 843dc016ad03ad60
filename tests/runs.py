"""Runs for tests of pages: records without a solver, a clock or a file."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import milbox.domain as md
from milbox.arrays import Point
from milbox.milp.solution import Status
from milbox.trials import Certificate, Failed, Finished, Header, Outcome, Pending, Proposal, Trial
from milbox.trials.record import Record
from milbox.trials.sense import Sense

BEGAN = 1_700_000_000.0


def header(domain: md.Domain, sense: Sense = "maximize", **notes: Any) -> Header:
    """A header as a study would write it."""
    return Header(
        seed=0,
        sense=sense,
        domain=domain.to_json(),
        domain_fingerprint=domain.fingerprint,
        strategy="ModelBased(learner=ReluLearner())",
        package="0.1.0",
        created_at=BEGAN,
        notes=notes,
    )


def proof(
    value: float, bound: float | None = None, seconds: float = 0.01, solver: str = "SCIP 10"
) -> Certificate:
    """A certificate; without a bound of its own, one that proves the value to be the best."""
    bound = value if bound is None else bound
    status = Status.OPTIMAL if bound == value else Status.FEASIBLE
    return Certificate(status, value, bound, 0.0, 3, seconds, solver)


def trial(
    domain: md.Domain,
    number: int,
    point: Point,
    outcome: Outcome,
    origin: str = "random",
    certificate: Certificate | None = None,
) -> Trial:
    """A trial with its assignment and dates."""
    proposal = Proposal(point, origin, certificate, 0.02 if certificate else 0.0)
    return Trial(number, proposal, outcome, domain.assignment(point), BEGAN + number)


def record(
    domain: md.Domain, trials: Sequence[Trial] = (), sense: Sense = "maximize", **notes: Any
) -> Record:
    """A record of these trials."""
    return Record("a run", header(domain, sense, **notes), tuple(trials), domain)


def distinct_points(domain: md.Domain, count: int, seed: int = 0) -> list[Point]:
    """Different points of a domain, drawn with a written seed; its constraints are not asked."""
    rng = np.random.default_rng(seed)
    found: dict[Point, None] = {}
    while len(found) < count:
        found[tuple(int(rng.integers(v.codes[0], v.codes[-1] + 1)) for v in domain.variables)] = None
    return list(found)


def model_run(domain: md.Domain, values: Sequence[float], initial: int, sense: Sense = "maximize") -> Record:
    """Finished trials at distinct points: a random start, then points with certificates."""
    points = distinct_points(domain, len(values))
    trials = []
    for number, (point, value) in enumerate(zip(points, values, strict=True)):
        chosen = number >= initial
        outcome = Finished(float(value), 0.5, BEGAN + number + 0.5)
        origin, certificate = ("milp", proof(float(value) + 0.1)) if chosen else ("random", None)
        trials.append(trial(domain, number, point, outcome, origin, certificate))
    return record(domain, trials, sense)


@dataclass(frozen=True)
class Measured:
    """A record of every kind of trial, certificate and variable at once."""

    domain: md.Domain
    record: Record


def everything(sense: Sense = "maximize", nasty: str = "plain") -> Measured:
    """Arrays and scalars of every kind, with failures, pending trials, and infinite and absent bounds."""
    x = md.binary("x", 6)
    base = md.categorical("base", "ACGT", 5)
    k = md.integer("k", -3, 40)
    op = md.categorical(nasty, ["conv", nasty, "a rather long choice that nobody would ever write"])
    edge = md.binary("edge", 6)
    domain = md.Domain([x, base, k, op, edge], [x.sum() <= 4, k + 2 * x[0] >= -3, md.implies(x[1], k <= 30)])
    rng = np.random.default_rng(5)
    trials = []
    for number, point in enumerate(p for p in distinct_points(domain, 300) if domain.contains(p)):
        if number == 60:
            break
        value = float(point[0] - point[1] + 0.5 * (point[6] == 2) + 0.01 * point[11] + rng.normal(0, 0.1))
        outcome: Outcome = Finished(value, 0.2, BEGAN + number)
        if number % 11 == 10:
            outcome = Failed(f"the cable of {nasty} came loose\nTraceback: {nasty}", 0.1, BEGAN + number)
        if number >= 58:
            outcome = Pending()
        certificate, origin = None, "random"
        if number >= 20:
            bound = {0: math.inf, 1: value + 0.05, 2: None}[number % 3]
            if bound is not None and sense == "minimize":
                bound = -math.inf if math.isinf(bound) else value - 0.05
            certificate, origin = proof(value, bound, solver=f"solver {nasty}"), f"milp {nasty}"
        trials.append(trial(domain, number, point, outcome, origin, certificate))
    made = record(domain, trials, sense, budget=80)
    return Measured(domain, Record(f"run of {nasty}", made.header, made.trials, made.domain))
