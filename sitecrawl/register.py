"""The robots.txt of every authority that a scan has to do with."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from scrapy.exceptions import DropItem
from scrapy.signals import request_reached_downloader

from sitecrawl.config import Config
from sitecrawl.downloader.polite import politeness_of
from sitecrawl.items import (
    Document,
    DocumentKind,
    DocumentRead,
    Evidence,
    EvidenceType,
    FetchOutcome,
    NamedDocument,
)
from sitecrawl.parse.robots import MAX_BYTES
from sitecrawl.robots.answers import (
    MAX_REDIRECTS,
    AnswerKind,
    fresh_seconds,
    may_use_kept_copy,
    read_answer,
)
from sitecrawl.robots.policy import policy_for
from sitecrawl.stages.authority import AuthorityRobots
from sitecrawl.stages.fetching import (
    asked_url,
    confidence,
    document_request,
    failed_document_of,
    fetched_document,
)
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.store.robots_copies import RobotsCopy

logger = logging.getLogger(__name__)

_MAX_RETRIES = 1


class RobotsArchive(Protocol):
    """Who keeps what is fetched, and has what earlier scans kept."""

    async def robots_copies(self, url: str) -> tuple[RobotsCopy | None, RobotsCopy | None]: ...

    async def process_item(self, item: Any) -> Any: ...


class RobotsRegister:
    """Fetches each robots.txt once in a scan and says what holds for the URLs of its authority.

    * A copy of an earlier scan is used while it is fresh, and the last one with rules when the
      server cannot be reached.
    * What it asks of our pace is told to the downloader before anything else is fetched.
    * How it was answered is stored as a document and as evidence.

    Settings: ``SITECRAWL_ROBOTS_AGENT``, ``SITECRAWL_ROBOTS_AGENT_MATCHING``,
    ``SITECRAWL_ROBOTS_CACHE_SECONDS``, ``SITECRAWL_ROBOTS_FAIL_OPEN``,
    ``SITECRAWL_ROBOTS_TIMEOUT_SECONDS``.
    """

    archive: RobotsArchive | None = None

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._config = Config.from_settings(crawler.settings)
        self._asked: dict[str, asyncio.Task[AuthorityRobots]] = {}
        self._under_way: dict[str, Request] = {}
        crawler.signals.connect(self.request_reached_downloader, request_reached_downloader)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def __len__(self) -> int:
        return len(self._asked)

    def __contains__(self, url: str) -> bool:
        return origin_of(url) in self._asked

    def request_reached_downloader(self, request: Request) -> None:
        """Where redirects have led to: an error does not say which address has failed."""
        if request.meta.get("sitecrawl_document", {}).get("kind") is DocumentKind.ROBOTS_TXT:
            self._under_way[asked_url(request)] = request

    async def robots_of(self, url: str) -> AuthorityRobots:
        """What holds for *url*; fetches the robots.txt of its authority the first time."""
        origin = origin_of(url)
        if origin not in self._asked:
            self._asked[origin] = asyncio.ensure_future(self._ask(f"{origin}/robots.txt"))
        # Whoever asked first may give up; the others still want to know.
        return await asyncio.shield(self._asked[origin])

    async def _ask(self, url: str) -> AuthorityRobots:
        last, good = await self.archive.robots_copies(url) if self.archive else (None, None)
        robots = self._from_fresh_copy(url, last, good) or await self._fetch(url, good)
        pause = robots.policy.file.seconds_between_requests(datetime.now(UTC).time())
        politeness_of(self._crawler).set_robots_pace(url, pause or None)
        if self.archive:
            await self._store(robots, self.archive)
        return robots

    async def _store(self, robots: AuthorityRobots, archive: RobotsArchive) -> None:
        try:
            for item in _record(robots):
                await archive.process_item(item)
        except DropItem:
            logger.debug("robots.txt could not be stored: the scan is ending")

    def _from_fresh_copy(
        self, url: str, last: RobotsCopy | None, good: RobotsCopy | None
    ) -> AuthorityRobots | None:
        now, longest = datetime.now(UTC), self._config.robots_cache_seconds
        if last is None or last.fresh_until is None or last.fresh_until <= now:
            return None
        if (now - last.fetched_at).total_seconds() >= longest:
            return None
        answer = read_answer(last.outcome, last.status, redirects=last.redirects, error=last.error)
        if answer.kind is AnswerKind.READ and last.body is None:
            return None
        document = Document(
            url,
            DocumentKind.ROBOTS_TXT,
            f"a copy of scan {last.scan_id}",
            FetchOutcome.FRESH,
            status=last.status,
            error=last.error,
            body=last.body or b"",
            final_url=url,
        )
        return self._robots(document, answer, good, copy_of=last.fetched_at)

    async def _fetch(self, url: str, good: RobotsCopy | None) -> AuthorityRobots:
        request = document_request(
            url,
            DocumentKind.ROBOTS_TXT,
            "the rules of its authority",
            callback=None,
            errback=None,
            timeout_seconds=self._config.robots_timeout_seconds,
            max_bytes=MAX_BYTES,
        )
        request.meta["redirect_ttl"] = MAX_REDIRECTS
        retries = self._crawler.settings.getint("RETRY_TIMES")
        request.meta["max_retry_times"] = min(retries, _MAX_RETRIES)
        cache_control = ""
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  whatever hinders a download is an answer, too
            document = failed_document_of(error, self._under_way.get(url, request))
        else:
            document = fetched_document(response)
            cache_control = (response.headers.get("Cache-Control") or b"").decode("latin-1")
        self._under_way.pop(url, None)
        answer = read_answer(
            document.outcome,
            document.status,
            redirects=len(document.redirects),
            error=document.error,
        )
        fresh = timedelta(seconds=fresh_seconds(answer, cache_control))
        document = replace(document, fresh_until=document.fetched_at + fresh)
        return self._robots(document, answer, good)

    def _robots(
        self,
        document: Document,
        answer: RobotsAnswer,
        good: RobotsCopy | None,
        copy_of: datetime | None = None,
    ) -> AuthorityRobots:
        """What holds after this answer; *good* is the last copy that could be read."""
        if good is not None and may_use_kept_copy(
            answer, (document.fetched_at - good.fetched_at).total_seconds()
        ):
            kept_copy, copy_of = good.body, good.fetched_at
        else:
            kept_copy = None
        policy = policy_for(
            answer,
            document.body,
            token=self._config.robots_agent,
            matching=self._config.agent_matching(),
            fail_open=self._config.robots_fail_open,
            kept_copy=kept_copy,
        )
        return AuthorityRobots(document, answer, policy, copy_of)


def robots_register(crawler: Crawler) -> RobotsRegister:
    """That of a crawler that runs."""
    register = crawler.get_extension(RobotsRegister)
    assert register is not None, "EXTENSIONS must list sitecrawl.register.RobotsRegister"
    return register


def _record(robots: AuthorityRobots) -> Iterator[Any]:
    document, file = robots.document, robots.policy.file
    pointers = robots.pointers()
    yield document
    if document.is_to_be_read:
        yield DocumentRead(
            document.url,
            format="robots",
            entries=len(pointers),
            decompressed_bytes=len(document.body),
            truncated=len(document.body) > MAX_BYTES,
            children=[NamedDocument(each.url, each.found_by, 0) for each in pointers],
        )
    is_read = robots.answer.kind is AnswerKind.READ
    yield Evidence(
        EvidenceType.ROBOTS_TXT,
        # PostgreSQL takes no text with a null byte.
        document.body.decode("utf-8", "replace").replace("\0", "") if is_read else document.error,
        {
            "success": is_read,
            "outcome": document.outcome,
            "status": document.status,
            "error": document.error or None,
            "policy": robots.policy.usual.reason,
            "explanation": robots.policy.usual.explanation,
            "groups": [agent._asdict() for agent in file.groups],
            "rules": len(file.rules),
            "crawl_delay": file.crawl_delay.seconds if file.crawl_delay else None,
            "sitemaps": [pointer.url for pointer in pointers],
            "findings": [finding._asdict() for finding in file.findings],
            "copy_of": robots.copy_of.isoformat() if robots.copy_of else None,
        },
        document=document.url,
        confidence=min(confidence(document), robots.policy.usual.confidence),
    )
