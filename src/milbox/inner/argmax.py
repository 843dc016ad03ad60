"""The best feasible input of a model that is already trained, with a certificate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.embed.conflict import ensure_feasible
from milbox.errors import Exhausted, Undecided
from milbox.inner.auto import Auto
from milbox.inner.protocol import InnerSolver
from milbox.inner.query import Query
from milbox.milp.solvers import Scip
from milbox.surrogates.foreign import read
from milbox.trials.answer import Empty, Unknown
from milbox.trials.trial import Certificate


@dataclass(frozen=True, slots=True)
class Optimum:
    """A point, the model's prediction, and the proof that comes with it."""

    assignment: Mapping[str, Any] = field(compare=False)
    value: float
    certificate: Certificate
    point: Point


def argmax(
    model: Any,
    domain: Domain,
    *,
    forbidden: Iterable[Mapping[str, Any]] = (),
    inner: InnerSolver | None = None,
    seed: int = 0,
) -> Optimum:
    """The certified best point of a trained model over a domain.

    Args:
        model: a milbox surrogate, a scikit-learn `MLPRegressor`, a torch `nn.Sequential`, an ONNX model, or
            the path of one; it takes the domain's encoded points, `domain.encode`.
        domain: the points to choose from.
        forbidden: assignments that may not be chosen.
        inner: who optimises; the cheapest exact method by default.
        seed: breaks ties.

    Raises:
        Exhausted: every point is forbidden.
        Undecided: no point was found within the limits, and it is not proved that every point is forbidden.
    """
    excluded = [domain.point(assignment) for assignment in forbidden]
    ensure_feasible(domain, Scip())
    surrogate = model if hasattr(model, "predict") and is_own(model) else read(model, domain.features)
    check_width(surrogate, domain)
    found = (inner or Auto()).solve(Query.of(surrogate, domain, excluded), np.random.default_rng(seed))
    if isinstance(found, Empty):
        raise Exhausted(f"all points of the domain are among the {len(excluded)} forbidden ones")
    if isinstance(found, Unknown):
        raise Undecided(f"no point was found: {found.reason}; an inner solver with wider limits may find one")
    point, certificate = found.proposals[0].point, found.proposals[0].certificate
    assert certificate is not None, "exact methods certify"
    value = float(surrogate.predict(domain.encode([point]))[0])
    return Optimum(domain.assignment(point), value, certificate, point)


def is_own(model: Any) -> bool:
    """Whether the model speaks encoded points already: ours, or a third party's surrogate."""
    return type(model).__module__.partition(".")[0] not in ("sklearn", "torch", "onnx")


def check_width(surrogate: Any, domain: Domain) -> None:
    """Refuse a model that takes another number of inputs than the domain has features."""
    example = np.zeros((1, domain.features))
    try:
        surrogate.predict(example)
    except ValueError as error:
        raise ValueError(
            f"the model does not take the domain's {domain.features} features (see domain.encode): {error}"
        ) from error
