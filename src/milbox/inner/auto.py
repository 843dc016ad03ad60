"""The cheapest exact method that applies, with the next one behind it."""

import time
from dataclasses import dataclass, replace
from itertools import takewhile

from numpy.random import Generator

from milbox.inner.enumerate import Enumerate
from milbox.inner.mip import Mip
from milbox.inner.pairs.solve import Pairs
from milbox.inner.query import Query
from milbox.inner.ranges.solve import ranged
from milbox.inner.search.branch import Branch
from milbox.milp.solution import Limits, Status
from milbox.milp.verify import TOLERANCE
from milbox.trials.answer import Answer, Empty, Found, Unknown, joined
from milbox.trials.trial import Certificate, Proposal

FACTOR = 4
"""A node of branch and bound costs so much less than one of a program, where a query limits nodes."""


CELLS = 3 << 20
"""Points times variables up to which listing all points is the fastest."""


@dataclass(frozen=True, slots=True)
class Auto:
    """Enumeration for small domains, then branch and bound over diagrams, then a mixed-integer program.

    Quadratic surrogates are searched over pairs, in a ball even where points could be listed.

    Branch and bound works to a limit on nodes, so that the choice is the same on every machine, unless half
    of the program's time is over before; what it leaves open the program takes over for the rest, and of two
    answers the better one is proposed with the better bound.
    """

    enumerate: Enumerate = Enumerate()
    branch: Branch = Branch(Limits(seconds=60.0, nodes=200_000))
    mip: Mip = Mip()
    pairs: Pairs = Pairs()

    def by_pairs(self, query: Query) -> bool:
        """Whether the search over pairs answers."""
        if self.pairs.refusal(query) is not None:
            return False
        return query.region.box is not None or self.enumerate.refusal(query) is not None

    def unlisted(self, query: Query) -> str | None:
        """The reason why points are not listed; None when they are."""
        refusal = self.enumerate.refusal(query)
        if refusal is not None:
            return refusal
        cells = (query.domain.size or 0) * len(query.domain.variables)
        if cells <= CELLS or self.branch.refusal(query) is not None:
            return None
        return f"its points have {cells} values together, and branch and bound lists none"

    def refusal(self, query: Query) -> str | None:
        """The reason why it cannot answer; None when it can."""
        if self.enumerate.refusal(query) is None or self.by_pairs(query):
            return None
        return self.mip.refusal(query)

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points by the cheapest exact method that applies."""
        if self.by_pairs(query):
            return self.pairs.solve(query, rng)
        if self.unlisted(query) is None:
            return self.enumerate.solve(query, rng)
        if self.branch.refusal(query) is not None:
            return self.mip.solve(query, rng)
        half = min(self.branch.limits.seconds, self.mip.limits.seconds / 2)
        most = [self.branch.limits.nodes, None if query.nodes is None else FACTOR * query.nodes]
        nodes = min((limit for limit in most if limit is not None), default=None)
        branch = replace(self.branch, limits=replace(self.branch.limits, seconds=half, nodes=nodes))
        branch.prepare(query.domain)
        # On a fine grid the last digits may stay open, and the program does not compare them at all.
        gap = max(branch.limits.gap, TOLERANCE if ranged(query.domain) else 0.0)
        chosen: tuple[Proposal, ...] = ()
        while len(chosen) < query.count:
            began = time.perf_counter()
            rest = query.without([proposal.point for proposal in chosen], query.count - len(chosen))
            answer = branch.solve(rest, rng)
            if isinstance(answer, Empty):
                return joined(chosen, answer)
            found = answer.proposals if isinstance(answer, Found) else ()
            proved = tuple(takewhile(lambda proposal: suffices(proposal, gap), found))
            chosen += proved
            if found and len(proved) == len(found):
                break
            # Its bound is about all points but those chosen before it, and so must the program's be.
            left = max(0.0, self.mip.limits.seconds - (time.perf_counter() - began))
            mip = replace(self.mip, limits=replace(self.mip.limits, seconds=left))
            other: Answer = Unknown("branch and bound used up the time")
            if left > 0.0 or not found:
                other = mip.solve(query.without([proposal.point for proposal in chosen], 1), rng)
            if not found:
                if not isinstance(other, Found):
                    return joined(chosen, other)
                chosen += other.proposals
                continue
            open_one = found[len(proved)]
            chosen += (better(open_one, other.proposals[0]) if isinstance(other, Found) else open_one,)
        return Found(chosen)

    def explain(self, query: Query) -> str:
        """Which method answers such a query, and why not the cheaper ones."""
        lines: list[str] = []
        if self.by_pairs(query):
            return "search over pairs: used"
        for name, refuses in (
            ("enumeration", self.unlisted),
            ("branch and bound", self.branch.refusal),
            ("mixed-integer program", self.mip.refusal),
        ):
            refusal = refuses(query)
            if refusal is None:
                return "\n".join([*lines, f"{name}: used"])
            lines.append(f"{name}: no, {refusal}")
        return "\n".join(lines)


def is_proved(proposal: Proposal) -> bool:
    """Whether the proposal is certified to be optimal."""
    return proposal.certificate is not None and proposal.certificate.status is Status.OPTIMAL


def suffices(proposal: Proposal, gap: float) -> bool:
    """Whether the proposal is certified to be optimal, or within the gap that was asked for."""
    certificate = proposal.certificate
    return is_proved(proposal) or (certificate is not None and gap > 0.0 and certificate.gap <= gap)


def better(one: Proposal, other: Proposal) -> Proposal:
    """The better point of two, under the better of their bounds."""
    a, b = one.certificate, other.certificate
    assert a is not None, "exact methods certify"
    assert b is not None, "exact methods certify"
    if is_proved(other):
        return other
    top, low = (one, other) if a.value >= b.value else (other, one)
    certificate: Certificate = top.certificate  # type: ignore[assignment]
    assert low.certificate is not None
    bound = max(certificate.value, min(certificate.bound, low.certificate.bound))
    return replace(top, certificate=replace(certificate, bound=bound, seconds=a.seconds + b.seconds))
