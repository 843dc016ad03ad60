"""The command line. One file for each group of commands; nothing heavy is imported before it is needed.

Exit status, the same for every command:

    0    done
    1    it did not work out: the objective failed too often, or no trial finished
    2    bad usage or input: an option, a problem file, a file of results, a journal
    3    nothing is left to ask: every point of the domain has been asked (`milbox ask`)
    130  interrupted by Ctrl-C, or a run that was asked to end (SIGTERM); everything told is kept
         (`milbox serve` is done then, and ends with 0)
"""

import os
import sys
import warnings
from typing import Any

import click

from milbox.cli.commands.about import version
from milbox.cli.commands.ask_tell import amend, ask, cancel, tell
from milbox.cli.commands.bench import bench
from milbox.cli.commands.change import change
from milbox.cli.commands.check import check
from milbox.cli.commands.compare import compare
from milbox.cli.commands.copies import backup, merge
from milbox.cli.commands.data import data
from milbox.cli.commands.demo import demo
from milbox.cli.commands.explain import explain
from milbox.cli.commands.export import export
from milbox.cli.commands.init import init
from milbox.cli.commands.report import report
from milbox.cli.commands.run import resume, run
from milbox.cli.commands.serve import serve
from milbox.cli.commands.status import best, status, trials
from milbox.cli.console import BAD_INPUT, INTERRUPTED, RUN_FAILED, say
from milbox.errors import MilboxError, ObjectiveFailed, Unavailable, UnsupportedProgram

GROUPS: dict[str, list[click.Command]] = {
    "Start": [init, check, demo],
    "Run": [run, resume, ask, tell, amend, cancel, change],
    "Look": [status, best, trials, report, serve, compare, explain, export],
    "Keep": [backup, merge],
    "Other": [bench, data, version],
}


class InGroups(click.Group):
    """Commands listed by what they are for, instead of by letter."""

    def invoke(self, ctx: click.Context) -> Any:
        """The command; click would end with status 1 where nobody reads its output any more."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(hung_up()) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of `GROUPS`."""
        del ctx
        return [str(command.name) for group in GROUPS.values() for command in group]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section for each group."""
        del ctx
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(str(each.name), each.get_short_help_str(90)) for each in group])


@click.group(
    cls=InGroups,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 done; 1 the objective failed too often or gave no value; 2 bad usage or input; "
    "3 nothing left to ask; 130 interrupted, with everything told kept.",
)
@click.version_option(package_name="milbox")
def command_line() -> None:
    """Black-box optimisation over constrained discrete domains: every proposal feasible, new and certified.

    Five minutes: milbox init; milbox check problem.toml; milbox run problem.toml --budget 60 --initial 20
    """


for _group in GROUPS.values():
    for _command in _group:
        command_line.add_command(_command)


def hung_up() -> int:
    """End well where whoever read our output has had enough, as in `milbox trials run.db | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def main() -> None:
    """Run a command, and end with its exit status."""
    warnings.showwarning = lambda message, *_, **__: say(f"Warning: {message}")
    try:
        command_line.main(prog_name="milbox", standalone_mode=False)
        sys.stdout.flush()
        status_code = 0
    except BrokenPipeError:
        status_code = hung_up()
    except click.exceptions.Exit as end:
        status_code = end.exit_code
    except click.ClickException as error:
        error.show()
        status_code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status_code = INTERRUPTED
    except MilboxError as error:
        say(f"Error: {error}")
        run_time = ObjectiveFailed | Unavailable | UnsupportedProgram
        status_code = RUN_FAILED if isinstance(error, run_time) else BAD_INPUT
    sys.exit(status_code)
