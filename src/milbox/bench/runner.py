"""The cells of a plan run side by side, on one machine or several, surviving the death of a worker."""

import contextlib
import itertools
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from milbox.bench.execute import End, attempt, complete
from milbox.bench.plan import Cell
from milbox.errors import JournalError
from milbox.run.dask import dask_client
from milbox.run.in_flight import in_flight
from milbox.run.threads import LIMITS, environment
from milbox.run.workers import WorkerDied, Workers

# How often a worker may die with a cell before the cell is given up.
DEATHS = 2


def run_cells(
    cells: Sequence[Cell],
    folder: Path,
    workers: int = 1,
    data: Path | None = None,
    watch: Callable[[Sequence[Cell]], None] = lambda _cells: None,
    every: float = 1.0,
) -> Generator[End, None, None]:
    """Run cells in processes of this machine and yield what came of each, as it ends.

    Args:
        cells: what to run; those whose journal is complete are skipped, others resumed.
        folder: where the journals are.
        workers: how many cells at the same time.
        data: the folder of benchmark data.
        watch: called now and then with the cells under way.
        every: after at most how many seconds.
    """
    left = yield from skipped(cells, folder)
    # A cell computes with one thread, whatever the number of cores.
    with environment(dict.fromkeys(LIMITS, "1")):
        pool = Workers(workers, "spawn")
        # At once, whatever happens: what the workers have told is in their journals.
        yield from ends(left, folder, data, pool, workers, own=True, watch=watch, every=every)


def run_cells_on_dask(
    cells: Sequence[Cell], folder: Path, address: str, data: Path | None = None
) -> Generator[End, None, None]:
    """Run cells on a Dask cluster; arguments as `run_cells`.

    Workers write the journals themselves, so `folder` (and `data`) must be on a disk that all of them see,
    and a cell whose worker dies is resumed by another. Start workers with one thread each.
    """
    with contextlib.closing(dask_client(address)) as client:
        folder = folder.resolve()
        left = yield from skipped(cells, folder)
        # pure=False: the same cell, submitted again after an interruption, is to be run again.
        pool = client.get_executor(pure=False)
        yield from ends(left, folder, data, pool, max(1, len(left)), own=False)


def skipped(cells: Sequence[Cell], folder: Path) -> Generator[End, None, list[Cell]]:
    """The ends of the cells that are complete; returns the others, and those that cannot be read."""
    folder.mkdir(parents=True, exist_ok=True)
    left = []
    for cell in cells:
        end = None
        with contextlib.suppress(JournalError):
            end = complete(cell, folder)
        if end is None:
            left.append(cell)
        else:
            yield end
    return left


def ends(
    cells: Sequence[Cell], folder: Path, data: Path | None, pool: Executor, workers: int, **how: Any
) -> Generator[End, None, None]:
    """What came of each cell, as it ends."""
    waiting = iter(cells)
    steps = in_flight(
        lambda count: list(itertools.islice(waiting, count)),
        lambda cell: (attempt, cell, folder, data),
        pool,
        workers,
        deaths=DEATHS,
        **how,
    )
    with contextlib.closing(steps):
        for cell, end in steps:
            yield crashed(cell, end) if isinstance(end, Exception) else end


def crashed(cell: Cell, error: Exception) -> End:
    """What is told of a cell that ended with its worker, or that the executor could not run."""
    reason = first_line(error)
    if isinstance(error, WorkerDied):
        killed = f"the worker process died {DEATHS} times (out of memory, or killed)"
        reason = f"{killed}; what it had told is kept"
    return End(cell, "crashed", reason=reason)


def first_line(error: BaseException) -> str:
    """An exception as one line."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
