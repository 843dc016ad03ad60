"""The pages name files that exist, and the tree of the architecture names every module of the library."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "milbox"
PAGES = [*(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
NAMED = re.compile(r"`(?P<path>[\w./-]+/[\w-]+\.py)(?::[^`]*)?`")


def exists(path: str) -> bool:
    return (PACKAGE / path).is_file() or (ROOT / path).is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = {match["path"] for match in NAMED.finditer(page.read_text(encoding="utf-8"))}
    placeholders = {path for path in named if Path(path).stem in ("name", "kind")}
    assert [path for path in sorted(named - placeholders) if not exists(path)] == []


def test_a_missing_file_is_noticed() -> None:
    assert NAMED.fullmatch("`domain/coding.py`")
    assert exists("domain/coding.py")
    assert not exists("domain/nothing.py")


def tree() -> str:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return text.partition("## The tree")[2].split("```")[1]


def test_the_tree_names_every_module_of_the_core() -> None:
    words = set(re.findall(r"\w+", tree()))
    rooms = [
        "domain",
        "domain/model",
        "domain/constraints",
        "domain/rules",
        "domain/diagrams",
        "milp",
        "embed",
        "embed/relu",
        "surrogates",
        "trials",
        "trials/journal",
        "inner",
        "strategies",
        "run",
    ]
    modules = {file for room in rooms for file in (PACKAGE / room).iterdir()}
    named = {file.stem for file in modules if file.is_dir() or file.suffix == ".py"}
    assert named - words - {"__init__", "__pycache__"} == set()
