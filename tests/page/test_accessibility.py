"""The page is for everybody: contrast, keyboard, and words for what is drawn.

Own checks run always. With `MILBOX_AXE` naming the file `axe.min.js` of axe-core, as in CI, its rules are
run too: `npm pack axe-core@4.14.0 && tar xzf axe-core-4.14.0.tgz`, then `MILBOX_AXE=package/axe.min.js`.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from browser import Browser
from milbox.page import page
from milbox.page.comparison import comparison_page
from milbox.trials.course import compared
from page.test_in_browser import CONTRASTS
from page.test_views import domain, noisy, several
from runs import everything, model_run


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages of every kind, by name: their addresses."""
    folder = tmp_path_factory.mktemp("pages")
    one = model_run(domain(), list(np.linspace(0, 1, 60)), 20)
    other = model_run(domain(), list(np.linspace(0.2, 0.8, 40)), 10)
    made = {
        "everything": page(everything().record),
        "one": page(one),
        "several": page(several().record),
        "noisy": page(noisy().record),
        "comparison": comparison_page(compared([one, other]), ["one", "other"]),
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in made}


NAMES = ("everything", "one", "several", "noisy", "comparison")

# Each is a list of what breaks a rule; every list has to be empty.
RULES = {
    "charts have words": """
        [...document.querySelectorAll('svg')].filter(e => e.getAttribute('role') !== 'img' ||
            (e.getAttribute('aria-label') || '').length < 10).map(e => e.outerHTML.slice(0, 90))
    """,
    "controls have names": """
        [...document.querySelectorAll('button, input, summary, a, select')].filter(e => e.checkVisibility())
            .filter(e => !(e.textContent.trim() || e.ariaLabel || (e.labels && e.labels.length)))
            .map(e => e.outerHTML.slice(0, 90))
    """,
    "tables have captions and heads that say something": """
        [...document.querySelectorAll('table')].filter(e => !e.caption || !e.caption.textContent.trim() ||
            [...e.querySelectorAll('th')].some(h => !h.textContent.trim() || !h.scope))
            .map(e => e.outerHTML.slice(0, 90))
    """,
    "what scrolls has the focus": """
        [...document.querySelectorAll('main *')].filter(e => e.getClientRects().length)
            .filter(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) &&
                (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) && e.tabIndex < 0)
            .map(e => e.outerHTML.slice(0, 90))
    """,
    "headings go down one step at a time": """
        [...document.querySelectorAll('h1, h2, h3, h4')].map(e => +e.tagName[1])
            .filter((level, k, all) => k ? level > all[k - 1] + 1 : level !== 1)
    """,
    "landmarks are told apart": """
        (() => {
          const title = (e) => document.getElementById(e.getAttribute('aria-labelledby')).textContent;
          const named = [...document.querySelectorAll('section, nav, [role=region]')]
            .map(e => e.ariaLabel || title(e));
          return named.filter((name, k) => !name || named.indexOf(name) !== k);
        })()
    """,
    "the order of the focus is that of the page": """
        [...document.querySelectorAll('[tabindex]')].filter(e => e.tabIndex > 0)
            .map(e => e.outerHTML.slice(0, 90))
    """,
    "marks are seen": r"""
        (() => {
          const luminance = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number)
            .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
          const paper = luminance(getComputedStyle(document.body).backgroundColor);
          const marks = '.dots.model, .dots.best, .best-line, .course, .limit, .failed, .error-bar';
          return [...document.querySelectorAll(marks)]
            .filter(e => e.getClientRects().length).map(e => {
              const a = luminance(getComputedStyle(e).stroke);
              return [(Math.max(a, paper) + 0.05) / (Math.min(a, paper) + 0.05), e.className.baseVal];
            }).filter(([contrast]) => contrast < 3);
        })()
    """,
}


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_and_use_the_page(browser: Browser, pages: dict[str, str], name: str) -> None:
    for scheme in ("light", "dark"):
        for width in (1280, 400):
            browser.show(pages[name], width=width, scheme=scheme)
            browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            broken = {rule: found for rule, program in RULES.items() if (found := browser.run(program))}
            assert broken == {}, (scheme, width)
            assert browser.run(CONTRASTS) == []


def test_the_keyboard_reaches_everything_in_order(browser: Browser, pages: dict[str, str]) -> None:
    browser.show(pages["several"], width=1280)
    there = browser.run(
        "[...document.querySelectorAll('a[href], button, input, summary, [tabindex=\"0\"]')]"
        ".filter(e => e.checkVisibility()).map((e, k) => { e.dataset.place = k; return k; })"
    )
    seen = []
    for _ in there:
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        place, outline = browser.run(
            "(e => [+e.dataset.place, getComputedStyle(e).outlineStyle])(document.activeElement)"
        )
        assert outline != "none", place
        seen.append(place)
    assert seen == there


@pytest.mark.skipif("MILBOX_AXE" not in os.environ, reason="MILBOX_AXE names no axe.min.js")
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(browser: Browser, pages: dict[str, str], name: str) -> None:
    axe = Path(os.environ["MILBOX_AXE"]).read_text(encoding="utf-8")
    browser.call("Page.setBypassCSP", enabled=True)
    try:
        for scheme in ("light", "dark"):
            for width in (1280, 400):
                browser.show(pages[name], width=width, scheme=scheme)
                browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
                browser.run(f"{axe};0")
                found = browser.run(
                    "axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html.slice(0, 120)]))"
                )
                assert found == [], (scheme, width)
    finally:
        browser.call("Page.setBypassCSP", enabled=False)
