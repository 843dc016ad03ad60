"""The site builds without a warning, and its reference names everything that is public."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import milbox
from pages import ROOT, blocks

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", DOCS, out],
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


def test_the_site_builds_without_warnings(site: Path) -> None:
    pages = [page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md")]
    assert all((site / page).is_file() for page in pages)
    formulas = (site / "explanations" / "formulation.html").read_text()
    assert "<math" in formulas
    assert "https://cdn" not in formulas  # nothing comes from the network


def test_the_reference_names_everything_public_and_nothing_else() -> None:
    page = (DOCS / "reference" / "python.md").read_text()
    named = re.findall(r"^\.\. auto\w+:: milbox\.(\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted(milbox.__all__)


def test_everything_public_has_an_example_that_is_run() -> None:
    page = (DOCS / "reference" / "python.md").read_text()
    code = "\n".join(block.text for block in blocks(page) if block.language == "python")
    errors = {
        name
        for name in milbox.__all__
        if issubclass(type(thing := getattr(milbox, name)), type) and issubclass(thing, Exception)
    }
    values = {"Result", "Trial", "Certificate", "Optimum"}  # what calls return; nobody makes one
    shown = {name for name in milbox.__all__ if re.search(rf"\bmb\.{name}\b", code)}
    assert set(milbox.__all__) - errors - values <= shown


def test_signatures_show_types_and_constraints_by_their_one_name(site: Path) -> None:
    page = (site / "reference" / "python.html").read_text()
    signatures = re.findall(r'<dt class="sig.*?</dt>', page, re.DOTALL)
    text = [re.sub(r"<.*?>|\s+", " ", each) for each in signatures]
    (maximize,) = [each for each in text if "maximize" in each and "budget" in each]
    assert re.search(r"budget\s+:\s+int", maximize)
    assert not [each for each in text if "AllDifferent" in each]


def test_every_command_has_its_entry() -> None:
    from milbox.cli import command_line

    page = (DOCS / "reference" / "command-line.md").read_text()
    assert {str(name) for name in command_line.commands} <= set(
        re.findall(r"^`milbox (\w+)", page, re.MULTILINE)
    )


def test_the_picture_of_which_tool_when_is_what_its_script_draws() -> None:
    drawn = runpy.run_path(str(ROOT / "scripts" / "which_tool.py"))["picture"]()
    assert (DOCS / "images" / "which-tool.svg").read_text() == drawn


def test_the_picture_of_a_diagram_is_what_its_script_draws() -> None:
    drawn = runpy.run_path(str(ROOT / "scripts" / "draw_diagram.py"))["drawing"]()
    assert (DOCS / "images" / "diagram.svg").read_text() == drawn
    assert drawn.count("<line") > 20
