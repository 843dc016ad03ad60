"""Journals that are only read, also while a run is writing them."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from milbox.domain import Domain
from milbox.trials.header import Header
from milbox.trials.journal import file, opening, postgres, rows, tables
from milbox.trials.journal.place import Place, Url, place_of
from milbox.trials.trial import Trial


def reading(place: Place) -> contextlib.AbstractContextManager[Any]:
    """A journal to read from: checked, and of one moment, whatever is written meanwhile."""
    return postgres.reading(place) if isinstance(place, Url) else file.reading(place)


def exists(place: Place) -> bool:
    """Whether there is a journal."""
    return postgres.exists(place) if isinstance(place, Url) else place.exists()


def read_journal(given: Path | str, like: Domain | None = None) -> tuple[Header, Domain, tuple[Trial, ...]]:
    """The header, the domain and the trials of a journal, also while a run is writing it.

    The domain is `like` where that is the journal's.
    """
    path = place_of(given)
    with reading(path) as connection:
        header, trials = tables.header(connection, path), tables.trials(connection, path)
        domain = like
        if like is None or like.fingerprint != header.domain_fingerprint:
            with rows.intact(path, "its header"):
                domain = Domain.from_json(header.domain)
        assert domain is not None
        trials = opening.checked(path, domain, tables.changes(connection, path), trials)
    return header, domain, trials


@dataclass(frozen=True, slots=True)
class Glance:
    """A journal seen without reading its trials."""

    header: Header
    ended: int
    """How many trials have finished or failed."""
    seconds: float
    """How long their evaluations took."""


def glance(given: Path | str) -> Glance:
    """The header of a journal and how far it is, also while a run is writing it."""
    path = place_of(given)
    with reading(path) as connection:
        return Glance(tables.header(connection, path), *tables.ended(connection))
