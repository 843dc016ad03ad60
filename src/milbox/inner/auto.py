"""Which exact method is cheapest here? The first that applies."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.inner.enumerate import Enumerate
from milbox.inner.mip import Mip
from milbox.surrogates.base import Surrogate
from milbox.trials.trial import Proposal


@dataclass(frozen=True, slots=True)
class Auto:
    """Enumeration for small domains, else a mixed-integer program."""

    enumerate: Enumerate = Enumerate()
    mip: Mip = Mip()

    def best(
        self, surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], count: int, rng: Generator
    ) -> Sequence[Proposal]:
        """The `count` best points by the cheapest exact method that applies."""
        if self.enumerate.refusal(surrogate, domain) is None:
            return self.enumerate.best(surrogate, domain, forbidden, count, rng)
        return self.mip.best(surrogate, domain, forbidden, count, rng)
