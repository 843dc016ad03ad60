"""Copies of journals: a backup while a run goes on, and one journal out of two."""

import contextlib
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.errors import JournalError, JournalMismatch
from milbox.trials.header import Header, difference
from milbox.trials.journal import file, tables
from milbox.trials.journal.file import Journal
from milbox.trials.journal.place import Place, Url
from milbox.trials.journal.postgres import SharedJournal
from milbox.trials.journal.reading import exists, read_journal, reading
from milbox.trials.origin import Source
from milbox.trials.trial import Trial


def backup(journal: Place, out: Place) -> int:
    """Write a copy of a journal as it is at one moment, also while a run goes on; the number of its trials.

    Either may be a file or a database. A file has its name only once it is whole and has been read.
    """
    _ensure_free(out)
    if isinstance(out, Url):
        return _copied(journal, out)
    draft = out.with_name(f".{out.name}.new")
    draft.unlink(missing_ok=True)
    try:
        if isinstance(journal, Url):
            _copied(journal, draft)
        else:
            with file.reading(journal) as source, contextlib.closing(sqlite3.connect(draft)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        _, _, trials = read_journal(draft)
        draft.rename(out)
    finally:
        draft.unlink(missing_ok=True)
    return len(trials)


def _copied(journal: Place, out: Place) -> int:
    """Write everything that a journal has into a new one; the number of its trials."""
    with reading(journal) as source:
        header = tables.header(source, journal)
        changes, trials = tables.changes(source, journal), tables.trials(source, journal)
    with contextlib.closing(_created(out, header, Domain.from_json(header.domain))) as made:
        made.filled(changes, trials)
    return len(trials)


def _created(out: Place, header: Header, domain: Domain) -> Journal | SharedJournal:
    """A new journal at a place."""
    return SharedJournal(out, header, domain) if isinstance(out, Url) else Journal(out, header, domain)


def merge(first: Place, second: Place, out: Place) -> tuple[int, int]:
    """Write the trials of two journals of one domain into a new one; how many it has, and how many both had.

    The new journal goes on with the seed and the strategy of the first, and has no budget: that of one run is
    none for the trials of two. Trials stand in the order in which they were asked. A point that both have is
    kept once, with its value where one of them has it; where measurements are noisy, all of them are kept.

    Raises:
        JournalMismatch: the journals are about other domains or senses, or differ in a point's value.
    """
    _ensure_free(out)
    header, domain, one = read_journal(first)
    other_header, _, other = read_journal(second, domain)
    differs = difference(replace(other_header, seed=header.seed, strategy=header.strategy), header)
    if differs is not None:
        raise JournalMismatch(f"{first} and {second} cannot be merged: the second was written {differs}")
    for path, trials in ((first, one), (second, other)):
        former = [t for t in trials if t.outside is not None and t.origin.source is not Source.KNOWN]
        if former:
            raise JournalMismatch(
                f"{first} and {second} cannot be merged: trial {former[0].number} of {path} was asked before "
                f"its domain changed, and is outside it now"
            )
    kept = {_key(trial): trial for trial in one if trial.state != "cancelled"}
    free = [trial for trial in (*one, *other) if trial.state == "cancelled"]
    both = 0
    for trial in other:
        if trial.state == "cancelled":
            continue
        known = kept.get(_key(trial))
        both += known is not None
        if known is not None and header.goal.noise:  # another measurement of the same point
            again = replace(trial, proposal=replace(trial.proposal, repeat=_next_repeat(kept, trial)))
            kept[_key(again)] = again
        else:
            kept[_key(trial)] = trial if known is None else _agreed(known, trial, first, second)
    merged = sorted([*kept.values(), *free], key=lambda trial: trial.asked_at or 0.0)
    notes = {
        **header.notes,
        "budget": None,
        "merged": [place.study if isinstance(place, Url) else place.name for place in (first, second)],
    }
    numbered = [replace(trial, number=number) for number, trial in enumerate(merged)]
    with contextlib.closing(_created(out, replace(header, notes=notes), domain)) as made:
        made.filled((), numbered)
    return len(merged), both


def _key(trial: Trial) -> tuple[Point, int]:
    """What only one trial of a journal has that is not cancelled."""
    return trial.point, trial.proposal.repeat


def _next_repeat(kept: Iterable[tuple[Point, int]], trial: Trial) -> int:
    """The number of another measurement of a trial's point; those of cancelled trials stay free."""
    return 1 + max(repeat for point, repeat in kept if point == trial.point)


def _agreed(one: Trial, other: Trial, first: Place, second: Place) -> Trial:
    """The trial of two at one point that says more."""
    if one.values and other.values and one.values != other.values:
        raise JournalMismatch(
            f"{first} and {second} cannot be merged: trial {one.number} of the first and trial "
            f"{other.number} of the second are the same point, with the values {one.shown} and "
            f"{other.shown}. Correct one with `milbox amend`"
        )
    weight = {"pending": 0, "failed": 1, "finished": 2}
    return max(one, other, key=lambda trial: weight[trial.state])


def _ensure_free(out: Place) -> None:
    if exists(out):
        raise JournalError(f"{out} exists already; choose another name")
