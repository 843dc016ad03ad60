"""Points survive the way to a spreadsheet and back, and every mistake is named with its line."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox.domain as mb
from generators import small_domains
from milbox.cli.console import InputError
from milbox.cli.results.answers import Answer, answers, known_data
from milbox.cli.results.rows import read_rows
from milbox.cli.results.table import batch_csv, code_of
from milbox.domain import Domain
from milbox.study import Study
from milbox.trials import Failed, Finished, History, Proposal, Trial

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
        "9: trial 4 has been told already: value 2.0; `milbox amend` corrects it",
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
        ("trial;val\n1;2\n", "f:1: there is no column 'value'; the columns are 'trial', 'val'"),
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


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"trial,value\n1,\x81\n", "results:2: this is not text in UTF-8; save the file as UTF-8 CSV"),
        (
            b"PK\x03\x04 and so on",
            "results is a workbook, not text; in the spreadsheet, save the sheet as CSV",
        ),
        (b"\xff\xfet\x00r", "results:1: this is not text in UTF-8; save the file as UTF-8 CSV"),
        (b"[" * 100_000, "results:1: this is not JSON: lists are nested too deep"),
        (
            b'{"trial": 0, "value": 1, "assignment": {"x": %s}}' % (b"[" * 900 + b"]" * 900),
            "results:1: 'x' is a list nested too deep",
        ),
        (
            b'[{"trial": 0, "value": 1, "value": 2}]',
            "results:1: this is not JSON: an object has the key 'value' twice",
        ),
    ],
)
def test_bytes_that_are_no_results(tmp_path: Path, data: bytes, complaint: str) -> None:
    path = tmp_path / "results"
    path.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(complaint)):
        answers(read_rows(path), path, DOMAIN, asked((1, 0, 2, 0)))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.csv cannot be read: No such file"):
        read_rows(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Trial,Value,Größe\n0,66.5,µ\n1,,\n", "cp1252"),
        ("trial;value;Größe\r\n0;66,5;µ\r\n1;;\r\n", "cp1252"),
        ("sep=;\r\nTRIAL;VALUE\r\n0;6,65E+1\r\n1;\r\n", "utf-8-sig"),
        ("Trial\tValue\tGröße\r\n0\t66.5\tµ\r\n1\t\t\r\n", "utf-16"),
        ("trial,value\n0,66.5\n1\n", "utf-8"),
    ],
)
def test_what_a_spreadsheet_saves_is_read_as_it_is(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(text.encode(encoding))
    found = answers(read_rows(path), path, DOMAIN, asked((1, 0, 2, 0), (1, 1, -1, 1)))
    info = {"Größe": "µ"} if "Größe" in text else {}  # other columns are kept with the trial
    assert (found.given, found.open, found.complaints) == (
        [Answer(3 if text.startswith("sep") else 2, 0, 66.5, None, info)],
        [1],
        [],
    )


def test_a_point_among_decimal_commas_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("trial;value\n0;1.500\n1;2,5\n")
    with pytest.raises(InputError, match=r"csv:2: value is 1.500 in a column with .*; write 1500, or 1,500"):
        read_rows(path)
    path.write_text("trial;value\n0;1.500\n1;2.5\n")
    assert len(read_rows(path)) == 2


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("0,12 %", "the value '12 %' is not a number; write the number alone, without a unit"),
        ("0,1_000", "the value '1_000' is not a number; write it without underscores; write failed if"),
        ("0,\u0663", "the value '\u0663' is not a number; write failed if there is none"),
        ('0,"66,5"', "the value '66,5' is not a number; write the decimal point as a point"),
        ("0,1e400", "the value '1e400' is not a finite number"),
        ("0," + 400 * "9", "the value '99999999999999999999999999"),
        ("0_0,1", "'0_0' is not the number of a trial"),
        ("1" + 5000 * "0" + ",1", "'10000000000000000000000000000000000000000000000000000000... is not"),
        ("0,1,1_0", "'n' takes whole numbers, not '1_0'"),
    ],
)
def test_numbers_that_nobody_else_would_read_are_refused(tmp_path: Path, row: str, complaint: str) -> None:
    (found,) = said(tmp_path / "r.csv", f"trial,value,n\n{row}\n", asked((1, 0, 2, 0))).complaints
    assert f"r.csv:2: {complaint}" in found
    assert len(found) < 300


def test_a_whole_number_that_no_float_holds_is_refused(tmp_path: Path) -> None:
    text = '[{"trial": 0, "value": %s}]' % ("1" + 400 * "0")
    (found,) = said(tmp_path / "r.json", text, asked((1, 0, 2, 0))).complaints
    assert "is not a finite number" in found


def test_what_a_spreadsheet_would_run_gets_an_apostrophe() -> None:
    flag = mb.categorical("=flag", ["-O3", "=1+1", "@x", "+a", "-1", "plain"])
    domain = Domain([flag, n])
    trials = asked(*((code, -1) for code in range(6)))
    failed = History(trials).told(0, Failed("=cmd|' /C calc'!A0")).trials
    header, *rows = csv.reader(io.StringIO(batch_csv(domain, failed, ("reason",))))
    assert header == ["trial", "'=flag", "n", "value", "reason"]
    assert [row[1] for row in rows] == ["'-O3", "'=1+1", "'@x", "'+a", "-1", "plain"]
    assert rows[0][4] == "'=cmd|' /C calc'!A0"
    assert {row[2] for row in rows} == {"-1"}


def test_an_apostrophe_against_formulas_is_taken_off_again(tmp_path: Path) -> None:
    flag = mb.categorical("=flag", ["-O3", "=1+1", "'quoted'", "plain"])
    domain = Domain([flag])
    trials = asked(*((code,) for code in range(4)))
    path = tmp_path / "batch.csv"
    path.write_text(batch_csv(domain, trials).replace(",\n", ",3\n"))
    found = answers(read_rows(path), path, domain, trials)
    assert (len(found.given), found.complaints) == (4, [])
    mixed_up = path.read_text().replace("1,'=1+1", "1,'-O3")
    path.write_text(mixed_up)
    (complaint,) = answers(read_rows(path), path, domain, trials).complaints
    assert "trial 1 asked for =flag = '=1+1', and the file has '-O3'" in complaint


def test_a_variable_that_cannot_be_told_from_a_column_is_refused(tmp_path: Path) -> None:
    domain = Domain([mb.integer("value", 0, 3), n])
    path = tmp_path / "r.json"
    path.write_text('[{"trial": 0, "value": 7.5, "assignment": {"value": 2, "n": 0}}]')
    for use in (
        lambda: batch_csv(domain, asked((2, 0))),
        lambda: answers(read_rows(path), path, domain, asked((2, 0))),
        lambda: known_data(path, domain),
    ):
        with pytest.raises(InputError, match="the variable 'value' has the name of a column"):
            use()


def test_choices_that_a_spreadsheet_has_rewritten() -> None:
    c = mb.categorical("c", [True, False, 2.5, 3.0, "Pool"])
    assert [code_of(c, text) for text in ("TRUE", "False", "2.50", "3", "pool")] == [0, 1, 2, 3, 4]
    assert code_of(c, "2,5", decimal_comma=True) == 2
    with pytest.raises(ValueError, match="'c' has no choice '2,5'"):
        code_of(c, "2,5")
    either = mb.categorical("either", ["a", "A"])
    assert [code_of(either, text) for text in ("a", "A")] == [0, 1]


def test_the_text_of_a_number_does_not_depend_on_its_range() -> None:
    wide = mb.integer("wide", 0, 10**9, encoding="integer")
    header, row = csv.reader(io.StringIO(batch_csv(Domain([wide]), asked((123_456_789,)))))
    assert (header, row) == (["trial", "wide", "value"], ["0", "123456789", ""])


def test_known_data_from_an_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = Study(DOMAIN)
    trials = study.ask_many(4)
    for number in (0, 1):
        study.tell(number, 1.5 + number)
    study.fail(2, "broke")
    path = tmp_path / "export.csv"
    path.write_text(batch_csv(DOMAIN, study.trials, ("state", "reason")))
    found = known_data(path, DOMAIN)
    assert [(DOMAIN.point(assignment), value) for assignment, value in found] == [
        (trials[0].point, 1.5),
        (trials[1].point, 2.5),
    ]
    assert "2 rows without a value left out (failed, or not measured yet)" in capsys.readouterr().err


def test_every_bad_row_of_known_data_is_named(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text('c,n,"x[0]","x[1]",value\n"""a""",2,1,,1\n"""a""",9.5,1,0,1\n"""a""",2,1,0,viel\n')
    with pytest.raises(InputError) as caught:
        known_data(path, DOMAIN)
    assert caught.value.message.splitlines() == [
        f"3 rows of {path} cannot be used:",
        f"{path}:2: 'x[1]' is missing; a row needs every variable, and value",
        f"{path}:3: 'n' takes whole numbers from -1 to 3, not 9.5",
        f"{path}:4: the value 'viel' is not a number; write failed if there is none",
    ]


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
        ('"""a""",1.5,1,0,3', "'n' takes whole numbers from -1 to 3, not 1.5"),
        ('"""a""",2,1,0,3', "the same point stands on line 2"),
    ]:
        path.write_text(f'c,n,"x[0]","x[1]",value\n"""a""",2,1,0,1.5\n{row}\n')
        with pytest.raises(InputError) as caught:
            known_data(path, DOMAIN)
        assert f"{path}:3: {complaint}" in caught.value.message
