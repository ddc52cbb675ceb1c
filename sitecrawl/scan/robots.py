"""The robots.txt of every authority (scheme, host and port) of a scan."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sitecrawl.items import (
    Document,
    DocumentKind,
    DocumentRead,
    Evidence,
    EvidenceType,
    FetchOutcome,
    Judged,
    NamedDocument,
    SitemapPointer,
)
from sitecrawl.robots.answers import (
    MAX_REDIRECTS,
    AnswerKind,
    fresh_seconds,
    may_use_kept_copy,
    read_answer,
)
from sitecrawl.robots.lines import MAX_BYTES
from sitecrawl.robots.policy import VerdictReason, policy_for
from sitecrawl.scan.documents import (
    asked_url,
    confidence,
    document_request,
    failed_document_of,
    fetched_document,
)
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.policy import RobotsPolicy, Verdict
    from sitecrawl.scan import Scan
    from sitecrawl.store.queries.known_documents import RobotsCopy
    from sitecrawl.urls.columns import SharedOrigin

_MAX_RETRIES = 1


@dataclass(frozen=True, slots=True)
class AuthorityRobots:
    """The robots.txt of one scheme, host and port: how it was answered and what holds."""

    document: Document
    answer: RobotsAnswer
    policy: RobotsPolicy
    copy_of: datetime | None = None
    """When the copy was fetched that is used instead of a new answer."""
    _judged: dict[int, Judged] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.document.url

    @property
    def is_cut(self) -> bool:
        """Whether there was more of it than is read."""
        document = self.document
        return document.is_to_be_read and (document.is_cut or len(document.body) > MAX_BYTES)

    def judge(
        self, urls: Sequence[str], origin: SharedOrigin | None = None
    ) -> tuple[Judged, dict[int, Judged]]:
        """The verdict on most of the *urls*, and those on the others by row."""
        column = self.policy.verdicts(urls, origin.path_starts if origin else None)
        others = {row: self._as_judged(verdict) for row, verdict in column.others.items()}
        return self._as_judged(column.usual), others

    def _as_judged(self, verdict: Verdict) -> Judged:
        # The policy gives the same object for the same verdict, and keeps it.
        if id(verdict) not in self._judged:
            self._judged[id(verdict)] = Judged(self.url, verdict)
        return self._judged[id(verdict)]

    def sitemaps(self) -> Iterator[tuple[int, str | None]]:
        """The lines that name a sitemap, and the address that they mean."""
        for line in self.policy.file.sitemaps:
            yield line.line, resolve(line.value, self.url)

    def pointers(self) -> list[SitemapPointer]:
        return [
            SitemapPointer(url, f"robots.txt line {line}", self.url)
            for line, url in self.sitemaps()
            if url is not None
        ]

    def as_items(self) -> Iterator[Any]:
        """What is stored of it: the document, what it names, and how it was answered."""
        document, file = self.document, self.policy.file
        pointers = self.pointers()
        yield document
        if document.is_to_be_read:
            yield DocumentRead(
                document.url,
                format="robots",
                entries=len(pointers),
                decompressed_bytes=len(document.body),
                truncated=self.is_cut,
                children=[NamedDocument(each.url, each.found_by, 0) for each in pointers],
            )
        is_read = self.answer.kind is AnswerKind.READ
        yield Evidence(
            EvidenceType.ROBOTS_TXT,
            # PostgreSQL takes no text with a null byte.
            document.body.decode("utf-8", "replace").replace("\0", "")
            if is_read
            else document.error,
            {
                "success": is_read,
                "outcome": document.outcome,
                "status": document.status,
                "error": document.error or None,
                "policy": self.policy.usual.reason,
                "explanation": self.policy.usual.explanation,
                "groups": [agent._asdict() for agent in file.groups],
                "rules": len(file.rules),
                "crawl_delay": file.crawl_delay.seconds if file.crawl_delay else None,
                "sitemaps": [pointer.url for pointer in pointers],
                "findings": [finding._asdict() for finding in file.findings],
                "copy_of": self.copy_of.isoformat() if self.copy_of else None,
            },
            document=document.url,
            confidence=min(
                confidence(document, is_truncated=self.is_cut), self.policy.usual.confidence
            ),
        )


class RobotsRegistry:
    """Fetches each robots.txt once in a scan and says what holds for the URLs of its authority.

    * A copy of an earlier scan is used while it is fresh, and the last one with rules when the
      server cannot be reached.
    * The delay that it asks for is kept from the next request on.
    * How it was answered is stored as a document and as evidence.
    * A redirect to the robots.txt of another authority is the answer of that authority as well.

    Settings: ``SITECRAWL_ROBOTS_AGENT``, ``SITECRAWL_ROBOTS_AGENT_MATCHING``,
    ``SITECRAWL_ROBOTS_CACHE_SECONDS``, ``SITECRAWL_ROBOTS_FAIL_OPEN``,
    ``SITECRAWL_ROBOTS_TIMEOUT_SECONDS``.
    """

    def __init__(self, crawler: Crawler, scan: Scan):
        self._crawler = crawler
        self._scan = scan
        self._config = scan.config
        self._asked: dict[str, asyncio.Task[AuthorityRobots]] = {}
        self._under_way: dict[str, Request] = {}
        self._redirected_to: dict[str, Document] = {}

    def __len__(self) -> int:
        return len(self._asked)

    def __contains__(self, url: str) -> bool:
        return origin_of(url) in self._asked

    def note_hop(self, request: Request) -> None:
        """Record where redirects have led: an error does not name the address that failed."""
        self._under_way[asked_url(request)] = request

    async def robots_of(self, url: str) -> AuthorityRobots:
        """What holds for *url*; fetches the robots.txt of its authority the first time."""
        origin = origin_of(url)
        if origin not in self._asked:
            self._asked[origin] = asyncio.ensure_future(self._ask(f"{origin}/robots.txt"))
        # The first caller may be cancelled; the others still wait for the answer.
        return await asyncio.shield(self._asked[origin])

    async def _ask(self, url: str) -> AuthorityRobots:
        database = self._scan.database
        last, good = await database.robots_copies(url) if database else (None, None)
        if document := self._redirected_to.pop(url, None):
            robots = self._robots(document, _answer(document), good)
        else:
            robots = self._from_fresh_copy(url, last, good) or await self._fetch(url, good)
        if robots.document.outcome is FetchOutcome.STOPPED:
            del self._asked[origin_of(url)]  # no answer: the next caller asks again
            return robots
        self._count(robots)
        pause = robots.policy.file.seconds_between_requests(datetime.now(UTC).time())
        self._scan.politeness.set_robots_pace(url, pause or None)
        if database is not None:
            for item in robots.as_items():
                await self._scan.put(item)
        return robots

    def _count(self, robots: AuthorityRobots) -> None:
        counters = self._scan.counters
        if robots.policy.usual.reason is VerdictReason.UNREACHABLE:
            counters.robots_unavailable[origin_of(robots.url)] = robots.answer.cause
        if robots.is_cut:
            counters.hit("bytes of robots.txt", "", MAX_BYTES)

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
        except Exception as error:  # noqa: BLE001  any failure of a download is an answer
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
        """Keep the answer for the authority that it was redirected to, in case it is asked for."""
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


def _answer(document: Document) -> RobotsAnswer:
    return read_answer(
        document.outcome,
        document.status,
        redirects=len(document.redirects),
        error=document.error,
    )
