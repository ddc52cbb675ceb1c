"""The robots.txt of every authority that a scan has to do with."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from scrapy.exceptions import DropItem

from sitecrawl.config import Config
from sitecrawl.downloader.polite import politeness_of
from sitecrawl.items import Document, DocumentKind, FetchOutcome
from sitecrawl.parse.robots import MAX_BYTES
from sitecrawl.robots.answers import (
    MAX_REDIRECTS,
    AnswerKind,
    fresh_seconds,
    may_use_kept_copy,
    read_answer,
)
from sitecrawl.robots.policy import policy_for
from sitecrawl.robots.verdict import VerdictReason
from sitecrawl.stages.authority import AuthorityRobots
from sitecrawl.stages.fetching import (
    asked_url,
    document_request,
    failed_document_of,
    fetched_document,
)
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.store.queries.archive import RobotsCopy

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
    * Where it redirects to the robots.txt of another authority, that one has been asked as well.

    Settings: ``SITECRAWL_ROBOTS_AGENT``, ``SITECRAWL_ROBOTS_AGENT_MATCHING``,
    ``SITECRAWL_ROBOTS_CACHE_SECONDS``, ``SITECRAWL_ROBOTS_FAIL_OPEN``,
    ``SITECRAWL_ROBOTS_TIMEOUT_SECONDS``.
    Stats: ``sitecrawl/robots/not_had`` (why, by authority), ``sitecrawl/robots/cut`` (the limit, if
    it was hit).
    """

    archive: RobotsArchive | None = None

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._config = Config.from_settings(crawler.settings)
        self._asked: dict[str, asyncio.Task[AuthorityRobots]] = {}
        self._under_way: dict[str, Request] = {}
        self._redirected_to: dict[str, Document] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def __len__(self) -> int:
        return len(self._asked)

    def __contains__(self, url: str) -> bool:
        return origin_of(url) in self._asked

    def note_hop(self, request: Request) -> None:
        """Where redirects have led to: an error does not say which address has failed."""
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
        if document := self._redirected_to.pop(url, None):
            robots = self._robots(document, _answer(document), good)
        else:
            robots = self._from_fresh_copy(url, last, good) or await self._fetch(url, good)
        self._count(robots)
        pause = robots.policy.file.seconds_between_requests(datetime.now(UTC).time())
        politeness_of(self._crawler).set_robots_pace(url, pause or None)
        if self.archive:
            await self._store(robots, self.archive)
        return robots

    def _count(self, robots: AuthorityRobots) -> None:
        stats = self._crawler.stats
        if robots.policy.usual.reason is VerdictReason.UNREACHABLE:
            not_had = stats.get_value("sitecrawl/robots/not_had", {})
            not_had[origin_of(robots.url)] = robots.answer.cause
            stats.set_value("sitecrawl/robots/not_had", not_had)
        if robots.is_cut:
            cut = {"what": "bytes of robots.txt", "setting": "", "limit": MAX_BYTES}
            stats.set_value("sitecrawl/robots/cut", [cut])

    async def _store(self, robots: AuthorityRobots, archive: RobotsArchive) -> None:
        try:
            for item in robots.as_items():
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
        answer = _answer(document)
        fresh = timedelta(seconds=fresh_seconds(answer, cache_control))
        document = replace(document, fresh_until=document.fetched_at + fresh)
        self._note_redirect(document)
        return self._robots(document, answer, good)

    def _note_redirect(self, document: Document) -> None:
        """Keep the answer for the authority whose robots.txt it is, in case it is asked for."""
        final_url = document.final_url
        is_answer = document.status is not None
        is_robots_txt = is_answer and final_url == f"{origin_of(final_url)}/robots.txt"
        if is_robots_txt and final_url != document.url and final_url not in self:
            found_by = f"a redirect of {document.url}"
            own = replace(document, url=final_url, found_by=found_by, redirects=())
            self._redirected_to[final_url] = own

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


def _answer(document: Document) -> RobotsAnswer:
    return read_answer(
        document.outcome,
        document.status,
        redirects=len(document.redirects),
        error=document.error,
    )
