"""Sentences that say why nothing more can be asked, and what that proves."""

from milbox.trials.history import History
from milbox.trials.trial import Trial


def nothing_left(history: History, best: Trial | None, symmetric: bool = False) -> str:
    """What it means that every point of a domain, or one of each orbit, has been asked, as a sentence."""
    every = "every point of the domain" + (" but for symmetries" if symmetric else "")
    pending, failed = history.pending, history.failed
    if not (pending or failed):
        proof = f": trial {best.number}, with value {best.value:g}, is the proved optimum" if best else ""
        if history.goal.several:
            proof = ": the front is proved"
        elif best is None and history.goal.limits:
            proof = f": no point keeps {' and '.join(map(str, history.goal.limits))}"
        return f"{every}, {len(history.asked_points)} in all, has been evaluated{proof}"
    parts = []
    if pending:
        numbers = ", ".join(str(trial.number) for trial in pending[:6]) + (
            ", ..." if len(pending) > 6 else ""
        )
        parts.append(f"{len(pending)} pending (tell or fail {numbers})")
    if failed:
        parts.append(f"{len(failed)} failed")
    return f"{every}, {len(history.asked_points)} in all, has been asked, but with {' and '.join(parts)} " + (
        "the front of the others is not proved"
        if history.goal.several
        else "the best of the others is not proved to be the optimum"
    )


def nothing_found(history: History, reason: str) -> str:
    """A sentence on a search for a new point that was stopped."""
    return (
        f"no point beside the {len(history.asked_points)} asked was found, and it is not proved that none is "
        f"left: {reason}. Nothing is lost; a strategy with wider limits may find one"
    )
