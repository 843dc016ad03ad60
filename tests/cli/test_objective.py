"""A command gets its point and gives its value; every failure has a reason and none is a crash."""

import os
import pickle
import select
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milbox.cli.problem.objective import Command, PythonFunction, filled
from milbox.errors import ObjectiveFailed
from milbox.run.evaluation import evaluate
from milbox.trials import Failed, Finished

ASSIGNMENT: dict[str, Any] = {
    "x": np.array([1, 0, 1]),
    "m": np.array([[1, 2], [3, 4]]),
    "op": np.array(["a b", "$HOME"]),
    "k": 3,
    "c": None,
    "t": True,
    "my var": 7,
}


def python(program: str, *arguments: str, folder: Path | str = ".", **settings: Any) -> Command:
    """A command that runs a line of Python."""
    return Command((sys.executable, "-c", program, *arguments), str(folder), **settings)


def reason(command: Command) -> str:
    """Why a call of the command fails."""
    with pytest.raises(ObjectiveFailed) as caught:
        command(**ASSIGNMENT)
    return str(caught.value)


def test_the_assignment_comes_as_json_on_standard_input() -> None:
    program = "import json, sys; p = json.load(sys.stdin); print(sum(p['x']) * 10 + p['k'] + p['m'][1][0])"
    assert python(program)(**ASSIGNMENT) == 26.0


def test_templates_stand_for_values_and_no_shell_sees_them() -> None:
    program = "import sys, json; print(json.dumps({'value': 1.0, 'args': sys.argv[1:]}))"
    given = ["--k={k}", "{x}", "{m[1, 0]}", "{op[1]}", "{{k}}", '{"a": {"b": 1}}', "{c}{t}"]
    command = python(program, *given, "; ls", "{my var}")
    assert command(**ASSIGNMENT) == 1.0
    plain = {name: getattr(value, "tolist", lambda v=value: v)() for name, value in ASSIGNMENT.items()}
    assert [filled(argument, plain) for argument in command.arguments[3:]] == [
        "--k=3",
        "1,0,1",
        "3",
        "$HOME",
        "{k}",
        '{"a": {"b": 1}}',
        "true",
        "; ls",
        "7",
    ]


def test_a_choice_can_be_no_argument_at_all() -> None:
    command = python("import sys; print(len(sys.argv) - 1)", "{c}", "", "{e}", "-{e}", "{k}")
    assert command(**ASSIGNMENT, e="") == 3.0


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("3", 3.0),
        ("noise\\n-1.5e3\\n\\n", -1500.0),
        (".5", 0.5),
        ('{"value": 2, "other": [1]}', 2.0),
        ('"4.5"', 4.5),
    ],
)
def test_the_last_line_is_the_value(printed: str, value: float) -> None:
    assert python(f"print('''{printed}''')")(**ASSIGNMENT) == value


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("print('all good')", "the last line is 'all good'; it must be a number or {\"value\": ...}"),
        ("print('nan')", "the last line is 'nan'"),
        ("print('Infinity')", "the last line is 'Infinity'"),
        ("print('true')", "the last line is 'true'"),
        ("print('{\"value\": null}')", "the last line is '{\"value\": null}'"),
        ("print('[1]')", "the last line is '[1]'"),
        ("print('1_000')", "the last line is '1_000'"),
        ("print('[' * 100_000)", "the last line is '[[[["),
        ("print('9' * 400)", "the last line is '9999"),
        ("pass", "printed nothing; its last line must be the value"),
        ('print(\'{"failed": "no sample"}\')', "no sample"),
        ("import sys; sys.exit(3)", "ended with exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "ended with SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "ended with signal 40"),
        ("1 / 0", "ended with exit status 1: ZeroDivisionError: division by zero\nTraceback"),
    ],
)
def test_every_other_end_is_a_reason(program: str, why: str) -> None:
    assert why in reason(python(program))


def test_a_command_that_cannot_be_started() -> None:
    assert "/no/such/program cannot be started in .: No such file" in reason(
        Command(("/no/such/program",), ".")
    )
    assert "cannot be started in /no/folder" in reason(python("print(1)", folder="/no/folder"))


def test_only_the_end_of_a_long_complaint_is_kept() -> None:
    why = reason(python("import sys; sys.stderr.write('x' * 100000 + 'the end'); sys.exit(1)"))
    assert why.endswith("the end")
    assert len(why) < 5000


def test_a_time_limit_ends_the_whole_family(tmp_path: Path) -> None:
    # The grandchild says who it is, then waits for input that never comes.
    program = (
        "import subprocess, sys; "
        "waiting = [sys.executable, '-c', 'import sys; sys.stdin.read()']; "
        "child = subprocess.Popen(waiting, stdin=subprocess.PIPE); "
        "open('pid', 'w').write(str(child.pid)); child.wait()"
    )
    assert "took longer than 2 s" in reason(python(program, folder=tmp_path, timeout=2.0))
    assert ended(int((tmp_path / "pid").read_text()))


def test_a_process_in_the_background_that_keeps_the_output_open_is_not_waited_for(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '600']); "
        "open('pid', 'w').write(str(child.pid)); print(7)"
    )
    began = time.monotonic()
    assert python(program, folder=tmp_path)(**ASSIGNMENT) == 7.0
    assert time.monotonic() - began < 300
    assert ended(int((tmp_path / "pid").read_text()))


def test_only_the_end_of_a_long_output_is_read() -> None:
    assert python("print('x' * 5_000_000); print(3)")(**ASSIGNMENT) == 3.0


def ended(pid: int) -> bool:
    """Whether a process is gone, or goes soon: a kill takes effect when its process is next scheduled."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10.0)[0])
    finally:
        os.close(handle)


def test_a_failed_call_is_repeated(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys; f = pathlib.Path('calls'); n = f.stat().st_size if f.exists() else 0; "
        "f.write_text('.' * (n + 1)); print(7) if n >= 2 else sys.exit(1)"
    )
    assert "exit status 1" in reason(python(program, folder=tmp_path, retries=1))
    assert python(program, folder=tmp_path, retries=0)(**ASSIGNMENT) == 7.0


def test_settings_reach_the_command(tmp_path: Path) -> None:
    program = (
        "import os; print(len(os.environ['GREETING']) if os.path.samefile('.', os.environ['PLACE']) else 0)"
    )
    environment = (("GREETING", "hello"), ("PLACE", str(tmp_path)))
    assert python(program, folder=tmp_path, environment=environment)(**ASSIGNMENT) == 5.0


def test_a_reason_has_no_traceback_of_ours() -> None:
    outcome = evaluate(python("import sys; sys.exit('out of reagent')"), ASSIGNMENT)
    assert isinstance(outcome, Failed)
    assert outcome.reason.endswith("ended with exit status 1: out of reagent\nout of reagent")


def test_objectives_travel_to_other_processes(tmp_path: Path) -> None:
    (tmp_path / "own_module_of_mine.py").write_text(
        "class A:\n    f = staticmethod(lambda **v: v['k'] + 1)\n"
    )
    function = pickle.loads(pickle.dumps(PythonFunction("own_module_of_mine", "A.f", str(tmp_path))))
    before = list(sys.path)
    try:
        assert evaluate(function, ASSIGNMENT) == Finished(4.0)
    finally:
        sys.path[:] = before
    command = python("print(1)", folder=os.curdir)
    assert pickle.loads(pickle.dumps(command)) == command
