"""Output with Rich: the live progress line, and the summary in colours."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from sitecrawl.console.terminal import discard_output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sitecrawl.console.progress import ProgressFigures


class _PatientConsole(Console):
    """Goes silent when its reader has gone, as after ``| head``.

    Rich would end the process, and with it a scan that is still running.
    """

    def on_broken_pipe(self) -> None:
        self.quiet = True
        discard_output(self.file)


def start_live() -> Live:
    live = Live(console=_PatientConsole(stderr=True), auto_refresh=False, transient=True)
    live.start()
    return live


def progress_line(figures: ProgressFigures) -> Text:
    found, *others = figures.counts()
    return Text.assemble(
        (f" {figures.stage} ", "reverse"),
        "  ",
        (found, "bold"),
        *(f"  {each}" for each in others),
        f"  {figures.time()}",
    )


def print_styled(lines: Iterable[Iterable[tuple[str, str]]], file: IO[str]) -> None:
    """Print lines of words with a style each."""
    console = _PatientConsole(file=file, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line))
