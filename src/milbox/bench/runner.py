"""The cells of a plan run side by side, on one machine or several, surviving the death of a worker."""

import contextlib
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any

from milbox.bench.cells import End, attempt
from milbox.bench.plan import Cell
from milbox.bench.records import progress
from milbox.errors import JournalError, SolverUnavailable
from milbox.run.workers import WorkerDied, Workers

# How often a worker may die with a cell before the cell is given up.
DEATHS = 2

# A cell is one thread: workers that each spread over all cores would only get in one another's way.
SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run_cells(
    cells: Sequence[Cell],
    folder: Path,
    workers: int = 1,
    data: Path | None = None,
    watch: Callable[[Sequence[Cell]], None] | None = None,
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
    folder.mkdir(parents=True, exist_ok=True)
    waiting = deque[Cell]()
    for cell in cells:
        finished = skipped(cell, folder)
        if finished is None:
            waiting.append(cell)
        else:
            yield finished
    deaths: Counter[Cell] = Counter()
    busy: dict[Future[End], Cell] = {}
    with one_thread_each():
        pool = Workers(workers, "spawn")
        try:
            while waiting or busy:
                while waiting and len(busy) < workers:
                    cell = waiting.popleft()
                    busy[pool.submit(attempt, cell, folder, data)] = cell
                done, _ = wait(busy, timeout=every, return_when=FIRST_COMPLETED)
                if watch is not None:
                    watch(list(busy.values()))
                for future in done:
                    cell = busy.pop(future)
                    try:
                        end = future.result()
                    except WorkerDied:
                        deaths[cell] += 1
                        if deaths[cell] < DEATHS:
                            waiting.append(cell)
                            continue
                        end = died(cell, deaths[cell])
                    yield end
            pool.shutdown()
        finally:
            pool.end()  # at once: whatever the workers have told is in their journals


def run_cells_on_dask(
    cells: Sequence[Cell],
    folder: Path,
    address: str,
    data: Path | None = None,
    watch: Callable[[Sequence[Cell]], None] | None = None,
) -> Generator[End, None, None]:
    """Run cells on a Dask cluster; arguments as `run_cells`.

    Workers write the journals themselves, so `folder` (and `data`) must be on a disk that all of them see,
    and a cell whose worker dies is resumed by another. Start workers with one thread each.
    """
    client = dask_client(address)
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    under_way: dict[Any, Cell] = {}
    try:
        for cell in cells:
            finished = skipped(cell, folder)
            if finished is None:
                # pure=False: the same cell, submitted again after an interruption, is to be run again.
                under_way[client.submit(attempt, cell, folder, data, pure=False)] = cell
            else:
                yield finished
        from distributed import as_completed

        for future in as_completed(list(under_way), loop=client.loop):  # type: ignore[no-untyped-call]
            cell = under_way.pop(future)
            error = future.exception()
            if watch is not None:
                watch(list(under_way.values()))
            yield future.result() if error is None else End(cell, "crashed", reason=first_line(error))
    finally:
        with contextlib.suppress(Exception):
            client.cancel(list(under_way))
        client.close()


def dask_client(address: str) -> Any:
    """A client of the cluster at an address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise SolverUnavailable("Dask is not installed; run `pip install milbox[dask]`") from error
    try:
        return Client(address, timeout=30, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise SolverUnavailable(
            f"there is no Dask scheduler at {address} ({first_line(error)}); start one, or check the address"
        ) from error


def skipped(cell: Cell, folder: Path) -> End | None:
    """What is known of a cell that is complete; None for one that is not, or cannot be read."""
    with contextlib.suppress(JournalError):
        done = progress(cell.journal(folder))
        if done is not None and done.over(cell.budget):
            return End(cell, "skipped", done.ended, done.best)
    return None


def died(cell: Cell, times: int) -> End:
    """What is told of a cell whose workers die."""
    return End(
        cell,
        "crashed",
        reason=f"the worker process died {times} times (out of memory, or killed); what it had told is kept",
    )


def first_line(error: BaseException) -> str:
    """An exception as one line."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes started meanwhile compute with one thread."""
    before = {name: os.environ.get(name) for name in SINGLE}
    os.environ |= dict.fromkeys(SINGLE, "1")
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
