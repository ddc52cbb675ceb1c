"""Output with Rich: the live progress line, and the summary in colours."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from sitecrawl.console.streams import discard_output

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def progress_line(stage: str, documents: int, urls: int, rate: int, seconds: int) -> Text:
    minutes, seconds = divmod(seconds, 60)
    return Text.assemble(
        (f" {stage} ", "reverse"),
        f"  {documents:,} documents  ",
        (f"{urls:,} URLs", "bold"),
        f"  {rate:,}/s  {minutes}:{seconds:02d}",
    )


def print_styled(lines: Iterable[Iterable[tuple[str, str]]], file: IO[str]) -> None:
    """Print lines of words with a style each."""
    console = _PatientConsole(file=file, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line))
