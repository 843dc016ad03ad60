"""Every example of the gallery runs with a small budget and draws its picture."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pages import ROOT

EXAMPLES = ROOT / "examples"
# What keeps a run short; the rest of an example is as in the gallery.
SMALL = {
    "dna": ["--budget", "12", "--initial", "9"],
    "nas_cell": ["--budget", "3", "--initial", "2", "--epochs", "1"],
    "quadratic_assignment": ["--budget", "12", "--initial", "10"],
    "balanced_subset": ["--budget", "6", "--initial", "5"],
    "formulation": ["--budget", "14", "--initial", "12"],
    "hyperparameters": ["--budget", "4", "--initial", "3"],
    "process": ["--budget", "9", "--initial", "8"],
    "assay": ["--budget", "12", "--initial", "10"],
    "simulation": ["--budget", "10", "--initial", "8"],
    "pipeline": ["--budget", "8", "--initial", "6"],
}


def ran(*command: str | Path, folder: Path, status: int = 0, **environment: str) -> str:
    """What a command prints."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_every_example_is_tested() -> None:
    scripts = {path.stem for path in EXAMPLES.glob("*.py")} - {"pictures"}
    assert scripts == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_an_example_runs_and_draws(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if name == "dna":
        request.getfixturevalue("tfbind")
    picture = tmp_path / "picture.svg"
    printed = ran(
        sys.executable, EXAMPLES / f"{name}.py", *SMALL[name], "--picture", picture, folder=tmp_path
    )
    assert "found" in printed
    assert "</svg>" in picture.read_text()


@pytest.mark.usefixtures("tfbind")
def test_the_page_on_dna_shows_what_the_example_prints(tmp_path: Path) -> None:
    printed = ran(sys.executable, EXAMPLES / "dna.py", folder=tmp_path)
    assert printed == (ROOT / "docs" / "gallery" / "dna.txt").read_text()


def test_dna_without_data_says_how_to_get_it(tmp_path: Path) -> None:
    said = ran(sys.executable, EXAMPLES / "dna.py", folder=tmp_path, status=1, MILBOX_DATA=str(tmp_path))
    assert "milbox data tfbind" in said
    assert "Traceback" not in said


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_compiler_flags_from_the_command_line(tmp_path: Path) -> None:
    folder = EXAMPLES / "compiler_flags"
    milbox = [sys.executable, "-m", "milbox"]
    budget = ["--budget", "3", "--initial", "2", "--journal", "flags.db"]
    printed = ran(*milbox, "run", folder / "problem.toml", *budget, folder=tmp_path)
    assert "best value" in printed
    assert "failed" not in printed
    ran(sys.executable, folder / "picture.py", "flags.db", "flags.svg", folder=tmp_path)
    assert "</svg>" in (tmp_path / "flags.svg").read_text()
