"""Small texts say what they should."""

import pytest

from milbox.cli.console import method_text
from milbox.cli.summary import value_text


@pytest.mark.parametrize(
    ("origin", "solver", "shown"),
    [
        ("milp", "SCIP 10.0", "milp (SCIP 10.0)"),
        ("enumeration", "enumeration of 12 points", "enumeration of 12 points"),
    ],
)
def test_a_method_is_not_introduced_twice(origin: str, solver: str, shown: str) -> None:
    assert method_text(origin, solver) == shown


def test_an_empty_choice_can_be_seen() -> None:
    assert value_text("") == "''"
    assert value_text(["", "-O2"]) == "['' -O2]"
