"""`milbox init`: a problem file to start from, and a small program that it measures with."""

from pathlib import Path

import click

from milbox.cli.output import InputError, say

FILE = click.Path(path_type=Path, dir_okay=False)

PROBLEM = """\
# A problem for milbox. Try it:   milbox check {name}
# Optimise:                       milbox run {name} --budget 60 --initial 20 --journal {stem}.db

# What can be chosen. kind is "binary", "integer" (low, high) or "categorical" (choices).
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


@click.command()
@click.argument("file", type=FILE, default="problem.toml")
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
def init(file: Path, force: bool) -> None:
    """Write a commented problem file (and measure.py beside it) to start from."""
    program = file.with_name("measure.py")
    text = PROBLEM.format(name=file, stem=file.stem, program=program.name)
    for path in (file, program):
        if path.exists() and not force:
            raise InputError(f"{path} exists already; choose another name, or give --force")
    for path, content in ((file, text), (program, PROGRAM)):
        try:
            path.write_text(content, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from None
    say(f"wrote {file} and {program}; next:")
    say(f"  milbox check {file}")
