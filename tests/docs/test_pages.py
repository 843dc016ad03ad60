"""Every example of the documentation and the README runs and prints what the page says."""

from pathlib import Path

import pytest

from pages import ROOT, Block, Reader, blocks, matches, outdated, refreshed

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
RUNNING = [page for page in PAGES if any(block.language != "" for block in blocks(page.read_text()))]


@pytest.mark.parametrize("page", RUNNING, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    wrong = outdated(page, tmp_path)
    assert not wrong, "\n".join(
        f"{page.name}:{each.line} says\n{each.said}but prints\n{each.printed}" for each in wrong
    )


PAGE = """\
```python
print("seen", 3)
```

```text
seen 3
```

```console
$ echo one
one
$ printf 'a\\nb\\n'
a
c
```
"""


def test_blocks_are_found_with_their_places() -> None:
    first, second, third = blocks(PAGE)
    assert [block.language for block in (first, second, third)] == ["python", "text", "console"]
    assert (first.line, second.line, second.follows, third.follows) == (2, 6, True, True)
    assert PAGE[slice(*second.span)] == second.text == "seen 3\n"


def test_a_false_page_is_found_out_and_corrected(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    (wrong,) = outdated(page, tmp_path)
    assert (wrong.said, wrong.printed) == ("a\nc\n", "a\nb\n")
    assert refreshed(PAGE, [wrong]) == PAGE.replace("a\nc\n", "a\nb\n")


def test_a_command_that_fails_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nfalse\n```\n")
    with pytest.raises(AssertionError, match="ended with 1, not 0"):
        outdated(page, tmp_path)
    page.write_text("<!-- exit 1 -->\n```sh\nfalse\n```\n")
    assert not outdated(page, tmp_path)
    page.write_text("<!-- not run: no reason -->\n```sh\nfalse\n```\n")
    assert not outdated(page, tmp_path)


def test_a_block_that_raises_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Words.\n\n```python\nx = 1\nx / 0\n```\n")
    with pytest.raises(AssertionError, match=r'(?s)page.md", line 5.*ZeroDivisionError'):
        outdated(page, tmp_path)


def test_output_that_nothing_prints_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\nWords.\n\n```text\n1\n```\n")
    with pytest.raises(AssertionError, match="no python block right above"):
        outdated(page, tmp_path)


def test_a_captioned_block_is_a_file(tmp_path: Path) -> None:
    page = "```{code-block} python\n:caption: part/tool.py\n\nprint(1)\n```\n"
    (block,) = blocks(page)
    assert isinstance(block, Block)
    assert list(Reader("page", tmp_path).follow(page)) == []
    assert "print(1)" in (tmp_path / "part" / "tool.py").read_text()


@pytest.mark.parametrize(
    ("said", "printed", "agree"),
    [
        ("about 12 ms each", "about 1.3 s each", True),
        ("best 3", "best 4", False),
        ("SCIP 10.0.2", "SCIP 9.2.1", True),
        ("a ... c", "a b b c", True),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("residual=1e-16, bound=3", "residual=0.0, bound=3", True),
        ("bound=2", "bound=3", False),
        ("3 trials", "3 trials  \n", True),
    ],
)
def test_only_what_may_differ_may_differ(said: str, printed: str, agree: bool) -> None:
    assert matches(said, printed) is agree
