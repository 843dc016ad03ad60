"""Does the site build without a warning, and does its reference name everything that is public?"""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import milbox
from pages import ROOT

DOCS = ROOT / "docs"


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", DOCS, tmp_path / "site"],
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = [page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md")]
    assert all((tmp_path / "site" / page).is_file() for page in pages)
    formulas = (tmp_path / "site" / "explanations" / "formulation.html").read_text()
    assert "<math" in formulas
    assert "https://cdn" not in formulas  # nothing comes from the network


def test_the_reference_names_everything_public_and_nothing_else() -> None:
    page = (DOCS / "reference" / "python.md").read_text()
    named = re.findall(r"^\.\. auto\w+:: milbox\.(\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted(milbox.__all__)


def test_every_command_has_its_entry() -> None:
    from milbox.cli import command_line

    page = (DOCS / "reference" / "command-line.md").read_text()
    assert {str(name) for name in command_line.commands} <= set(
        re.findall(r"^`milbox (\w+)", page, re.MULTILINE)
    )


def test_the_picture_of_which_tool_when_is_what_its_script_draws() -> None:
    drawn = runpy.run_path(str(ROOT / "scripts" / "which_tool.py"))["picture"]()
    assert (DOCS / "images" / "which-tool.svg").read_text() == drawn
