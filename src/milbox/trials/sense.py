"""The sense of a study, and its reversal: the one place where minimising becomes maximising."""

from dataclasses import replace
from typing import Literal, TypeAlias, TypeVar

from milbox.trials.trial import Finished, Outcome, Trial

Sense: TypeAlias = Literal["maximize", "minimize"]


def sign_of(sense: Sense) -> float:
    """1 where large values are good, else -1."""
    return 1.0 if sense == "maximize" else -1.0


def turned(trial: Trial) -> Trial:
    """The trial with values, bound and earlier outcomes in the opposite sense."""
    proposal = trial.proposal
    if proposal.certificate is not None:
        old = proposal.certificate
        # Subtracted from zero, so that no zero becomes -0.
        proposal = replace(proposal, certificate=replace(old, value=0.0 - old.value, bound=0.0 - old.bound))
    return replace(
        trial,
        proposal=proposal,
        outcome=_turned(trial.outcome),
        earlier=tuple(map(_turned, trial.earlier)),
    )


_Outcome = TypeVar("_Outcome", bound=Outcome)


def _turned(outcome: _Outcome) -> _Outcome:
    # Outputs by name stay as they were told: goals know their senses.
    return replace(outcome, value=0.0 - outcome.value) if isinstance(outcome, Finished) else outcome
