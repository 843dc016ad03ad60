"""Calls kept in flight in an executor, and made again when the worker that made them dies."""

import itertools
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from milbox.run.workers import WorkerDied, discard, remade

Task = TypeVar("Task")


@dataclass(slots=True)
class Flight(Generic[Task]):
    """A task, its place in the order of tasks, and how often a worker has died with it."""

    number: int
    task: Task
    deaths: int = 0


def in_flight(
    tasks: Callable[[int], Sequence[Task]],
    call: Callable[[Task], tuple[Any, ...]],
    pool: Executor,
    workers: int,
    *,
    own: bool,
    deaths: int,
    died: Callable[[Task, int], None] = lambda _task, _times: None,
    watch: Callable[[Sequence[Task]], None] = lambda _tasks: None,
    every: float | None = None,
) -> Generator[tuple[Task, Any], None, None]:
    """Keep `workers` calls under way, and yield each task with what came of its call, as it ends.

    When a worker process dies, its call is made again. In a process pool of the user's, the pool dies with
    it, and with that every call under way: all of them are made again in a new pool. The last attempt at a
    task is made alone, so that a death is its own doing, and the innocent are not blamed.

    Args:
        tasks: more tasks, about as many as there are free workers; none when there are none now.
        call: a function and its arguments for a task.
        pool: who makes the calls.
        workers: how many at the same time.
        own: whether the pool is to be ended here, whatever happens.
        deaths: how often a worker may die with a task; then `WorkerDied` is what came of it.
        died: is told of each death, with the number of deaths so far.
        watch: is told now and then which tasks are under way.
        every: after at most how many seconds.

    Yields:
        Tasks with what their functions returned, or the exception that came instead.
    """
    given = None if own else pool
    waiting: deque[Flight[Task]] = deque()
    flights: dict[Future[Any], Flight[Task]] = {}
    numbers = itertools.count()
    try:
        while True:
            while len(flights) < workers:
                if not waiting:
                    more = tasks(workers - len(flights))
                    waiting.extend(Flight(next(numbers), task) for task in more)
                if not waiting or (flights and _alone(deaths - 1, waiting[0], *flights.values())):
                    break
                flight = waiting.popleft()
                flights[_submitted(pool, call(flight.task))] = flight
            if not flights:
                break
            landed, _ = wait(flights, every, FIRST_COMPLETED)
            watch([flight.task for flight in flights.values()])
            broken = any(map(_broke, landed))
            if broken:
                landed, _ = wait(flights)  # the others end at once, each with its answer or with the pool
            again = []
            for future in sorted(landed, key=lambda future: flights[future].number):
                flight = flights.pop(future)
                answer = _answer(future)
                if isinstance(answer, WorkerDied):
                    flight.deaths += 1
                    died(flight.task, flight.deaths)
                    if flight.deaths < deaths:
                        again.append(flight)
                        continue
                yield flight.task, answer
            waiting.extendleft(reversed(again))
            if broken:
                fresh = remade(pool)
                if fresh is None:
                    raise BrokenExecutor(
                        f"the executor broke because a worker died, and milbox cannot make another "
                        f"{type(pool).__name__}."
                    )
                discard(pool)
                pool = fresh
        if pool is not given:
            pool.shutdown()
    finally:
        for future in flights:
            future.cancel()
        if pool is not given:
            discard(pool)


def _alone(deaths: int, *flights: Flight[Any]) -> bool:
    """Whether one of the flights was under way in too many deaths to share the workers."""
    return any(flight.deaths >= deaths for flight in flights)


def _submitted(pool: Executor, call: tuple[Any, ...]) -> "Future[Any]":
    """A call under way; in a pool that has just broken, one that has ended with it."""
    function, *arguments = call
    try:
        return pool.submit(function, *arguments)
    except (BrokenExecutor, OSError) as error:  # or one whose pipe to its workers has just been closed
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor(str(error)))
        return future


def _broke(future: "Future[Any]") -> bool:
    """Whether a future ended because its pool did."""
    return not future.cancelled() and isinstance(future.exception(), BrokenExecutor)


def _answer(future: "Future[Any]") -> Any:
    """The result of a call, or its exception; `WorkerDied` when its worker ended before it."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, WorkerDied):
        return WorkerDied()
    except Exception as error:  # what the executor itself could not do, such as sending the function
        return error
