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
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NoReturn

from milbox.domain.assignments import plain
from milbox.errors import ObjectiveFailed, nearest
from milbox.system import end_family, interrupts_held, signal_text, start_family
from milbox.trials.checks import number_in

# How much of what a failed command wrote is kept with its trial.
TAIL = 2000
# In how much of the end of its output a command's last line is looked for.
OUTPUT = 1_000_000
_TEMPLATE = re.compile(r"\{\{(?P<literal>[^{}]+)\}\}|\{(?P<name>[^{}\[\]]+)(?:\[(?P<index>[\d\s,]+)\])?\}")


@dataclass(frozen=True, slots=True)
class Command:
    """A program that reads the assignment as JSON from standard input and prints its value on the last line.

    In the arguments `{k}` stands for the value of k, `{x[3]}` for an item, `{x}` for all items with commas
    between them, and `{{k}}` for itself; an argument that becomes empty is left out, so that a choice can be
    no flag at all, and so is one about a variable that does not exist. No shell is involved. The last line is
    a number, or JSON: a number, `{"value": 3.5}`, several outputs by name, or `{"failed": "why"}`. Any exit
    status but zero is a failed trial.

    When the program has ended, its output is complete: processes that it left behind in its session are
    ended; a daemon that is to stay needs a session of its own.
    """

    arguments: tuple[str, ...]
    directory: str
    timeout: float | None = None
    """Seconds after which the program, and whatever it started, is ended."""
    retries: int = 0
    """The number of times a failed call is repeated before the trial counts as failed."""
    environment: tuple[tuple[str, str], ...] = ()
    conditional: tuple[str, ...] = ()
    """Variables that are left out where they do not exist, and are None."""
    outputs: tuple[str, ...] = ()
    """The outputs to look for in JSON; without names there is only `value`."""

    def __str__(self) -> str:
        return f"{shlex.join(self.arguments)} in {self.directory}"

    def __call__(self, **assignment: Any) -> Any:
        """The value that the program prints, or outputs by name."""
        given = plain(assignment)
        for _ in range(self.retries):
            with contextlib.suppress(ObjectiveFailed):
                return self.measured(given)
        return self.measured(given)

    def measured(self, assignment: Mapping[str, Any]) -> Any:
        """One call of the program."""
        missing = {name for name in self.conditional if assignment[name] is None}
        pairs = [
            (argument, filled(argument, assignment))
            for argument in self.arguments
            if missing.isdisjoint(names_in(argument))
        ]
        arguments = [text for argument, text in pairs if text or not argument]
        # Files and not pipes: a process that the program leaves behind may keep a pipe open for ever.
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            existing = {name: value for name, value in assignment.items() if name not in missing}
            given.write(json.dumps(existing).encode())
            given.seek(0)
            status = self.status(arguments, stdin=given, stdout=out, stderr=err)
            output, complaints = end_of(out, OUTPUT), end_of(err, TAIL)
        if status is None:
            self.fail(f"{arguments[0]} took longer than {self.timeout:g} s", complaints)
        if status < 0:
            self.fail(f"{arguments[0]} ended with {signal_text(-status)}", complaints, infeasible=False)
        if status > 0:
            self.fail(f"{arguments[0]} ended with exit status {status}", complaints)
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        if not lines:
            self.fail(f"{arguments[0]} printed nothing; its last line must be the value", complaints)
        return self.value(lines[-1], complaints)

    def status(self, arguments: Sequence[str], **files: Any) -> int | None:
        """The exit status of one call, minus the number of the signal that ended it; None: out of time.

        However the call ends, and whoever interrupts it, nothing that the program started is left.
        """
        program = None
        try:
            with interrupts_held():
                program = start_family(
                    arguments, cwd=self.directory, env={**os.environ, **dict(self.environment)}, **files
                )
            return program.wait(self.timeout)
        except OSError as error:
            raise ObjectiveFailed(
                f"{arguments[0]} cannot be started in {self.directory}: {error.strerror or error}",
                infeasible=False,
            ) from None
        except subprocess.TimeoutExpired:
            return None
        finally:
            if program is not None:
                end_family(program)

    def value(self, line: str, complaints: str) -> Any:
        """The value in the last line, or outputs by name."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = line
        if isinstance(answer, dict):
            if "failed" in answer:
                raise ObjectiveFailed(str(answer["failed"]))
            alone = len(self.outputs) == 1 and "value" in answer and self.outputs[0] not in answer
            if self.outputs and not alone:  # the study says what is missing
                return {name: answer[name] for name in self.outputs if name in answer}
            answer = answer.get("value", line)
        try:
            if isinstance(answer, str):
                number = number_in(answer)
            else:
                number = math.nan if isinstance(answer, bool) else float(answer)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self.fail(f'the last line is {line[:200]!r}; it must be a number or {{"value": ...}}', complaints)
        return number

    def fail(self, message: str, complaints: str, infeasible: bool = True) -> NoReturn:
        """End the trial with the end of what the program wrote on standard error."""
        tail = complaints.strip()[-TAIL:]
        last = tail.rpartition("\n")[2]
        whole = f"{message}: {last}\n{tail}" if tail else message
        raise ObjectiveFailed(whole, infeasible=infeasible)


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function of a module that is found first in the folder of the problem file."""

    module: str
    function: str
    folder: str
    timeout: float | None = None
    """Seconds after which an evaluation, and whatever it started, is ended."""

    def __str__(self) -> str:
        return f"{self.module}:{self.function}, looked for in {self.folder} first"

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
    """The error in the templates of an argument, if there is one."""
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


def names_in(argument: str) -> set[str]:
    """The names that an argument is filled with."""
    return {found["name"] for found in _TEMPLATE.finditer(argument) if found["name"] is not None}


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


def end_of(file: IO[bytes], length: int) -> str:
    """The last bytes of a file as text."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - length))
    return file.read(length).decode(errors="replace")
