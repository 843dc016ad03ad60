"""Whatever stands in a problem file or in a file of results, it is read or refused with a message."""

import json
import random
from pathlib import Path

import pytest

from milbox.cli.console import InputError
from milbox.cli.problem.file import parse_problem
from milbox.cli.results.answers import answers, known_data
from milbox.cli.results.rows import read_rows
from milbox.domain.rules.meaning import FUNCTIONS
from milbox.trials import History, Proposal

VARIABLES = """[variables]
x = { kind = "binary", size = 4 }
k = { kind = "integer", low = 0, high = 5 }
op = { kind = "categorical", choices = ["pool", "conv", 2] }
m = { kind = "binary", size = [2, 2] }
"""
REST = """[[constraints]]
rule = "sum(x) <= 2"
[objective]
command = ["run", "{k}"]
sense = "minimize"
timeout = 3
[strategy]
initial = 3
"""
NUMBERS = ["0", "1", "-1", "3", "2.5", "1e400", "1e308", "1e-320", "1e16", "9007199254740993", "1000000000"]
NUMBERS += ["1_000", "nan", "inf", "-0.0", "9" * 400, "9" * 5000]
VALUES = [*NUMBERS, "true", '"a"', "[]", "[1, 2]", "{}", "1979-05-27", "[1000, 1000, 1000]", "[[1]]", "[0]"]
TERMS = [*NUMBERS[:9], "x", "k", "op", "m", "x[0]", "x[9]", "x[0:2]", "m[0, :]", "'pool'", "none", "[x, k]"]
MARKS = ["+", "-", "*", "/", "<=", ">=", "==", "!=", "<", ">", "and", "or", "->", "<->", ",", "(", "["]
ODD = [chr(c) for c in (0, 9, 10, 13, 34, 39, 44, 59, 91, 93, 123, 125, 233, 0xFEFF, 0x2028, 0x1F600)]


def term(rng: random.Random, depth: int) -> str:
    """A rule, or what looks like one."""
    kind = rng.random() if depth else 0.0
    if kind < 0.35:
        return rng.choice(TERMS)
    if kind < 0.7:
        return f"{term(rng, depth - 1)} {rng.choice(MARKS)} {term(rng, depth - 1)}"
    if kind < 0.8:
        return rng.choice(["not {}", "-{}", "({})", "[{}]"]).format(term(rng, depth - 1))
    inside = ", ".join(term(rng, depth - 1) for _ in range(rng.randint(0, 3)))
    return f"{rng.choice(list(FUNCTIONS))}({inside})"


def spoiled(text: str, rng: random.Random) -> str:
    """The text after a few slips of the keyboard."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice([rng.choice(ODD), rng.choice(NUMBERS), ""]) + text[at + 1 :]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_any_problem_file_is_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    refused = []
    for number in range(150):
        rules = f"[[constraints]]\nrule = {json.dumps(term(rng, 3))}\n"
        values = VARIABLES.splitlines()
        place = rng.randrange(1, len(values))
        head, _, _ = values[place].rpartition("= ")
        values[place] = f"{head}= {rng.choice(VALUES)} }}"
        form = (VARIABLES + rules, "\n".join(values), spoiled(VARIABLES + REST, rng))[number % 3]
        try:
            parse_problem(form, Path("p.toml"))
        except InputError as error:
            refused.append(error.message)
    assert 30 < len(refused) < 150
    assert all(message.startswith("p.toml") for message in refused)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(4))
def test_any_file_of_results_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    domain = parse_problem(VARIABLES, Path("p.toml")).domain
    trials = History().asked([Proposal(p, "random") for p in list(domain)[:6]]).trials
    names = [f'"{variable.name}"' for variable in domain.variables]
    header = ",".join(["trial", *names, "value"])
    refused = []
    path = tmp_path / "results"
    for number in range(150):
        cells = [*NUMBERS, "failed", "failed: x", "", "TRUE", "=1", "pool"]
        rows = [[str(t.number), *map(str, t.point), rng.choice(cells)] for t in trials]
        rng.choice(rows)[rng.randrange(len(rows[0]))] = rng.choice(cells)
        text = "\n".join([header, *(",".join(row) for row in rows)])
        entries = [1, 1.5, None, "2", "failed", [1], {}, True, 10**400, {"x": [0, 1]}, {"x": {"a": 1}}]
        if number % 3 == 2:
            keys = ["trial", "value", "assignment", "k", "reason", "state"]
            text = json.dumps([{key: rng.choice(entries) for key in keys} for _ in range(3)])
        path.write_text(text if number % 2 else spoiled(text, rng), encoding="utf-8", newline="")
        for use in (lambda: answers(read_rows(path), path, domain, trials), lambda: known_data(path, domain)):
            try:
                use()
            except InputError as error:
                refused.append(error.message)
    assert refused
    assert all("results" in message for message in refused)
