"""The page has every trial, says who chose it, and groups certificates by method alone."""

import milbox as mb
from milbox.page import page
from milbox.page.sections.certificates import kind
from milbox.strategies import RandomSearch
from milbox.strategies.named import NAMED


def study() -> mb.Study:
    x, k = mb.binary("x", 6), mb.integer("k", 0, 9)
    made = mb.Study(mb.Domain([x, k], [x.sum() <= 4]), RandomSearch())
    for number in range(4):
        made.tell(made.ask().number, float(number), note=f"<batch {number}>")
    made.ask()
    return made


def test_every_trial_is_there_to_sort_and_filter() -> None:
    shown = page(study().record)
    table = shown[shown.index('class="sortable"') :]
    table = table[: table.index("</table>")]
    assert table.count("<tr>") == 1 + 5
    assert table.count("<td>random</td>") == 5
    for name in ("trial", "state", "value", "chosen by", "predicted", "k", "point", "notes"):
        assert f'<button type="button">{name}</button>' in table
    assert "note: &lt;batch 3&gt;" in table
    assert '<td class="n" data-key="3.0">3</td>' in table
    assert 'type="search"' in shown


def test_the_reason_of_a_choice_is_beside_the_trial() -> None:
    made = mb.Study(mb.Domain([mb.binary("x", 6)]), NAMED["nn+milp/pairs"].make(3))
    for number in range(5):
        made.tell(made.ask().number, float(number))
    shown = page(made.record)
    assert '<button type="button">why</button>' in shown
    assert shown.count("<td>pairs; all untried points, at most 6 variables away from the best one</td>") == 2
    assert '<button type="button">why</button>' not in page(study().record)


def test_pending_trials_are_listed_while_there_are_any() -> None:
    made = study()
    assert "1 trial asked and not told yet." in page(made.record)
    made.tell(4, 1.0)
    assert "Still out" not in page(made.record)


def test_methods_are_named_without_counts() -> None:
    assert kind("branch and bound (37 nodes)") == kind("branch and bound (1 node)") == "branch and bound"
    assert kind("enumeration of 39312 points") == "enumeration"
    assert kind("mutation of 17") == "mutation"
    assert kind("SCIP 10.0") == "SCIP 10.0"
