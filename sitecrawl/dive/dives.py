"""Runs a dive: makes the wanted pages of a site searchable."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sitecrawl.dive.embeddings import local_embedder, local_embedder_named
from sitecrawl.dive.models import ServedEmbedder, embedding_server
from sitecrawl.dive.reading import DiveCounts, PageReader, embed_passages
from sitecrawl.errors import NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.scan_process import run_in_child
from sitecrawl.store.queries.page_filter import LISTED_PAGES
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scans import latest_scan
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.dives import begin_dive, choose_pages, end_dive, remove_unlisted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sitecrawl.config import Config
    from sitecrawl.dive.embeddings import Embedder
    from sitecrawl.services.scan_process import ScanResult
    from sitecrawl.services.scans import ScanRequest
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan, Site


@dataclass(frozen=True, slots=True)
class DiveResult:
    """What a dive has done."""

    dive_id: int
    counts: DiveCounts
    notice: str = ""
    """Why not all pages could be fetched."""


@requires(Permission.SCAN)
def run_dive(
    database: Database,
    site: Site,
    config: Config,
    wanted: PageFilter = LISTED_PAGES,
    *,
    languages: Sequence[str] = (),
    fetch: ScanRequest | None = None,
    tell: Callable[[DiveCounts], None] | None = None,
) -> DiveResult:
    """Fetch the wanted pages, read them, and embed their passages.

    Pages are fetched by a scan of its own, under the same manners as any other. One whose body was
    kept within the last ``SITECRAWL_DIVE_MAX_AGE_HOURS`` is not fetched again. *fetch* says with
    which profile, settings and database; without it no page is fetched. A dive can be stopped at
    any point: the next one goes on where this one was.
    """
    scan = latest_scan(database, site.id)
    if scan is None:
        raise NotFoundError(f"{site.key} has no scan yet; see: sitecrawl discover --help")
    with database.writing() as connection:
        dive_id = begin_dive(connection, site.id, _asked(wanted))
    counts = DiveCounts()
    status, reason, fetched = "failed", None, None
    try:
        page_ids = _page_ids(database, scan, wanted)
        if fetch is not None:
            oldest = datetime.now(UTC) - timedelta(hours=config.dive_max_age_hours)
            fetched = _fetch(database, site, fetch, dive_id, page_ids, oldest)
        reader = PageReader(database, site, dive_id, counts, languages, tell)
        reader.read(page_ids)
        listed = set(_page_ids(database, scan, LISTED_PAGES))
        with database.writing() as connection:
            counts.removed = remove_unlisted(connection, site.id, listed)
        embed_passages(database, site, embedder_choice(config), counts, tell)
        status = "finished"
    except KeyboardInterrupt:
        status, reason = "cancelled", "stopped by the user"
        raise
    finally:
        with database.writing() as connection:
            scan_id = fetched.scan_id if fetched is not None else None
            end_dive(connection, dive_id, status, asdict(counts), reason, scan_id)
    notice = ""
    if fetched is not None and fetched.status != ScanStatus.FINISHED:
        notice = fetched.reason or fetched.status
    return DiveResult(dive_id, counts, notice)


def _fetch(
    database: Database,
    site: Site,
    request: ScanRequest,
    dive_id: int,
    page_ids: Sequence[int],
    oldest: datetime,
) -> ScanResult | None:
    """Fetch the pages that have no body as new as *oldest*, if there are any."""
    with database.writing() as connection:
        if choose_pages(connection, dive_id, page_ids, oldest) == 0:
            return None
    arguments = {"dive": str(dive_id)}
    own = replace(request, domain=site.root_url, spider="dive", arguments=arguments)
    return run_in_child(own)


@requires(Permission.READ)
def wanted_pages(database: Database, site: Site, wanted: PageFilter) -> set[int] | None:
    """The ids of the wanted pages, to search in them alone; None: in all of them."""
    if wanted == LISTED_PAGES:
        return None
    scan = latest_scan(database, site.id)
    return set(_page_ids(database, scan, wanted)) if scan is not None else set()


def embedder_choice(config: Config) -> Callable[[str], Embedder]:
    """By language: the server that is set, or the installed models."""
    server = embedding_server(config)
    if server is None:
        return local_embedder
    served = ServedEmbedder(server)
    return lambda _language: served


def embedders_by_name(config: Config) -> Callable[[str], Embedder | None]:
    """The models that a question can be embedded by, by the name that vectors are stored with."""
    server = embedding_server(config)
    served = ServedEmbedder(server) if server is not None else None
    return lambda name: served if served and served.name == name else local_embedder_named(name)


def _page_ids(database: Database, scan: Scan, wanted: PageFilter) -> list[int]:
    return [row[0] for rows in page_rows(database, scan, wanted, ("id",)) for row in rows]


def _asked(wanted: PageFilter) -> dict[str, Any]:
    """What of the filter differs from its defaults, for the record."""
    return {
        each.name: str(value)
        for each in fields(wanted)
        if (value := getattr(wanted, each.name)) != each.default
    }
