"""Entry to the site: robots.txt, then the root with its menu; its redirects decide the host."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar

from ada_url import URL

from sitecrawl.items import (
    Document,
    DocumentKind,
    Evidence,
    EvidenceType,
    FetchOutcome,
    SiteResolved,
    Visit,
)
from sitecrawl.scan.documents import document_request, failed_document, fetched_document
from sitecrawl.stages.base import ScanContext, Stage
from sitecrawl.stages.pages import PageReader, note_limits, start_batch
from sitecrawl.stages.waterfall import links_are_read
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from sitecrawl.items import VisitedPage

# Perhaps there is no https: then http is tried for a bare domain.
_NO_HTTPS = {FetchOutcome.UNREACHABLE, FetchOutcome.TIMEOUT, FetchOutcome.INCOMPLETE}
_NO_SERVER = {FetchOutcome.UNREACHABLE, FetchOutcome.ADDRESS_NOT_ALLOWED}


class EntryStage(Stage):
    """Fetch the root, before which its robots.txt is read; settle on scheme and host.

    * https for a bare domain; http when https cannot be reached, as evidence;
    * the root's redirect decides the host, and that host's robots.txt is read as well;
    * a root that robots.txt does not allow is not fetched, and the scan goes on where it was asked;
    * a robots.txt that cannot be fetched prevents only the fetching of pages;
    * the root's links are the first pages that are known, its navigation is the site's menu.

    A resumed scan has its root already.

    Settings: ``SITECRAWL_PAGE_TIMEOUT_SECONDS``, ``SITECRAWL_MAX_PAGE_BYTES``.
    """

    name: ClassVar[str] = "entry"

    def __init__(self, context: ScanContext):
        super().__init__(context)
        self._root = context.target.url
        self._reader = PageReader(context.config)
        self._steps: list[Request] = [self._root_request()]

    async def next_requests(self) -> Iterable[Request]:
        if not self._steps:
            return []
        resumption = await self.context.resumption()
        if resumption and resumption.visited:
            self._steps.clear()
            self.end_reason = "the root had been read before"
            await self._settle(resumption.root_url)
            return []
        return [self._steps.pop(0)]

    def _root_request(self) -> Request:
        return document_request(
            self._root,
            DocumentKind.PAGE,
            "the command line",
            callback=self._root_answered,
            errback=self._root_failed,
            timeout_seconds=self.context.config.page_timeout_seconds,
            max_bytes=self.context.config.max_page_bytes,
        )

    async def _root_answered(self, response: Response) -> None:
        context = self.context
        resolved = await self._settle(response.url)
        if fetched_document(response).outcome is FetchOutcome.OK:
            page = await self._read(response)
            await context.put(page)
            context.rendering.conclude(page)
        else:
            document = fetched_document(response)
            context.scan.root_problem, context.scan.root_remedy = _answer_words(document)
            await context.put(document)
        if origin_of(response.url) != origin_of(self._root):
            await context.put(
                Evidence(
                    EvidenceType.ROOT_REDIRECT,
                    f"{self._root} answers at {response.url}",
                    {"asked": self._root, "answered": response.url},
                    document=self._root,
                )
            )
        await context.put(resolved)

    async def _read(self, response: Response) -> VisitedPage:
        """The root is the first page of the crawl, whether others follow or not."""
        context = self.context
        visit = Visit(1, response.url, clicks=0)
        document = self._reader.fetched(response)
        read = self._reader.read(response, document, visit, context.scope)
        page = read.page
        note_limits(self, page)
        if links_are_read(context.config):
            await context.rendering.at_turn(read, response, context.scope)
        context.root_fingerprint = page.facts.fingerprint
        if context.link_rules is not None:
            context.link_rules.choose(response, page)
        if links_are_read(context.config):
            bases = [resolve(base, context.root_url) or base for base in context.bases]
            start = start_batch(document, visit, context.scope, [response.url, *bases])
            page.batches.insert(0, start)
        else:
            page.batches.clear()
        context.counters.visited += 1
        return page

    async def _settle(self, final_url: str) -> SiteResolved:
        """Go on where the root answered, with the path that was asked for."""
        context = self.context
        for url in dict.fromkeys([origin_of(self._root), origin_of(final_url)]):
            robots = await context.robots_of(url)
            context.robots_sitemaps += robots.pointers()
            context.unusable_sitemaps += sum(url is None for _, url in robots.sitemaps())
        asked = URL(self._root)
        context.root_url = origin_of(final_url) + asked.pathname
        bases = [resolve(base, context.root_url) or base for base in context.bases]
        context.scope = context.config.scope(bases or [context.root_url])
        context.scan.root_url = context.root_url
        return SiteResolved(context.root_url)

    async def _root_failed(self, failure: Failure) -> None:
        context = self.context
        document = failed_document(failure)
        cause = await self._cause(document)
        if cause is not document and cause.outcome in _NO_SERVER:
            # No rule of robots.txt kept the root from being fetched: its server was not reached.
            document = replace(document, outcome=cause.outcome, error=cause.error)
        await context.put(document)
        asked = context.target.url
        if self._root == asked and self._may_try_http() and cause.outcome in _NO_HTTPS:
            await context.put(
                Evidence(
                    EvidenceType.HTTPS_UNREACHABLE,
                    f"{self._root} cannot be reached: {cause.error}",
                    {"asked": self._root, "error": cause.error},
                    document=document.url,
                )
            )
            self._root = "http:" + self._root.removeprefix("https:")
            self._steps = [self._root_request()]
        elif self._is_out_of_reach(cause, is_root=cause.kind is DocumentKind.PAGE):
            self.end_reason = f"{self._root} cannot be reached: {cause.error}"
            context.scan.failure = self.end_reason
        else:
            context.scan.root_problem = f"the root page {self._root} was not read: {cause.error}"
            if cause.outcome in _NO_HTTPS:
                self._root = asked  # neither answers in time, but sitemaps may
            await context.put(await self._settle(self._root))

    def _may_try_http(self) -> bool:
        return self.context.target.is_bare and self._root.startswith("https:")

    async def _cause(self, root: Document) -> Document:
        """The document that failed: that of robots.txt when it kept the root from being fetched."""
        if root.outcome is not FetchOutcome.BLOCKED_BY_ROBOTS:
            return root
        robots = (await self.context.robots_of(root.final_url)).document
        # A host that redirects its robots.txt elsewhere has answered itself.
        has_failed_itself = origin_of(robots.final_url) == origin_of(robots.url)
        return robots if robots.error and has_failed_itself else root

    def _is_out_of_reach(self, cause: Document, *, is_root: bool) -> bool:
        if cause.outcome is FetchOutcome.ADDRESS_NOT_ALLOWED:
            # The site itself, and not an address elsewhere that it redirects to.
            return origin_of(cause.final_url) == origin_of(self._root)
        return cause.outcome is FetchOutcome.UNREACHABLE or (is_root and cause.outcome in _NO_HTTPS)


# What a person can try when the root page answers with such a status.
_REMEDIES: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "it asks for a login, and sitecrawl has none",
    HTTPStatus.FORBIDDEN: (
        "give the URL of a page that is open to everybody, or a USER_AGENT that names you, so that"
        " the site's owner can let you in; --profile browserlike sends what browsers send"
    ),
    HTTPStatus.NOT_FOUND: "give the URL of a page that exists",
    HTTPStatus.GONE: "give the URL of a page that exists",
    HTTPStatus.TOO_MANY_REQUESTS: "wait, and try again with a larger DOWNLOAD_DELAY",
}
_OTHER_REMEDY = "open it in a browser to see whether it is meant to be there, and try again later"


def _answer_words(root: Document) -> tuple[str, str]:
    """What the root page answered instead of a page, and what can be done about it."""
    assert root.status is not None
    try:
        phrase = HTTPStatus(root.status).phrase
    except ValueError:
        phrase = ""
    answered = f"the root page {root.final_url} answered {root.status} {phrase}".rstrip()
    return answered, _REMEDIES.get(root.status, _OTHER_REMEDY)
