"""The script that measures studies with many trials does so with few."""

import re
import subprocess
import sys

import pytest

from pages import ROOT

pytest.importorskip("resource", reason="the memory of a process is asked for as POSIX does")


def test_steps_of_studies_that_hold_trials() -> None:
    options = ["--trials", "60", "120", "--steps", "3", "--journal"]
    command = [sys.executable, str(ROOT / "scripts" / "scale.py"), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    rows = [re.findall(r"[\d.]+", line) for line in done.stdout.splitlines() if re.match(r"\| \d", line)]
    assert [row[0] for row in rows] == ["60", "120"]
    for row in rows:
        _, _, step, longest, tell, _, peak = map(float, row)
        assert 0 < tell < step <= longest
        assert 10 < peak < 10_000
    assert rows[0][5] == "1.0"
    assert re.search(r"at most 10 times the first step: (yes|no) \(\d", done.stdout)
    assert re.search(r"less than 1000 MB: yes", done.stdout)
