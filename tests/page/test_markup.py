"""Text stays text, whatever it contains."""

import json
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from milbox.page.svg.markup import coordinate, data, joined, tag, text


class Reader(HTMLParser):
    """Tags and texts as a browser would see them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


plain_texts = st.text(st.characters(exclude_categories=["Cs", "Cc"])) | st.sampled_from(
    ["<script>alert(1)</script>", '" onload="x', "</text>", "&amp;", "<!--", "]]>", "javascript:x"]
)


@given(plain_texts, plain_texts)
def test_text_and_attributes_are_read_back(words: str, attribute: str) -> None:
    found = read(tag("p", text(words), title=attribute))
    assert found.words == words
    assert found.tags == [("p", {"title": attribute})]


@given(st.text())
def test_every_text_can_be_written_to_a_file(words: str) -> None:
    made = text(words + "\ud800\x00\x0b")
    assert made.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f<>\"']", made)


@given(st.recursive(st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.lists))
def test_data_cannot_end_its_element(content: object) -> None:
    made = data("dots", content)
    inside = made.removeprefix('<script type="application/json" class="dots">').removesuffix("</script>")
    assert not set(inside) & set("<>&")
    assert json.loads(inside) == content


def test_attributes_have_the_names_of_html() -> None:
    made = tag("svg", class_="a", aria_label="b", viewBox="0 0 1 1", hidden=None, x=1.25, y=2)
    assert made == '<svg class="a" aria-label="b" viewBox="0 0 1 1" x="1.2" y="2"></svg>'
    assert joined([text("a"), text("b")], " & ") == "a &amp; b"


@given(st.floats(-1e6, 1e6))
def test_coordinates_are_short_and_close(value: float) -> None:
    shown = coordinate(value)
    assert abs(float(shown) - value) <= 0.0500001
    assert shown != "-0"
    assert not shown.endswith(".0")
