"""The way in: robots.txt first, then the root, whose redirects decide the host that is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ada_url import URL

from sitecrawl.items import (
    Document,
    DocumentKind,
    DocumentRead,
    Evidence,
    EvidenceType,
    FetchOutcome,
    NamedDocument,
    SiteResolved,
)
from sitecrawl.parse.robots import MAX_BYTES, sitemap_lines
from sitecrawl.stages.base import ScanContext, SitemapPointer, Stage
from sitecrawl.stages.fetching import (
    confidence,
    document_request,
    failed_document,
    fetched_document,
)
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

_MAX_ROOT_BYTES = 10 * 1024 * 1024
_UNREACHABLE = {FetchOutcome.UNREACHABLE, FetchOutcome.TIMEOUT, FetchOutcome.INCOMPLETE}


class EntryStage(Stage):
    """Fetch robots.txt and the root; settle on scheme and host.

    * https for a bare domain; http when the root cannot be reached by https, as evidence;
    * the root's redirect decides the host, and that host's robots.txt is read as well;
    * a robots.txt that cannot be had stops nothing: its error is evidence.
    """

    name: ClassVar[str] = "entry"

    def __init__(self, context: ScanContext):
        super().__init__(context)
        self._robots_read: set[str] = set()
        self._root = context.target.url
        self._steps: list[Request] = [self._robots_request(self._root), self._root_request()]

    def next_requests(self) -> Iterable[Request]:
        if self._steps:
            return [self._steps.pop(0)]
        return []

    def _robots_request(self, root: str) -> Request:
        origin = origin_of(root)
        self._robots_read.add(origin)
        return document_request(
            f"{origin}/robots.txt",
            DocumentKind.ROBOTS_TXT,
            "the site's root",
            callback=self._robots_answered,
            errback=self._robots_failed,
            timeout_seconds=self.context.config.robots_timeout_seconds,
            # Where there may be no https at all, the root finds out soon enough.
            is_retried=not (self.context.target.is_bare and origin.startswith("https:")),
            max_bytes=MAX_BYTES,
        )

    def _root_request(self) -> Request:
        return document_request(
            self._root,
            DocumentKind.PAGE,
            "the command line",
            callback=self._root_answered,
            errback=self._root_failed,
            timeout_seconds=self.context.config.page_timeout_seconds,
            max_bytes=_MAX_ROOT_BYTES,
        )

    def _robots_answered(self, response: Response) -> Iterator[Any]:
        document = fetched_document(response)
        pointers = []
        if document.outcome is FetchOutcome.OK:
            for line in sitemap_lines(response.body):
                url = resolve(line.value, document.url)
                if url is None:
                    self.context.unusable_sitemaps += 1
                else:
                    pointers.append(
                        SitemapPointer(url, f"robots.txt line {line.line}", document.url)
                    )
        self.context.robots_sitemaps += pointers
        yield document
        if document.outcome is FetchOutcome.OK:
            yield DocumentRead(
                document.url,
                format="robots",
                entries=len(pointers),
                decompressed_bytes=len(response.body),
                truncated="download_stopped" in response.flags,
                children=[NamedDocument(each.url, each.found_by, 0) for each in pointers],
            )
        yield _robots_evidence(document, [pointer.url for pointer in pointers])

    def _robots_failed(self, failure: Failure) -> Iterator[Any]:
        document = failed_document(failure)
        yield document
        yield _robots_evidence(document, [])

    def _root_answered(self, response: Response) -> Iterator[Any]:
        document = fetched_document(response)
        yield document
        if origin_of(response.url) != origin_of(self._root):
            yield Evidence(
                EvidenceType.ROOT_REDIRECT,
                f"{self._root} answers at {response.url}",
                {"asked": self._root, "answered": response.url},
                document=document.url,
            )
            self._steps.extend(self._follow_root(response.url))
        self._settle(response.url)
        yield SiteResolved(self.context.root_url)

    def _follow_root(self, url: str) -> Iterator[Request]:
        if origin_of(url) not in self._robots_read:
            yield self._robots_request(url)

    def _settle(self, final_url: str) -> None:
        """Go on where the root answered, with the path that was asked for."""
        context = self.context
        asked = URL(self._root)
        context.root_url = origin_of(final_url) + asked.pathname
        bases = [resolve(base, context.root_url) or base for base in context.bases]
        context.scope = context.config.scope(bases or [context.root_url])

    def _root_failed(self, failure: Failure) -> Iterator[Any]:
        document = failed_document(failure)
        yield document
        falls_back = self.context.target.is_bare and self._root.startswith("https:")
        if falls_back and document.outcome in _UNREACHABLE:
            yield Evidence(
                EvidenceType.HTTPS_UNREACHABLE,
                f"{self._root} cannot be reached: {document.error}",
                {"asked": self._root, "error": document.error},
                document=document.url,
            )
            self._root = "http:" + self._root.removeprefix("https:")
            self._steps = [self._robots_request(self._root), self._root_request()]
        elif document.outcome in _UNREACHABLE:
            self.end_reason = f"{self._root} cannot be reached: {document.error}"
            self.context.failure = self.end_reason
        else:
            self._settle(self._root)
            yield SiteResolved(self.context.root_url)


def _robots_evidence(document: Document, sitemaps: list[str]) -> Evidence:
    is_read = document.outcome is FetchOutcome.OK
    return Evidence(
        EvidenceType.ROBOTS_TXT,
        document.body.decode("utf-8", "replace") if is_read else document.error,
        {
            "success": is_read,
            "outcome": document.outcome,
            "status": document.status,
            "sitemaps": sitemaps,
            "error": document.error or None,
        },
        document=document.url,
        confidence=confidence(document),
    )
