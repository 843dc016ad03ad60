"""The command line starts without importing what it does not need yet."""

import json
import subprocess
import sys

HEAVY = {"numpy", "scipy", "numba", "pyscipopt", "rich", "optuna", "distributed", "torch", "sqlite3"}


def loaded_by(program: str) -> set[str]:
    """The top-level modules that a program has loaded at its end."""
    program += (
        "; import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_help_and_errors_load_nothing_heavy() -> None:
    program = (
        "import contextlib, sys; from milbox.cli import main\n"
        "for arguments in ('--help', 'run --help', '--version', 'version', 'nonsense', 'run'):\n"
        "    sys.argv = ['milbox', *arguments.split()]\n"
        "    with contextlib.suppress(SystemExit): main()\n"
        "None"
    )
    loaded = loaded_by(program)
    assert "click" in loaded
    assert not loaded & HEAVY
