"""Checks of what a journal holds, whatever it is kept in."""

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from milbox.domain import Domain
from milbox.errors import JournalMismatch
from milbox.trials.change import Change
from milbox.trials.header import Header, difference, version_change
from milbox.trials.journal import rows, tables
from milbox.trials.journal.connection import Connection
from milbox.trials.journal.place import Place
from milbox.trials.origin import Source
from milbox.trials.outside import placed
from milbox.trials.trial import Trial


def checked_trials(connection: Connection, path: Place, domain: Domain) -> tuple[Trial, ...]:
    """Every trial with its assignment; refuses points that nobody can have asked for or measured."""
    return checked(path, domain, tables.changes(connection, path), tables.trials(connection, path))


def check_same(connection: Connection, path: Place, header: Header) -> None:
    """Refuse a journal that was written for something else."""
    written = tables.header(connection, path)
    differs = difference(written, header)
    if differs is not None:
        advice = "open it as it was, or choose another file"
        if written.domain_fingerprint != header.domain_fingerprint and differs.startswith("for another"):
            advice += (
                "; to go on with the new domain, open it as it was and call study.change(domain), or run "
                f"`milbox change {path} PROBLEM`"
            )
        raise JournalMismatch(f"{path} was written {differs}; {advice}")
    with rows.intact(path, "its header"):
        if _wordless(written.domain) != _wordless(json.loads(json.dumps(header.domain))):
            raise ValueError("the domain is not that of its fingerprint")
    changed = version_change(written, header)
    if changed is not None:
        warnings.warn(f"{path} was written {changed}", stacklevel=2)


def _wordless(domain: Mapping[str, Any]) -> dict[str, Any]:
    """The plain form of a domain without names and texts of rules, which change no point."""
    return {key: part for key, part in domain.items() if key != "rules"}


def checked(
    path: Place, domain: Domain, changes: Sequence[Change], trials: Sequence[Trial]
) -> tuple[Trial, ...]:
    """The trials with their assignments; refuses points that nobody can have asked for or measured."""
    former = changes[-1].former if changes else {}
    first = changes[-1].number if changes else 0
    try:
        found = placed(trials, domain, former)
    except (ValueError, OverflowError):
        for trial in trials:
            with rows.intact(path, f"trial {trial.number}"):
                placed([trial], domain, former)
        raise
    for trial in found:
        # The user may know points outside, and those of an earlier domain may be; no others.
        if trial.outside is not None and trial.number >= first and trial.origin.source is not Source.KNOWN:
            with rows.intact(path, f"trial {trial.number}"):
                raise ValueError(f"its point {trial.point} is not in the domain")
    return found
