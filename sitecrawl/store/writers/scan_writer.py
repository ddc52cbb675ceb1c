"""Writes one scan, from its begin to its end, on one connection.

All methods belong on one thread, the same for all of them. What was written is committed every
50,000 rows, every few seconds (call :meth:`ScanWriter.heartbeat` regularly for that), and when
asked. When a method raises, the work since the last commit is undone and the database is left
readable; the scan can still be finished as failed.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import compress
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError

from sitecrawl.items import FetchOutcome
from sitecrawl.store.driver_errors import explained
from sitecrawl.store.errors import ScanLostError
from sitecrawl.store.processes import process_token
from sitecrawl.store.queries.checks import (
    dive_pages_of,
    due_pages,
    missing_pages,
    unsettled_pages,
)
from sitecrawl.store.queries.known_documents import load_known_pages
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import evidence, scans, sites
from sitecrawl.store.vocabulary import FIRST_WORKSPACE, ScanStatus
from sitecrawl.store.writers.classes import finalize_classes
from sitecrawl.store.writers.documents import DocumentWriter, VerdictWriter
from sitecrawl.store.writers.finalize_crawl import (
    finalize_crawl,
    finalize_inlinks,
    reopen_crawl,
)
from sitecrawl.store.writers.finalize_mentions import finalize_mentions, mark_gone
from sitecrawl.store.writers.host_queues import (
    close_queues,
    forget_answers,
    next_answers,
    queue_waiting_visits,
    release_queues,
    want_renderings,
)
from sitecrawl.store.writers.pages import PageWriter, ensure_page_index
from sitecrawl.store.writers.scan_fetchers import end_fetcher, fetchers_result, open_frontier
from sitecrawl.store.writers.scans import begin_scan, reopen_scan
from sitecrawl.store.writers.visits import FactsWriter, SignalWriter, VisitWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.items import KnownPage, PackedBody
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.checks import DuePage
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.records import (
        DocumentRecord,
        FetchRecord,
        MenuRow,
        NewVisits,
        NextAnswer,
        PageRows,
        ScanHandle,
        VerdictRecord,
        VisitRecord,
        WaitingVisit,
    )
    from sitecrawl.store.writers.scan_fetchers import FetchersResult

COMMIT_ROWS = 50_000
COMMIT_SECONDS = 5.0


class ScanWriter:
    """The one who writes a scan."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None
        self._uncommitted_rows = 0
        self._committed_at = time.monotonic()
        self._wrote_pages = False
        self._is_finalized = False
        self._is_together = False

    def begin(
        self,
        *,
        asked: str,
        site_key: str,
        root_url: str,
        workspace_id: int = FIRST_WORKSPACE,
        profile: str = "",
        settings: Mapping[str, Any] | None = None,
        key_rules: Mapping[str, Any] | None = None,
        feeds: Mapping[str, str] | None = None,
    ) -> ScanHandle:
        """Begin the scan, or raise ScanRunningError or KeyRulesChangedError.

        *feeds* are the files that are to be written at its end, each with its format.
        """
        if self._connection is not None:
            raise RuntimeError("this writer has begun its scan already")
        with explained(self._database.label):
            connection = self._database.connect_writer()
            try:
                scan = begin_scan(
                    connection,
                    asked=asked,
                    workspace_id=workspace_id,
                    site_key=site_key,
                    root_url=root_url,
                    profile=profile,
                    settings=settings or {},
                    key_rules=key_rules or {},
                    feeds=feeds or {},
                )
                self._take_over(connection, scan)
            except BaseException:
                connection.close()
                raise
        return scan

    def resume(
        self, scan_id: int, feeds: Mapping[str, str] | None = None, job: str = ""
    ) -> ScanHandle:
        """Go on with a scan that did not end, or raise ScanNotResumableError.

        *job* is Scrapyd's name for this process, if Scrapyd has started it.
        """
        if self._connection is not None:
            raise RuntimeError("this writer has begun its scan already")
        with explained(self._database.label):
            connection = self._database.connect_writer()
            try:
                scan = reopen_scan(connection, scan_id, feeds or {}, job)
                reopen_crawl(connection, scan)
                self._take_over(connection, scan)
            except BaseException:
                connection.close()
                raise
        return scan

    def _take_over(self, connection: Connection, scan: ScanHandle) -> None:
        self._documents = DocumentWriter(connection, scan)
        self._pages = PageWriter(connection, scan)
        self._verdicts = VerdictWriter(connection, scan)
        self._visits = VisitWriter(connection, scan)
        self._signals = SignalWriter(connection, scan)
        self._facts = FactsWriter(connection, scan)
        connection.commit()
        self._connection = connection
        self._scan = scan

    def set_root(self, root_url: str) -> None:
        """Record the address that the scan goes on with."""
        with self._writing() as connection:
            for table, row_id in ((scans, self._scan.scan_id), (sites, self._scan.site_id)):
                connection.execute(
                    update(table).where(table.c.id == row_id).values(root_url=root_url)
                )

    def document(self, record: DocumentRecord) -> int:
        """Store the document if it is new to the site, and give its id.

        To be called for every parent that names it, so that the next scan knows the children of
        a document that answers "not modified".
        """
        return self.documents([record])[record.url]

    def documents(self, records: Sequence[DocumentRecord]) -> dict[str, int]:
        """The same for several documents at once; their ids by their URLs."""
        with self._writing():
            return self._documents.add(records)

    def record_fetch(self, record: FetchRecord) -> None:
        """Store how a fetch ended, and what that means for the document."""
        with self._writing():
            self._documents.record_fetch(record)

    def keep_body(self, sha256: str, body: bytes | PackedBody) -> None:
        """Store the raw bytes, once per content."""
        with self._writing():
            self._documents.keep_body(sha256, body)

    def verdict(self, record: VerdictRecord) -> int:
        """Store what a robots.txt says of some pages, and give its id."""
        with self._writing():
            return self._verdicts.add(record)

    def add_pages(self, rows: PageRows) -> None:
        """Store pages and mentions that one document gives."""
        with self._writing():
            self._uncommitted_rows += self._pages.add(rows)
            self._wrote_pages = True

    def add_visits(self, visits: NewVisits) -> None:
        """Put pages into the frontier of the crawl."""
        with self._writing():
            self._visits.add(visits)

    def add_menu(self, entries: Sequence[MenuRow]) -> None:
        """Keep the site's menu."""
        with self._writing():
            self._visits.add_menu(entries)

    def finish_visit(self, record: VisitRecord) -> None:
        """Record how a visit ended."""
        with self._writing():
            self._visits.finish(record)
            if record.outcome is FetchOutcome.OK:
                self._signals.say(record)
            if record.facts is not None:
                self._facts.add(record.number, record.facts)

    def release_visits(self, family: str, count: int, first_number: int) -> None:
        """Let some of those held under *family* be visited."""
        with self._writing():
            self._visits.release(family, count, first_number)

    def waiting_visits(
        self, after: int, limit: int, *, are_checks: bool = False
    ) -> list[WaitingVisit]:
        """The next pages to visit behind number *after*, by the crawl or to check them."""
        with explained(self._database.label):
            self._open_connection()
            return self._visits.waiting(after, limit, are_checks=are_checks)

    def open_queues(
        self, shards: int, page_requests: int, seconds_left: float | None, *, has_browser: bool
    ) -> None:
        """Let fetchers work on the frontier, with what was found before the scan had any.

        *page_requests* count against the budget already; None: its time has no limit.
        """
        with self._writing() as connection:
            queue_waiting_visits(connection, self._scan.scan_id, shards)
            open_frontier(
                connection,
                self._scan.scan_id,
                page_requests,
                seconds_left,
                has_browser=has_browser,
            )
        self.commit()

    def close_queues(self) -> bool:
        """Give no more leases to fetchers; return whether none is left and all have reported."""
        with self._writing() as connection:
            are_free = close_queues(connection, self._scan.scan_id)
        self.commit()
        return are_free

    def next_answers(self, after: int, limit: int) -> list[NextAnswer]:
        """The next visits behind number *after*, each with what a fetcher has read, if any."""
        with self._writing() as connection:
            found = next_answers(connection, self._scan.scan_id, after, limit)
        self.commit()  # nobody has to wait for what this connection sees
        return found

    def want_renderings(self, numbers: Sequence[int]) -> None:
        """Let a fetcher with a browser render these pages, which were doubtful."""
        with self._writing() as connection:
            want_renderings(connection, self._scan.scan_id, numbers)
        self.commit()

    def release_queues(self, holder: str) -> None:
        """End the leases of a process that is dead."""
        with self._writing() as connection:
            release_queues(connection, self._scan.scan_id, holder)
            end_fetcher(connection, self._scan.scan_id, holder)
        self.commit()

    def fetchers_result(self) -> FetchersResult:
        """What the fetchers have done."""
        with self._writing() as connection:
            return fetchers_result(connection, self._scan.scan_id)

    def forget_answers(self, up_to: int) -> None:
        """Remove what was taken up to a number."""
        with self._writing() as connection:
            forget_answers(connection, self._scan.scan_id, up_to)
        self.commit()

    def choose_checks(self, limit: int, wanted: Callable[[list[str]], list[bool]]) -> None:
        """Put the pages that are to be checked behind all visits, unless that was done before.

        *wanted* says which URLs may be fetched. On the writer's connection: what the scan has read
        may not be committed.
        """
        with self._writing() as connection:
            if self._visits.has_checks():
                return
            scan, found = self._record(), []
            if self._scan.has_pages:
                mark_gone(connection, self._scan, is_exhaustive=False)
                found = missing_pages(connection, scan, limit)
                found += unsettled_pages(connection, scan, (limit - len(found) + 1) // 2)
            found += due_pages(connection, scan, limit)
            chosen: dict[int, DuePage] = {}
            for page in found:
                chosen.setdefault(page.page_id, page)
            are_wanted = wanted([page.url for page in chosen.values()])
            self._visits.add_checks(list(compress(chosen.values(), are_wanted))[:limit])
        self.commit()

    def choose_dive(self, dive_id: int, wanted: Callable[[list[str]], list[bool]]) -> None:
        """The same for the pages that a dive wants to have fetched."""
        with self._writing() as connection:
            if self._visits.has_checks():
                return
            chosen = dive_pages_of(connection, self._record(), dive_id)
            are_wanted = wanted([page.url for page in chosen])
            self._visits.add_checks(list(compress(chosen, are_wanted)))
        self.commit()

    def known_pages(
        self,
        numbers: range,
        fingerprint: str,
        *,
        leaves_site: bool,
        are_checks: bool = False,
        needs_body: Callable[[int], bool],
    ) -> dict[int, KnownPage]:
        """What earlier scans know of the pages of the waiting visits with these numbers.

        On the writer's connection: the visits may not be committed.
        """
        with explained(self._database.label):
            return load_known_pages(
                self._open_connection(),
                self._scan,
                numbers,
                fingerprint,
                leaves_site=leaves_site,
                are_checks=are_checks,
                needs_body=needs_body,
            )

    def add_evidence(
        self,
        type_: str,
        content: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        confidence: float = 1.0,
        document_id: int | None = None,
    ) -> None:
        """Store a record of what was seen."""
        with self._writing() as connection:
            values = {
                "scan_id": self._scan.scan_id,
                "document_id": document_id,
                "type": type_,
                "content": content,
                "metadata": dict(metadata or {}),
                "confidence": confidence,
                "created_at": datetime.now(UTC),
            }
            connection.execute(evidence.insert().values(values))

    def heartbeat(self) -> bool:
        """Say that the scan is alive, and commit; return whether somebody wants it to stop."""
        with self._writing() as connection:
            self._update_scan(connection, heartbeat_at=datetime.now(UTC))
            wanted = select(scans.c.stop_requested_at).where(scans.c.id == self._scan.scan_id)
            is_unwanted = connection.scalar(wanted) is not None
        self.commit()
        return is_unwanted

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit what is written inside at its end, all of it or nothing."""
        self.commit()
        self._is_together = True
        try:
            yield
        except BaseException:
            self._undo(self._open_connection())
            raise
        finally:
            self._is_together = False
        with self._writing():
            pass  # what was gathered
        self.commit()

    def commit(self) -> None:
        """Make everything so far survive whatever comes."""
        connection = self._open_connection()
        try:
            with explained(self._database.label):
                connection.commit()
        except BaseException:
            self._undo(connection)
            raise
        self._uncommitted_rows = 0
        self._committed_at = time.monotonic()

    def finalize(
        self,
        *,
        is_exhaustive: bool,
        cut_families: Mapping[str, str] | None = None,
        copies: Mapping[str, str] | None = None,
    ) -> None:
        """Put pages and mentions in order when all is written, before the scan is finished.

        *is_exhaustive*: the crawl has visited every page that it could come to. *cut_families* are
        the patterns that it gave up, with the reason; *copies* are visited URLs whose parameter
        does not change the page, with the URL of that page.
        """
        self.commit()
        with self._writing() as connection:
            if self._scan.has_pages:
                finalize_mentions(
                    connection,
                    self._scan,
                    wrote_pages=self._wrote_pages,
                    is_exhaustive=is_exhaustive,
                )
        self.commit()
        with self._writing() as connection:
            ensure_page_index(connection)
            finalize_crawl(connection, self._scan, cut_families or {}, copies or {})
            finalize_inlinks(connection, self._record())
        self.commit()
        with self._writing() as connection:
            finalize_classes(self._database, connection, self._record())
        self.commit()
        self._is_finalized = True

    def finish(
        self, status: ScanStatus, reason: str = "", summary: Mapping[str, Any] | None = None
    ) -> None:
        """End the scan and close the connection."""
        try:
            if not self._is_finalized:
                self.finalize(is_exhaustive=False)
            with self._writing() as connection:
                now = datetime.now(UTC)
                self._update_scan(
                    connection,
                    status=status,
                    reason=reason or None,
                    summary=dict(summary or {}),
                    heartbeat_at=now,
                    finished_at=now,
                )
            self.commit()
            self._tidy_up()
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the connection; a scan that was not finished will be found dead."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            # What is not committed is undone, by the server if the connection is lost.
            with suppress(SQLAlchemyError):
                connection.close()

    def _record(self) -> Scan:
        record = scan_by_id(self._database, self._scan.scan_id)
        assert record is not None
        return record

    def _update_scan(self, connection: Connection, **values: Any) -> None:
        running = (scans.c.id == self._scan.scan_id) & (scans.c.status == ScanStatus.RUNNING)
        # Another process may have gone on with it in the meantime.
        running &= scans.c.process_token == process_token()
        if connection.execute(update(scans).where(running).values(**values)).rowcount == 0:
            raise ScanLostError(
                f"scan {self._scan.scan_id} has been marked as dead by another process, "
                "because it had not been heard of; run it again"
            )

    def _tidy_up(self) -> None:
        if not self._database.is_sqlite:
            return
        # A passive checkpoint waits for nobody; the last connection that closes does the rest.
        with explained(self._database.label):
            cursor = self._open_connection().connection.cursor()
            for pragma in ("analysis_limit = 400", "optimize", "wal_checkpoint(PASSIVE)"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        connection = self._open_connection()
        try:
            with explained(self._database.label):
                yield connection
                if not self._is_together:
                    for writer in (
                        *(self._documents, self._pages, self._visits, self._signals),
                        self._facts,
                    ):
                        writer.flush()
        except BaseException:
            self._undo(connection)
            raise
        if self._is_together:
            return
        is_due = time.monotonic() - self._committed_at > COMMIT_SECONDS
        if is_due or self._uncommitted_rows >= COMMIT_ROWS:
            self.commit()

    def _undo(self, connection: Connection) -> None:
        try:
            connection.rollback()
        except SQLAlchemyError:
            # A connection that is lost cannot be rolled back; the server does it then.
            with suppress(SQLAlchemyError):
                connection.invalidate()
        for writer in (
            *(self._documents, self._pages, self._verdicts, self._visits, self._signals),
            self._facts,
        ):
            writer.forget()
        self._uncommitted_rows = 0

    def _open_connection(self) -> Connection:
        if self._connection is None:
            raise RuntimeError("this writer has no scan under way")
        return self._connection
