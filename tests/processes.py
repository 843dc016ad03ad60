"""Processes of their own that import what the tests import."""

import os
import subprocess
import sys

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def printed(script: str, *arguments: object) -> str:
    """What a script prints that must end well."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return done.stdout
