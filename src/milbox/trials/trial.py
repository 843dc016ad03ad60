"""Proposals, certificates, outcomes and trials.

Durations and dates take no part in comparisons: two runs that proposed and measured the same are equal.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from milbox import display
from milbox.arrays import Point
from milbox.milp.solution import Status
from milbox.trials.origin import Origin

VALUE = "value"
"""The name of an objective that the user gives none."""

EVERYWHERE = "all untried points"
"""The subject of most certificates."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proof behind a proposal: no point that it is about has an acquisition beyond ``bound``."""

    status: Status
    value: float
    """The acquisition value the inner solver claims for the point."""
    bound: float
    """The proved bound on the acquisition over all that it is about; infinite when nothing is proved."""
    residual: float
    """|value - the surrogate's own prediction at the point|."""
    no_goods: int
    seconds: float = field(compare=False)
    solver: str
    """Name and version."""
    about: str = EVERYWHERE
    """The points among which the proposal is compared."""
    surrogate: str = ""
    """What predicts the value, where a strategy has several surrogates to choose from."""

    @property
    def gap(self) -> float:
        """|bound - value| / max(|value|, |bound|): 0 when equal, inf when nothing is proved."""
        if self.bound == self.value:
            return 0.0
        if not (math.isfinite(self.bound) and math.isfinite(self.value)):
            return math.inf
        # Two different numbers are not both zero, so the scale is positive.
        return abs(self.bound - self.value) / max(abs(self.value), abs(self.bound))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A point a strategy suggests, where it came from, and what is proved about it."""

    point: Point
    origin: str
    """"random", "milp", "mutation of 17", "known", ..."""
    certificate: Certificate | None = None
    fit_seconds: float = field(default=0.0, compare=False)
    """Time spent on fitting the surrogate behind this proposal."""
    repeat: int = 0
    """How often the point was asked before: more than 0 only where measurements are noisy."""


@dataclass(frozen=True, slots=True)
class Pending:
    """Asked, and not yet told."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Measured: the objective's value, always finite where there is one objective."""

    value: float
    """Not a number where there are several objectives."""
    seconds: float = field(default=0.0, compare=False)
    """Time the evaluation took; 0 when unknown."""
    told_at: float | None = field(default=None, compare=False)
    """Seconds since 1970."""
    outputs: tuple[tuple[str, float], ...] = ()
    """Names and values of all outputs; none where there is only `value`."""
    error: float | None = None
    """The standard error of the value, where it is known."""
    errors: tuple[tuple[str, float], ...] = ()
    """Names and standard errors of the outputs that are not the value, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Could not be measured; the first line of the reason is a summary."""

    reason: str
    seconds: float = field(default=0.0, compare=False)
    told_at: float | None = field(default=None, compare=False)
    infeasible: bool = True
    """Whether the point is to blame, so that others like it are avoided; else a worker died, say."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Given up before it was measured: the point may be asked again."""

    told_at: float | None = field(default=None, compare=False)


Outcome: TypeAlias = Pending | Finished | Failed | Cancelled

State: TypeAlias = Literal["pending", "finished", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, repr=False)
class Trial:
    """A proposal with a number (its place in the history, from 0) and an outcome."""

    number: int
    proposal: Proposal
    outcome: Outcome = Pending()
    # The point in the user's words. It follows from the point and holds arrays, which have no single ==.
    assignment: Mapping[str, Any] = field(default_factory=dict, compare=False)
    asked_at: float | None = field(default=None, compare=False)
    """Seconds since 1970."""
    earlier: tuple[Finished | Failed, ...] = ()
    """The outcomes that were told before and amended since, oldest first."""
    where: tuple[str, ...] = ()
    """The rules that the point was asked to keep besides the domain's."""
    outside: str | None = field(default=None, compare=False)
    """The first rule that the point breaks, where it is not in the study's domain; it follows from both."""
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The user's own JSON about the measurement: a note, the batch, the operator."""

    @property
    def point(self) -> Point:
        """One code per variable."""
        return self.proposal.point

    @property
    def origin(self) -> Origin:
        """Where the point came from: a text, whose `source` says whether it was known or random."""
        return Origin(self.proposal.origin)

    @property
    def certificate(self) -> Certificate | None:
        """What is proved about the proposal; None for points that no solver chose."""
        return self.proposal.certificate

    @property
    def value(self) -> float | None:
        """The measured value; None without one, and where there are several objectives."""
        if not isinstance(self.outcome, Finished) or math.isnan(self.outcome.value):
            return None
        return self.outcome.value

    @property
    def values(self) -> dict[str, float]:
        """The measured outputs by name; empty while the trial is pending or when it has failed."""
        if not isinstance(self.outcome, Finished):
            return {}
        return dict(self.outcome.outputs) or {VALUE: self.outcome.value}

    @property
    def several(self) -> bool:
        """Whether there is more to see than one value without a name."""
        return isinstance(self.outcome, Finished) and bool(self.outcome.outputs)

    @property
    def error(self) -> float | None:
        """The standard error that the value was told with."""
        return self.outcome.error if isinstance(self.outcome, Finished) else None

    @property
    def errors(self) -> dict[str, float]:
        """The standard errors that other outputs than the value were told with, by name."""
        return dict(self.outcome.errors) if isinstance(self.outcome, Finished) else {}

    @property
    def reason(self) -> str | None:
        """Why the trial failed; None when it has not."""
        return self.outcome.reason if isinstance(self.outcome, Failed) else None

    @property
    def short_reason(self) -> str:
        """The first line of the reason why the trial failed; empty when it has not."""
        return (self.reason or "").strip().partition("\n")[0]

    @property
    def ended(self) -> bool:
        """Whether the trial was measured or has failed."""
        return isinstance(self.outcome, Finished | Failed)

    @property
    def state(self) -> State:
        """The outcome as a word."""
        match self.outcome:
            case Pending():
                return "pending"
            case Finished():
                return "finished"
            case Failed():
                return "failed"
            case Cancelled():
                return "cancelled"

    @property
    def shown(self) -> str:
        """What came of it, in short: a value, several by name, or the state."""
        if isinstance(self.outcome, Finished) and self.outcome.outputs:
            return ", ".join(f"{name} {value:g}" for name, value in self.outcome.outputs)
        return self.state if self.value is None else f"{self.value:g}"

    def __repr__(self) -> str:
        where = display.in_short(self.assignment or {"point": self.point})
        return f"<Trial {self.number}: {self.shown} at {where}, {self._made()}>"

    def _repr_html_(self) -> str:
        title = f"Trial {self.number}: {self.shown} ({self._made()})"
        return display.table(title, ("variable", "value"), (self.assignment or {"point": self.point}).items())

    def _made(self) -> str:
        """Where the point came from, and what is proved about it."""
        return self.origin + ("" if self.certificate is None else f", {self.certificate.status}")
