"""The identity of a strategy: its name and version, and every setting that is not its default."""

import dataclasses
import enum
import re
from typing import Any

from milbox.domain import Domain
from milbox.surrogates import Ranked
from milbox.trials.goal import ONE, Goal
from milbox.trials.identity import identity_text


def identity(strategy: object, domain: Domain | None = None, goal: Goal = ONE) -> str:
    """The text under which a journal of a domain and a goal knows a strategy: `nn+milp@2(initial=10)`.

    What a strategy would do on other domains (`local`) is no part of it. A strategy of a user's own says its
    identity itself, in an attribute `identity`; without one it is its repr without memory addresses.
    """
    own = getattr(strategy, "identity", None)
    if isinstance(own, str):
        return own
    from milbox.strategies.named import INITIAL, NAMED  # imports every strategy

    def differences(preset: object) -> dict[str, str]:
        found = _differences(strategy, preset)
        if _same_steps(getattr(strategy, "local", None), getattr(preset, "local", None), domain):
            found.pop("local", None)
        return found

    def unlike(preset: Any) -> tuple[int, bool]:
        """How many settings differ; where none does, the one that is the same on all domains comes first."""
        apart = [key for key in differences(preset) if key != "initial"]
        return len(apart), not apart and "local" in _differences(strategy, preset)

    presets = [(name, named, named.make(INITIAL)) for name, named in NAMED.items()]
    like = [preset for preset in presets if type(preset[2]) is type(strategy)]
    if not like:
        return _shown(strategy)
    name, named, nearest = min(like, key=lambda preset: unlike(preset[2]))
    version = named.version if domain is None else named.version_on(domain, goal)
    return identity_text(name, version + _learns_limits_anew(strategy, goal), differences(nearest))


def _same_steps(one: Any, other: Any, domain: Domain | None) -> bool:
    """Whether both choose alike step by step: on a domain, or on all domains where one has no say at all."""
    from milbox.strategies.by_domain import ByDomain
    from milbox.strategies.local import Local

    if domain is None:
        return one == other or None in (one, other)
    acting = [each.steps(domain) if isinstance(each, ByDomain) else each for each in (one, other)]
    # What boxes do with reals is nothing elsewhere; any other steps are a strategy's own, on every domain.
    acting = [None if isinstance(each, Local) and not each.applies(domain) else each for each in acting]
    return bool(acting[0] == acting[1])


def _learns_limits_anew(strategy: object, goal: Goal) -> bool:
    """Whether a version is one higher for the sake of limits, whose surrogates other studies have not.

    They were fitted to ranks where objectives were, and to single measurements where these are noisy.
    """
    learner = getattr(strategy, "learner", None)
    if learner is None or not goal.limits:
        return False
    return goal.noise or isinstance(learner, Ranked)


def own_identity(strategy: Any, name: str, version: int) -> str:
    """The identity of a dataclass that is its own only preset."""
    return identity_text(name, version, _settings(strategy))


def _differences(strategy: Any, preset: Any) -> dict[str, str]:
    """The fields in which a strategy is not the preset."""
    shown = {field.name: compact(getattr(strategy, field.name)) for field in dataclasses.fields(strategy)}
    if shown.get("initial") == "None":  # a number that is left to the study
        del shown["initial"]
    return {name: text for name, text in shown.items() if text != compact(getattr(preset, name))}


def _settings(value: Any) -> dict[str, str]:
    """The fields of a dataclass that are not its defaults."""
    settings = {}
    for field in dataclasses.fields(value):
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        text = compact(getattr(value, field.name))
        if default is dataclasses.MISSING or text != compact(default):
            settings[field.name] = text
    return settings


def compact(value: Any) -> str:
    """A value as text: of a dataclass only the fields that are not its defaults."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inside = ", ".join(f"{name}={text}" for name, text in _settings(value).items())
        return f"{type(value).__name__}({inside})"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    return _shown(value)


def _shown(value: object) -> str:
    """The repr without memory addresses, so that it is the same in every process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
