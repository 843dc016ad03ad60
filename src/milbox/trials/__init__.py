"""What happened: proposals, certificates, trials, their history, and the journal it is kept in."""

from milbox.trials.answer import Answer, Empty, Found, Unknown
from milbox.trials.goal import Goal
from milbox.trials.header import Header
from milbox.trials.history import History
from milbox.trials.journal import Journal
from milbox.trials.trial import Cancelled, Certificate, Failed, Finished, Outcome, Pending, Proposal, Trial

__all__ = [
    "Answer",
    "Cancelled",
    "Certificate",
    "Empty",
    "Failed",
    "Finished",
    "Found",
    "Goal",
    "Header",
    "History",
    "Journal",
    "Outcome",
    "Pending",
    "Proposal",
    "Trial",
    "Unknown",
]
