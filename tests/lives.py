"""A run that is killed again and again and resumed, in real processes; prints how often it was killed.

Usage: lives.py JOURNAL STRATEGY HOW SEED, where HOW is "line" (killed at a random line of the code
that keeps the run) or "moment" (ended by a timer after a random time, inside SQLite and solvers as well).
"""

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from milbox.run import maximize
from objectives import score
from studies import STRATEGIES, shelf

BUDGET = 14
# What is known counts as data and not towards the budget; it has to survive as well.
KNOWN = [({"x": [0, 1, 1], "k": 1}, -3.0)]


def whole_run(name: str, journal: Path | None) -> Any:
    return maximize(score, shelf(), BUDGET, seed=3, strategy=STRATEGIES[name], journal=journal, known=KNOWN)


def killing_at_line(number: int) -> Callable[[FrameType, str, Any], Any]:
    """A trace function that kills this process at the given line event of the files that keep a run."""
    left = number

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        place = frame.f_code.co_filename
        if "/milbox/trials/" in place or "/milbox/run/" in place or place.endswith("/milbox/study.py"):
            if event == "line":
                left -= 1
                if left <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace
        return None

    return trace


def main(journal: Path, name: str, how: str, seed: int) -> None:
    whole_run(name, None)  # what has to be compiled or imported is, so that every life is short
    chance = random.Random(seed)
    deaths = 0
    while True:
        line, moment = chance.randint(1, 2000), chance.uniform(0.0005, 0.06)
        if deaths >= 60:  # enough: whoever needs longer than these for a step may finish
            line, moment = sys.maxsize, 1e6
        child = os.fork()
        if child == 0:
            if how == "line":
                sys.settrace(killing_at_line(line))
            else:
                signal.setitimer(signal.ITIMER_REAL, moment)
            whole_run(name, journal)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "a resumed run failed"
            break
        assert os.WTERMSIG(status) == {"line": signal.SIGKILL, "moment": signal.SIGALRM}[how]
        deaths += 1
    print(deaths)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
