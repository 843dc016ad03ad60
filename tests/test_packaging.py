"""What strangers meet first: metadata, workflows, the recipe for conda-forge."""

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import milbox
from pages import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]


def script(name: str) -> ModuleType:
    place = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def test_versions_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    newest = re.search(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest.groups() == (PROJECT["version"], str(citation["date-released"]))
    assert citation["version"] == milbox.__version__ == PROJECT["version"]


def test_placeholders_stand_in_one_place() -> None:
    text = re.compile(r"milbox\.example\b")
    files = [*ROOT.glob("*.*"), *(ROOT / ".github").rglob("*.*"), *(ROOT / "docs").rglob("*.md")]
    files += [*(ROOT / "paper").iterdir(), *(ROOT / "conda").iterdir(), *(ROOT / "src").rglob("*.py")]
    holding = {path.name for path in files if path.is_file() and text.search(path.read_text(errors="ignore"))}
    assert holding <= {"pyproject.toml", "release.yml"}  # the workflow refuses to release while they stand


def test_links_of_the_readme_work_on_pypi() -> None:
    hook = SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    (rule,) = hook["substitutions"]
    assert rule["replacement"].startswith("](" + PROJECT["urls"]["Source"] + "/")
    text = (ROOT / "README.md").read_text()
    named = re.findall(rule["pattern"], text)
    assert len(named) > 10
    assert [each for each in named if not (ROOT / each.partition("#")[0]).exists()] == []
    published = re.sub(rule["pattern"], rule["replacement"], text)
    assert [each for each in re.findall(r"\]\(([^)]*)\)", published) if not each.startswith("https://")] == []


def test_what_is_published_is_said() -> None:
    assert (ROOT / "src" / "milbox" / "py.typed").is_file()
    assert {"Documentation", "Source", "Issues", "Changelog"} <= set(PROJECT["urls"])
    assert all("email" in author for author in PROJECT["authors"])
    extras = PROJECT["optional-dependencies"]
    assert any(each.startswith("hypothesis") for each in extras["testing"])
    assert {"docs", "dev", "oracle"}.isdisjoint(extras), "contributors' lists are dependency groups"


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows_are_yaml_and_name_what_is_there(path: Path) -> None:
    form = yaml.safe_load(path.read_text())
    jobs: dict[str, Any] = form.get("jobs", {})
    makefile = (ROOT / "Makefile").read_text()
    for job in jobs.values():
        for command in (step["run"] for step in job["steps"] if "run" in step):
            for target in re.findall(r"^make (\S+)", command, re.MULTILINE):
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
            for named in re.findall(r"\b(?:tests|scripts|\.ci)/[\w./-]+", command):
                assert (ROOT / named).exists(), named


def test_the_site_is_built_from_one_list_of_packages() -> None:
    wanted = "'.[testing,optuna]' --group docs"
    assert wanted in (ROOT / "Makefile").read_text()
    assert wanted in (ROOT / ".readthedocs.yaml").read_text()


def test_every_version_of_python_that_is_claimed_is_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    tested = workflow["jobs"]["whole"]["strategy"]["matrix"]["python"]
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert tested == claimed


def test_the_recipe_for_conda_has_what_the_package_needs() -> None:
    form = yaml.safe_load(
        re.sub(r"\$\{\{.*?\}\}", "x", script("conda_recipe").recipe(b"archive", ["someone"]))
    )
    needed = [re.split(r"[<>=]", each)[0] for each in PROJECT["dependencies"]]
    assert [each.split()[0] for each in form["requirements"]["run"]] == ["python", *needed]
    assert "numba >=0.60,<0.69" in form["requirements"]["run"]
    assert form["about"]["homepage"] == PROJECT["urls"]["Homepage"]
    assert "@" not in str(form)
    assert form["extra"]["recipe-maintainers"] == ["someone"]
