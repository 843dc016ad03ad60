"""The schema of problem files, for editors, says what the reader says."""

import json
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from milbox.cli.commands.init import PROBLEM
from milbox.cli.console import InputError
from milbox.cli.problem.file import ASIDE, KINDS, OBJECTIVE, SENSES, TABLES, Parser, parse_problem
from pages import ROOT, blocks

jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema")

SCHEMA = json.loads((files("milbox.cli.problem") / "problem.schema.json").read_text(encoding="utf-8"))
CHECKER = jsonschema.Draft7Validator(SCHEMA)

EVERYTHING = """\
[variables]
x = { kind = "binary", size = 3 }
k = { kind = "integer", low = 1, high = 8, size = [2, 2], encoding = "integer" }
op = { kind = "categorical", choices = ["a", 2, 2.5, true], size = 2, encoding = "onehot" }
dna = { kind = "categorical", choices = "ACGT" }
t = { kind = "real", low = 20.0, high = 80, step = 0.5, size = 2, encoding = "integer" }
[[constraints]]
rule = "sum(x) <= 2"
name = "at most two"
[objective]
command = ["true", "{dna}"]
sense = "minimise"
timeout = 1.5
retries = 2
directory = "."
environment = { A = "1" }
[outputs]
limits = { tox = ["<=", 0.05] }
noise = true
learn_failures = false
[strategy]
name = "random"
[stop]
target = -1
patience = 3
seconds = 10
"""

# A line of the file above, and what it becomes in a file that is wrong.
WRONG = [
    ('kind = "binary"', 'kind = "boolean"'),
    ('kind = "binary", size = 3', "size = 3"),
    ('kind = "binary", size = 3', 'kind = "binary", sise = 3'),
    ("size = 3", "size = 0"),
    ("size = 3", "size = 2.5"),
    ("size = [2, 2]", "size = [2, 0]"),
    ("low = 1, ", ""),
    ("low = 1", "low = 1.5"),
    ("low = 20.0, ", ""),
    ("step = 0.5", "step = 0"),
    ("step = 0.5", 'step = "fine"'),
    ('encoding = "integer"', 'encoding = "one-hot"'),
    ('["<=", 0.05]', '["<", 0.05]'),
    ('["<=", 0.05]', '"<= 0.05"'),
    ("noise = true", "noise = 1"),
    ('["a", 2, 2.5, true]', "[]"),
    ('["a", 2, 2.5, true]', "[[1], [2]]"),
    ('rule = "sum(x) <= 2"\n', ""),
    ('rule = "sum(x) <= 2"', "rule = 3"),
    ('name = "at most two"', "name = 2"),
    ('name = "at most two"', 'title = "at most two"'),
    ('["true", "{dna}"]', '"true"'),
    ('["true", "{dna}"]', "[]"),
    ('command = ["true", "{dna}"]', 'python = "module:function"'),
    ("retries = 2", 'retries = 2\npython = "module:function"'),
    ("minimise", "smallest"),
    ("timeout = 1.5", "timeout = 0"),
    ("retries = 2", "retries = 1.5"),
    ('directory = "."', "directory = 1"),
    ('A = "1"', "A = 1"),
    ('name = "random"', "name = 1"),
    ('name = "random"', 'name = "nn+milp"\ninitial = -1'),
    ("target = -1", 'target = "low"'),
    ("patience = 3", "patience = 0"),
    ("seconds = 10", "seconds = -1"),
    ("[stop]", "[stopp]"),
]


def examples() -> Iterator[Any]:
    """Every problem file that the project shows to anybody."""
    for path in sorted((ROOT / "examples").rglob("*.toml")):
        yield pytest.param(path.read_text(), id=path.name)
    yield pytest.param(PROBLEM.format(name="p.toml", stem="p", program="measure.py"), id="milbox init")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in blocks(page.read_text()):
            if block.language == "toml" and "[variables]" in block.text:
                yield pytest.param(block.text, id=f"{page.name}:{block.line}")


@pytest.mark.parametrize("text", [pytest.param(EVERYTHING, id="every key"), *examples()])
def test_every_problem_file_we_show_is_valid(text: str) -> None:
    assert not list(CHECKER.iter_errors(tomllib.loads(text)))


def test_the_schema_knows_the_keys_that_the_reader_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[tuple[str | int, ...], set[str]] = {}

    def note(_: Parser, form: Any, keys: Any, what: str, *where: str | int) -> None:
        known[where] = set(keys)

    monkeypatch.setattr(Parser, "known_keys", note)
    parse_problem(EVERYTHING, Path("p.toml"))
    tables = SCHEMA["properties"]
    assert known.pop(()) == {*TABLES, *ASIDE} == set(tables)
    for kind, name in (("binary", "x"), ("integer", "k"), ("categorical", "op"), ("real", "t")):
        assert known.pop(("variables", name)) == {"kind", *KINDS[kind]}
        assert set(SCHEMA["definitions"][kind]["properties"]) == {"kind", *KINDS[kind]}
    known.pop(("variables", "dna"))
    assert known.pop(("constraints", 0)) == set(tables["constraints"]["items"]["properties"])
    assert known.pop(("objective",)) == set(OBJECTIVE) == set(tables["objective"]["properties"])
    assert set(tables["objective"]["properties"]["sense"]["enum"]) == set(SENSES)
    assert known.pop(("strategy",)) == set(tables["strategy"]["properties"])
    assert known.pop(("stop",)) == set(tables["stop"]["properties"])
    assert not known


@pytest.mark.parametrize(("right", "wrong"), WRONG, ids=[wrong or right for right, wrong in WRONG])
def test_both_refuse_what_is_wrong(right: str, wrong: str) -> None:
    text = EVERYTHING.replace(right, wrong, 1)
    assert text != EVERYTHING
    assert list(CHECKER.iter_errors(tomllib.loads(text))), "the schema accepts it"
    with pytest.raises(InputError):
        parse_problem(text, Path("p.toml"))


def test_the_site_offers_the_schema() -> None:
    assert "problem.schema.json" in (ROOT / "docs" / "conf.py").read_text()
