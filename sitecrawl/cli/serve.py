"""``sitecrawl serve``: the API, the dashboard, the scheduler and a worker."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DATABASE_OPTION, SETTING_OPTION, load_profile
from sitecrawl.config import Config
from sitecrawl.config.environment import apply_environment
from sitecrawl.errors import ExtraMissingError, SitecrawlError
from sitecrawl.logs import start_service_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.process import BaseProcess

    from sitecrawl.store.engine import Database

_RESTART_SECONDS: Final = 5
_DEMO_DRAIN_SECONDS: Final = 2


def serve(
    host: Annotated[str, typer.Option(help="Default: SITECRAWL_WEB_HOST, 127.0.0.1.")] = "",
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Default: SITECRAWL_WEB_PORT, 8400.")
    ] = None,
    workers: Annotated[
        bool,
        typer.Option(
            help="Also run the scheduler and a worker; without them: sitecrawl monitor run."
        ),
    ] = True,
    demo: Annotated[
        bool, typer.Option("--demo", help="Also serve the bundled demo site, and watch it.")
    ] = False,
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Serve the API and the dashboard, and scan watched sites on their schedules.

    \b
    sitecrawl serve
    sitecrawl serve --port 9000 --database postgresql://user:password@host/name
    sitecrawl serve --no-workers
    sitecrawl serve --demo
    """
    from sitecrawl.store.engine import open_database

    config = _config(host, port, setting or [], database)
    if demo:
        # Whoever tries it out does not wait for scans; the next start goes on with them.
        drain_seconds = min(config.monitor_drain_seconds, _DEMO_DRAIN_SECONDS)
        config = replace(config, monitor_drain_seconds=drain_seconds)
    try:
        from sitecrawl.web.server import DATABASE_CONNECTIONS, Server
    except ImportError as error:
        raise ExtraMissingError(
            f"sitecrawl serve needs the package {error.name}; install what it needs with:"
            " pip install 'sitecrawl[web]'"
        ) from error
    if config.log_format == "json":
        start_service_log(config)
    migrate_before_serving(config.database_url)
    with (
        open_database(config.database_url, connections=DATABASE_CONNECTIONS) as store,
        _demo_site(config, store, wanted=demo) as start_demo_site,
        _monitor(config, workers) as start_monitor,
    ):

        def on_ready(bound: int) -> None:
            _tell(replace(config, web_port=bound), store)
            start_monitor()
            start_demo_site()

        Server(config, store, on_ready).run()


def migrate_before_serving(url: str) -> None:
    """Bring an older database to the newest version, and say so."""
    from sitecrawl.services.maintenance import migrate

    done = migrate(url, keep_copy=True)
    if done.before is None or not done.is_needed:
        return
    kept = f"; as it was before: {done.copy}" if done.copy else ""
    typer.echo(f"Migrated {done.database}: {done.before} -> {done.after}{kept}")


@contextmanager
def _demo_site(config: Config, store: Database, *, wanted: bool) -> Iterator[Callable[[], None]]:
    """What starts the demo site in a thread: it is scanned while the server answers already."""
    if not wanted:
        yield lambda: None
        return
    is_over = threading.Event()

    def watch() -> None:
        from sitecrawl.services.demo_site import watched_demo_site
        from sitecrawl.store.vocabulary import FIRST_WORKSPACE

        try:
            with watched_demo_site(
                store, config.database_url, FIRST_WORKSPACE, typer.echo, is_over
            ) as url:
                typer.echo(f"The demo site is at {url}")
                is_over.wait()
        except SitecrawlError as error:
            # Its scan is ended with the server.
            if not is_over.is_set():
                typer.echo(f"The demo site is not watched: {error}", err=True)

    watcher = threading.Thread(target=watch, name="demo site")
    try:
        yield watcher.start
    finally:
        is_over.set()
        if watcher.ident is not None:
            watcher.join()


def _config(host: str, port: int | None, assignments: list[str], database: str) -> Config:
    given = {
        "SITECRAWL_WEB_HOST": host or None,
        "SITECRAWL_WEB_PORT": port,
        "SITECRAWL_DATABASE_URL": database or None,
    }
    settings = load_profile("default", assignments)
    for name, value in given.items():
        if value is not None:
            settings.set(name, value, "cmdline")
    apply_environment(settings)
    return Config.from_settings(settings)


def _tell(config: Config, store: Database) -> None:
    from sitecrawl.services.users import setup_link
    from sitecrawl.web.links import server_url, setup_path

    url = server_url(config)
    typer.echo(f"sitecrawl is ready at {url}  (stop it with Ctrl+C)")
    if secret := setup_link(store):
        typer.echo("There are no users yet. Set up the first one within three days:")
        typer.echo(f"  {url}{setup_path(secret)}")


@contextmanager
def _monitor(config: Config, is_wanted: bool) -> Iterator[Callable[[], None]]:
    """What starts the monitor in a process of its own; it ends with the context."""
    if not is_wanted:
        yield lambda: None
        return
    monitor = _MonitorChild(config)
    try:
        yield monitor.start
    finally:
        monitor.stop()


class _MonitorChild:
    """The scheduler and a worker beside the server: neither keeps the other from answering."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._process: BaseProcess | None = None

    def start(self) -> None:
        self._watcher.start()

    def stop(self) -> None:
        """Let the scans that run come to their end; a second Ctrl+C ends them at once."""
        self._is_over.set()
        process = self._process
        if process is None or not process.is_alive():
            return
        process.terminate()
        try:
            process.join(self._config.monitor_drain_seconds + _RESTART_SECONDS)
        except KeyboardInterrupt:
            process.kill()
        process.join(_RESTART_SECONDS)

    def _watch(self) -> None:
        """Start it, and again whenever it dies."""
        while not self._is_over.is_set():
            self._process = multiprocessing.get_context("spawn").Process(
                target=_run_monitor, args=(self._config,)
            )
            self._process.start()
            self._process.join()
            if not self._is_over.wait(_RESTART_SECONDS):
                typer.echo("The monitor has ended, and is started again.", err=True)


def _run_monitor(config: Config) -> None:
    from sitecrawl.cli.monitor import run_monitor

    # Ctrl+C goes to both processes: the server passes it on when it has ended itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_monitor(config, (signal.SIGTERM,))
