"""Results that are kept on the domain that they are about."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from milbox.domain.domain import Domain

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def kept(
    make: "Callable[Concatenate[Domain, Parameters], Result]",
) -> "Callable[Concatenate[Domain, Parameters], Result]":
    """A function of a domain that is worked out once for each domain and each choice of further arguments.

    The domain keeps the results, so that they live as long as it does.
    """

    @wraps(make)
    def call(domain: "Domain", /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        key = (make, arguments, tuple(sorted(named.items())))
        if key not in domain.results:
            domain.results[key] = make(domain, *arguments, **named)
        result: Result = domain.results[key]
        return result

    return call
