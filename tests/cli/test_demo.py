"""The demonstration shows what it promises."""

import re

from cli.conftest import Milbox
from milbox.bench.problems import load


def test_the_demonstration_finds_and_proves(milbox: Milbox) -> None:
    shown = milbox("demo", "--budget", "53")
    assert re.search(r"trial 53/53 · best \d+", shown.complaints)
    assert "Proved: all 53 points satisfy all 10 rules, and no two are the same" in shown.output
    assert "all 3 model-based proposals proved to be the surrogate's best" in shown.output
    found = re.search(r"best value ([\d.]+) .*\n  x = ([01]{100})\n", shown.output)
    assert found is not None
    point = tuple(int(bit) for bit in found[2])
    problem = load("ising/100/0")
    assert problem.domain.contains(point)
    assert f"{problem.value(point):g}" == found[1]
