"""A study: ask for points, tell their values, resume from a file."""

import contextlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from milbox import display, events
from milbox.domain import Constraint, Domain
from milbox.domain.rules.write import rule_text
from milbox.embed.conflict import ensure_conditions, ensure_feasible
from milbox.errors import Exhausted, JournalMismatch, Undecided
from milbox.milp.solvers import Scip
from milbox.trials import Answer, Cancelled, Empty, Failed, Found, History, Proposal, Trial, Unknown
from milbox.trials.answer import checked
from milbox.trials.change import Change
from milbox.trials.checks import measured, noted, storable, whole
from milbox.trials.exhaustion import nothing_found, nothing_left
from milbox.trials.front import front_of, hypervolume_of
from milbox.trials.goal import Goal, goal_of
from milbox.trials.header import new_header
from milbox.trials.journal import Place, name_of
from milbox.trials.known import known_trials, not_held, report
from milbox.trials.ledger import Ledger
from milbox.trials.narrowing import narrowed, narrowing
from milbox.trials.record import Record, best_of, judged
from milbox.trials.sense import Sense, turned

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
        strategy: "Strategy | str | None" = None,
        *,
        seed: int = 0,
        journal: Path | str | None = None,
        minimize: bool = False,
        budget: int | None = None,
        objectives: Mapping[str, str] | None = None,
        limits: Mapping[str, tuple[str, float]] | None = None,
        noise: bool = False,
        learn_failures: bool = True,
        units: Mapping[str, str] | None = None,
        known: Iterable[tuple[Mapping[str, Any], Any]] = (),
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        """Start a study, or resume the one in the journal.

        Args:
            domain: the points that may be proposed.
            strategy: who chooses among them, an object or a name such as "nn+milp/mixed"; NN+MILP by default.
            seed: a non-negative integer.
            journal: a file, created if it does not exist, or the URL of a PostgreSQL database, such as
                `postgresql://me@server/lab#polymers`, that many processes may write; None keeps everything in
                memory.
            minimize: whether small values are good.
            budget: how many evaluations there will be, if that is known; without a number of random points in
                the strategy, it follows from this. A journal that exists goes on with the number it has.
            objectives: names of the outputs that are wanted large or small, as
                `{"yield": "maximize", "cost": "minimize"}`; by default one called `value`.
            limits: what outputs may not be above or below, as `{"tox": ("<=", 0.05)}`.
            noise: whether values vary from one measurement to the next, so that points may be asked again.
            learn_failures: whether to keep away from points that look like those that failed.
            units: of outputs by name, as `{"yield": "%"}`, shown wherever their values are.
            known: the user's own data, as (assignment, value); they become finished trials. Points outside
                the domain train the model too; a warning says how many there are.
            notes: JSON to keep in a journal that is created now, for whoever opens it again.
        """
        if not isinstance(domain, Domain):
            raise TypeError(f"a study needs a Domain, not {domain!r}")
        self.seed: int = whole("seed", seed, 0)
        self.goal: Goal = goal_of(
            minimize=minimize,
            objectives=objectives,
            limits=limits,
            noise=noise,
            learn_failures=learn_failures,
            units=units,
        )
        self.sense: Sense = self.goal.sense
        # With every strategy, which takes a while to import.
        from milbox.strategies.identity import identity
        from milbox.strategies.initial import settled
        from milbox.strategies.named import chosen
        from milbox.strategies.protocol import ensure_taken

        strategy = chosen(strategy, domain)

        budget = None if budget is None else whole("budget", budget, 1)
        self.strategy: Strategy = settled(strategy, domain, budget)
        self._identity = identity(self.strategy, domain, self.goal)
        _check_takes(strategy, self.goal, self._identity)
        ensure_taken(strategy, self._identity, domain)
        given = known_trials(domain, known, self.goal)
        if all(trial.outside is not None for trial in given):  # a known point shows that there is one
            ensure_feasible(domain, Scip())
        ensure_conditions(domain, Scip())
        header = replace(
            new_header(domain, self._identity, self.seed, self.goal, notes or {}),
            counted=self.strategy is strategy,
        )
        self._ledger = Ledger(domain, header, journal)
        # A journal goes on with the number of random points it has.
        self.strategy = settled(strategy, domain, budget, self._ledger.header.strategy)
        self._identity = identity(self.strategy, domain, self.goal)
        self._exhausted = False
        self._names = _names(self.domain)
        try:
            if self.trials:
                events.resumed(str(self.journal), len(self.trials), len(self.history.pending))
            with self._ledger.turn():
                new = not_held(given, self._ledger.history)
                if new:
                    self._ledger.add(new)
                    report(new)
        except BaseException:
            self.close()
            raise

    @property
    def domain(self) -> Domain:
        """The points that may be proposed."""
        return self._ledger.domain

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change of the domain, in order."""
        return self._ledger.changes

    @property
    def journal(self) -> Place | None:
        """The file the study is kept in, or the URL of its database without the password."""
        return self._ledger.path

    @property
    def history(self) -> History:
        """What strategies see: every trial, with values in the sense in which large is good."""
        history = self._ledger.history
        return history if self.sense == "maximize" else history.turned

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in order, pending and failed ones too, with values as they were told.

        The arrays in their assignments are read-only; those that `ask` hands out are the caller's own.
        """
        return self._ledger.history.trials

    @property
    def best(self) -> Trial | None:
        """The best finished trial that keeps the limits, the earliest of equals; None without one.

        With noise it is a trial of the point with the best estimate, not the luckiest one. With several
        objectives there is none; see `front`.
        """
        return best_of(self.trials, self.goal, self.domain)

    @property
    def front(self) -> tuple[Trial, ...]:
        """The finished trials nobody dominates, in order, among those that keep the limits.

        With noise it has the first trial of a point, with what is believed of its outputs as its values.
        """
        return front_of(judged(self.domain, self.trials, self.goal), self.goal)

    def hypervolume(self, reference: Mapping[str, float] | None = None) -> float:
        """The hypervolume that the front dominates, from a value of each objective on.

        By default these are the worst finished values.
        """
        return hypervolume_of(judged(self.domain, self.trials, self.goal), self.goal, reference)

    @property
    def record(self) -> Record:
        """The study as a journal tells it: counts, ranking, proofs and where the time went."""
        name = "study" if self.journal is None else name_of(self.journal)
        return Record(name, self._ledger.header, self.trials, self.domain, self.journal)

    @property
    def exhausted(self) -> bool:
        """Whether it is proved that every point of the domain has been asked."""
        asked = self.history.asked_points
        if self.goal.noise:  # points may be measured again
            return self._exhausted
        if self.domain.symmetries:
            return self._exhausted or len(set(asked.orbits(self.domain))) == self.domain.size
        return self._exhausted or len(asked) == self.domain.size

    @property
    def proved(self) -> bool:
        """Whether the best trial or the front is proved: every point of the domain has been measured."""
        if self.goal.noise:  # what was measured once is not known
            return False
        return self.exhausted and len(self.history.inside) == len(self.history.asked_points)

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
        with self._ledger.turn():
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
            with contextlib.suppress(Exhausted, Undecided):  # the first is asked, and in the journal
                first += self._asked(count - 1, (*rows, *alike))
            return first

    def _asked(self, count: int, rows: tuple[Constraint, ...]) -> list[Trial]:
        """New trials in the part of the domain in which these rows hold."""
        history = self.history  # which follows a change of the domain that another process has made
        domain = self.domain
        if _names(domain) != self._names:
            more = ", ".join(name for name in _names(domain) if name not in self._names)
            raise JournalMismatch(
                f"{self.journal} has got further variables from another process ({more}), which this one "
                f"cannot evaluate; open it again with its new domain. Values can still be told"
            )
        if rows:
            domain = domain.narrowed(rows)
            ensure_feasible(domain, Scip())
        rng = np.random.default_rng([self.seed, len(history)])
        answer = self.strategy.propose(domain, history, count, rng)
        proposals = checked(self._found(answer, rows)[:count], domain, history.asked_points, self._identity)
        now, where = time.time(), tuple(map(rule_text, rows))
        trials = [
            Trial(number, narrowed(proposal, where), asked_at=now, where=where)
            for number, proposal in enumerate(proposals, len(history))
        ]
        new = self._ledger.add(trials if self.sense == "maximize" else list(map(turned, trials)))
        for trial in new:
            events.proposed(trial.number, trial.origin)
        # The caller may write into the arrays of an assignment, so each gets its own.
        return [replace(trial, assignment=self.domain.assignment(trial.point)) for trial in new]

    def _found(self, answer: Answer, rows: tuple[Constraint, ...]) -> tuple[Proposal, ...]:
        """The proposals of an answer, or the error that says why there are none."""
        match answer:
            case Found(proposals):
                return proposals
            case Empty() if rows:
                raise Exhausted(f"every point with {' and '.join(map(rule_text, rows))} has been asked")
            case Empty():
                self._exhausted = True
                events.exhausted(len(self.trials))
                raise Exhausted(nothing_left(self.history, self.best, bool(self.domain.symmetries)))
            case Unknown(reason):
                raise Undecided(nothing_found(self.history, reason))
            case _:
                raise TypeError(
                    f"the strategy {self._identity} answered {answer!r}; an answer is "
                    f"Found(proposals), Empty() or Unknown(reason) of milbox.trials"
                )

    def tell(
        self,
        number: int,
        value: float | Mapping[str, float],
        *,
        error: float | Mapping[str, float] | None = None,
        seconds: float = 0.0,
        note: str | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Record the value of a pending trial, or its outputs.

        Args:
            number: of the trial.
            value: a finite number, or a mapping of outputs to such numbers.
            error: the standard error of the value, where it is known and the study has noise; or a mapping of
                outputs to theirs, which may leave some out.
            seconds: how long the evaluation took, if known.
            note: a text to keep with the trial.
            info: more to keep with it, such as the batch or the operator, as JSON.
        """
        number = _trial_number("tell", number)
        outcome = self.goal.told(
            value,
            f"the value told for trial {number}",
            seconds=_duration(number, seconds),
            told_at=time.time(),
            error=error,
        )
        kept = noted(note, info)
        self._ledger.change(number, lambda history: history.told(number, outcome, kept))
        events.told(number, self.trials[number].values)

    def fail(
        self,
        number: int,
        reason: str,
        *,
        infeasible: bool = True,
        seconds: float = 0.0,
        note: str | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        """Record that a pending trial could not be measured; its point is not proposed again.

        Args:
            number: of the trial.
            reason: why, in words.
            infeasible: whether the point is to blame, so that others like it are avoided from now on. Where
                it was the machine's fault, say False; `cancel` lets the point be asked again.
            seconds: how long the evaluation took, if known.
            note: a text to keep with the trial.
            info: more to keep with it, as JSON.
        """
        number = _trial_number("fail", number)
        if not isinstance(reason, str):
            raise TypeError(f"the reason why trial {number} failed must be a string, not {reason!r}")
        outcome = Failed(storable(reason), _duration(number, seconds), time.time(), bool(infeasible))
        kept = noted(note, info)
        self._ledger.change(number, lambda history: history.told(number, outcome, kept))
        events.failed(number, outcome.reason)

    def amend(
        self,
        number: int,
        value: float | Mapping[str, float],
        *,
        error: float | Mapping[str, float] | None = None,
    ) -> None:
        """Correct the outputs of a trial that was told or had failed; what was told before stays on record.

        Later proposals are fitted to the corrected value. It has the standard error that is given with it, or
        none.
        """
        number = _trial_number("amend", number)
        corrected = self.goal.told(
            value, f"the value told for trial {number}", told_at=time.time(), error=error
        )
        self._ledger.change(number, lambda history: history.amended(number, corrected))
        events.amended(number, self.trials[number].values)

    def cancel(self, number: int) -> None:
        """Give up a trial that is pending or has failed: it does not count, its point may be asked again."""
        number = _trial_number("cancel", number)
        given_up = Cancelled(time.time())
        self._ledger.change(number, lambda history: history.cancelled(number, given_up))
        self._exhausted = False
        events.cancelled(number)

    def change(self, domain: Domain, values: Mapping[str, Any] | None = None) -> None:
        """Go on with another domain: other rules, wider or narrower ranges, further variables.

        Trials outside the new domain stay, and train the model; `best` and the certificates of later
        proposals are about the new domain alone. The journal keeps the change.

        Args:
            domain: the points that may be proposed from now on, with every variable that there was.
            values: of variables that are new, in the trials so far, by name.

        Raises:
            DomainError: the new domain has no points.
            ValueError: a variable is gone or of another kind, a new one has no value for older trials, or the
                strategy cannot be used on the new domain.
        """
        if not isinstance(domain, Domain):
            raise TypeError(f"a study needs a Domain, not {domain!r}")
        from milbox.strategies.identity import identity
        from milbox.strategies.protocol import ensure_taken

        known_as = identity(self.strategy, domain, self.goal)
        ensure_taken(self.strategy, known_as, domain)
        ensure_feasible(domain, Scip())
        ensure_conditions(domain, Scip())
        with self._ledger.turn():
            trials = self._ledger.move(domain, values or {}, storable(known_as))
            self._identity, self._exhausted, self._names = known_as, False, _names(domain)
        events.changed(len(trials), sum(trial.outside is not None for trial in trials))

    @property
    def shared(self) -> bool:
        """Whether other processes may write the journal: a database has many writers, a file has one."""
        return self._ledger.shared

    def turn(self) -> contextlib.AbstractContextManager[None]:
        """The right to ask, as long as the block lasts: no other thread or process adds a trial meanwhile."""
        return self._ledger.turn()

    def working(self) -> contextlib.AbstractContextManager[None]:
        """Answer for trials of a shared journal that are asked in the block: nobody takes them over."""
        return self._ledger.working()

    def taken_over(self, count: int) -> list[Trial]:
        """Up to `count` pending trials of a shared journal whose workers have died; they are ours now."""
        return self._ledger.taken_over(count)

    def explain(self) -> Any:
        """What the strategy believes about the objective, where it can say so."""
        explain = getattr(self.strategy, "explain", None)
        if explain is None:
            raise TypeError(f"the strategy {self._identity} has no surrogate that could be explained")
        return explain(self.domain, self.history)

    def program(self, path: Path | str) -> None:
        """Write the whole program of the next step in LP format: domain, surrogate, and points already asked.

        Its optimum is what `ask` would propose next, in the sense in which large is good. In a step by
        pairs it covers the whole ball of the step, and `ask` may prove, and propose from, a smaller one.

        Raises:
            TypeError: the strategy has no such program.
            ValueError: the next point is not chosen by a surrogate, or the surrogate has no embedding.
        """
        build = getattr(self.strategy, "program", None)
        if build is None:
            raise TypeError(f"the strategy {self._identity} does not choose points by a program")
        from milbox.embed.files import write_program

        with self._ledger.lock:
            history = self.history
            rng = np.random.default_rng([self.seed, len(history)])
            program, inputs = build(self.domain, history, rng)
        write_program(program, self.domain, inputs, path)

    def note(self, notes: Mapping[str, Any]) -> None:
        """Keep more JSON in the journal for whoever opens it again; without a journal, do nothing."""
        self._ledger.note(notes)

    def frame(self) -> Any:
        """The trials as a pandas frame, one row each; `milbox.trials.frames` has polars too."""
        from milbox.trials.frames import to_pandas

        return to_pandas(self.trials)

    def close(self) -> None:
        """Close the journal, so that another process may resume it; without a journal, do nothing."""
        self._ledger.close()

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
            f"<Study to {self.goal}: {len(self.trials)} trial{'' if len(self.trials) == 1 else 's'}"
            + ("" if best is None else f", best {best.value:g}")
            + (f", {len(self.front)} on the front" if self.goal.several else "")
            + ("" if self.journal is None else f", journal {self.journal}")
            + ">"
        )

    def _repr_html_(self) -> str:
        best = {} if self.best is None else self.best.assignment
        return display.table(repr(self).strip("<>"), ("variable", "best value"), best.items())


def _names(domain: Domain) -> list[str]:
    return [str(thing.name) for thing in domain.declared]


def _check_takes(strategy: Any, goal: Goal, identity: str) -> None:
    """Refuse a strategy that looks at one value of each trial, where that is not all."""
    beyond = goal.several or goal.limits or goal.noise
    if beyond and not getattr(strategy, "takes_goals", False):
        raise TypeError(
            f"the strategy {identity} looks at one value of each trial, and this study is to {goal}; "
            f"NNMILP, LinearMILP and RandomSearch take objectives, limits and noise"
        )


def _duration(number: int, seconds: Any) -> float:
    return measured(seconds, f"the duration told for trial {number}")


def _trial_number(method: str, number: Any) -> int:
    if isinstance(number, Trial):
        raise TypeError(f"{method} takes the number of a trial; write study.{method}(trial.number, ...)")
    return whole("the number of a trial", number, 0)
