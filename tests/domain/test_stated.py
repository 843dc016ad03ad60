"""Rules keep the names and the words that the user gave them."""

import pickle
from pathlib import Path

import pytest

import milbox as mb
from milbox.cli.problem.file import parse_problem
from milbox.page.sections.constraints import constraints as constraint_section
from milbox.strategies import RandomSearch

FILE = """
[variables]
x = { kind = "binary", size = 4 }
k = { kind = "integer", low = 0, high = 9 }

[[constraints]]
name = "power"
rule = "x[0] -> k == 3"

[[constraints]]
rule = "sum(x) <= 2 and k <= 8"

[[constraints]]
name = "each"
rule = "x[0] + x[1] <= 1 and x[2] + x[3] <= 1"
"""


def named() -> mb.Domain:
    x = mb.binary("x", 3)
    return mb.Domain([x], {"few": x.sum() <= 2, "pairs": [x[0] <= x[1], x[1] <= x[2]]})


def test_names_in_python() -> None:
    domain = named()
    assert [rule.name for rule in domain.rules] == ["few", "pairs"]
    assert len(domain.constraints) == 3
    assert [str(r) for r in pickle.loads(pickle.dumps(domain)).rules] == [str(r) for r in domain.rules]
    assert [rule.name for rule in mb.Domain.from_json(domain.to_json()).rules] == ["few", "pairs"]


def test_names_are_no_part_of_the_domain(tmp_path: Path) -> None:
    domain = named()
    plain = mb.Domain(domain.declared, domain.constraints)
    assert plain == domain
    with mb.Study(plain, RandomSearch(), journal=tmp_path / "run.db") as study:
        study.ask()
    with mb.Study(domain, RandomSearch(), journal=tmp_path / "run.db") as study:
        assert len(study.trials) == 1


def test_errors_name_the_rules() -> None:
    x = mb.binary("x", 3)
    with pytest.raises(mb.DomainError, match=r">= 3  \(many\)") as error:
        mb.Study(mb.Domain([x], {"few": x.sum() <= 2, "many": x.sum() >= 3}))
    assert "(few)" in str(error.value)
    with pytest.warns(UserWarning, match=r"outside the domain.*\(few\)"):
        mb.Study(named(), known=[({"x": [1, 1, 1]}, 1.0)])


def test_page_has_the_users_words_and_one_count(tmp_path: Path) -> None:
    problem = parse_problem(FILE, Path("p.toml"))
    known = [({"x": [1, 0, 1, 0], "k": 3}, 1.0)]
    study = mb.Study(problem.domain, RandomSearch(), known=known, journal=tmp_path / "run.db")
    study.close()
    html = str(constraint_section(mb.trials.record.read_record(tmp_path / "run.db")))
    assert "power" in html
    assert "x[0] -&gt; k == 3" in html
    assert "implies(" not in html
    assert "2 constraints of 3 are tight" in html
    assert "equality" not in html
