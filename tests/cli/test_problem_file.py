"""A problem file is the same domain as the Python lines, and each mistake is named with its line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import milbox.domain as mb
from milbox.cli.console import InputError
from milbox.cli.problem.file import parse_problem, read_problem
from milbox.cli.problem.objective import Command, PythonFunction
from milbox.cli.problem.toml_lines import line_of
from milbox.domain import Domain

CONTRACT = """\
[variables]
x  = { kind = "binary", size = 10 }
k  = { kind = "integer", low = 1, high = 8, size = 3 }
op = { kind = "categorical", choices = ["conv1", "conv3", "pool"] }
[[constraints]]
rule = "sum(x[0:5]) == sum(x[5:10])"
[[constraints]]
rule = "op == 'pool' -> k[0] <= 3"
[objective]
command = ["python3", "measure.py"]      # or python = "module:function"
sense = "maximize"
"""


def test_the_contract_is_the_domain_python_makes() -> None:
    x = mb.binary("x", 10)
    k = mb.integer("k", 1, 8, 3)
    op = mb.categorical("op", ["conv1", "conv3", "pool"])
    domain = Domain([x, k, op], [x[0:5].sum() == x[5:10].sum(), mb.implies(op == "pool", k[0] <= 3)])
    problem = parse_problem(CONTRACT, Path("/data/p.toml"))
    assert problem.domain == domain
    assert problem.sense == "maximize"
    assert problem.objective == Command(("python3", "measure.py"), "/data")
    assert [(rule.line, rule.text) for rule in problem.rules] == [
        (6, "sum(x[0:5]) == sum(x[5:10])"),
        (8, "op == 'pool' -> k[0] <= 3"),
    ]


def test_every_optional_key() -> None:
    text = """
        [variables]
        m = { kind = "binary", size = [2, 3] }
        n = { kind = "integer", low = -1, high = 1, encoding = "integer" }
        c = { kind = "categorical", choices = [2, 2.5, "a", true], encoding = "integer" }
        [[constraints]]
        name = "enough"
        rule = "sum(m) >= 2"
        [objective]
        command = ["./run.sh", "--n={n}", "{m[1,2]}", "{{n}}"]
        sense = "minimize"
        timeout = 2.5
        retries = 3
        directory = "build"
        environment = { OMP_NUM_THREADS = "1" }
        [strategy]
        name = "linear+milp"
        initial = 7
    """
    problem = parse_problem(text, Path("/data/p.toml"))
    assert [str(v) for v in problem.domain.variables[-2:]] == [
        "Integer('n', -1, 1)",
        "Categorical('c', [2, 2.5, 'a', True])",
    ]
    assert problem.domain.features == 6 + 1 + 1
    assert problem.sense == "minimize"
    assert problem.rules[0].name == "enough"
    arguments = ("./run.sh", "--n={n}", "{m[1,2]}", "{{n}}")
    environment = (("OMP_NUM_THREADS", "1"),)
    assert problem.objective == Command(arguments, "/data/build", 2.5, 3, environment)
    assert "LinearLearner" in repr(problem.strategy)
    assert "initial=7" in repr(problem.strategy)
    assert "initial=9" in repr(parse_problem(text, Path("p.toml"), initial=9).strategy)


def test_every_strategy_of_plans_can_be_named() -> None:
    from milbox.bench.algorithms import ALGORITHMS, as_it_is
    from milbox.strategies.named import NAMED

    for name, algorithm in ALGORITHMS.items():
        if algorithm.problem is not as_it_is or name in ("re", "rs"):  # another problem, or for cells alone
            continue
        text = f"{VARIABLES}[strategy]\nname = '{name}'\n"
        expected: Any = algorithm.strategy(50, 0)
        if name in NAMED and NAMED[name].adapts:  # to budget and domain
            expected = replace(expected, initial=None)
        assert parse_problem(text, Path("p.toml")).strategy == expected
        assert parse_problem(VARIABLES, Path("p.toml"), strategy=name).strategy == expected


def test_tables_may_be_written_in_every_way_of_toml() -> None:
    text = """
        constraints = [{ rule = "a + b <= 1" }]
        objective.python = "m:f"
        [variables.a]
        kind = "binary"
        [variables]
        b.kind = "binary"
    """
    problem = parse_problem(text, Path("/data/p.toml"))
    assert [v.name for v in problem.domain.variables] == ["a", "b"]
    assert problem.objective == PythonFunction("m", "f", "/data")
    assert len(problem.domain.constraints) == 1


VARIABLES = '[variables]\na = { kind = "binary", size = 3 }\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "p.toml:1: there are no variables"),
        ("[variables]\na = 3\n", "p.toml:2: variables.a must be a table, not 3"),
        ("[variables\n", "p.toml:1: this is not TOML: expected ']' at the end of a table declaration"),
        ("[variables]\nx = {\n", "p.toml:2: this is not TOML"),
        (
            '[variables]\n\na = { kind = "binray" }\n',
            "p.toml:3: variable 'a' has the kind 'binray'; did you mean",
        ),
        ("[variables]\na = { size = 3 }\n", "p.toml:2: variable 'a' has no kind; there are binary, integer"),
        (
            '[variables]\nk = { kind = "integer", low = 3, hihg = 4 }\n',
            "p.toml:2: integer variable 'k' has no key 'hihg'; did you mean 'high'?",
        ),
        ('[variables]\nk = { kind = "integer", low = 3 }\n', "p.toml:2: integer variable 'k' needs high"),
        (
            '[variables]\na = { kind = "binary" }\n[variables.k]\nkind = "integer"\nlow = 3\nhigh = 1\n',
            "p.toml:4: integer 'k' has an empty range: low is 3, high is 1",
        ),
        (
            '[variables]\n[variables.k]\nkind = "integer"\nlow = 0.5\nhigh = 1\n',
            "p.toml:4: low of integer 'k' must be a whole number, not 0.5",
        ),
        (
            '[variables]\n[variables.k]\nkind = "binary"\nsize = 0\n',
            "p.toml:4: size of 'k' must be a positive whole number",
        ),
        (
            '[variables]\nc = { kind = "categorical", choices = ["a", "a"] }\n',
            "p.toml:2: categorical 'c' lists a choice twice",
        ),
        (
            '[variables]\n[variables.c]\nkind = "categorical"\nchoices = ["a"]\nencoding = "hot"\n',
            "p.toml:5: encoding of 'c' must be 'onehot' or 'integer', not 'hot'",
        ),
        (VARIABLES + "[varibles]\n", "p.toml:3: the file has no key 'varibles'; did you mean 'variables'?"),
        (
            VARIABLES + "[constraints]\nrule = 'a[0]'\n",
            "p.toml:3: constraints are written as [[constraints]]",
        ),
        (
            VARIABLES + "[[constraints]]\nrule = 'a[0]'\n[[constraints]]\nrul = 'a[1]'\n",
            "p.toml:6: a constraint has no key 'rul'; did you mean 'rule'?",
        ),
        (VARIABLES + "[[constraints]]\nname = 'a'\n", "p.toml:3: a constraint needs a rule"),
        (
            VARIABLES + "[[constraints]]\nrule = 'a[0]'\n\n[[constraints]]\nrule = 'b -> a[0]'\n",
            "p.toml:7: no variable named 'b'; there is only 'a'\n    b -> a[0]\n    ^",
        ),
        (
            VARIABLES + "[[constraints]]\nrule = '''\na[0] or\na[9]\n'''\n",
            "p.toml:6: index 9 is outside array 'a' of 3: it goes from 0 to 2\n    a[9]\n     ^",
        ),
        (
            VARIABLES + "[[constraints]]\nrule = '''a[0] or\na[9]'''\n",
            "p.toml:5: index 9 is outside array 'a' of 3",
        ),
        (
            VARIABLES + "[objective]\nsence = 'min'\n",
            "p.toml:4: the objective has no key 'sence'; did you mean",
        ),
        (
            VARIABLES + "[objective]\nsense = 'max'\n",
            "p.toml:4: sense must be 'maximize' or 'minimize', not 'max'",
        ),
        (VARIABLES + "[objective]\ncommand = 'run.sh'\n", "p.toml:4: command must be a list of texts"),
        (VARIABLES + "[objective]\ncommand = []\n", "p.toml:4: command must be a list of texts"),
        (
            VARIABLES + "[objective]\ncommand = ['f', '{aa}']\n",
            "p.toml:4: '{aa}' is to be filled with 'aa', which is no variable; did you mean 'a'?",
        ),
        (
            VARIABLES + "[objective]\ncommand = ['f', '{a[3]}']\n",
            "p.toml:4: '{a[3]}' asks for a[3], which does not exist",
        ),
        (VARIABLES + "[objective]\npython = 'measure'\n", 'p.toml:4: python must be "module:function"'),
        (
            VARIABLES + "[objective]\ncommand = ['f']\npython = 'm:f'\n",
            "p.toml:5: the objective is a command or a python function, not both",
        ),
        (VARIABLES + "[objective]\npython = 'm:f'\nretries = 3\n", "p.toml:5: retries is for commands"),
        (
            VARIABLES + "[objective]\ncommand = ['f']\ntimeout = -1\n",
            "p.toml:5: timeout must be a number, 0.001 or more, not -1",
        ),
        (
            VARIABLES + "[objective]\ncommand = ['f']\nretries = 1.5\n",
            "p.toml:5: retries must be a whole number, 0 or more, not 1.5",
        ),
        (
            VARIABLES + "[objective]\ncommand = ['f']\n[objective.environment]\nA = 1\n",
            "p.toml:6: A must be a text, not 1",
        ),
        (
            VARIABLES + "[strategy]\nname = 'nnmilp'\n",
            "p.toml:4: no strategy named 'nnmilp'; did you mean 'nn+milp'?",
        ),
        (
            VARIABLES + "[strategy]\nname = 'random'\ninitial = 3\n",
            "p.toml:5: the strategy 'random' has no number of initial points",
        ),
        (
            VARIABLES + "[strategy]\nname = 're'\n",
            "p.toml:4: the strategy 're' cannot be used here: it is for nasbench101 only",
        ),
        (
            VARIABLES + "[[constraints]]\nrule = 'sum(a) == 1'\n[strategy]\nname = 'rbfopt'\n",
            "p.toml:6: the strategy 'rbfopt' cannot be used here: RBFOpt takes no constraints",
        ),
        (
            VARIABLES + "[strategy]\ninitial = -3\n",
            "p.toml:4: initial must be a whole number, 0 or more, not -3",
        ),
    ],
)
def test_each_mistake_gets_its_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_problem(text, Path("p.toml"))
    assert complaint in caught.value.message


def test_files_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing.toml cannot be read: No such file"):
        read_problem(tmp_path / "missing.toml")
    path = tmp_path / "binary.toml"
    path.write_bytes(b"abc\xff\xfe")
    with pytest.raises(InputError, match=r"binary.toml is not a text file in UTF-8 \(byte 3\)"):
        read_problem(path)


def test_lines_of_keys() -> None:
    text = '''\
top = """
[not.a.table]
key = 1
"""
[a]
"b c".d = 1   # line 6
[[list]]
x = 1
[[list]]
x = 2         # line 10
[list.inner]
y = 3         # line 12
'''
    assert line_of(text, ("top",)) == 1
    assert line_of(text, ("a", "b c", "d")) == 6
    assert line_of(text, ("a", "b c", "d", "deeper")) == 6
    assert line_of(text, ("a", "other")) == 5
    assert line_of(text, ("list", 0, "x")) == 8
    assert line_of(text, ("list", 1, "x")) == 10
    assert line_of(text, ("list", 1, "inner", "y")) == 12
    assert line_of(text, ("nowhere",)) == 1


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xef\xbb\xbf" + CONTRACT.replace("\n", "\r\n").encode())
    read = read_problem(path)
    assert read.domain == parse_problem(CONTRACT, path).domain
    assert not read.text.startswith("\ufeff")


def test_nesting_without_end_is_refused() -> None:
    text = "[variables]\nx = { kind = 'binary', size = " + 5000 * "[" + 5000 * "]" + " }\n"
    with pytest.raises(InputError, match=r"p.toml: lists or tables are nested too deep"):
        parse_problem(text, Path("p.toml"))
