"""Compile kernel.c with the flags given, check its answer, and print what a run costs.

The cost is the number of instructions executed, in millions, counted by valgrind: the same at every call.
Where there is no valgrind, it is the processor time of the best of five runs, in milliseconds.
"""

import math
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = Path(__file__).with_name("kernel.c")
ANSWER = (-6.266179582e04, 3.812479506e04, 2408177572)
LONG_ANSWER_ROUNDS = 40


def cost(flags: list[str]) -> float:
    """Millions of instructions, or milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/kernel"
        subprocess.run(["gcc", *flags, "-o", program, str(KERNEL), "-lm"], check=True)
        check(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
        valgrind = shutil.which("valgrind")
        if valgrind:
            counter = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
            # Without an environment, whose size would show in the count.
            counted = subprocess.run([*counter, program], capture_output=True, text=True, check=True, env={})
            found = re.search(r"I +refs: +([\d,]+)", counted.stderr)
            if found is None:
                sys.exit(f"valgrind counted nothing: {counted.stderr}")
            return int(found[1].replace(",", "")) / 1e6
        return min(seconds([program, str(LONG_ANSWER_ROUNDS)]) for _ in range(5)) * 1e3


def check(output: str) -> None:
    """Refuse flags that change the answer beyond rounding."""
    energy, heat, whole = output.split()
    near = math.isclose(float(energy), ANSWER[0], rel_tol=1e-6) and math.isclose(
        float(heat), ANSWER[1], rel_tol=1e-6
    )
    if not near or int(whole) != ANSWER[2]:
        sys.exit(f"these flags change the answer to {output.strip()}")


def seconds(command: list[str]) -> float:
    """Processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


if __name__ == "__main__":
    print(cost(sys.argv[1:]))
