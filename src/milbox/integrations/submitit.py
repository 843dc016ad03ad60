"""Evaluations as SLURM jobs, through submitit."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

from submitit.core.utils import UncompletedJobError

from milbox.run.workers import WorkerDied

P = ParamSpec("P")
T = TypeVar("T")


class SubmititExecutor(Executor):
    """An executor for `maximize` whose calls are jobs of a submitit executor.

    A job that ends without an answer (out of time or memory, cancelled, lost) counts as a worker that died:
    its call is made again, and given up when that goes on.

    Args:
        executor: of submitit, with its parameters set: partition, time, memory.
        every: seconds between two looks at the jobs.
    """

    def __init__(self, executor: Any, every: float = 5.0) -> None:
        self._executor = executor
        self._every = every
        self._jobs: dict[Future[Any], Any] = {}
        self._change = threading.Lock()
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True, name="milbox jobs")
        self._looking.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """A job for one call."""
        if self._over.is_set():
            raise RuntimeError("the executor has been shut down and takes no more calls")
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        job = self._executor.submit(fn, *args, **kwargs)
        with self._change:
            self._jobs[future] = job
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; cancel the jobs that are left, or wait for them."""
        with self._change:
            left = dict(self._jobs)
        if cancel_futures:
            for job in left.values():
                job.cancel()
        elif wait:
            for future in left:
                future.exception()
        self._over.set()
        if wait:
            self._looking.join()

    def _look(self) -> None:
        """Hand on what jobs have answered, until the end."""
        while not self._over.wait(self._every):
            with self._change:
                ended = [(future, job) for future, job in self._jobs.items() if job.done()]
                for future, _ in ended:
                    del self._jobs[future]
            for future, job in ended:
                _hand_on(future, job)


def _hand_on(future: "Future[Any]", job: Any) -> None:
    """The answer of a job that has ended, as that of its future."""
    try:
        error = job.exception()
        if error is None:
            future.set_result(job.result())
        else:
            future.set_exception(WorkerDied(str(error)) if isinstance(error, UncompletedJobError) else error)
    except UncompletedJobError as error:
        future.set_exception(WorkerDied(str(error)))
    except Exception as error:  # an answer that cannot be read
        future.set_exception(error)
