"""Law 8, second half: a run that is killed at any moment and resumed is the run that nobody interrupted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lives
from milbox.trials import Journal
from processes import ENVIRONMENT
from studies import STRATEGIES


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("how", ["line", "moment"])
def test_killed_and_resumed_is_uninterrupted(tmp_path: Path, how: str) -> None:
    done = subprocess.run(
        [sys.executable, lives.__file__, tmp_path, how, "5"],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    deaths = json.loads(done.stdout)
    assert set(deaths) == set(STRATEGIES)
    assert sum(deaths.values()) >= 2 * len(deaths), "they were to be killed, and often"
    for name in STRATEGIES:
        assert Journal.read(tmp_path / f"{name}.db")[1] == lives.whole_run(name, None).trials, name
    assert {file.name for file in tmp_path.iterdir()} == {f"{name}.db" for name in STRATEGIES}
