"""Measure steps of studies that hold many trials already: their time, and the memory of the process.

    python scripts/scale.py                              # 1,000 and 100,000 trials, 100 steps each
    python scripts/scale.py --trials 1000 20000 --steps 50 --journal

The domain is 100 binaries in ten blocks of ten, in each of which both halves have equally many ones; the
objective is a random quadratic. A step is `ask` and `tell`. Each size has a process of its own. The trials
before are random points of the domain, given as the user's own data. The first steps load the compiled code
and are not counted.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import milbox as mb

BLOCKS, SIZE = 10, 10
UNCOUNTED = 3
TIMES, BYTES = 10.0, 1e9
"""The marks: at most ten times the step at the smallest size, and less memory than this."""


def domain() -> mb.Domain:
    """Blocks of binaries whose halves have equal sums."""
    x = mb.binary("x", BLOCKS * SIZE)
    starts = range(0, BLOCKS * SIZE, SIZE)
    return mb.Domain([x], [x[s : s + SIZE // 2].sum() == x[s + SIZE // 2 : s + SIZE].sum() for s in starts])


def points(count: int, rng: np.random.Generator) -> Any:
    """Different points of the domain, drawn uniformly."""
    codes = (np.arange(2**SIZE)[:, None] >> np.arange(SIZE)) & 1
    codes = codes[codes[:, : SIZE // 2].sum(axis=1) == codes[:, SIZE // 2 :].sum(axis=1)]
    drawn = codes[rng.integers(len(codes), size=(count + count // 100 + 10, BLOCKS))]
    different = np.unique(drawn.reshape(-1, BLOCKS * SIZE), axis=0)
    return different[rng.permutation(len(different))[:count]]


def measure(trials: int, steps: int, journal: Path | None) -> dict[str, Any]:
    """Steps of one study, in this process."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(BLOCKS * SIZE, BLOCKS * SIZE)) / SIZE
    before = points(trials, rng)
    values = np.einsum("ni,ij,nj->n", before, weights, before, optimize=True)
    began = time.perf_counter()
    known = [({"x": point}, float(value)) for point, value in zip(before, values, strict=True)]
    study = mb.Study(domain(), seed=0, journal=journal, known=known)
    del known, before
    loaded = time.perf_counter() - began
    asks, tells = [], []
    for number in range(UNCOUNTED + steps):
        start = time.perf_counter()
        trial = study.ask()
        asked = time.perf_counter()
        x = trial.assignment["x"]
        value = float(x @ weights @ x)
        telling = time.perf_counter()
        study.tell(trial.number, value)
        told = time.perf_counter()
        if trial.certificate is None:
            sys.exit(f"trial {trial.number} is {trial.origin}, which is no step of a model")
        if number >= UNCOUNTED:
            asks.append(asked - start)
            tells.append(told - telling)
    # In kilobytes on Linux, in bytes on macOS.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    whole = [ask + tell for ask, tell in zip(asks, tells, strict=True)]
    return {
        "trials": trials,
        "load": loaded,
        "step": statistics.median(whole),
        "longest": max(whole),
        "tell": statistics.median(tells),
        "peak": peak,
    }


def apart(trials: int, steps: int, journal: bool) -> dict[str, Any]:
    """The same in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        place = ["--file", str(Path(folder) / "run.db")] if journal else []
        command = [
            sys.executable,
            __file__,
            "--alone",
            "--trials",
            str(trials),
            "--steps",
            str(steps),
            *place,
        ]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """A line for each size, and whether the marks are reached."""
    options = argparse.ArgumentParser(description="Measure steps of studies with many trials.")
    options.add_argument("--trials", type=int, nargs="+", default=[1_000, 100_000], help="sizes, in order")
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--journal", action="store_true", help="keep the trials in a file")
    options.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.alone:
        print(json.dumps(measure(given.trials[0], given.steps, given.file)))
        return
    print(
        "| trials | loaded in s | step, median ms | longest ms | of it tell ms | times the first | peak MB |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows = []
    for trials in given.trials:
        row = apart(trials, given.steps, given.journal)
        rows.append(row)
        times = row["step"] / rows[0]["step"]
        print(
            f"| {trials:,} | {row['load']:.1f} | {1e3 * row['step']:.1f} | {1e3 * row['longest']:.1f} "
            f"| {1e3 * row['tell']:.2f} | {times:.1f} | {row['peak'] / 1e6:.0f} |",
            flush=True,
        )
    ratio, peak = rows[-1]["step"] / rows[0]["step"], max(row["peak"] for row in rows)
    print(f"at most {TIMES:g} times the first step: {'yes' if ratio <= TIMES else 'no'} ({ratio:.1f})")
    print(f"less than {BYTES / 1e6:g} MB: {'yes' if peak < BYTES else 'no'} ({peak / 1e6:.0f})")


if __name__ == "__main__":
    main()
