"""Do points survive the way to a spreadsheet and back, and is every mistake named with its line?"""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox.domain as mb
from generators import small_domains
from milbox.cli.answers import Answer, answers, known_data
from milbox.cli.output import InputError
from milbox.cli.rows import read_rows
from milbox.cli.table import batch_csv, code_of
from milbox.domain import Domain
from milbox.study import Study
from milbox.trials import Finished, History, Proposal, Trial

x = mb.binary("x", 2)
n = mb.integer("n", -1, 3)
c = mb.categorical("c", ["a", "b,c", 'd"', 2, "2", True, None, "", " e "])
DOMAIN = Domain([x, n, c], [x[0] + x[1] >= 1])


def asked(*points: tuple[int, ...]) -> tuple[Trial, ...]:
    """Pending trials at these points."""
    return History().asked([Proposal(point, "random") for point in points]).trials


def said(path: Path, text: str, trials: tuple[Trial, ...]) -> Any:
    """What a file says about the trials."""
    path.write_text(text)
    return answers(read_rows(path), path, DOMAIN, trials)


@given(st.data())
def test_points_survive_csv(data: st.DataObject) -> None:
    domain = data.draw(small_domains(max_claims=0))
    trials = asked(*list(domain)[:20])
    header, *rows = csv.reader(io.StringIO(batch_csv(domain, trials)))
    assert header == ["trial", *(v.name for v in domain.variables), "value"]
    for row, trial in zip(rows, trials, strict=True):
        entries = zip(domain.variables, row[1:-1], strict=True)
        assert tuple(code_of(v, entry.strip()) for v, entry in entries) == trial.point


def test_awkward_choices_survive_csv() -> None:
    rows = list(csv.reader(io.StringIO(batch_csv(DOMAIN, asked(*((1, 1, 0, i) for i in range(9)))))))[1:]
    assert [code_of(c, row[4].strip()) for row in rows] == list(range(9))


@pytest.mark.parametrize("form", ["csv", "semicolons", "tabs", "windows", "json", "lines", "batch"])
def test_answers_come_in_every_form(tmp_path: Path, form: str) -> None:
    trials = asked((1, 0, 2, 0), (1, 1, -1, 1), (0, 1, 0, 2), (0, 1, 0, 3))
    rows: list[dict[str, Any]] = [
        {"trial": 0, "value": 1.5},
        {"trial": 2, "value": "failed: no yield"},
        {"trial": 1, "value": None},
        {"trial": 3, "value": -2e3, "assignment": {"x": [0, 1], "n": 0, "c": 2}},
    ]
    table = "trial,value,colour\n0,1.5,red\n2,failed: no yield,\n1,,\n\n3,-2e3,\n"
    text = {
        "csv": table,
        "semicolons": table.replace(",", ";"),
        "tabs": table.replace(",", "\t"),
        "windows": "\ufeff" + table.replace("\n", "\r\n"),
        "json": json.dumps(rows, indent=1),
        "lines": "\n".join(json.dumps(row) for row in rows),
        "batch": json.dumps({"trials": rows}),
    }[form]
    found = said(tmp_path / "results", text, trials)
    assert found.complaints == []
    assert [(a.trial, a.value, a.reason) for a in found.given] == [
        (0, 1.5, None),
        (2, None, "no yield"),
        (3, -2000.0, None),
    ]
    assert found.open == [1]


def test_every_bad_row_is_named(tmp_path: Path) -> None:
    trials = list(asked((1, 0, 2, 0), (1, 1, -1, 1), (0, 1, 0, 2), (0, 1, 0, 3), (1, 1, 0, 3)))
    told = History(tuple(trials)).told(4, Finished(2.0)).trials
    text = (
        "trial,value,x[0],n,c\n0,abc,,,\n9,1,,,\n,1,,,\n1,1.5,,,\n1,1.5,,,\n2,1,1,0,\n3,1,0,zwei,\n"
        "4,3,,,\n1.5,1,,,\n2,nan,,,\n"
    )
    found = said(tmp_path / "r.csv", text, told)
    assert [complaint.partition("r.csv:")[2] for complaint in found.complaints] == [
        "2: the value 'abc' is not a number; write failed if there is none",
        "3: there is no trial 9; 5 have been asked, from 0",
        "4: '' is not the number of a trial",
        "6: trial 1 stands on line 5 already",
        "7: trial 2 asked for x[0] = 0, and the file has '1'; have rows been mixed up?",
        "8: 'n' takes whole numbers, not 'zwei'",
        "9: trial 4 has been told already: value 2.0",
        "10: '1.5' is not the number of a trial",
        "11: trial 2 stands on line 7 already",
    ]
    assert found.given == [Answer(5, 1, 1.5, None)]


def test_telling_again_is_harmless(tmp_path: Path) -> None:
    study = Study(DOMAIN)
    trials = study.ask_many(2)
    study.tell(trials[0].number, 1.5)
    study.fail(trials[1].number, "broke")
    found = said(tmp_path / "r.csv", "trial,value\n0,1.5\n1,failed\n", study.trials)
    assert (found.given, found.complaints, found.open) == ([], [], [])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "f: the file is empty"),
        ("trial;val\n1;2\n", "f:1: there is no column 'value'; the columns are ['trial', 'val']"),
        ("trial,trial\n1,2\n", "f:1: there are two columns 'trial'"),
        ("trial,value\n1,2\n1,2,3\n", "f:3: 3 entries for 2 columns"),
        ('trial,value\n1,"2\n', "f:2: unexpected end of data"),
        ('[{"trial": 1},\n {"trial": }]', "f:1: this is not JSON"),
        ('{"trial": 1, "value": 1}\n{"trial"', "f:2: this is not JSON"),
        ("[1]", "f:1: expected an object"),
        ('{"trials": 3}', "f:1: expected a list of objects"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        said(tmp_path / "f", text, asked((1, 0, 2, 0), (1, 1, -1, 1)))
    assert complaint in caught.value.message


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("trial,value\n1,größe\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.csv:2: this is not text in UTF-8"):
        read_rows(path)
    with pytest.raises(InputError, match=r"nowhere.csv cannot be read: No such file"):
        read_rows(tmp_path / "nowhere.csv")


def test_known_data(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text('c,n,"x[0]","x[1]",value\n"""a""",2,1,0,1.5\n"""b,c""",-1,0,1,2\n')
    found = known_data(path, DOMAIN)
    assert [(DOMAIN.point(assignment), value) for assignment, value in found] == [
        ((1, 0, 2, 0), 1.5),
        ((0, 1, -1, 1), 2.0),
    ]
    for row, complaint in [
        ('"""a""",2,1,,3', "'x[1]' is missing"),
        ('"""a""",2,1,0,', "the value '' is not a number"),
        ('"""z""",2,1,0,3', "'c' has no choice"),
        ('"""a""",7,1,0,3', "'n' takes -1 to 3, not 7"),
        ('"""a""",0,0,0,3', "this point is not in the domain: it violates x[0] + x[1] >= 1"),
        ('"""a""",2,1,0,3', "the same point stands on line 2"),
    ]:
        path.write_text(f'c,n,"x[0]","x[1]",value\n"""a""",2,1,0,1.5\n{row}\n')
        with pytest.raises(InputError) as caught:
            known_data(path, DOMAIN)
        assert f"{path}:3: {complaint}" in caught.value.message
