"""Products of expressions, over indicators, which are the only products that rows can express."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from milbox.domain.model.expressions import LinExpr, combine
from milbox.domain.model.monomials import Factor, Monomial, distinct
from milbox.domain.model.numbers import Exact

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable

# More terms than this in one product are a slip: they would take minutes to write down.
LARGEST_PRODUCT = 10**6


def product(left: LinExpr, right: LinExpr) -> LinExpr:
    """The product of two expressions; integer variables are spelled out over their values where needed."""
    if not left.terms:
        return combine([(left.constant, right)])
    if not right.terms:
        return combine([(right.constant, left)])
    count = spelled_length(left) * spelled_length(right)
    if count > LARGEST_PRODUCT:
        raise ValueError(
            f"a product over {', '.join(v.name for v in named(left, right))} has {count:,} terms, one per "
            f"pair of values; coarser variables or a table would do with fewer"
        )
    left, right = spelled_out(left), spelled_out(right)
    pairs: list[tuple[Exact, LinExpr]] = [
        (left.constant * right.constant, LinExpr({}, 1)),
        (left.constant, LinExpr(right.terms)),
        (right.constant, LinExpr(left.terms)),
    ]
    for one, a in left.terms.items():
        for other, b in right.terms.items():
            merged = conjunction(one + other)
            if merged is not None:
                pairs.append((a * b, LinExpr({merged: 1})))
    return combine(pairs)


def spelled_length(expression: LinExpr) -> int:
    """The number of terms of `spelled_out`."""
    return sum(1 if m[0].code is not None else len(m[0].variable.codes) for m in expression.terms)


def named(*expressions: LinExpr) -> tuple["Variable", ...]:
    """The variables of expressions, each once."""
    return distinct(f.variable for e in expressions for monomial in e.terms for f in monomial)


def spelled_out(expression: LinExpr) -> LinExpr:
    """The same expression with every integer's value as a sum over indicators."""
    parts: list[tuple[Exact, LinExpr]] = [(expression.constant, LinExpr({}, 1))]
    for monomial, coefficient in expression.terms.items():
        factor = monomial[0]
        if factor.code is not None:  # products are made of indicators only, so one look is enough
            parts.append((coefficient, LinExpr({monomial: 1})))
            continue
        for code in factor.variable.codes:
            parts.append((coefficient * code, LinExpr({(Factor(factor.name, code, factor.variable),): 1})))
    return combine(parts)


def conjunction(factors: Iterable[Factor]) -> Monomial | None:
    """The product of indicators, each variable once; None when it is always zero."""
    by_name: dict[str, Factor] = {}
    for factor in factors:
        if by_name.setdefault(factor.name, factor) != factor:
            return None
    return tuple(by_name[name] for name in sorted(by_name))
