"""Terminals: narrow ones break lines between words, Ctrl-C leaves one frame, and `| head` is no error."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Milbox, command
from milbox.cli import command_line
from milbox.cli.live import sparkline

SLOW = """\
import time

def value(x, k, op):
    time.sleep(0.2)
    return float(x.sum())
"""


def on_terminal(
    arguments: list[str | Path], folder: Path, columns: int, until: Callable[[bytes], bool] | None = None
) -> tuple[str, int]:
    """What a terminal shows in the end, and the exit status; Ctrl-C is pressed at `until`."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(folder)
        time.sleep(0.2)  # until the window has its size
        words = command(*arguments)
        # A whole environment: readline, which pytest imports, sets COLUMNS and LINES behind Python's back.
        sized = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        os.execve(words[0], words, {**sized, "TERM": "xterm"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    written, deadline = b"", time.monotonic() + 120
    with contextlib.suppress(OSError):  # the terminal of a process that has ended
        while time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                written += os.read(terminal, 65536)
            if until is not None and until(written):
                os.write(terminal, b"\x03")
                until = None
    os.close(terminal)
    return screen(written.decode(), columns), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def screen(text: str, columns: int) -> str:
    """The lines of a terminal that has been sent this text."""
    lines: list[list[str]] = [[]]
    row = column = 0
    for control, number, kind, mark in re.findall(r"(\x1b\[\??([\d;]*)([A-Za-z]))|([\s\S])", text):
        if control:
            if kind == "A":
                row = max(0, row - int(number or 1))
            elif kind == "K":
                lines[row] = []
        elif mark == "\r":
            column = 0
        elif mark == "\n":
            row += 1
        else:
            if column == columns:
                row, column = row + 1, 0
            lines += [[] for _ in range(row + 1 - len(lines))]
            lines[row] += [" "] * (column + 1 - len(lines[row]))
            lines[row][column] = mark
            column += 1
        lines += [[] for _ in range(row + 1 - len(lines))]
    return "\n".join("".join(line).rstrip() for line in lines)


def has_some_trials(written: bytes) -> bool:
    """Whether a few trials have been shown; the display is drawn now and then, and may leave out a count."""
    return re.search(rb"trial [3-9]/99", written) is not None


@pytest.mark.parametrize("columns", [44, 80])
def test_ctrl_c_leaves_one_frame_and_one_count(problem: Path, tmp_path: Path, columns: int) -> None:
    (tmp_path / "measure.py").write_text(SLOW)
    run: list[str | Path] = ["run", problem, "--budget", "99", "--initial", "99", "--journal", "j.db"]
    shown, status = on_terminal(run, tmp_path, columns, has_some_trials)
    assert status == 130, shown
    assert shown.count("─ milbox ─") == 1, shown
    counted = re.search(r"trial (\d+)/99", shown)
    ended = re.search(r"interrupted after (\d+) trials? and 1", shown)
    assert counted is not None, shown
    assert ended is not None, shown
    assert counted[1] == ended[1]


def test_narrow_terminals_break_lines_between_words(milbox: Milbox, tiny: Path, tmp_path: Path) -> None:
    milbox("ask", "j.db", "--problem", tiny)
    milbox("tell", "j.db", "--trial", "0", "--value", "1")
    wide, _ = on_terminal(["status", "j.db"], tmp_path, 300)
    narrow, _ = on_terminal(["status", "j.db"], tmp_path, 36)
    assert max(map(len, narrow.splitlines())) < 36
    assert "\n           " in narrow  # what goes on below stands under the text, not under its label
    ago = re.compile(r"last value.*", re.DOTALL)
    assert ago.sub("", wide).split() == ago.sub("", narrow).split()


def test_whoever_has_read_enough_is_no_error(milbox: Milbox, problem: Path, tmp_path: Path) -> None:
    milbox("ask", "j.db", "--problem", problem, "--count", "2000", "--csv", "batch.csv")
    for arguments in (["trials", "j.db"], ["trials", "j.db", "--json"]):
        with subprocess.Popen(
            command(*arguments), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline()
            process.stdout.close()
            complaints = process.stderr.read().decode()
            assert (process.wait(timeout=60), complaints) == (0, "")


def test_failed_trials_come_with_their_reasons(milbox: Milbox, tiny: Path) -> None:
    milbox("ask", "j.db", "--problem", tiny, "--count", "2")
    milbox("tell", "j.db", "--trial", "1", "--failed", "spilled\nall over the place")
    listed = milbox("trials", "j.db", "--state", "failed").output.splitlines()
    assert len(listed) == 2
    assert listed[1].endswith("(spilled)")


def test_times_are_dates(milbox: Milbox, tiny: Path, tmp_path: Path) -> None:
    milbox("ask", "j.db", "--problem", tiny)
    milbox("tell", "j.db", "--trial", "0", "--value", "1")
    date = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    milbox("export", "j.db", "--out", "j.csv")
    assert re.search(rf",{date},{date}$", (tmp_path / "j.csv").read_text(), re.MULTILINE)
    assert re.fullmatch(date, milbox("trials", "j.db", "--json").json["told_at"])
    assert re.fullmatch(date, milbox("status", "j.db", "--json").json["last_told_at"])


def test_either_spelling_says_the_sense(milbox: Milbox, tiny: Path) -> None:
    text = tiny.read_text()
    tiny.write_text(text.replace("minimize", "minimise"))
    assert milbox("check", tiny, "--json").json["sense"] == "minimize"
    tiny.write_text(text.replace("minimize", "lowest"))
    assert (
        "sense must be 'maximize' or 'minimize', not 'lowest'" in milbox("check", tiny, status=2).complaints
    )


def test_more_points_than_can_be_handed_out_at_once(milbox: Milbox, tiny: Path) -> None:
    refused = milbox("ask", "j.db", "--problem", tiny, "--count", "9" * 30, status=2).complaints
    assert "is not in the range 1<=x<=10000" in refused


def test_bars_of_the_largest_floats() -> None:
    assert sparkline([-1.7e308, 0.0, 1.7e308]) == "▁▅█"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(
    shell: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_MILBOX_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit):
        command_line.main(args=[], prog_name="milbox", complete_var="_MILBOX_COMPLETE")
    assert "_MILBOX_COMPLETE" in capsys.readouterr().out
