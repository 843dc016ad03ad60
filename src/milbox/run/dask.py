"""A connection to a Dask cluster."""

from typing import Any

from milbox.errors import Unavailable


def dask_client(address: str) -> Any:
    """A client of the cluster whose scheduler is at the address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise Unavailable("Dask is not installed; run `pip install milbox[dask]`") from error
    try:
        return Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        cause = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise Unavailable(
            f"there is no Dask scheduler at {address} ({cause}); start one, or check the address"
        ) from error
