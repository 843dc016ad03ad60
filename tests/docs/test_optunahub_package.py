"""The OptunaHub package is complete, and its examples run as they stand."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import optuna
import pytest

from milbox.integrations.optuna import MilboxSampler
from pages import ROOT, blocks

REGISTRY = ROOT / "optunahub" / "package"
PACKAGE = REGISTRY / "samplers" / "milbox"


def load_module(package: str) -> ModuleType:
    """The package as the registry would serve it."""
    place = importlib.util.spec_from_file_location("hub_package", REGISTRY / package / "__init__.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry's own loader fetches from GitHub; here the folder is the registry."""
    monkeypatch.setitem(sys.modules, "optunahub", SimpleNamespace(load_module=load_module))
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def test_the_package_offers_the_sampler() -> None:
    assert load_module("samplers/milbox").MilboxSampler is MilboxSampler


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = [b for b in blocks((PACKAGE / "README.md").read_text()) if b.language == "python"]
    exec(compile(example.text, "README.md", "exec"), {"__name__": "__main__"})
    value, certificate = capsys.readouterr().out.splitlines()
    assert float(value.partition(" ")[0]) > 30
    assert certificate.startswith("optimal")


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(PACKAGE / "example.py"), run_name="__main__")
    assert "machine[5]" in capsys.readouterr().out


def test_the_front_matter_is_what_the_registry_wants() -> None:
    head = (PACKAGE / "README.md").read_text().split("---\n")[1]
    keys = dict(re.findall(r"^(\w+): (.+)$", head, re.MULTILINE))
    assert set(keys) == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert keys["tags"].startswith("[sampler,")
    assert keys["license"] == "MIT License"
    assert {path.name for path in Path(PACKAGE).iterdir()} >= {
        "README.md",
        "LICENSE",
        "__init__.py",
        "example.py",
        "requirements.txt",
    }
