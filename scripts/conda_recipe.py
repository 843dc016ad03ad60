"""Print the recipe for conda-forge: conda/recipe.yaml, filled in from pyproject.toml and an sdist.

    python scripts/conda_recipe.py dist/milbox-1.0.0.tar.gz NAME ... > recipe.yaml

The names are those on GitHub of the people who look after the feedstock.
"""

import hashlib
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INDENT = "    - "


def recipe(archive: bytes, maintainers: Sequence[str]) -> str:
    """The recipe for the version in pyproject.toml, whose source distribution is given."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    urls = project["urls"]
    values = {
        "VERSION": project["version"],
        "SHA256": hashlib.sha256(archive).hexdigest(),
        "SUMMARY": project["description"],
        "HOMEPAGE": urls["Homepage"],
        "DOCUMENTATION": urls["Documentation"],
        "SOURCE": urls["Source"],
        "BUILD": listed(settings["build-system"]["requires"]),
        "RUN": listed(project["dependencies"]),
        "MAINTAINERS": listed(maintainers),
        "ENTRY_POINTS": "\n".join(f"      - {name} = {call}" for name, call in project["scripts"].items()),
    }
    text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def listed(requirements: Sequence[str]) -> str:
    """Requirements of Python as those of conda: a name, a space, the bounds."""
    return "\n".join(INDENT + spaced(each) for each in requirements)


def spaced(requirement: str) -> str:
    """`numpy>=1.26` as `numpy >=1.26`."""
    end = next((i for i, letter in enumerate(requirement) if letter in "<>=!~"), len(requirement))
    return f"{requirement[:end]} {requirement[end:]}".strip()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(recipe(Path(sys.argv[1]).read_bytes(), sys.argv[2:]), end="")
