"""RBFOpt (Costa & Nannicini 2018), another package's optimiser, as a strategy.

RBFOpt owns its loop: it calls the objective and goes on. So it runs in a thread of its own, which stops at
every call until the value is in the history. A run that can be continued is kept between calls; without it
RBFOpt is run again from the start with the values of the history, which takes longer and proposes the same.
"""

import contextlib
import os
import queue
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.errors import MilboxError, SolverUnavailable, UnsupportedProgram
from milbox.strategies.identity import own_identity
from milbox.strategies.random import filled
from milbox.trials import Answer, Failed, Finished, History, Proposal

UNLIMITED = 10**6


@dataclass(frozen=True, slots=True)
class RbfOpt:
    """RBFOpt with its default settings, its own initial points included; every variable is categorical to it.

    It takes no constraints. It sees only points it asked for; a failed one is worth the worst value measured.

    Attributes:
        seed: of RBFOpt's own random numbers.
    """

    seed: int = 0

    @property
    def identity(self) -> str:
        """Name, version and settings that are not the default."""
        return own_identity(self, "rbfopt", 1)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """The point RBFOpt would evaluate next; random ones beside it in a batch, or when it has ended."""
        check(domain)
        worst = min(history.values, default=0.0)
        known = {
            trial.point: trial.outcome.value if isinstance(trial.outcome, Finished) else float(worst)
            for trial in history
            if isinstance(trial.outcome, Finished | Failed)
        }
        run = continued(self, domain, known)
        while run.wanted in known:
            run.answer(known[run.wanted])
        proposals = []
        if run.wanted is not None and run.wanted not in history.asked_points:
            proposals.append(Proposal(run.wanted, "rbfopt"))
        return filled(proposals, domain, history, count, rng)


def refusal(domain: Domain) -> str | None:
    """Why RBFOpt cannot be used on a domain; None when it can."""
    return "RBFOpt takes no constraints" if domain.constraints else None


def check(domain: Domain) -> None:
    """Refuse what RBFOpt cannot do, and say what is missing."""
    objection = refusal(domain)
    if objection is not None:
        raise UnsupportedProgram(f"{objection}, and the domain has {len(domain.constraints)}")
    if bonmin() is None:
        raise SolverUnavailable(
            "RBFOpt needs the command `bonmin`; run `pip install milbox[rbfopt]`, which brings one, "
            "or put it (https://github.com/coin-or/Bonmin) on the PATH"
        )


def bonmin() -> str | None:
    """The command `bonmin` on the PATH; else milbox's own, which needs casadi; None without either."""
    found = shutil.which("bonmin")
    if found is None and find_spec("casadi") is not None:
        found = shutil.which("milbox-bonmin", path=str(Path(sys.executable).parent))
    return found


class Run:
    """One run of RBFOpt, stopped at the point it wants to evaluate."""

    def __init__(self, strategy: RbfOpt, domain: Domain) -> None:
        self.identity: tuple[RbfOpt, str] = (strategy, domain.fingerprint)
        self.transcript: dict[Point, float] = {}
        self.wanted: Point | None = None
        self._questions: queue.SimpleQueue[Point | BaseException | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        # RBFOpt draws from NumPy's global random numbers: each run gets a stream of its own.
        self._random: dict[str, Any] | None = None
        self._thread = threading.Thread(target=self._optimise, args=(strategy, domain), daemon=True)
        with self._turn():
            self._thread.start()

    def answer(self, value: float) -> None:
        """Let it go on with the value it waits for."""
        assert self.wanted is not None, "a run that has ended wants nothing"
        self.transcript[self.wanted] = value
        with self._turn():
            self._answers.put(value)

    def end(self) -> None:
        """Let its thread come to an end."""
        self._answers.put(None)

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """RBFOpt works meanwhile, and comes to its next question; or fails, or ends."""
        outside = np.random.get_state(legacy=False)  # noqa: NPY002 - it is RBFOpt's, not ours
        path = os.environ["PATH"]
        if self._random is not None:
            np.random.set_state(self._random)  # noqa: NPY002
        # A `bonmin` that is a Python script needs this Python and its packages.
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), path])
        try:
            yield
            question = self._questions.get()
            self._random = np.random.get_state(legacy=False)  # noqa: NPY002
        finally:
            os.environ["PATH"] = path
            np.random.set_state(outside)  # noqa: NPY002
        if isinstance(question, MilboxError):
            raise question
        if isinstance(question, BaseException):
            raise RuntimeError(f"RBFOpt failed: {question}") from question
        self.wanted = question

    def _optimise(self, strategy: RbfOpt, domain: Domain) -> None:
        try:
            optimise(strategy, domain, self._value)
        except _Ended:
            return
        except BaseException as error:
            self._questions.put(error)
        else:
            self._questions.put(None)

    def _value(self, point: Point) -> float:
        self._questions.put(point)
        value = self._answers.get()
        if value is None:
            raise _Ended
        return value


class _Ended(BaseException):
    """Nobody waits for a run any more. Not an Exception, so that RBFOpt does not catch it."""


# The last run of this process: a cache, without which proposals are the same and take longer.
_last: list[Run] = []


def continued(strategy: RbfOpt, domain: Domain, known: dict[Point, float]) -> Run:
    """A run that was told nothing but what is known: the last one if it still holds, or a new one."""
    if _last:
        run = _last[0]
        if run.identity == (strategy, domain.fingerprint) and all(
            known.get(point) == value for point, value in run.transcript.items()
        ):
            return run
        _last.clear()
        run.end()
    run = Run(strategy, domain)
    _last.append(run)
    return run


def optimise(strategy: RbfOpt, domain: Domain, value: Any) -> None:
    """RBFOpt itself, from its initial points on, until it has had enough."""
    try:
        import rbfopt
    except ImportError as error:
        raise SolverUnavailable("RBFOpt is not installed; run `pip install milbox[rbfopt]`") from error

    codes = [variable.codes for variable in domain.variables]
    box = rbfopt.RbfoptUserBlackBox(
        len(codes),
        np.array([code[0] for code in codes], dtype=np.float64),
        np.array([code[-1] for code in codes], dtype=np.float64),
        np.array(["C"] * len(codes)),
        lambda x: -value(tuple(round(float(code)) for code in x)),  # it minimises
    )
    settings = rbfopt.RbfoptSettings(
        minlp_solver_path=bonmin(),
        max_iterations=UNLIMITED,
        max_evaluations=UNLIMITED,
        max_cycles=UNLIMITED,
        rand_seed=strategy.seed % 2**31,
    )
    with open(os.devnull, "w", encoding="utf-8") as silence:
        algorithm = rbfopt.RbfoptAlgorithm(settings, box)
        algorithm.set_output_stream(silence)
        algorithm.optimize()
