"""Identities of strategies as text: `name@version`, with the settings that are not the default in brackets.

A journal keeps this text and compares it when it is opened again. The version is raised when a strategy of
the same name would propose something else than before.
"""

import hashlib
import re
from collections.abc import Mapping

_FORM = re.compile(r"(?P<name>[^@()]+)@(?P<version>\d+)(\((?P<settings>.*)\))?", re.DOTALL)

# Version 0.1 kept `repr(strategy)`, which spelled every inner field. The first sixteen digits of its SHA-256,
# without the numbers of `initial` and `seed`, tell which named strategy it was.
_EARLIER = {
    "c835803cbd47dc19": "conevo",
    "72aa57b56c3dbbfd": "ensemble+regevo",
    "c6e2fbcf82de4964": "linear+milp",
    "31f8970168279119": "nn+conevo",
    "e78d05ae80817c31": "nn+conevo/fc32",
    "3c4b530397be330e": "nn+conevo/paper",
    "6c48f6d3c3636963": "nn+milp",
    "01d774034be008a0": "nn+milp/fc16-16",
    "ebb634284e0c792d": "nn+milp/fc32",
    "0e343449d3c75a5e": "nn+milp/paper",
    "051503f0da5f5439": "nn+milp/values",
    "9e5c4a8f6f92b5db": "nn+regevo",
    "af3f1215e484387d": "nn+regevo/fc32",
    "3642a9898c3b3599": "nn+regevo/paper",
    "f5d4a1e66b957286": "nn+regevo/ranked",
    "d95b3e7ef5f618ce": "nn+rejsample",
    "740c53c31926a048": "random",
    "545a551479c682ef": "rbfopt",
    "4c2f72bd1b5b0740": "re",
    "ce8b3fed127a18e2": "regevo",
    "b48d1fc8a5715e86": "rs",
}
# What the default was before some of its steps were by pairs: journals of either go on with the other.
_FORMER = {"nn+milp/network": "nn+milp"}
_NUMBERS = re.compile(r"\b(initial|seed)=(\d+)")
_INITIAL = "50"
_COUNT = re.compile(r"(?:^|, )initial=(\d+)")


def identity_text(name: str, version: int, settings: Mapping[str, str]) -> str:
    """The identity of a strategy with these settings, all others being the default."""
    inside = ", ".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}@{version}" + (f"({inside})" if inside else "")


def renamed(identity: str) -> str:
    """The identity by the name that what has a name of its own now had before."""
    name, at, rest = identity.partition("@")
    return _FORMER.get(name, name) + at + rest


def without_version(identity: str) -> str:
    """The identity but for its version: equal for versions of one strategy with the same settings."""
    form = _FORM.fullmatch(renamed(identity))
    return identity if form is None else f"{form['name']}({form['settings'] or ''})"


def name_and_settings(identity: str) -> tuple[str, str] | None:
    """The name of a versioned identity and the text of its settings; None for any other text."""
    form = _FORM.fullmatch(identity)
    return None if form is None else (form["name"], form["settings"] or "")


def initial_of(identity: str) -> int | None:
    """The number of random points in a versioned identity; None for any other text."""
    form = name_and_settings(identity)
    if form is None:
        return None
    written = _COUNT.search(form[1])
    return int(_INITIAL if written is None else written[1])


def with_initial_of(identity: str, other: str) -> str:
    """The identity with the number of random points that another identity has."""
    form, number = _FORM.fullmatch(identity), initial_of(other)
    if form is None or number is None:
        return identity
    settings = _COUNT.sub("", form["settings"] or "").removeprefix(", ")
    if str(number) != _INITIAL:
        # Settings stand in the order of the strategy's fields, as in the other identity.
        place = _COUNT.search((name_and_settings(other) or ("", ""))[1])
        assert place is not None
        start = place.start()
        before, after = settings[:start].removesuffix(", "), settings[start:].removeprefix(", ")
        settings = ", ".join(part for part in (before, f"initial={number}", after) if part)
    return f"{form['name']}@{form['version']}" + (f"({settings})" if settings else "")


def recognised(text: str) -> str:
    """The identity behind the text of a journal: version 0.1's texts of named strategies, and all others."""
    numbers = dict(_NUMBERS.findall(text))
    digest = hashlib.sha256(_NUMBERS.sub(r"\1=", text).encode()).hexdigest()[:16]
    if digest not in _EARLIER:
        return text
    settings = {key: value for key, value in numbers.items() if (key, value) != ("initial", _INITIAL)}
    return identity_text(_EARLIER[digest], 1, settings)
