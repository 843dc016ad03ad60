"""Pools of worker processes, made again when a worker dies."""

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from typing import Any

from milbox.run.evaluation import Objective


def own_pool(objective: Objective, workers: int) -> ProcessPoolExecutor:
    """Worker processes that are known to be able to call the objective."""
    check_portable(objective)
    # Not "fork": the parent may have threads (of a solver, of NumPy), and a lock held by one of them at
    # the moment of the fork is never released in the child.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    # The server imports milbox once, and every worker, a replacement as well, starts with it.
    context.set_forkserver_preload(["milbox.run.evaluation"])
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_worker)
    try:
        pool.submit(callable, objective).result()
    except BrokenExecutor as error:
        raise RuntimeError(
            "the worker processes cannot load the objective: a script must make its calls under "
            "`if __name__ == '__main__':`, and an objective typed into a notebook must move to a module; "
            "or use executor=concurrent.futures.ThreadPoolExecutor(...)"
        ) from error
    except BaseException:
        stop(pool, now=True)
        raise
    return pool


def check_portable(objective: Objective) -> None:
    """Refuse an objective that cannot be sent to another process."""
    try:
        pickle.dumps(objective)
    except Exception as error:
        raise TypeError(
            f"the objective cannot be sent to worker processes ({error}); define it with `def` at the top "
            f"level of a module, or use executor=concurrent.futures.ThreadPoolExecutor(...)"
        ) from error


def remade(executor: Executor) -> ProcessPoolExecutor | None:
    """A new pool like a broken one, where its settings are known; None for executors of another kind."""
    if type(executor) is not ProcessPoolExecutor:
        return None
    settings: Any = executor  # they have no public names
    return ProcessPoolExecutor(
        settings._max_workers,
        mp_context=settings._mp_context,
        initializer=settings._initializer,
        initargs=settings._initargs,
        max_tasks_per_child=settings._max_tasks_per_child,
    )


def stop(pool: ProcessPoolExecutor, *, now: bool) -> None:
    """Shut a pool down; `now` ends evaluations that are under way, which may take hours."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=not now, cancel_futures=True)
    if now:
        for process in processes:
            process.terminate()


def begin_worker() -> None:
    """What a worker process of ours does first."""
    # Ctrl-C reaches every process of the terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End the process when its parent is gone: nobody would receive what it computes."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers are started by a parent"
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)
