"""The trials of a study in memory and in its journal, kept in step."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from milbox.domain import Domain
from milbox.trials.change import Change, moved
from milbox.trials.header import Header
from milbox.trials.history import History
from milbox.trials.journal import Place, SharedJournal, open_journal, place_of
from milbox.trials.outside import Former, placed
from milbox.trials.trial import Trial


class Ledger:
    """Every trial of a study, with values as they were told.

    A change is in the journal before it is in memory. After a write that failed or was interrupted, the
    journal is read again before anybody sees a trial.
    """

    def __init__(self, domain: Domain, header: Header, path: Path | str | None) -> None:
        """Open the journal at `path`, or create it; None keeps the trials in memory alone."""
        self.lock: contextlib.AbstractContextManager[bool] = threading.RLock()
        self._opened, self._own = header, domain
        self._history = History(goal=header.goal)
        self._journal = None if path is None else open_journal(place_of(path), header, domain)
        self._changed: tuple[Change, ...] = ()
        self._stale = self._journal is not None

    @property
    def path(self) -> Place | None:
        """The file of the journal, or the URL of its database without the password."""
        return None if self._journal is None else self._journal.path

    @property
    def header(self) -> Header:
        """The header of the journal, or the one it would have."""
        return self._opened if self._journal is None else self._journal.header

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change of the domain, in order."""
        return self._changed if self._journal is None else self._journal.changes

    @property
    def domain(self) -> Domain:
        """The domain of today."""
        return self._own if self._journal is None else self._journal.domain

    @property
    def _former(self) -> Former:
        return self.changes[-1].former if self.changes else {}

    @property
    def history(self) -> History:
        """Every trial so far."""
        if self._stale and self._journal is not None:
            with self.lock:
                if self._stale:  # not, where another thread was just writing
                    trials = tuple(map(_read_only, self._journal.trials()))
                    self._history = History(trials, self._opened.goal)
                    self._stale = False
        elif isinstance(self._journal, SharedJournal):
            with self.lock:
                news = self._journal.news()
                if news is None:  # another process has changed the domain
                    self._stale = True
                    return self.history
                for trial in placed(news, self.domain, self._former):
                    self._history = self._history.updated(_read_only(trial))
        return self._history

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """The right to add trials, which threads and the processes of a database have one by one."""
        with self.lock, self._journal.turn() if isinstance(self._journal, SharedJournal) else nullcontext():
            yield

    def working(self) -> contextlib.AbstractContextManager[None]:
        """Answer for the trials that are added within, so that nobody else takes them over."""
        return self._journal.working() if isinstance(self._journal, SharedJournal) else nullcontext()

    def taken_over(self, count: int) -> list[Trial]:
        """Up to `count` trials that other workers have left; only a database has other workers."""
        if not isinstance(self._journal, SharedJournal):
            return []
        return [self.history[number] for number in self._journal.taken_over(count)]

    @property
    def shared(self) -> bool:
        """Whether other processes may write the journal."""
        return isinstance(self._journal, SharedJournal)

    def add(self, trials: Sequence[Trial]) -> tuple[Trial, ...]:
        """Add trials, all or none, numbered on from the last; give them back as they are kept."""
        with self.lock:
            if self._former or not all(trial.assignment for trial in trials):
                trials = placed(trials, self.domain, self._former)
            kept = tuple(map(_read_only, trials))
            after = self.history.extended(kept)
            if self._journal is not None:
                self._stale = True
                self._journal.asked(kept)
            self._history, self._stale = after, False
        return kept

    def change(self, number: int, step: Callable[[History], History]) -> None:
        """Take a step that changes the trial of this number."""
        with self.lock:
            before = self.history
            after = step(before)
            if self._journal is not None:
                self._stale = True
                self._journal.told(after[number], before[number].state)
            self._history, self._stale = after, False

    def move(self, domain: Domain, values: Mapping[str, Any], strategy: str) -> tuple[Trial, ...]:
        """Go on with another domain, for which the strategy has this identity; give the trials in it back."""
        with self.lock:
            before = self.history
            trials, former = moved(before.trials, self.domain, domain, values)
            header = replace(
                self.header, domain=domain.to_json(), domain_fingerprint=domain.fingerprint, strategy=strategy
            )
            change = Change(len(before), time.time(), self.domain.to_json(), former)
            after = History(tuple(map(_read_only, trials)), self._opened.goal)
            if self._journal is not None:
                self._stale = True
                self._journal.changed(domain, header, change, trials)
            self._opened, self._own, self._changed = header, domain, (*self._changed, change)
            self._history, self._stale = after, False
        return after.trials

    def note(self, notes: Mapping[str, Any]) -> None:
        """Add to the notes of the journal, or change them; without a journal, do nothing."""
        if self._journal is not None:
            with self.lock:
                self._journal.note(notes)

    def close(self) -> None:
        """Close the journal; without one, do nothing."""
        if self._journal is not None:
            with self.lock:
                self._journal.close()


def _read_only(trial: Trial) -> Trial:
    """The trial, into the arrays of whose assignment nobody can write."""
    for value in trial.assignment.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return trial
