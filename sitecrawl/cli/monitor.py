"""``sitecrawl monitor`` and ``worker``: run the monitor, and see what it does."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.options import DatabaseOption, command_group
from sitecrawl.cli.tables import JsonOption, ago, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from sitecrawl.config import Config
    from sitecrawl.services.jobs import MonitorStatus

_SCANS_OPTION = typer.Option(
    "--scans",
    min=1,
    max=100,
    help="Scans that this worker runs at once. Default: SITECRAWL_MONITOR_SCANS.",
)

_TAG_OPTION = typer.Option(
    "--tag",
    "-t",
    help="What this worker has, such as eu; may be repeated. A worker with a browser has the tag"
    " browser by itself. Default: SITECRAWL_MONITOR_TAGS.",
)

app = command_group("monitor", "Scan watched sites on their schedules.")


@app.command()
def run(
    scans: Annotated[int | None, _SCANS_OPTION] = None,
    tag: Annotated[list[str] | None, _TAG_OPTION] = None,
    database: DatabaseOption = "",
) -> None:
    """Run the scheduler and a worker, until they are stopped.

    \b
    sitecrawl monitor run
    sitecrawl monitor run --scans 8
    """
    _run(database, scans, tag or (), is_scheduler=True)


def worker(
    scans: Annotated[int | None, _SCANS_OPTION] = None,
    tag: Annotated[list[str] | None, _TAG_OPTION] = None,
    database: DatabaseOption = "",
) -> None:
    """Run a further worker, on this machine or on another one.

    It needs a running monitor. SIGTERM lets the scans that run come to their end, a second one ends
    at once.

    \b
    sitecrawl worker --database postgresql://user@db.example/sitecrawl
    sitecrawl worker --tag eu --scans 8
    """
    _run(database, scans, tag or (), is_scheduler=False)


@app.command()
def status(
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Show the workers, and the jobs of the last 24 hours.

    \b
    sitecrawl monitor status
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.jobs import monitor_status

    with reading(database) as store:
        found = monitor_status(store, 1, datetime.now(UTC) - timedelta(days=1))
    if as_json:
        print_json(asdict(found))
        return
    _show(found)


def _show(found: MonitorStatus) -> None:
    words = [f"{number:,} {status}" for status, number in sorted(found.jobs.items())]
    typer.echo(f"Jobs of the last 24 hours: {', '.join(words) or 'none'}")
    if not found.workers:
        typer.echo("No worker runs; start one with: sitecrawl monitor run")
        return
    now = datetime.now(UTC)
    print_table(
        ("worker", "role", "tags", "running", "of", "since", "last seen", "last tick"),
        [
            (
                each.name,
                "draining"
                if each.is_draining
                else ("scheduler, worker" if each.is_scheduler else "worker"),
                ", ".join(each.tags),
                str(each.running),
                str(each.capacity),
                ago(each.started_at, now),
                ago(each.heartbeat_at, now),
                ago(each.last_tick_at, now),
            )
            for each in found.workers
        ],
    )
    for reason, number in found.waiting.items():
        typer.echo(f"{number:,} waiting: {reason}")
    if not found.is_scheduling:
        typer.echo("No scheduler runs: nothing is started; see: sitecrawl monitor run --help")


def _run(database: str, scans: int | None, tags: Sequence[str], *, is_scheduler: bool) -> None:
    stopped_by = (signal.SIGTERM, signal.SIGINT)
    run_monitor(_config(database), stopped_by, scans=scans, tags=tags, is_scheduler=is_scheduler)


def run_monitor(
    config: Config,
    stopped_by: Sequence[int],
    *,
    scans: int | None = None,
    tags: Sequence[str] = (),
    is_scheduler: bool = True,
) -> None:
    """Run until one of the signals comes, then let the scans end; at once if another one comes."""
    from sitecrawl.logs import start_service_log
    from sitecrawl.monitor.worker import monitor_process

    with monitor_process(config, is_scheduler=is_scheduler, scans_at_once=scans, tags=tags) as it:
        start_service_log(config, worker=it.name)

        def stop(_number: int, _frame: FrameType | None) -> None:
            if it.is_stopping:
                os._exit(1)  # the children end by themselves, and others go on with their scans
            it.stop()

        for each in stopped_by:
            signal.signal(each, stop)
        it.run()


def _config(database: str) -> Config:
    from dataclasses import replace

    from sitecrawl.services.database import configured

    config = configured()
    return replace(config, database_url=database) if database else config
