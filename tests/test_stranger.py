"""The whole way of a stranger: an empty environment, the wheel, the tutorial, a problem, a report."""

import subprocess
import sys
from pathlib import Path

import pytest

from browser import chromium
from pages import ROOT


@pytest.mark.full
@pytest.mark.skipif(chromium() is None, reason="no Chromium")
def test_the_whole_way_of_a_stranger(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "stranger.py", "--keep", tmp_path],
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "report-400.png", "report-1280.png"}
