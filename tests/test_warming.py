"""A cold cache is filled by processes of their own, and a warm one is left alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import milbox

PROGRAM = """
from milbox.run import warming
cold = [name for name, part in warming.PARTS.items() if part.is_cold]
warming.warm()
warming.warm()
print(len(cold), len(warming._started), [process.wait() for process in warming._started])
print(any(part.is_cold for part in warming.PARTS.values()))
"""


def test_a_cold_cache_is_filled_once(tmp_path: Path) -> None:
    shutil.copytree(
        Path(str(milbox.__file__)).parent, tmp_path / "milbox", ignore=shutil.ignore_patterns("__pycache__")
    )
    # From its folder the copy is imported, here and by the processes that compile.
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    assert runs[0].stdout == "2 2 [0, 0]\nFalse\n"
    assert runs[1].stdout == "0 0 []\nFalse\n"
