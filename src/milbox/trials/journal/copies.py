"""Copies of journals: a backup while a run goes on, and one journal out of two."""

import contextlib
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from milbox.arrays import Point
from milbox.errors import JournalError, JournalMismatch
from milbox.trials.header import difference
from milbox.trials.journal.file import Journal, reading
from milbox.trials.journal.reading import read_journal
from milbox.trials.origin import Source
from milbox.trials.trial import Trial


def backup(journal: Path, out: Path) -> int:
    """Write a copy of a journal as it is at one moment, also while a run goes on; the number of its trials.

    The copy has its name only once it is whole and has been read.
    """
    _ensure_free(out)
    draft = out.with_name(f".{out.name}.new")
    draft.unlink(missing_ok=True)
    try:
        with reading(journal) as source, contextlib.closing(sqlite3.connect(draft)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        _, _, trials = read_journal(draft)
        draft.rename(out)
    finally:
        draft.unlink(missing_ok=True)
    return len(trials)


def merge(first: Path, second: Path, out: Path) -> tuple[int, int]:
    """Write the trials of two journals of one domain into a new one; how many it has, and how many both had.

    The new journal goes on with the seed and the strategy of the first. Trials stand in the order in which
    they were asked. A point that both have is kept once, with its value where one of them has it; where
    measurements are noisy, all of them are kept.

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
            again = replace(trial, proposal=replace(trial.proposal, repeat=_measured(kept, trial)))
            kept[_key(again)] = again
        else:
            kept[_key(trial)] = trial if known is None else _agreed(known, trial, first, second)
    merged = sorted([*kept.values(), *free], key=lambda trial: trial.asked_at or 0.0)
    notes = {**header.notes, "merged": [first.name, second.name]}
    journal = Journal(out, replace(header, notes=notes), domain)
    try:
        journal.asked([replace(trial, number=number) for number, trial in enumerate(merged)])
    finally:
        journal.close()
    return len(merged), both


def _key(trial: Trial) -> tuple[Point, int]:
    """What only one trial of a journal has that is not cancelled."""
    return trial.point, trial.proposal.repeat


def _measured(kept: Iterable[tuple[Point, int]], trial: Trial) -> int:
    """How often the point of a trial is there already."""
    return sum(point == trial.point for point, _ in kept)


def _agreed(one: Trial, other: Trial, first: Path, second: Path) -> Trial:
    """The trial of two at one point that says more."""
    if one.values and other.values and one.values != other.values:
        raise JournalMismatch(
            f"{first} and {second} cannot be merged: trial {one.number} of the first and trial "
            f"{other.number} of the second are the same point, with the values {one.shown} and "
            f"{other.shown}. Correct one with `milbox amend`"
        )
    weight = {"pending": 0, "failed": 1, "finished": 2}
    return max(one, other, key=lambda trial: weight[trial.state])


def _ensure_free(out: Path) -> None:
    if out.exists():
        raise JournalError(f"{out} exists already; choose another name")
