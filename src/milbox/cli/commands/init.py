"""`milbox init`: a problem file to start from, and a small program that it measures with."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.console import InputError, say
from milbox.errors import DataError

if TYPE_CHECKING:
    from milbox.domain import Domain, Variable

FILE = click.Path(path_type=Path, dir_okay=False)

PROBLEM = """\
# A problem for milbox. Try it:   milbox check {name}
# Optimise:                       milbox run {name} --budget 60 --initial 20 --journal {stem}.db

# What can be chosen. kind is "binary", "integer" (low, high), "real" (low, high, step) or "categorical"
# (choices).
# size makes an array: 10, or [3, 4] for a table.
[variables]
x  = {{ kind = "binary", size = 10 }}
k  = {{ kind = "integer", low = 1, high = 8, size = 3 }}
op = {{ kind = "categorical", choices = ["conv1", "conv3", "pool"] }}

# What must hold of every point: as many [[constraints]] as you like. Rules know
#   + - * /   <= >= == != < >   1 <= k[0] <= 3   and, or, not   a -> b (if a then b)   a <-> b
#   sum(...)  at_most(2, ...)  at_least  exactly  all_different(k)  any_of  all_of
#   table([op, k[0]], [["pool", 1], ["conv1", 2]])  forbid(...)
# and x[3], x[0:5]; a rule about a whole array holds for each of its items.
[[constraints]]
rule = "sum(x[0:5]) == sum(x[5:10])"

[[constraints]]
rule = "op == 'pool' -> k[0] <= 3"

# How a point is measured. The command gets the point as JSON on standard input and prints the value on
# its last line; anything but exit status 0 is a failed trial. {{k}} in an argument is replaced by k's value.
# Instead of a command: python = "module:function", called with the variables by name.
# Leave both out to measure by hand, with `milbox ask` and `milbox tell`.
[objective]
command = ["python3", "{program}"]
sense = "maximize"       # or "minimize"
# timeout = 60           # seconds
# retries = 1            # repeat a failed command before giving up
# directory = "."        # where the command runs, seen from this file

# [strategy]
# name = "nn+milp"       # or "linear+milp", "random"
# initial = 20           # random feasible points first
"""

PROGRAM = '''\
"""A stand-in for your experiment: reads one point as JSON, prints its value."""

import json
import sys

point = json.load(sys.stdin)
x, k, op = point["x"], point["k"], point["op"]

value = sum(weight * bit for weight, bit in zip([3, -1, 4, 1, -5, 9, -2, 6, 5, -3], x))
value += 2 * k[0] - abs(k[1] - 5) - abs(k[2] - k[1] + 2)
value += {"conv1": 0, "conv3": 4, "pool": 7}[op]
print(value)
'''


MODEL = """\
# The variables and rows of {model}, for milbox. Try it:   milbox check {name}

[variables]
{variables}

{constraints}

# How a point is measured: see `milbox init` without --from. Without a command, measure by hand with
# `milbox ask` and `milbox tell`.
[objective]
sense = "maximize"       # or "minimize"
"""


@click.command()
@click.argument("file", type=FILE, default="problem.toml")
@click.option(
    "--from", "model", type=FILE, help="Take variables and constraints from an LP, MPS or OSiL file."
)
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
def init(file: Path, model: Path | None, force: bool) -> None:
    """Write a commented problem file to start from, with measure.py beside it or from a model file."""
    program = file.with_name("measure.py")
    if model is None:
        text = PROBLEM.format(name=file, stem=file.stem, program=program.name)
        written = {file: text, program: PROGRAM}
    else:
        written = {file: model_text(read_model(model), model, file)}
    for path in written:
        if path.exists() and not force:
            raise InputError(f"{path} exists already; choose another name, or give --force")
    for path, content in written.items():
        try:
            path.write_text(content, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from None
    say(f"wrote {' and '.join(map(str, written))}; next:")
    say(f"  milbox check {file}")


def read_model(model: Path) -> "Domain":
    """The domain of a model file; what was left out is said."""
    from milbox.domain import Domain

    with warnings.catch_warnings(record=True) as left_out:
        warnings.simplefilter("always")
        try:
            domain = Domain.from_file(model)
        except DataError as error:
            raise InputError(str(error)) from None
    for warning in left_out:
        say(str(warning.message))
    return domain


def model_text(domain: "Domain", model: Path, file: Path) -> str:
    """A problem file with the variables and constraints of a domain."""
    from milbox.domain.rules.write import rule_text

    variables = "\n".join(f"{json.dumps(v.name)} = {variable_text(v)}" for v in domain.variables)
    rules = (f"[[constraints]]\nrule = {json.dumps(rule_text(c))}" for c in domain.constraints)
    return MODEL.format(model=model.name, name=file, variables=variables, constraints="\n\n".join(rules))


def variable_text(variable: "Variable") -> str:
    """A binary, an integer or a real as an entry of a problem file."""
    from milbox.domain import Integer, Real
    from milbox.domain.model.numbers import plain

    if isinstance(variable, Real):
        low, high, step = (plain(number) for number in (variable.low, variable.high, variable.step))
        return f'{{ kind = "real", low = {low}, high = {high}, step = {step} }}'
    if not isinstance(variable, Integer):
        return '{ kind = "binary" }'
    encoding = ', encoding = "integer"' if variable.encoding == "integer" else ""
    return f'{{ kind = "integer", low = {variable.low}, high = {variable.high}{encoding} }}'
