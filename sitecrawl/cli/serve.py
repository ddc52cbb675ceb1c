"""``sitecrawl serve``: the API, the dashboard, the scheduler and a worker."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DatabaseOption, SettingOption, load_profile
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
    setting: SettingOption = None,
    database: DatabaseOption = "",
) -> None:
    """Serve the API and the dashboard, and scan watched sites.

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


def mcp(
    write: Annotated[
        bool, typer.Option("--write", help="Also give tools that store something, such as ask.")
    ] = False,
    database: DatabaseOption = "",
) -> None:
    """Serve agents by the Model Context Protocol.

    It uses standard input and output.

    \b
    sitecrawl mcp
    sitecrawl mcp --write --database sqlite:////srv/sitecrawl.db
    """
    from sitecrawl.services.database import configured_url
    from sitecrawl.store.engine import open_database

    try:
        from sitecrawl.mcp.server import build_server
    except ImportError as error:
        raise ExtraMissingError(
            f"sitecrawl mcp needs the package {error.name}; pip install 'sitecrawl[mcp]'"
        ) from error
    url = database or configured_url()
    with open_database(url, create=False, to_write=write) as store:
        build_server(store, may_write=write).run("stdio")


def scrapyd() -> None:
    """Run Scrapyd in this folder, with each profile as a project.

    Writes scrapyd.conf, with a new password, and scrapy.cfg, unless they are there. Scrapyd keeps
    its queue, logs and feeds in this folder, and its jobs the inventory, unless
    SITECRAWL_DATABASE_URL says otherwise.

    \b
    mkdir node && cd node && sitecrawl scrapyd
    curl -u sitecrawl:PASSWORD localhost:6800/schedule.json \\
      -d project=audit -d spider=discover -d domain=example.com
    """
    from sitecrawl.config.scrapyd_node import CONFIGURATION, prepare_node, setuptools_problem

    if find_spec("scrapyd") is None:
        raise ExtraMissingError("Scrapyd is not installed; pip install 'sitecrawl[scrapyd]'")
    if problem := setuptools_problem():
        raise ExtraMissingError(problem)
    written = prepare_node(Path.cwd())
    if written:
        typer.echo(f"wrote {' and '.join(written)}")
    if CONFIGURATION in written:
        typer.echo(f"the user is sitecrawl; the password is in {CONFIGURATION}")
    sys.stdout.flush()
    # A file with the number of the process would keep a restarted container from starting.
    command = (sys.executable, "-m", "scrapyd", "--pidfile=")
    os.execv(sys.executable, command)  # noqa: S606  no shell is wanted
