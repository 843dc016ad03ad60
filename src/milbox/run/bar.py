"""A line that shows how far a run is, for scripts and notebooks."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO

from milbox.study import Study
from milbox.trials import Trial
from milbox.trials.record import asked

WIDTH = 24
SECONDS = 0.1
"""The least time between two drawings."""


def with_bar(
    steps: Iterable[Trial], study: Study, budget: int, stream: TextIO | None = None
) -> Iterator[Trial]:
    """The trials as they come, with a line on standard error that is drawn over and over."""
    stream = sys.stderr if stream is None else stream
    began = drawn = time.monotonic()
    line = ""
    try:
        for trial in steps:
            yield trial
            if time.monotonic() - drawn >= SECONDS or not line:
                drawn = time.monotonic()
                line = _drawn(study, budget, drawn - began, len(line), stream)
    finally:
        _drawn(study, budget, time.monotonic() - began, len(line), stream)
        print(file=stream)


def _drawn(study: Study, budget: int, seconds: float, width: int, stream: TextIO) -> str:
    """Draw the line over one of that width."""
    ended = asked(trial for trial in study.trials if trial.ended)
    filled = min(WIDTH, WIDTH * ended // budget)
    best = "" if study.best is None else f", best {study.best.value:g} in trial {study.best.number}"
    if study.goal.several:
        best = f", {len(study.front)} on the front"
    line = f"[{'=' * filled}{' ' * (WIDTH - filled)}] {ended} of {budget} trials{best}, {seconds:.0f} s"
    print(f"\r{line:<{width}}", end="", file=stream, flush=True)
    return line
