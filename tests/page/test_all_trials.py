"""The page has every trial, says who chose it, and groups certificates by method alone."""

import milbox as mb
from milbox.page import page
from milbox.page.sections.certificates import kind
from milbox.strategies import RandomSearch


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
