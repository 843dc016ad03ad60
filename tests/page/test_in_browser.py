"""A real browser shows the page as meant: in light and dark, on a phone, by keyboard, and live."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox.domain as md
from browser import Browser
from milbox.page import page
from milbox.strategies import RandomSearch
from milbox.study import Study
from milbox.trials import Finished
from page.test_document import NASTY, cell
from page.test_server import serving
from runs import everything, model_run, record, trial
from studies import shelf


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every section, written by somebody nasty."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(everything(nasty=NASTY).record), encoding="utf-8")
    return path


def written(folder: Path, run: Any) -> str:
    """The address of a run's page."""
    path = folder / "page.html"
    path.write_text(page(run), encoding="utf-8")
    return path.as_uri()


WIDER = """
[...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, svg'))
    .map(e => `${e.tagName}.${e.className} ${Math.round(e.getBoundingClientRect().right)}`)
"""

# Relative luminance and contrast as in WCAG 2.2; backgrounds are those of the nearest ancestor that has one.
CONTRASTS = """
(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => channels(colour).slice(0, 3)
    .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const clear = (colour) => channels(colour)[3] === 0;
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!clear(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  const worded = 'p, dt, dd, th, td, li, a, code, b, figcaption, summary, .badge, text';
  for (const e of document.querySelectorAll(worded)) {
    if (e.closest('.letter, .inlay') || !e.getClientRects().length || !e.textContent.trim()) continue;
    const style = getComputedStyle(e);
    const [a, b] = [luminance(e.tagName === 'text' ? style.fill : style.color), luminance(behind(e))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push([contrast.toFixed(2), e.outerHTML.slice(0, 80)]);
  }
  return found;
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 375])
def test_it_is_shown_whole(browser: Browser, shown: Path, width: int, scheme: str) -> None:
    browser.show(shown.as_uri(), width=width, scheme=scheme)
    assert browser.run("document.querySelectorAll('section').length") >= 9
    assert browser.run("document.documentElement.scrollWidth") == width
    assert browser.run(WIDER) == []
    assert browser.run(CONTRASTS) == []
    assert browser.run("window.pwned") is None
    assert browser.complaints == []
    assert browser.requests == [shown.as_uri()]
    paper = browser.run("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 28)")


# Charts that are shown, those of the other width among them, and texts below nine pixels on the screen.
DRAWN = """
(() => {
  const drawn = [...document.querySelectorAll('.chart svg')].filter(e => e.getClientRects().length);
  const size = (e, svg) => parseFloat(getComputedStyle(e).fontSize) * svg.getScreenCTM().a;
  const small = (svg) => [...svg.querySelectorAll('text:not(.letter)')]
    .filter(e => e.textContent && size(e, svg) < 9).map(e => e.textContent);
  return [drawn.length, drawn.filter(e => e.closest(%r)).length, drawn.flatMap(small)];
})()
"""


@pytest.mark.parametrize(("width", "other"), [(1100, ".narrow"), (375, ".wide")])
def test_every_chart_is_drawn_once_and_legibly(browser: Browser, shown: Path, width: int, other: str) -> None:
    browser.show(shown.as_uri(), width=width)
    drawn, of_other_width, small = browser.run(DRAWN % other)
    assert drawn >= 6
    assert of_other_width == 0
    assert small == []


POINT = """
((svg, k) => {
  svg.scrollIntoView({block: 'center', behavior: 'instant'});
  const dots = JSON.parse(svg.parentElement.querySelector('script.dots').textContent);
  const at = new DOMPoint(dots[k][0], dots[k][1]).matrixTransform(svg.getScreenCTM());
  return [at.x, at.y, dots[k][2]];
})(document.querySelector('#progress .wide svg'), %d)
"""
TIP = "document.getElementById('tip').hidden ? null : document.getElementById('tip').textContent"


def test_pointing_at_a_dot_names_it(browser: Browser, tmp_path: Path) -> None:
    run = model_run(md.Domain([md.binary("x", 8)]), list(np.linspace(0, 1, 60)), 20)
    browser.show(written(tmp_path, run))
    assert browser.run(TIP) is None
    for k in (0, 17, 59):
        x, y, label = browser.run(POINT % k)
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + 2, y=y - 2)
        assert browser.run(TIP) == label
        assert f"trial {k}:" in label
        tip = "document.getElementById('tip').getBoundingClientRect()"
        box = browser.run(f"[{tip}.left, {tip}.right, {tip}.top]")
        assert box[0] >= 0
        assert box[1] <= 1100
        assert box[2] >= 0
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert browser.run(TIP) is None
    assert browser.complaints == []


def test_arrow_keys_step_through_the_dots(browser: Browser, tmp_path: Path) -> None:
    run = model_run(md.Domain([md.binary("x", 8)]), list(np.linspace(0, 1, 30)), 10)
    browser.show(written(tmp_path, run))
    browser.run("document.querySelector('#progress .wide svg').focus()")
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "Escape"):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        seen.append(browser.run(TIP))
    names = [None if label is None else label.partition(":")[0] for label in seen]
    assert names == ["trial 0", "trial 1", "trial 0", "trial 0", None]


NUMBERS = """
[...document.querySelector('.sortable').tBodies[0].rows].filter(r => !r.hidden)
    .map(r => +r.cells[0].textContent)
"""


def test_all_trials_are_sorted_and_filtered(browser: Browser, tmp_path: Path) -> None:
    run = model_run(md.Domain([md.binary("x", 8)]), [3.0, 1.0, 10.0, 2.0], 2)
    browser.show(written(tmp_path, run))
    assert browser.run(NUMBERS) == [0, 1, 2, 3]
    value = "[...document.querySelectorAll('.sortable button')].find(b => b.textContent === 'value')"
    for expected, direction in (([1, 3, 0, 2], "ascending"), ([2, 0, 3, 1], "descending")):
        browser.run(f"{value}.focus()")
        for kind in ("keyDown", "keyUp"):  # a key is as good as the mouse
            browser.call(
                "Input.dispatchKeyEvent", type=kind, key="Enter", text="\r", windowsVirtualKeyCode=13
            )
        assert browser.run(NUMBERS) == expected
        assert browser.run(f"{value}.parentElement.getAttribute('aria-sort')") == direction
    browser.run("document.querySelector('.filter').focus()")
    browser.call("Input.insertText", text="random")
    assert sorted(browser.run(NUMBERS)) == [0, 1]
    assert browser.run("document.querySelector('.shown').textContent") == "2 trials"
    assert browser.complaints == []


def test_sequences_and_graphs_are_drawn_within_their_charts(browser: Browser, tmp_path: Path) -> None:
    domain = cell()
    run = record(domain, [trial(domain, k, p, Finished(float(k))) for k, p in enumerate(domain)])
    letters = md.Domain([md.categorical("s", "ACGT", 12)])
    outside = """
    [...document.querySelectorAll('#graphs svg, #sequences svg')].flatMap(svg => {
      if (!svg.getClientRects().length) return [];
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text, rect, path')].map(e => e.getBoundingClientRect())
        .filter(r => r.left < box.left - 3 || r.right > box.right + 3 || r.bottom > box.bottom + 3)
        .map(r => [r.left - box.left, r.right - box.right, r.bottom - box.bottom]);
    })
    """
    for made in (run, model_run(letters, list(np.linspace(0, 1, 80)), 20)):
        for width in (1100, 375):
            browser.show(written(tmp_path, made), width=width)
            assert browser.run("document.querySelectorAll('#graphs svg, #sequences svg').length") >= 2
            assert browser.run(outside) == []
            assert browser.complaints == []


CHANGED = """
new Promise(done => {
  const look = () => document.querySelector('.lede').textContent.includes(%r) && done(document.title);
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  look();
})
"""


LOST = """
new Promise(done => setInterval(() => {
  const live = document.getElementById('live');
  if (live.className === 'badge lost' && live.textContent.includes(%r)) done(live.textContent);
}, 20))
"""


def test_the_live_page_follows_the_run(browser: Browser, tmp_path: Path) -> None:
    journal = tmp_path / "run.db"
    with Study(shelf(), RandomSearch(), journal=journal) as study, serving(journal) as made:
        browser.show(f"http://127.0.0.1:{made.server_port}/")
        assert "The journal is empty" in browser.run("document.querySelector('.lede').textContent")
        for k, trial_ in enumerate(study.ask_many(9)):
            study.tell(trial_.number, float(k))
        assert browser.run(CHANGED % "9 measured values") == "run: 8"
        browser.run(
            "document.querySelector('details').open = true; scrollTo({top: 300, behavior: 'instant'})"
        )
        study.tell(study.ask().number, 99.0)
        assert browser.run(CHANGED % "10 measured values") == "run: 99"
        # What the reader has opened stays open, and the page stays where it was.
        assert browser.run("[document.querySelector('details').open, scrollY]") == [True, 300]
        assert browser.run("document.getElementById('live').textContent") == "live"
        assert browser.complaints == []
        assert {url.rpartition("/")[0] for url in browser.requests} == {
            f"http://127.0.0.1:{made.server_port}"
        }
        journal.rename(tmp_path / "elsewhere.db")
        assert "there is no journal" in browser.run(LOST % "there is no journal")
        (tmp_path / "elsewhere.db").rename(journal)
    assert browser.run(LOST % "the server has stopped") == "the server has stopped"
