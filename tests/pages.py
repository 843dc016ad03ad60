"""Examples of pages, run as a reader would run them and compared with what is printed there.

What a fenced block of a page means:

    python     run; the blocks of a page share one interpreter, in an empty folder
    text       what the python block right above it prints
    console    lines after "$ " are commands, the lines under them what they print, standard error included;
               under a line "^C" the command is interrupted once its journal has a few values
    sh         commands whose output is not shown
    toml       TOML, at least
    others     shown, not run

A block with `:caption: name` is a file that is written to the folder. A comment right above a block changes
this: `<!-- not run: why -->`, and `<!-- exit 2 -->` for commands that are to fail. In what is printed,
`...` stands for anything, and durations, versions and residuals may differ. To write what is printed now
into the pages: `python tests/pages.py --write PAGE ...`; there, a lone `...` is a place to fill.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHOWN_ONLY = {"", "c", "json", "csv", "yaml", "ini", "make", "rst", "none"}
RUN = {"python", "text", "console", "sh", "toml"}
PATIENCE = 300.0  # compiling for the first time, on a busy machine

FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w*|\{code-block\} *\w+|\{[\w-]+\}[^\n]*)\n"
    r"(?P<options>(?:(?::[\w-]+:[^\n]*\n)+\n?)?)(?P<text>.*?)^(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
REMARK = re.compile(r"<!-- *([^>]*?) *-->\n\Z")

# What another machine or another moment may change.
VARYING = [
    (re.compile(r"compiling, which is needed once[^\n]*\n"), ""),
    (re.compile(r"\b\d+ (h \d\d min|min \d\d s)\b|(?<![\w.])\d[\d.,]* ?(µs|ms|s)\b"), "<time>"),
    (re.compile(r"seconds=[\d.e+-]+"), "seconds=<time>"),
    (re.compile(r"\b(SCIP|HiGHS|SciPy|branch and bound) \d+(\.\d+)+"), r"\1 <version>"),
    (
        re.compile(r"(after|:) \d+ trials?( so far)?( and \d+ under way)?(?=; nothing is lost|\n)"),
        r"\1 <some>",
    ),
    (re.compile(r"(agree to |residual=)[\d.e+-]*\d"), r"\1<tiny>"),
]

# Runs in a process of its own: reads one job a line, answers with what the job printed and its traceback.
KERNEL = """
import contextlib, io, json, os, sys, traceback

def serve(space):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, "")
    for line in iter(sys.stdin.readline, ""):
        job, printed, error = json.loads(line), io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(job["source"], job["name"], "exec"), space)
            except BaseException:
                error = traceback.format_exc()
        print(json.dumps({"printed": printed.getvalue(), "error": error}), file=answers, flush=True)

serve({"__name__": "__main__"})
"""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    language: str
    caption: str | None
    text: str
    line: int
    """Where its text starts in the page, from 1."""
    span: tuple[int, int]
    """Where its text is in the page, in characters."""
    remark: str
    follows: bool
    """Whether nothing stands between the block before it and this one."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page says is printed, what was printed, and where the page says it."""

    line: int
    span: tuple[int, int]
    said: str
    printed: str

    @property
    def true(self) -> bool:
        """Whether they agree, as far as they can."""
        return matches(self.said, self.printed)


class Untrue(AssertionError):
    """A block of a page does not work, or does something else than the page says."""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, directives other than code-block left out."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(page):
        language = match["language"].removeprefix("{code-block}").strip()
        if language.startswith("{"):
            continue
        caption = re.search(r"^:caption: *(.*?) *$", match["options"], re.MULTILINE)
        remark = REMARK.search(page[end : match.start()])
        found.append(
            Block(
                language=language,
                caption=caption[1] if caption else None,
                text=match["text"],
                line=page.count("\n", 0, match.start("text")) + 1,
                span=match.span("text"),
                remark=remark[1] if remark else "",
                follows=not page[end : match.start()].strip(),
            )
        )
        end = match.end()
    return found


def same(text: str) -> str:
    """The text with what may vary replaced."""
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(said: str, printed: str) -> bool:
    """Whether a page's word covers what was printed; `...` stands for anything."""
    pattern = ".*?".join(re.escape(part) for part in same(said).split("..."))
    return re.fullmatch(pattern, same(printed), re.DOTALL) is not None


@dataclass(slots=True)
class Reader:
    """Someone who follows one page from top to bottom in an empty folder."""

    name: str
    folder: Path
    kernel: "subprocess.Popen[str] | None" = None
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tools = str(Path(sys.executable).parent)
        self.environment = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}",
            "OMP_NUM_THREADS": "1",
            "COLUMNS": "100",
            "MPLBACKEND": "Agg",
        }

    def follow(self, page: str) -> Iterator[Shown]:
        """Run every block; what is shown as printed comes back beside what was printed."""
        printed = None
        try:
            for block in blocks(page):
                if block.remark.startswith("not run"):
                    printed = None
                elif block.caption is not None:
                    self.write(block)
                    printed = None
                elif block.language == "python":
                    printed = self.python(block)
                elif block.language == "text":
                    if printed is None or not block.follows:
                        raise Untrue(f"{self.name}:{block.line}: no python block right above prints this")
                    yield Shown(block.line, block.span, block.text, printed)
                    printed = None
                elif block.language == "console":
                    yield from self.console(block)
                elif block.language == "sh":
                    for command in block.text.replace("\\\n", "").splitlines():
                        self.command(command, block)
                elif block.language == "toml":
                    self.toml(block)
                elif block.language not in SHOWN_ONLY:
                    raise Untrue(f"{self.name}:{block.line}: no rule for blocks in {block.language!r}")
        finally:
            self.close()

    def write(self, block: Block) -> None:
        """A file the page asks its reader to write."""
        if block.language == "toml":
            self.toml(block)
        path = self.folder / str(block.caption)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def toml(self, block: Block) -> None:
        """Refuse what is no TOML."""
        try:
            tomllib.loads(block.text)
        except tomllib.TOMLDecodeError as error:
            raise Untrue(f"{self.name}:{block.line}: {error}") from None

    def python(self, block: Block) -> str:
        """What a block prints; its line numbers are the page's."""
        if self.kernel is None:
            self.kernel = subprocess.Popen(
                [sys.executable, "-c", KERNEL],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.kernel.stdin is not None
        assert self.kernel.stdout is not None
        job = {"source": "\n" * (block.line - 1) + block.text, "name": self.name}
        self.kernel.stdin.write(json.dumps(job) + "\n")
        self.kernel.stdin.flush()
        line = self.kernel.stdout.readline()
        if not line:
            raise Untrue(f"{self.name}:{block.line}: Python ended in this block")
        answer: dict[str, Any] = json.loads(line)
        if answer["error"]:
            raise Untrue(f"{self.name}:{block.line}: {answer['error']}")
        printed: str = answer["printed"]
        return printed

    def console(self, block: Block) -> Iterator[Shown]:
        """Each command of a session, with what the page prints under it."""
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
        if parts[0].strip():
            raise Untrue(f"{self.name}:{block.line}: a console block starts with $")
        place = block.span[0] + len(parts[0])
        for part in parts[1:]:
            command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n?", part)
            assert command is not None
            interrupted = part[command.end() :].startswith("^C\n")
            start = place + 2 + command.end() + (3 if interrupted else 0)
            end = place = place + 2 + len(part)
            said = part[command.end() + (3 if interrupted else 0) :]
            line = block.line + block.text[: start - block.span[0]].count("\n")
            printed = self.command(command[0].replace("\\\n", "").strip(), block, interrupted)
            yield Shown(line, (start, end), said, printed)

    def command(self, command: str, block: Block, interrupted: bool = False) -> str:
        """What a command prints, if it ends as the page says."""
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}" if interrupted else command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            if interrupted:
                self.await_values(command, process)
                process.send_signal(signal.SIGINT)
            printed, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            printed, _ = process.communicate()
            raise Untrue(f"{self.name}:{block.line}: {command} did not end:\n{printed}") from None
        expected = int(found[1]) if (found := re.match(r"exit (\d+)", block.remark)) else 0
        expected = 130 if interrupted else expected
        if process.returncode != expected:
            raise Untrue(
                f"{self.name}:{block.line}: {command} ended with {process.returncode}, "
                f"not {expected}:\n{printed}"
            )
        return printed

    def await_values(self, command: str, process: "subprocess.Popen[str]") -> None:
        """Wait until the journal that a command writes has a few values."""
        from milbox.errors import JournalError
        from milbox.trials import Journal

        words = shlex.split(command)
        journal = self.folder / words[words.index("--journal") + 1]
        for _ in range(int(PATIENCE / 0.1)):
            try:
                if sum(trial.value is not None for trial in Journal.read(journal)[1]) >= 3:
                    return
            except JournalError:
                pass  # not there yet, or just being created
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            return

    def close(self) -> None:
        """End the interpreter of the python blocks."""
        if self.kernel is not None:
            self.kernel.communicate(timeout=PATIENCE)
            self.kernel = None


def outdated(path: Path, folder: Path, *, empty: bool = False) -> list[Shown]:
    """What a page says wrongly, or with `empty` not at all; raises `Untrue` where a block does not work."""
    reader = Reader(path.name, folder)
    every = list(reader.follow(path.read_text(encoding="utf-8")))
    return [shown for shown in every if not shown.true or (empty and shown.said.strip() == "...")]


def refreshed(page: str, shown: Sequence[Shown]) -> str:
    """The page with what is printed now in the place of what it said."""
    for each in sorted(shown, key=lambda each: each.span, reverse=True):
        first, last = each.span
        text = each.printed.rstrip() + "\n" if each.printed.strip() else ""
        # A blank line before the next command stays.
        text += "\n" if each.said.endswith("\n\n") else ""
        page = page[:first] + text + page[last:]
    return page


def main(arguments: Sequence[str]) -> int:
    """Check pages from the command line; with --write, correct what they say is printed."""
    wrong = 0
    for path in (Path(argument) for argument in arguments if argument != "--write"):
        with tempfile.TemporaryDirectory() as folder:
            found = outdated(path, Path(folder), empty="--write" in arguments)
        for each in found:
            print(f"{path}:{each.line}: says\n{each.said}but prints\n{each.printed}")
        wrong += len(found)
        if found and "--write" in arguments:
            path.write_text(refreshed(path.read_text(encoding="utf-8"), found), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
