"""Runs a dive: makes the wanted pages of a site searchable."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sitecrawl.dive.embeddings import local_embedder, local_embedder_named
from sitecrawl.dive.files.formats import FileFormat, ending_of, is_pdf_readable
from sitecrawl.dive.files.reader import FileProcess
from sitecrawl.dive.models import ServedEmbedder, embedding_server
from sitecrawl.dive.reading import DiveCounts, PageReader, embed_passages
from sitecrawl.dive.topics import renew_topics
from sitecrawl.errors import NotFoundError, SitecrawlError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.scan_process import run_in_child
from sitecrawl.store.queries.page_filter import LISTED_PAGES, PageFilter
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scan_figures import stored_progress
from sitecrawl.store.queries.scans import latest_scan
from sitecrawl.store.vocabulary import DiveStatus, PageStatus, ScanStatus
from sitecrawl.store.writers.dives import (
    add_dive,
    begin_dive,
    choose_pages,
    end_dive,
    note_counts,
    remove_unlisted,
)
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sitecrawl.config import Config
    from sitecrawl.dive.embeddings import Embedder
    from sitecrawl.services.scan_process import ScanProgress, ScanResult
    from sitecrawl.services.scans import ScanRequest
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan, Site

_NOTE_SECONDS: Final = 1.0
_FILES: Final = PageFilter(reason=Reason.SKIPPED_FILE_TYPE, robots_allowed=True)


@dataclass(frozen=True, slots=True)
class DiveResult:
    """The result of a dive."""

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
    fetch: ScanRequest | None = None,
    dive_id: int | None = None,
    tell: Callable[[DiveCounts], None] | None = None,
) -> DiveResult:
    """Fetch the wanted pages, read them, and embed their passages.

    Pages are fetched by a scan of their own, as politely as by any other. A page whose body was
    kept within the last ``SITECRAWL_DIVE_MAX_AGE_HOURS`` is not fetched again. *fetch* has the
    profile, settings and database of that scan; without it no page is fetched. *dive_id*: of a
    queued dive. A dive can be stopped at any point: the next one goes on where this one stopped.
    """
    scan = latest_scan(database, site.id)
    if scan is None:
        raise NotFoundError(f"{site.key} has no scan yet; see: sitecrawl discover --help")
    with database.writing() as connection:
        if dive_id is None:
            dive_id = add_dive(connection, site.id, filter_facts(wanted))
        else:
            begin_dive(connection, dive_id)
    dive = _Dive(database, site, scan, config, dive_id, tell)
    status, reason, fetched = DiveStatus.FAILED, None, None
    try:
        pages, files = dive.choose(wanted)
        if fetch is not None:
            fetched = dive.fetch(fetch, pages + files)
        dive.read(pages, files)
        dive.index()
        status = DiveStatus.FINISHED
        if fetched is not None and fetched.status != ScanStatus.FINISHED:
            status, reason = DiveStatus.PARTIAL, fetched.reason or fetched.status
    except KeyboardInterrupt:
        status, reason = DiveStatus.CANCELLED, "stopped by the user"
        raise
    except SitecrawlError as error:
        reason = str(error)
        raise
    finally:
        with database.writing() as connection:
            scan_id = fetched.scan_id if fetched is not None else None
            end_dive(connection, dive_id, status, asdict(dive.counts), reason, scan_id)
    return DiveResult(dive_id, dive.counts, reason or "")


class _Dive:
    """The steps of a dive, which count what they do."""

    def __init__(
        self,
        database: Database,
        site: Site,
        scan: Scan,
        config: Config,
        dive_id: int,
        tell: Callable[[DiveCounts], None] | None,
    ):
        self._database = database
        self._site = site
        self._scan = scan
        self._config = config
        self._id = dive_id
        self._languages = config.languages if config.skip_other_languages else ()
        self._tell = _NotedCounts(database, dive_id, tell)
        self.counts = DiveCounts()

    def choose(self, wanted: PageFilter) -> tuple[list[int], list[int]]:
        """The ids of the pages and of the files to read."""
        return self._readable_pages(wanted), self._readable_files(wanted)

    def _readable_pages(self, wanted: PageFilter) -> list[int]:
        """The wanted pages but for those that are known to be in another language."""
        languages = {*self._languages, ""}
        found: list[int] = []
        for rows in page_rows(self._database, self._scan, wanted, ("id", "language")):
            for page_id, language in rows:
                self.counts.pages += 1
                if self._languages and (language or "").partition("-")[0] not in languages:
                    self.counts.other_language += 1
                else:
                    found.append(page_id)
        return found

    def _readable_files(self, wanted: PageFilter) -> list[int]:
        """The wanted files that scans do not fetch, as far as they can be read here."""
        found: list[int] = []
        for page_id, url in _wanted_files(self._database, self._scan, wanted):
            ending = ending_of(url)
            if ending not in self._config.dive_files:
                continue
            self.counts.files += 1
            if ending == FileFormat.PDF and not is_pdf_readable():
                self.counts.files_left_out += 1
            else:
                found.append(page_id)
        return found

    def fetch(self, request: ScanRequest, page_ids: Sequence[int]) -> ScanResult | None:
        """Fetch the pages whose body is not kept or too old; None: there are none."""
        oldest = datetime.now(UTC) - timedelta(hours=self._config.dive_max_age_hours)
        with self._database.writing() as connection:
            self.counts.to_fetch = choose_pages(connection, self._id, page_ids, oldest)
        if not self.counts.to_fetch:
            return None

        def tell_progress(reached: ScanProgress) -> None:
            self.counts.fetched = reached.visited
            self._tell(self.counts)

        arguments = {"dive": str(self._id)}
        own = replace(request, domain=self._site.root_url, spider="dive", arguments=arguments)
        fetched = run_in_child(own, tell_progress)
        progress = stored_progress(self._database, fetched.scan_id)
        self.counts.fetched = progress.visited if progress is not None else 0
        return fetched

    def read(self, page_ids: Sequence[int], file_ids: Sequence[int]) -> None:
        """Read the kept bodies into passages, and forget pages that are no longer listed."""
        with FileProcess() as files:
            reader = PageReader(
                *(self._database, self._site, self._id, self.counts, files),
                languages=self._languages,
                tell=self._tell,
            )
            reader.read(page_ids)
            reader.read(file_ids, at_once=1)
        listed = {
            *_page_ids(self._database, self._scan, LISTED_PAGES),
            *_page_ids(self._database, self._scan, _FILES),
        }
        with self._database.writing() as connection:
            self.counts.removed = remove_unlisted(connection, self._site.id, listed)

    def index(self) -> None:
        """Give the passages their vectors, and find the topics anew if anything has changed."""
        choice = embedder_choice(self._config)
        embed_passages(self._database, self._site, choice, self.counts, self._tell)
        if self.counts.read or self.counts.removed:
            renew_topics(self._database, self._site)


class _NotedCounts:
    """Reports the progress of a dive, and stores it about once a second."""

    def __init__(self, database: Database, dive_id: int, tell: Callable[[DiveCounts], None] | None):
        self._database = database
        self._dive_id = dive_id
        self._tell = tell
        self._noted_at = 0.0

    def __call__(self, counts: DiveCounts) -> None:
        if self._tell is not None:
            self._tell(counts)
        if time.monotonic() - self._noted_at >= _NOTE_SECONDS:
            self._noted_at = time.monotonic()
            with self._database.writing() as connection:
                note_counts(connection, self._dive_id, asdict(counts))


@requires(Permission.READ)
def wanted_pages(database: Database, site: Site, wanted: PageFilter) -> set[int] | None:
    """The ids of the wanted pages, to search only in them; None: all pages."""
    if wanted == LISTED_PAGES:
        return None
    scan = latest_scan(database, site.id)
    if scan is None:
        return set()
    files = (page_id for page_id, _url in _wanted_files(database, scan, wanted))
    return {*_page_ids(database, scan, wanted), *files}


def embedder_choice(config: Config) -> Callable[[str], Embedder]:
    """The embedder of a language: the configured server, or an installed model."""
    server = embedding_server(config)
    if server is None:
        return local_embedder
    served = ServedEmbedder(server)
    return lambda _language: served


def embedders_by_name(config: Config) -> Callable[[str], Embedder | None]:
    """The models for questions, by the name that vectors are stored with."""
    server = embedding_server(config)
    served = ServedEmbedder(server) if server is not None else None
    return lambda name: served if served and served.name == name else local_embedder_named(name)


def _page_ids(database: Database, scan: Scan, wanted: PageFilter) -> list[int]:
    return [row[0] for rows in page_rows(database, scan, wanted, ("id",)) for row in rows]


def _wanted_files(database: Database, scan: Scan, wanted: PageFilter) -> Iterator[tuple[int, str]]:
    """The ids and addresses of allowed files that scans do not fetch.

    Files are in no cluster; those below the path of a cluster count as part of it.
    """
    cluster = wanted.cluster
    files = replace(wanted, reason=_FILES.reason, robots_allowed=True, cluster="")
    for rows in page_rows(database, scan, files, ("id", "url")):
        for page_id, url in rows:
            if not cluster or urlsplit(url).path.startswith(f"{cluster.rstrip('/')}/"):
                yield page_id, url


def filter_facts(wanted: PageFilter) -> dict[str, Any]:
    """The fields of a filter that differ from their defaults, as JSON values."""
    return {
        each.name: value.isoformat() if isinstance(value, date) else value
        for each in fields(wanted)
        if (value := getattr(wanted, each.name)) != each.default
    }


def filter_of(facts: Mapping[str, Any]) -> PageFilter:
    """The inverse of :func:`filter_facts`.

    >>> wanted = PageFilter(cluster="/docs", changed_since=datetime(2026, 1, 1, tzinfo=UTC))
    >>> filter_of(filter_facts(wanted)) == wanted
    True
    """
    return PageFilter(**{name: _filter_value(name, value) for name, value in facts.items()})


def _filter_value(name: str, value: Any) -> Any:
    if name.startswith("lastmod_"):
        return date.fromisoformat(value)
    if name.endswith(("_since", "_before")):
        return datetime.fromisoformat(value)
    if name == "status":
        return PageStatus(value)
    return tuple(value) if isinstance(value, list) else value
