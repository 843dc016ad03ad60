"""Live display of a run: the incumbent, the last proof, where the time goes, the estimated end."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from milbox.cli.console import plural, say
from milbox.cli.summary import spent_text
from milbox.display import duration
from milbox.trials.front import front_of
from milbox.trials.record import asked, best_of, spent

if TYPE_CHECKING:
    from milbox.trials import Trial
    from milbox.trials.goal import Goal

Style: TypeAlias = Literal["auto", "plain", "none"]

# Plain lines come when the trial number has grown by a twentieth of the budget, or after this many seconds.
SECONDS_BETWEEN_LINES = 10.0
BARS = "▁▂▃▄▅▆▇█"


class Watch:
    """Trials as they end, and what to show of them.

    The live display asks from a thread of its own, so it reads only what is collected here and never the
    study, which may be busy for minutes.
    """

    def __init__(self, earlier: Iterable["Trial"], goal: "Goal", budget: int) -> None:
        self.goal = goal
        self.budget = budget
        self.best: Trial | None = None
        self.front: tuple[Trial, ...] = ()
        self.curve: list[float] = []
        self.finished = 0
        earlier = list(earlier)
        self.before: int = asked(trial for trial in earlier if trial.ended)
        for trial in earlier:
            self.note(trial)
        self.ended: list[Trial] = []
        self.began: float = time.monotonic()

    def add(self, trial: "Trial") -> None:
        """One more trial has ended."""
        self.note(trial)
        self.ended.append(trial)

    def note(self, trial: "Trial") -> None:
        """Keep the best trial, or the front, and the curve of incumbents up to date."""
        self.finished += trial.state == "finished"
        if self.goal.several:
            self.front = front_of([*self.front, trial], self.goal)
            return
        best = best_of([trial] if self.best is None else [self.best, trial], self.goal)
        if best is not None and best.value is not None:
            self.best = best
            self.curve.append(best.value)

    @property
    def count(self) -> int:
        """How much of the budget is spent."""
        return self.before + len(self.ended)

    @property
    def elapsed(self) -> float:
        """Seconds since this session began."""
        return time.monotonic() - self.began

    @property
    def pace(self) -> float | None:
        """Seconds from one trial's end to the next, over the latest twenty; None before the first."""
        latest = [getattr(trial.outcome, "told_at", None) for trial in self.ended[-21:]]
        times: list[float] = [told for told in latest if told is not None]
        if len(times) >= 2:
            return max(0.0, times[-1] - times[0]) / (len(times) - 1)
        return self.elapsed / len(self.ended) if self.ended else None

    @property
    def left(self) -> float | None:
        """Seconds to the end at the present pace; None before the first trial and after the last."""
        return (
            None if self.pace is None or self.count >= self.budget else self.pace * (self.budget - self.count)
        )

    def line(self) -> str:
        """Everything on one line."""
        left, pace = self.left, self.pace
        return " · ".join(
            [
                f"trial {self.count}/{self.budget}",
                self.found(),
                *self.proof(),
                *([] if pace is None else [f"{duration(pace)} a step"]),
                *([] if left is None else [f"about {duration(left)} left"]),
            ]
        )

    @property
    def label(self) -> str:
        """What the best is: of noisy values the best that was measured, which may be luck."""
        return "front" if self.goal.several else "best measured" if self.goal.noise else "best"

    def found(self) -> str:
        """What has been found so far, in a few words."""
        if self.goal.several and self.front:
            return f"{plural(len(self.front), 'trial')} on the front"
        if self.best is not None:
            return f"{self.label} {self.value()}"
        kept = " and ".join(map(str, self.goal.limits))
        return f"no trial keeps {kept}" if self.finished else "no value yet"

    def value(self) -> str:
        """The best value with its unit."""
        assert self.best is not None, "there is a best trial"
        return f"{self.best.value:g}{self.goal.unit(self.goal.name)}"

    def ends(self) -> str:
        """The best value of each objective among the trials of the front."""
        best = (
            (name, (max if sense == "maximize" else min)(trial.values[name] for trial in self.front))
            for name, sense in self.goal.objectives
        )
        return ", ".join(f"{name} to {value:g}{self.goal.unit(name)}" for name, value in best)

    def proof(self) -> list[str]:
        """What is proved about the last proposal that a model chose."""
        last = next((t.certificate for t in reversed(self.ended) if t.certificate is not None), None)
        if last is None:
            return ["random points first"]
        # A bound that is proved allows for rounding, and so is rarely the value to the last digit.
        closed = last.gap == 0 or (last.status == "optimal" and last.gap < 5e-5)
        gap = "gap 0" if closed else f"gap {last.gap:.2%}"
        return [f"bound {last.bound:.4g}", f"{gap} ({last.status})"]

    def panel(self, width: int | None = None) -> Any:
        """Everything as a small panel for a terminal, as wide as that or of a given width."""
        from rich.panel import Panel
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        head = Table.grid(padding=(0, 1), expand=True)
        head.add_column(no_wrap=True)
        head.add_column(ratio=1)
        head.add_column(no_wrap=True, justify="right")
        left = self.left
        clock = duration(self.elapsed) + ("" if left is None else f", about {duration(left)} left")
        head.add_row(
            Text(f"trial {self.count}/{self.budget}", style="bold"),
            ProgressBar(total=self.budget, completed=self.count),
            Text(clock, style="dim"),
        )
        body = Table.grid(padding=(0, 2))
        body.add_column(style="dim", no_wrap=True)
        body.add_column()
        best = Text(self.found(), style="dim")
        if self.front:
            best = Text.assemble(
                (plural(len(self.front), "trial"), "bold green"), (f"  {self.ends()}", "dim")
            )
        elif self.best is not None:
            best = Text.assemble(
                (self.value(), "bold green"),
                (f"  trial {self.best.number}  ", "dim"),
                (sparkline(self.curve), "green"),
            )
        body.add_row(self.label, best)
        if self.ended:
            last = self.ended[-1]
            shown = last.shown if last.reason is None else f"failed: {last.short_reason}"
            body.add_row("last", Text.assemble(shown, (f"  {last.origin}", "dim")))
        body.add_row("proved", Text(" · ".join(self.proof())))
        body.add_row("time in", Text(spent_text(spent(self.ended))))
        grid = Table.grid(expand=True)
        grid.add_row(head)
        grid.add_row(body)
        return Panel(grid, title="milbox", title_align="left", border_style="dim", width=width)


def watched(steps: Iterable["Trial"], watch: Watch, style: Style, compact: bool = False) -> Iterator["Trial"]:
    """The steps as they come, shown on standard error: live on a terminal, quiet elsewhere unless asked.

    Args:
        steps: trials as they end.
        watch: collects them.
        style: `auto`, `plain` lines now and then, or `none`.
        compact: one live line instead of a panel.
    """
    if style == "auto" and sys.stderr.isatty():
        yield from _live(steps, watch, compact)
        return
    shown_at, shown_count = watch.began, watch.before
    for trial in steps:
        watch.add(trial)
        yield trial
        due = watch.count - shown_count >= watch.budget / 20 or watch.count == watch.budget
        if style == "plain" and (due or time.monotonic() - shown_at > SECONDS_BETWEEN_LINES):
            say(watch.line())
            shown_at, shown_count = time.monotonic(), watch.count


def _live(steps: Iterable["Trial"], watch: Watch, compact: bool) -> Iterator["Trial"]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)

    def shown() -> Any:
        # Two columns stay free: there the terminal writes ^C, which would otherwise go to a line of its own,
        # and the next frame would stand one line too low.
        width = max(console.width - 2, 1)
        if not compact:
            return watch.panel(width)
        line = Text(watch.line(), no_wrap=True)
        line.truncate(width, overflow="ellipsis")
        return line

    with Live(get_renderable=shown, console=console, refresh_per_second=4):
        for trial in steps:
            watch.add(trial)
            yield trial


def sparkline(curve: list[float], width: int = 24) -> str:
    """The course of the incumbent in small bars."""
    if not curve:
        return ""
    places = [curve[round(i * (len(curve) - 1) / max(width - 1, 1))] for i in range(min(width, len(curve)))]
    if len(curve) < width:
        places = curve
    low, high = min(places) / 2, max(places) / 2  # halves, whose difference is within the range of floats
    span = (high - low) or 1.0
    return "".join(BARS[round((value / 2 - low) / span * (len(BARS) - 1))] for value in places)
