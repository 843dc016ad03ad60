"""Base classes of whatever combines with & | ~ and has no truth value before a point is chosen."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from milbox.display import cut

if TYPE_CHECKING:
    from milbox.domain.model.constraint import Constraint

Method = TypeVar("Method", bound=Callable[..., Any])


class Elementwise:
    """The base of arrays: operators of a single item step back and let the array answer."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def single(method: Method) -> Method:
    """The operator for single things; it steps back when the other operand is an array."""

    @wraps(method)
    def operate(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, Elementwise) else method(self, other)

    return cast(Method, operate)


class Logical:
    """Operators of whatever is true or false at a point."""

    __slots__ = ()

    def __repr__(self) -> str:
        # The rule, also in lists: `domain.violations(point)`.
        return str(self)

    @single
    def __and__(self, other: Any) -> "Constraint":
        from milbox.domain.constraints.build import all_of

        return all_of(self, other)

    @single
    def __or__(self, other: Any) -> "Constraint":
        from milbox.domain.constraints.build import any_of

        return any_of(self, other)

    def __invert__(self) -> "Constraint":
        from milbox.domain.constraints.build import negate

        return negate(self)

    def __bool__(self) -> NoReturn:
        raise no_truth(self)


def no_truth(thing: Any) -> TypeError:
    """The answer to `if x == 1`, `a <= x <= b`, `x and y`: nothing is true before a point is chosen."""
    return TypeError(
        f"{cut(str(thing), 120)} has no truth value before a point is chosen; to write "
        f"a <= expression <= b use between(a, expression, b), to combine constraints use any_of, all_of or "
        f"negate, and to test a point use domain.contains(point)"
    )


def shown(thing: Any) -> str:
    """A thing as the user wrote it: ours by their names, others as Python shows them."""
    ours = isinstance(thing, Logical | Elementwise) or hasattr(thing, "linear") or hasattr(thing, "choices")
    return str(thing) if ours else repr(thing)
