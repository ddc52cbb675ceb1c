"""Watches the bundled demo site with a history, so that a newcomer sees a living dashboard."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sitecrawl.demo.server import DemoServer
from sitecrawl.errors import ConflictError
from sitecrawl.services.changes import catch_up
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.scan_process import run_in_child
from sitecrawl.services.scans import ScanRequest
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store.queries.scans import site_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.store.engine import Database

# It is our own site, and needs no pauses.
_PROFILE: Final = "fast"
_NAME: Final = "Lindental Seed Library (demo)"


@contextmanager
@requires(Permission.EDIT)
def watched_demo_site(
    database: Database,
    database_url: str,
    workspace_id: int,
    tell: Callable[[str], object] = lambda _words: None,
) -> Iterator[str]:
    """Serve the demo site on loopback while the context is entered; give its address.

    The first time it is scanned as it was some weeks ago and as it is now, then watched.
    """
    with DemoServer.on_usual_port() as demo:
        url = demo.url
        has_history = site_for(database, url) is not None
    port = urlsplit(url).port or 0
    if not has_history:
        tell("Scanning the demo site twice, so that there is a history ...")
        with DemoServer(port, is_earlier=True):
            _scan(url, database_url)
    with DemoServer(port):
        if not has_history:
            _scan(url, database_url)
            _compare(database, url)
        try:
            new = NewSite(url, name=_NAME, tags=("demo",), profile=_PROFILE, allow_private=True)
            add_site(database, workspace_id, new)
        except ConflictError:
            pass  # it has been watched since an earlier start
        yield url


def _compare(database: Database, url: str) -> None:
    site = site_for(database, url)
    if site is not None:
        catch_up(database, site)


def _scan(url: str, database_url: str) -> None:
    run_in_child(ScanRequest(domain=url, profile=_PROFILE, database=database_url))
