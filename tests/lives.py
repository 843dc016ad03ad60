"""Runs that are killed again and again and resumed, in real processes; prints how often, by strategy.

Usage: lives.py FOLDER HOW SEED, where HOW is "line" (killed at a random line of the code that keeps the run)
or "moment" (ended by a timer after a random time, inside SQLite and solvers as well).
"""

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from milbox.run import Result, maximize
from objectives import score
from studies import STRATEGIES, shelf

BUDGET = 12
# What is known counts as data and not towards the budget; it has to survive as well.
KNOWN = [({"x": [0, 1, 1], "k": 1}, -3.0)]
MOST_DEATHS = 25


def whole_run(name: str, journal: Path | None) -> Result:
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


def live_again_and_again(name: str, journal: Path, how: str, chance: random.Random) -> int:
    """Start the run, let it be killed, and start it again until it has ended; how often it was killed."""
    whole_run(name, None)  # what has to be compiled or imported is, so that every life is short
    for deaths in range(MOST_DEATHS + 1):
        line, moment = chance.randint(1, 2000), chance.uniform(0.0005, 0.06)
        child = os.fork()
        if child == 0:
            if deaths == MOST_DEATHS:
                pass  # enough: this one may live to its end
            elif how == "line":
                sys.settrace(killing_at_line(line))
            else:
                signal.setitimer(signal.ITIMER_REAL, moment)
            whole_run(name, journal)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, f"a resumed run failed with {name}"
            return deaths
        assert os.WTERMSIG(status) == {"line": signal.SIGKILL, "moment": signal.SIGALRM}[how]
    raise AssertionError("the last life is not killed")


def main(folder: Path, how: str, seed: int) -> None:
    chance = random.Random(seed)
    print(json.dumps({n: live_again_and_again(n, folder / f"{n}.db", how, chance) for n in STRATEGIES}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
