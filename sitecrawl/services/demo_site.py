"""Watches the bundled demo site with a history, so that a newcomer sees a living dashboard."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sitecrawl.demo.server import DemoServer
from sitecrawl.errors import ConflictError
from sitecrawl.services.change_detection import catch_up
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.scan_process import run_in_child
from sitecrawl.services.scans import ScanRequest
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store.queries.scans import scans, site_for
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from sitecrawl.store.engine import Database

# It is our own site, and needs no pauses.
_PROFILE: Final = "fast"
_SCANS_OF_HISTORY: Final = 2
_NAME: Final = "Lindental Seed Library (demo)"


@contextmanager
@requires(Permission.EDIT)
def watched_demo_site(
    database: Database,
    database_url: str,
    workspace_id: int,
    tell: Callable[[str], object] = lambda _words: None,
    is_over: threading.Event | None = None,
) -> Iterator[str]:
    """Serve the demo site on loopback while the context is entered; give its address.

    The first time it is scanned as it was some weeks ago and as it is now, then watched. Once
    *is_over* is set such a scan is ended at once, and done again the next time.
    """
    with DemoServer.on_usual_port() as demo:
        url = demo.url
    port = urlsplit(url).port or 0
    missing = _SCANS_OF_HISTORY - _finished_scans(database, url)
    if missing > 0:
        tell("Scanning the demo site twice, so that there is a history ...")
    if missing == _SCANS_OF_HISTORY:
        with DemoServer(port, is_earlier=True):
            _scan(url, database_url, is_over)
    with DemoServer(port):
        if missing > 0:
            _scan(url, database_url, is_over)
            _compare(database, url)
        try:
            new = NewSite(url, name=_NAME, tags=("demo",), profile=_PROFILE, allow_private=True)
            add_site(database, workspace_id, new)
        except ConflictError:
            pass  # it has been watched since an earlier start
        yield url


def _finished_scans(database: Database, url: str) -> int:
    site = site_for(database, url)
    newest = scans(database, site_id=site.id) if site else []
    return sum(each.status == ScanStatus.FINISHED for each in newest)


def _compare(database: Database, url: str) -> None:
    site = site_for(database, url)
    if site is not None:
        catch_up(database, site)


def _scan(url: str, database_url: str, is_over: threading.Event | None) -> None:
    request = ScanRequest(domain=url, profile=_PROFILE, database=database_url)
    run_in_child(request, is_over=is_over)
