"""`milbox version`: what is installed, for bug reports."""

import importlib.metadata
import platform

import click

from milbox.cli.console import emit

LIBRARIES = (
    "numpy",
    "scipy",
    "numba",
    "pyscipopt",
    "click",
    "rich",
    "optuna",
    "distributed",
    "gurobipy",
    "torch",
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def version(as_json: bool) -> None:
    """Print the versions of milbox and of the libraries it uses."""
    found = {"milbox": installed("milbox"), "python": platform.python_version()}
    found |= {library: installed(library) for library in LIBRARIES}
    if as_json:
        emit(found)
        return
    for name, number in found.items():
        click.echo(f"{name:<12} {number or 'not installed'}")


def installed(library: str) -> str | None:
    """The version of a library, without importing it."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None
