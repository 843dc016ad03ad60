"""Objectives of the command line: an external command, or a Python function.

Both are plain values that can be sent to worker processes and clusters, and both are called as any objective
is: with the variables by name.
"""

import contextlib
import importlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from milbox.domain.plain import plain
from milbox.domain.rule_terms import nearest
from milbox.errors import ObjectiveFailed

# How much of what a failed command wrote is kept with its trial.
TAIL = 2000
_TEMPLATE = re.compile(r"\{\{(?P<literal>[^{}]+)\}\}|\{(?P<name>[^{}\[\]]+)(?:\[(?P<index>[\d\s,]+)\])?\}")


@dataclass(frozen=True, slots=True)
class Command:
    """A program that reads the assignment as JSON from standard input and prints its value on the last line.

    In the arguments `{k}` stands for the value of k, `{x[3]}` for an item, `{x}` for all items with commas
    between them, and `{{k}}` for itself; an argument that becomes empty is left out, so that a choice can be
    no flag at all. No shell is involved. The last line is a number, or JSON: a number, `{"value": 3.5}`, or
    `{"failed": "why"}`. Any exit status but zero is a failed trial.
    """

    arguments: tuple[str, ...]
    directory: str
    timeout: float | None = None
    """Seconds after which the program, and whatever it started, is ended."""
    retries: int = 0
    """How often a failed call is repeated before the trial counts as failed."""
    environment: tuple[tuple[str, str], ...] = ()

    def __call__(self, **assignment: Any) -> float:
        """The value the program prints."""
        given = plain(assignment)
        for _ in range(self.retries):
            with contextlib.suppress(ObjectiveFailed):
                return self.measured(given)
        return self.measured(given)

    def measured(self, assignment: Mapping[str, Any]) -> float:
        """One call of the program."""
        pairs = [(argument, filled(argument, assignment)) for argument in self.arguments]
        arguments = [text for argument, text in pairs if text or not argument]
        try:
            child = subprocess.Popen(
                arguments,
                cwd=self.directory,
                env={**os.environ, **dict(self.environment)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # so that a whole family of processes can be ended together
            )
        except OSError as error:
            raise ObjectiveFailed(
                f"{arguments[0]} cannot be started in {self.directory}: {error.strerror or error}"
            ) from None
        with _ending(child):
            try:
                output, complaints = child.communicate(json.dumps(assignment), timeout=self.timeout)
            except subprocess.TimeoutExpired:
                _end(child)
                complaints = ""
                with contextlib.suppress(
                    subprocess.TimeoutExpired
                ):  # whoever left the session may hold the pipe
                    _, complaints = child.communicate(timeout=1.0)
                self.fail(f"{arguments[0]} took longer than {self.timeout:g} s", complaints)
        if child.returncode:
            how = f"exit status {child.returncode}"
            if child.returncode < 0:
                how = signal.Signals(-child.returncode).name
            self.fail(f"{arguments[0]} ended with {how}", complaints)
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        if not lines:
            self.fail(f"{arguments[0]} printed nothing; its last line must be the value", complaints)
        return self.value(lines[-1], complaints)

    def value(self, line: str, complaints: str) -> float:
        """The value in the last line."""
        try:
            answer = json.loads(line)
        except ValueError:
            answer = line
        if isinstance(answer, dict):
            if "failed" in answer:
                raise ObjectiveFailed(str(answer["failed"]))
            answer = answer.get("value", line)
        try:
            number = math.nan if isinstance(answer, bool) else float(answer)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self.fail(f'the last line is {line[:200]!r}; it must be a number or {{"value": ...}}', complaints)
        return number

    def fail(self, message: str, complaints: str) -> NoReturn:
        """End the trial with the end of what the program wrote on standard error."""
        tail = complaints.strip()[-TAIL:]
        last = tail.rpartition("\n")[2]
        raise ObjectiveFailed(f"{message}: {last}\n{tail}" if tail else message)


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function of a module that is found first in the folder of the problem file."""

    module: str
    function: str
    folder: str

    def __call__(self, **assignment: Any) -> Any:
        """Whatever the function returns."""
        return self.loaded()(**assignment)

    def loaded(self) -> Callable[..., Any]:
        """The function itself; raises what importing it raises."""
        if self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        thing: Any = importlib.import_module(self.module)
        for part in self.function.split("."):
            thing = getattr(thing, part)
        if not callable(thing):
            raise TypeError(f"{self.module}:{self.function} is {thing!r}, not a function")
        found: Callable[..., Any] = thing
        return found


def unknown_names(argument: str, declared: Mapping[str, Any]) -> str | None:
    """What is wrong with the templates of an argument, if anything."""
    for found in _TEMPLATE.finditer(argument):
        name, index = found["name"], found["index"]
        if name is None:
            continue
        if name not in declared:
            if not name.isidentifier():
                continue  # braces of another kind, say of JSON
            return (
                f"{argument!r} is to be filled with {name!r}, which is no variable"
                f"{nearest(name, declared)} (to keep the braces, write {{{{{name}}}}})"
            )
        if index is not None:
            shape = getattr(declared[name], "shape", ())
            places = [int(part) for part in index.split(",") if part.strip()]
            if len(places) != len(shape) or any(p >= n for p, n in zip(places, shape, strict=True)):
                return f"{argument!r} asks for {name}[{index}], which does not exist"
    return None


def filled(argument: str, assignment: Mapping[str, Any]) -> str:
    """The argument with values in the place of its templates."""

    def value(found: re.Match[str]) -> str:
        if found["literal"] is not None:
            return f"{{{found['literal']}}}"
        if found["name"] not in assignment:
            return found[0]
        thing = assignment[found["name"]]
        for part in (found["index"] or "").split(","):
            thing = thing[int(part)] if part.strip() else thing
        return "" if thing is None else text_of(thing)

    return _TEMPLATE.sub(value, argument)


def text_of(value: Any) -> str:
    """A value as an argument of a command, or as an entry of a CSV file."""
    if isinstance(value, list):
        return ",".join(text_of(item) for item in value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value)


@contextlib.contextmanager
def _ending(child: "subprocess.Popen[str]") -> Iterator[None]:
    """End the child's whole family when this process is interrupted or asked to end while it waits."""

    def end_both(number: int, _: Any) -> None:
        _end(child)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    ours = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, end_both) if ours else None
    try:
        yield
    except BaseException:
        _end(child)
        raise
    finally:
        if ours:
            signal.signal(signal.SIGTERM, before)


def _end(child: "subprocess.Popen[str]") -> None:
    """Kill a process and everything it started, as far as it stayed in its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
