"""Worker processes that call objectives in parallel, and that are replaced one by one when they die."""

import atexit
import contextlib
import multiprocessing
import multiprocessing.connection
import pickle
import queue
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from milbox import system
from milbox.run.evaluation import Objective
from milbox.run.threads import share_of_cores, threads_each

P = ParamSpec("P")
T = TypeVar("T")

GRACE = 5.0
"""Seconds that an idle worker has to end by itself, with whatever its libraries do at the end."""
PATIENCE = 0.7
"""Seconds after which a worker that was told to end at once is killed."""


class WorkerDied(Exception):
    """The process that made a call came to an end before the call did."""


class TimeLimit(Exception):
    """A call took longer than it may."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A process, the connection for its calls, and the one through which it is told to end."""

    process: Any
    calls: Connection
    orders: Connection

    def answer(self, call: bytes, timeout: float | None = None) -> bytes:
        """What the process answers to a call within so many seconds; None waits however long that takes."""
        with contextlib.suppress(EOFError, OSError):
            self.calls.send_bytes(call)
            # Both, since a process that the worker left behind may keep the connection open.
            ready = multiprocessing.connection.wait([self.calls, self.process.sentinel], timeout)
            if self.calls.poll():
                return self.calls.recv_bytes()
            if not ready:
                raise TimeLimit
        raise WorkerDied

    def order(self) -> None:
        """Tell the process to end at once, with everything it has started."""
        with contextlib.suppress(OSError):  # it has ended already
            self.orders.send_bytes(b"end")

    def bury(self) -> None:
        """Kill what is left of the process and its family, and let go of it."""
        system.kill_family(self.process.pid)
        self.process.join(PATIENCE)
        self.calls.close()
        self.orders.close()


class Workers(Executor):
    """Worker processes, each with a thread here that hands it one call after another.

    When a worker dies, its call ends with `WorkerDied`, the others go on, and another process takes its
    place. So it is with a worker whose call takes longer than `timeout` seconds: it is ended with everything
    it has started, and the call ends with `TimeLimit`. What a worker needs before its first call is loaded by
    `first`, a call whose time does not count. The threads start the processes and keep Ctrl-C from them: the
    main thread alone decides what it means. BLAS, OpenMP and numba get each worker's share of the cores.
    """

    def __init__(
        self,
        count: int,
        method: str,
        timeout: float | None = None,
        first: tuple[Callable[..., Any], *tuple[Any, ...]] | None = None,
    ) -> None:
        self._count = count
        self._timeout = timeout
        self._first = None if first is None else pickle.dumps((first[0], first[1:], {}))
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            # The server imports milbox once, and every worker, a replacement as well, starts with it.
            self._context.set_forkserver_preload(["milbox.run.evaluation"])
        self._waiting: queue.SimpleQueue[tuple[Future[Any], bytes] | None] = queue.SimpleQueue()
        self._staff: set[Worker] = set()
        self._change = threading.Lock()
        self._ended = False
        self._threads = [threading.Thread(target=self._hand_out, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()
        atexit.register(self.end)  # for whoever is interrupted before it could

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Call a function in the first worker that is free."""
        future: Future[T] = Future()
        try:
            self._waiting.put((future, pickle.dumps((fn, args, kwargs))))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the workers end once the calls submitted so far have."""
        if cancel_futures:
            self._forget_waiting()
        for _ in self._threads:
            self._waiting.put(None)  # the last word to a thread
        if wait:
            for thread in self._threads:
                thread.join()
            atexit.unregister(self.end)

    def end(self) -> None:
        """End the workers at once, with the calls under way and everything these have started."""
        atexit.unregister(self.end)
        with self._change:
            self._ended = True
            staff = list(self._staff)
        self._forget_waiting()
        self.shutdown(wait=False)
        for worker in staff:
            worker.order()
        latest = time.monotonic() + PATIENCE
        left = {worker.process.sentinel for worker in staff}
        while left and (patience := latest - time.monotonic()) > 0:
            left -= set(multiprocessing.connection.wait(list(left), patience))
        for worker in staff:
            worker.bury()

    def _forget_waiting(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                task = self._waiting.get_nowait()
                if task is not None:
                    task[0].cancel()

    def _hand_out(self) -> None:
        """What the thread of a worker does."""
        system.shield_thread()
        worker: Worker | None = None
        while (task := self._waiting.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker = worker or self._hire()
                good, answer = pickle.loads(worker.answer(call, self._timeout))
            except (WorkerDied, TimeLimit) as death:
                if worker is not None:
                    self._dismiss(worker)
                worker = None
                future.set_exception(death)
            except Exception as error:
                future.set_exception(error)
            else:
                if good:
                    future.set_result(answer)
                else:
                    future.set_exception(answer)
        if worker is not None and not self._ended:
            worker.calls.close()
            worker.process.join(GRACE)
            self._dismiss(worker)

    def _hire(self) -> Worker:
        calls, theirs = self._context.Pipe()
        heard, orders = self._context.Pipe(duplex=False)
        process = self._context.Process(target=work, args=(theirs, heard))
        with threads_each(share_of_cores(self._count)):
            process.start()
        theirs.close()
        heard.close()
        worker = Worker(process, calls, orders)
        with self._change:
            hired = not self._ended
            if hired:
                self._staff.add(worker)
        if not hired:
            worker.order()
            raise WorkerDied
        if self._first is not None:
            try:
                worker.answer(self._first)
            except WorkerDied:
                self._dismiss(worker)
                raise
        return worker

    def _dismiss(self, worker: Worker) -> None:
        with self._change:
            if worker not in self._staff or self._ended:
                return  # whoever ends them all buries it
            self._staff.discard(worker)
        worker.bury()


THREADS = "; or use executor=concurrent.futures.ThreadPoolExecutor(...)"
"""What an error says where threads would do."""


def own_workers(objective: Objective, count: int, timeout: float | None = None) -> Workers:
    """Worker processes that are known to be able to call the objective, for at most so many seconds."""
    advice = "" if timeout else THREADS  # which no timeout stops
    check_portable(objective, advice)
    # Not "fork": the parent may have threads (of a solver, of NumPy), and a lock held by one of them at
    # the moment of the fork is never released in the child.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    workers = Workers(count, method, timeout, (callable, objective))
    try:
        workers.submit(callable, objective).result()
    except BaseException as error:
        workers.end()
        if not isinstance(error, Exception):
            raise
        raise RuntimeError(
            "the worker processes cannot load the objective: a script must make its calls under "
            "`if __name__ == '__main__':`, and an objective typed into a notebook must move to a module"
            + advice
        ) from error
    return workers


def check_portable(objective: Objective, advice: str = THREADS) -> None:
    """Refuse an objective that cannot be sent to another process, and say what else to use."""
    try:
        pickle.dumps(objective)
    except Exception as error:
        raise TypeError(
            f"the objective cannot be sent to worker processes ({error}); define it with `def` at the top "
            f"level of a module{advice}"
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


def discard(pool: Executor) -> None:
    """End the processes of a pool at once."""
    match pool:
        case Workers():
            pool.end()
        case ProcessPoolExecutor():
            # One that has broken does not always end those that were just being started.
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()


def work(calls: Connection, orders: Connection) -> None:
    """The loop of a worker process: one call after another, until there are no more."""
    system.lead_family()
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=system.end_own_family).start())
    threading.Thread(target=_end_when_told, args=(orders,), daemon=True).start()
    while True:
        try:
            call = calls.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            function, args, kwargs = pickle.loads(call)
            answer = pickle.dumps((True, function(*args, **kwargs)))
        except BaseException as error:
            answer = _refusal(error)
        try:
            calls.send_bytes(answer)
        except OSError:
            return


def _refusal(error: BaseException) -> bytes:
    """An exception as an answer; one that cannot be sent, as its text."""
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return answer


def _end_when_told(orders: Connection) -> None:
    """End the process on an order, or when its parent is gone: nobody would receive what it computes."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers are started by a parent"
    multiprocessing.connection.wait([parent.sentinel, orders])
    system.end_own_family()
