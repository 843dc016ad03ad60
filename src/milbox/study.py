"""A study: ask for points, tell their values, resume from a file."""

import contextlib
import importlib.metadata
import json
import operator
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import numpy as np

from milbox import display, events
from milbox.arrays import Point
from milbox.domain import Constraint, Domain
from milbox.domain.rules.write import rule_text
from milbox.embed.conflict import ensure_feasible
from milbox.errors import Exhausted, Undecided
from milbox.milp.solvers import Scip
from milbox.trials import (
    Answer,
    Cancelled,
    Empty,
    Failed,
    Finished,
    Found,
    Header,
    History,
    Journal,
    Outcome,
    Proposal,
    Trial,
    Unknown,
)
from milbox.trials.checks import measured, storable, whole
from milbox.trials.exhaustion import nothing_found, nothing_left
from milbox.trials.header import Sense
from milbox.trials.known import known_trials
from milbox.trials.narrowing import narrowing
from milbox.trials.record import Record, best_of

if TYPE_CHECKING:
    from milbox.strategies import Strategy


class Study:
    """One optimisation: a domain, a strategy, a seed, what was tried so far, and the file it is kept in.

    The proposals are a function of these and of the values told: two studies that are asked and told the
    same, in the same order, propose the same. With a journal, a trial is on disk before `ask` returns and a
    value before `tell` returns; opening the journal again resumes where it ended, pending trials included.

    Threads may share a study: `ask`, `tell` and `fail` take turns, and nobody sees half of a change. Other
    processes may not: a study cannot be pickled, and its journal has one writer.
    """

    def __init__(
        self,
        domain: Domain,
        strategy: "Strategy | None" = None,
        *,
        seed: int = 0,
        journal: Path | str | None = None,
        minimize: bool = False,
        known: Iterable[tuple[Mapping[str, Any], float]] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        """Start a study, or resume the one in the journal.

        Args:
            domain: the points that may be proposed.
            strategy: who chooses among them; NN+MILP by default.
            seed: a non-negative integer.
            journal: a file, created if it does not exist; None keeps everything in memory.
            minimize: whether small values are good.
            known: the user's own data, as (assignment, value); they become finished trials.
            notes: JSON to keep in a journal that is created now, for whoever opens it again.
        """
        if not isinstance(domain, Domain):
            raise TypeError(f"a study needs a Domain, not {domain!r}")
        self.domain = domain
        self.seed: int = whole("seed", seed, 0)
        self.sense: Sense = "minimize" if minimize else "maximize"
        if strategy is None:
            from milbox.strategies import NNMILP

            strategy = NNMILP()
        if isinstance(strategy, type) or not callable(getattr(strategy, "propose", None)):
            raise TypeError(
                f"strategy must be an object with a propose method, such as NNMILP(), not {strategy!r}"
            )
        self.strategy: Strategy = strategy
        from milbox.strategies.identity import identity  # with every strategy, which takes a while to import

        self._identity = identity(strategy)
        given = known_trials(domain, known)
        if not given:  # a known point shows that there is one
            ensure_feasible(domain, Scip())
        self._lock = threading.RLock()
        self._exhausted = False
        self._shown = self._history = History()
        self._opened = self._header(dict(notes or {}))
        self._journal = None if journal is None else Journal(journal, self._opened, domain)
        # Whether the journal may be ahead of what is in memory, because a write of it did not return.
        self._stale = self._journal is not None
        try:
            if self.trials:
                events.resumed(str(self.journal), len(self._history), len(self._history.pending))
            self._add_known(given)
        except BaseException:
            self.close()
            raise

    @property
    def journal(self) -> Path | None:
        """The file the study is kept in."""
        return None if self._journal is None else self._journal.path

    @property
    def history(self) -> History:
        """What strategies see: every trial, with values in the sense in which large is good."""
        self._catch_up()
        return self._history

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in order, pending and failed ones too, with values as they were told.

        The arrays in their assignments are read-only; those that `ask` hands out are the caller's own.
        """
        self._catch_up()
        return self._shown.trials

    @property
    def best(self) -> Trial | None:
        """The best finished trial, the earliest of equals; None before the first value."""
        return best_of(self.trials, self.sense)

    @property
    def record(self) -> Record:
        """The study as a journal tells it: counts, ranking, proofs and where the time went."""
        header = self._opened if self._journal is None else self._journal.header
        name = "study" if self.journal is None else self.journal.stem
        return Record(name, header, self.trials, self.domain, self.journal)

    @property
    def exhausted(self) -> bool:
        """Whether it is proved that every point of the domain has been asked."""
        return self._exhausted or len(self.history.asked_points) == self.domain.size

    @property
    def proved(self) -> bool:
        """Whether the best trial is the proved optimum: every point of the domain has been measured."""
        return self.exhausted and len(self.history.finished) == len(self.history.asked_points)

    def ask(self, *, fix: Mapping[str, Any] | None = None, where: Any = ()) -> Trial:
        """The next point to evaluate; arguments and errors as `ask_many`."""
        return self.ask_many(1, fix=fix, where=where)[0]

    def ask_many(
        self,
        count: int,
        *,
        fix: Mapping[str, Any] | None = None,
        where: Any = (),
        same: Iterable[str] = (),
    ) -> list[Trial]:
        """Up to `count` different points to evaluate at the same time: fewer when no more were found.

        Args:
            count: how many.
            fix: values that these points have, by the name of a scalar, an array or an item such as `x[2]`.
            where: constraints, or rules as texts, that these points satisfy besides the domain's.
            same: names of variables that have one value in all points of this batch.

        Raises:
            DomainError: no point of the domain has the fixed values and satisfies the conditions.
            Exhausted: it is proved that every such point has been asked.
            Undecided: no new point was found within the strategy's limits, and nothing is proved.
        """
        count = whole("count", count, 1)
        rows = narrowing(self.domain, fix, where)
        shared = [same] if isinstance(same, str) else list(same)
        names = [str(thing.name) for thing in self.domain.declared]
        with self._lock:
            if not shared:
                return self._asked(count, rows)
            unknown = [name for name in shared if name not in names]
            if unknown:
                raise ValueError(f"there is no variable {unknown[0]!r}; there are {', '.join(names)}")
            first = self._asked(1, rows)
            if count == 1:
                return first
            values = first[0].assignment
            alike = narrowing(self.domain, {name: values[name] for name in shared})
            with contextlib.suppress(Exhausted):
                first += self._asked(count - 1, (*rows, *alike))
            return first

    def _asked(self, count: int, rows: tuple[Constraint, ...]) -> list[Trial]:
        """New trials in the part of the domain in which these rows hold."""
        history = self.history
        rng = np.random.default_rng([self.seed, len(history)])
        domain = self.domain
        if rows:
            domain = Domain(domain.declared, (*domain.constraints, *rows))
            ensure_feasible(domain, Scip())
        answer = self.strategy.propose(domain, history, count, rng)
        proposals = self._checked(answer, count, domain)
        now, where = time.time(), tuple(map(rule_text, rows))
        trials = [self._trial(len(history) + k, p, now) for k, p in enumerate(proposals)]
        self._add([_narrowed(trial, where) for trial in trials])
        new = self._shown.trials[len(history) :]
        for trial in new:
            events.proposed(trial.number, trial.origin)
        return [self._handed_out(trial) for trial in new]

    def tell(
        self,
        number: int,
        value: float,
        *,
        seconds: float = 0.0,
        note: str | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Record the value of a pending trial.

        Args:
            number: of the trial.
            value: a finite number.
            seconds: how long the evaluation took, if known.
            note: a text to keep with the trial.
            info: more to keep with it, such as the batch or the operator, as JSON.
        """
        number = _trial_number("tell", number)
        told = measured(value, f"the value told for trial {number}")
        self._end(number, Finished(told, _duration(number, seconds), time.time()), _info(note, info))
        events.told(number, told)

    def fail(
        self,
        number: int,
        reason: str,
        *,
        seconds: float = 0.0,
        note: str | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Record that a pending trial could not be measured; its point is not proposed again."""
        number = _trial_number("fail", number)
        if not isinstance(reason, str):
            raise TypeError(f"the reason why trial {number} failed must be a string, not {reason!r}")
        kept = storable(reason)
        self._end(number, Failed(kept, _duration(number, seconds), time.time()), _info(note, info))
        events.failed(number, kept)

    def amend(self, number: int, value: float) -> None:
        """Correct the value of a trial that was told or had failed; what was told before stays on record.

        Later proposals are fitted to the corrected value.
        """
        number = _trial_number("amend", number)
        corrected = Finished(measured(value, f"the value told for trial {number}"), told_at=time.time())
        self._change(number, lambda history, sense: history.amended(number, sense(corrected)))
        events.amended(number, corrected.value)

    def cancel(self, number: int) -> None:
        """Give up a pending trial: it does not count, and its point may be asked again."""
        number = _trial_number("cancel", number)
        given_up = Cancelled(time.time())
        self._change(number, lambda history, _: history.cancelled(number, given_up))
        self._exhausted = False
        events.cancelled(number)

    def explain(self) -> Any:
        """What the strategy believes about the objective, where it can say so."""
        explain = getattr(self.strategy, "explain", None)
        if explain is None:
            raise TypeError(f"the strategy {self._identity} has no surrogate that could be explained")
        return explain(self.domain, self.history)

    def program(self, path: Path | str) -> None:
        """Write the whole program of the next step in LP format: domain, surrogate, and points already asked.

        Its optimum is what `ask` would propose next, in the sense in which large is good.

        Raises:
            TypeError: the strategy has no such program.
            ValueError: the next point is not chosen by a surrogate, or the surrogate has no embedding.
        """
        build = getattr(self.strategy, "program", None)
        if build is None:
            raise TypeError(f"the strategy {self._identity} does not choose points by a program")
        from milbox.embed.files import write_program

        with self._lock:
            history = self.history
            rng = np.random.default_rng([self.seed, len(history)])
            program, inputs = build(self.domain, history, rng)
        write_program(program, self.domain, inputs, path)

    def note(self, notes: Mapping[str, Any]) -> None:
        """Keep more JSON in the journal for whoever opens it again; without a journal, do nothing."""
        if self._journal is not None:
            with self._lock:
                self._journal.note(notes)

    def frame(self) -> Any:
        """The trials as a pandas frame, one row each; `milbox.trials.frames` has polars too."""
        from milbox.trials.frames import to_pandas

        return to_pandas(self.trials)

    def close(self) -> None:
        """Close the journal, so that another process may resume it; without a journal, do nothing."""
        if self._journal is not None:
            with self._lock:
                self._journal.close()

    def __enter__(self) -> "Study":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Study cannot be pickled or copied, since it holds a lock and an open journal. Send what the "
            "other side needs: trial.assignment to evaluate it, study.trials to look at them, or the name of "
            "the journal for milbox.trials.Journal.read, which works while the study goes on"
        )

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<Study to {self.sense}: {len(self.trials)} trial{'' if len(self.trials) == 1 else 's'}"
            + ("" if best is None else f", best {best.value:g}")
            + ("" if self.journal is None else f", journal {self.journal}")
            + ">"
        )

    def _repr_html_(self) -> str:
        best = {} if self.best is None else self.best.assignment
        return display.table(repr(self).strip("<>"), ("variable", "best value"), best.items())

    def _header(self, notes: Mapping[str, Any]) -> Header:
        try:
            package = importlib.metadata.version("milbox")
        except importlib.metadata.PackageNotFoundError:
            package = "unknown"
        return Header(
            seed=self.seed,
            sense=self.sense,
            domain=self.domain.to_json(),
            domain_fingerprint=self.domain.fingerprint,
            strategy=storable(self._identity),
            package=package,
            created_at=time.time(),
            notes=notes,
        )

    def _catch_up(self) -> None:
        """Replay the journal if memory may be behind it."""
        if self._stale and self._journal is not None:
            with self._lock:
                if self._stale:  # not, where another thread was just writing
                    shown = History(tuple(map(self._kept, self._journal.trials())))
                    self._remember(shown, lambda: History(tuple(map(_turned, shown))))

    def _remember(self, shown: History, turned: Callable[[], History]) -> None:
        """Go on with this history; `turned` makes what strategies see of it when small values are good."""
        history = shown if self.sense == "maximize" else turned()
        self._shown, self._history = shown, history
        self._stale = False

    def _add(self, trials: Sequence[Trial]) -> None:
        if self._journal is not None:
            self._stale = True
            self._journal.asked(trials)
        shown = self._shown.extended(trials)
        self._remember(shown, lambda: self._history.extended([_turned(trial) for trial in trials]))

    def _end(self, number: int, outcome: Finished | Failed, info: Mapping[str, Any]) -> None:
        self._change(number, lambda history, sense: history.told(number, sense(outcome), info))

    def _change(self, number: int, step: "Callable[[History, _Turn], History]") -> None:
        """Take a step that changes one trial, in the journal and in memory."""
        with self._lock:
            self._catch_up()
            shown = step(self._shown, _as_told)
            if self._journal is not None:
                self._stale = True
                self._journal.told(shown[number], self._shown[number].state)
            self._remember(shown, lambda: step(self._history, _turned_outcome))

    def _handed_out(self, trial: Trial) -> Trial:
        """The trial with an assignment of the caller's own, who may write into its arrays."""
        return replace(trial, assignment=self.domain.assignment(trial.point))

    def _kept(self, trial: Trial) -> Trial:
        """The trial with the assignment that the study keeps: its arrays are read-only."""
        assignment = self.domain.assignment(trial.point)
        for value in assignment.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        return replace(trial, assignment=assignment)

    def _trial(self, number: int, proposal: Proposal, now: float) -> Trial:
        """A new trial in the user's sense and words."""
        trial = self._kept(Trial(number, proposal, asked_at=now))
        return _turned(trial) if self.sense == "minimize" else trial

    def _checked(self, answer: Answer, count: int, domain: Domain) -> list[Proposal]:
        """Proposals that were checked here, whoever made them: contained, unseen, distinct."""
        match answer:
            case Empty() if domain is not self.domain:
                extra = domain.constraints[len(self.domain.constraints) :]
                raise Exhausted(f"every point with {' and '.join(map(rule_text, extra))} has been asked")
            case Empty():
                self._exhausted = True
                events.exhausted(len(self._shown))
                raise Exhausted(nothing_left(self._shown, self.best))
            case Unknown(reason):
                raise Undecided(nothing_found(self._shown, reason))
            case Found():
                pass
            case _:
                raise TypeError(
                    f"the strategy {self._identity} answered {answer!r}; an answer is "
                    f"Found(proposals), Empty() or Unknown(reason) of milbox.trials"
                )
        batch: set[Point] = set()
        checked = []
        for proposal in answer.proposals[:count]:
            point = tuple(operator.index(code) for code in proposal.point)
            if not domain.contains(point):
                wrong = "outside the domain"
            elif point in self._history.asked_points or point in batch:
                wrong = "asked before"
            else:
                batch.add(point)
                checked.append(replace(proposal, point=point))
                continue
            raise RuntimeError(
                f"the strategy {self._identity} proposed the point {point}, {wrong}; "
                f"this is a bug in the strategy, and nothing was handed out"
            )
        return checked

    def _add_known(self, given: Sequence[Trial]) -> None:
        """Add the user's own data, except what the journal holds already."""
        held = {trial.point: trial for trial in self.trials if trial.state != "cancelled"}
        new: list[Trial] = []
        for trial in given:
            old = held.get(trial.point)
            if old is None:
                new.append(self._kept(replace(trial, number=len(self.trials) + len(new))))
            elif old.value != trial.value:
                raise ValueError(
                    f"the known point {dict(trial.assignment)} with value {trial.value:g} is trial "
                    f"{old.number} of the journal, which "
                    + (f"has value {old.value:g}" if old.value is not None else f"is {old.state}")
                )
        if new:
            self._add(new)


def _narrowed(trial: Trial, where: tuple[str, ...]) -> Trial:
    """The trial with the rules that it was asked to keep, which its certificate names."""
    certificate = trial.certificate
    if certificate is not None and where:
        certificate = replace(certificate, about=f"{certificate.about} with {' and '.join(where)}")
    return replace(trial, where=where, proposal=replace(trial.proposal, certificate=certificate))


_Outcome = TypeVar("_Outcome", bound=Outcome)


class _Turn(Protocol):
    """An outcome as the user told it, or in the sense in which large is good."""

    def __call__(self, outcome: _Outcome) -> _Outcome: ...


def _as_told(outcome: _Outcome) -> _Outcome:
    """The outcome as it is."""
    return outcome


def _turned(trial: Trial) -> Trial:
    """The trial with the sense reversed: the one place where minimising becomes maximising."""
    proposal = trial.proposal
    if proposal.certificate is not None:
        old = proposal.certificate
        # Subtracted from zero, so that no zero becomes -0.
        proposal = replace(proposal, certificate=replace(old, value=0.0 - old.value, bound=0.0 - old.bound))
    return replace(
        trial,
        proposal=proposal,
        outcome=_turned_outcome(trial.outcome),
        earlier=tuple(map(_turned_outcome, trial.earlier)),
    )


def _turned_outcome(outcome: _Outcome) -> _Outcome:
    """The outcome with the sense reversed."""
    return replace(outcome, value=0.0 - outcome.value) if isinstance(outcome, Finished) else outcome


def _info(note: str | None, info: Mapping[str, Any] | None) -> dict[str, Any]:
    """What to keep with a trial, or an error where it is no JSON."""
    if note is not None and not isinstance(note, str):
        raise TypeError(f"a note must be a string, not {note!r}")
    kept = {**(info or {}), **({} if note is None else {"note": note})}
    try:
        return dict(json.loads(json.dumps(kept, allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise TypeError(f"info must be JSON, with texts as keys: {error}") from None


def _duration(number: int, seconds: Any) -> float:
    return measured(seconds, f"the duration told for trial {number}")


def _trial_number(method: str, number: Any) -> int:
    if isinstance(number, Trial):
        raise TypeError(f"{method} takes the number of a trial; write study.{method}(trial.number, ...)")
    return whole("the number of a trial", number, 0)
