"""Law 8, second half: a run that is killed at any moment and resumed is the run that nobody interrupted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lives
from milbox.trials import Journal
from studies import STRATEGIES


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("how", ["line", "moment"])
@pytest.mark.parametrize("name", STRATEGIES)
def test_killed_and_resumed_is_uninterrupted(tmp_path: Path, name: str, how: str) -> None:
    path = tmp_path / "run.db"
    done = subprocess.run(
        [sys.executable, lives.__file__, path, name, how, "5"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 3, "it was to be killed, and often"
    assert Journal.read(path)[1] == lives.whole_run(name, None).trials
