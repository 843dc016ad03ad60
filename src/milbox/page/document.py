"""The whole page as one file that needs nothing else."""

import base64
import hashlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypeAlias

import numpy as np

from milbox.page.formats import count, moment, number, short
from milbox.page.sections.about import about_run, failures
from milbox.page.sections.all_trials import all_trials, pending
from milbox.page.sections.best_points import best_points
from milbox.page.sections.certificates import certificates
from milbox.page.sections.constraints import constraints
from milbox.page.sections.diagrams import diagrams
from milbox.page.sections.front import front
from milbox.page.sections.graphs import drawn_names, graphs
from milbox.page.sections.importance import importance
from milbox.page.sections.limits import limits
from milbox.page.sections.parallel import parallel
from milbox.page.sections.predictions import agreement
from milbox.page.sections.progress import progress
from milbox.page.sections.sequences import sequence_logos
from milbox.page.sections.slices import slices
from milbox.page.sections.summary import figures, found, proved
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials.record import Record

Body: TypeAlias = Callable[[Record], Markup | None]

GENERATOR = "milbox"
"""The page's generator tag, by which `milbox report` recognises its own pages."""

FOOTER = (
    "Made by milbox {version} from the journal alone. The page is complete in itself: it asks no other "
    "computer for anything."
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; it is left out where its body is None."""

    anchor: str
    title: str
    body: Body


SECTIONS = (
    Section("front", "Front", front),
    Section("progress", "Progress", progress),
    Section("best", "Best points", best_points),
    Section("sequences", "What the best sequences share", lambda r: sequence_logos(r, drawn_names(r))),
    Section("graphs", "The best points as graphs", graphs),
    Section("limits", "Limits on outputs", limits),
    Section("parallel", "All variables side by side", parallel),
    Section("slices", "One variable at a time", slices),
    Section("agreement", "Prediction and measurement", agreement),
    Section("certificates", "Certificates", certificates),
    Section("matter", "Which variables and pairs matter", importance),
    Section("constraints", "Constraints at the best point", constraints),
    Section("diagram", "The domain as a decision diagram", diagrams),
    Section("failures", "What failed", failures),
    Section("pending", "Still out", pending),
    Section("trials", "All trials", all_trials),
    Section("about", "About this run", about_run),
)


RANKED = ("progress", "best", "sequences", "graphs", "agreement", "matter", "constraints")
"""The sections about the best trial, which several objectives do not have, nor limits that no trial keeps."""


def page(record: Record, *, live: str | None = None) -> str:
    """A study as one HTML file. The same journal gives the same file.

    Args:
        record: what the journal says.
        live: the version of the page that a server shows; it then follows the server's newer ones.
    """
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # differences of huge values are infinite, and shown so
        bodies = [(section, section.body(record)) for section in SECTIONS if applies(section, record)]
    shown = [(section, body) for section, body in bodies if body is not None]
    main = joined([header(record, live is not None), contents([s for s, _ in shown]), *map(section, shown)])
    return document(headline(record), main, live)


def document(title: str, main: Markup, live: str | None = None) -> str:
    """A page with this content, complete in itself."""
    style, script = source("style.css"), source("script.js")
    talk = "'none'" if live is None else "'self'"
    policy = (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; connect-src {talk}; "
        f"base-uri 'none'; form-action 'none'"
    )
    head = joined(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{text(policy)}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="color-scheme" content="light dark">'),
            Markup(f'<meta name="generator" content="{text(f"{GENERATOR} {version()}")}">'),
            Markup('<meta name="referrer" content="no-referrer">'),
            tag("title", text(title)),
            Markup(f"<style>{style}</style>"),
        ],
        "\n",
    )
    body = joined(
        [
            tag("main", main, id="page", data_version=live),
            tag("footer", tag("p", text(FOOTER.format(version=version())))),
            tag("div", id="tip", role="status", hidden=""),
            Markup(f"<script>{script}</script>"),
        ],
        "\n",
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def applies(section: Section, record: Record) -> bool:
    """Whether a section has something to be about: some are about the best trial, and there may be none."""
    return section.anchor not in RANKED or bool(record.ranked) or not record.finished


def headline(record: Record) -> str:
    """The title of the window."""
    best, goal = record.best, record.goal
    if best is None or best.value is None:
        return record.title
    value = best.value if record.estimate is None else record.estimate[0]
    return f"{record.title}: {number(value)}{goal.unit(goal.name)}"


def header(record: Record, live: bool) -> Markup:
    """The title, the result and the proof."""
    wanted = str(record.goal).replace("ize", "ise")
    facts = [
        f"{short(wanted, 80)} over {count(len(record.domain.variables), 'variable')}",
        count(len(record.domain.rules), "constraint"),
        moment(record.header.created_at).partition(",")[0],
    ]
    state = tag("span", text("live"), id="live", class_="badge live", role="status") if live else Markup("")
    return tag(
        "header",
        tag("p", text(" · ".join(facts)), state, class_="eyebrow"),
        tag("h1", text(record.title)),
        tag("p", found(record), text(f" {proved(record)}"), class_="lede"),
        figures(record),
    )


def contents(sections: list[Section]) -> Markup:
    """Links to the sections."""
    links = (tag("a", text(section.title), href=f"#{section.anchor}") for section in sections)
    return tag("nav", *links, aria_label="Sections")


def section(shown: tuple[Section, Markup]) -> Markup:
    """A section with its heading."""
    part, body = shown
    heading = tag("h2", text(part.title), id=f"{part.anchor}-title")
    return tag("section", heading, body, id=part.anchor, aria_labelledby=f"{part.anchor}-title")


@cache
def source(name: str) -> str:
    """A file of the page that is not Python."""
    return resources.files("milbox.page").joinpath(name).read_text("utf-8")


def digest(content: str) -> str:
    """The name under which a browser that obeys the policy lets just this content in."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


@cache
def version() -> str:
    """The version of milbox that makes the page."""
    try:
        return importlib.metadata.version("milbox")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
