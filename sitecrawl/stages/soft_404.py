"""Soft 404: recognises error pages that hosts send with "200 OK"."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.html.page import read_page
from sitecrawl.html.text import fingerprint_distance
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.scan.documents import document_request, failed_document_of, fetched_document
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from sitecrawl.html.links import PageReading
    from sitecrawl.items import PageFacts
    from sitecrawl.stages.base import ScanContext

# Two paths, because many error pages repeat the path that was asked for.
_MADE_UP_PATHS = ("/no-such-page-5f0c2d", "/really/nothing/is-here-77e1")
# Texts of which so many bits of 64 differ are the same but for a word or two.
_SAME_TEXT_BITS = 3
# With the same title more words may differ, though never so many that it is another text.
_MOST_BITS = 12


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """What a host shows instead of a page that does not exist."""

    url: str
    title: str
    """The same for every path; otherwise ``""``."""
    fingerprint: int
    bits: int
    """How far another page's fingerprint may be from this one's."""

    def looks_like(self, page: PageFacts) -> bool:
        if page.fingerprint is None:
            return False
        distance = fingerprint_distance(page.fingerprint, self.fingerprint)
        return distance <= (self.bits if self.title == page.title != "" else _SAME_TEXT_BITS)


class ErrorPages:
    """The error page of each host, fetched once; None: the host answers with an error status.

    Raises NotSentError or ScanStoppedError if the scan stops before it is known.
    """

    def __init__(self, context: ScanContext):
        self._context = context
        self._pages: dict[str, asyncio.Future[ErrorPage | None]] = {}

    async def of(self, url: str) -> ErrorPage | None:
        origin = origin_of(url)
        if origin not in self._pages:
            self._pages[origin] = asyncio.ensure_future(self._ask(origin))
        return await self._pages[origin]

    async def _ask(self, origin: str) -> ErrorPage | None:
        pages: list[PageReading] = []
        for path in _MADE_UP_PATHS:
            page = await self._fetch(origin + path)
            if page is None or self._is_the_root(page):
                return None
            pages.append(page)
        first, second = pages
        apart = fingerprint_distance(first.fingerprint, second.fingerprint)
        return ErrorPage(
            url=origin + _MADE_UP_PATHS[0],
            title=first.title if first.title == second.title else "",
            fingerprint=first.fingerprint,
            bits=min(apart + _SAME_TEXT_BITS, _MOST_BITS),
        )

    async def _fetch(self, url: str) -> PageReading | None:
        config = self._context.config
        request = document_request(
            url,
            DocumentKind.PROBE,
            "made up, to see an error page",
            callback=None,
            errback=None,
            timeout_seconds=config.page_timeout_seconds,
            max_bytes=config.max_page_bytes,
        )
        request.meta["dont_redirect"] = True
        try:
            response = await self._context.download(request)
        except Exception as error:  # any failure of a download is an answer
            document = failed_document_of(error, request)
            if document.outcome is FetchOutcome.STOPPED:
                del self._pages[origin_of(url)]  # no answer: the next caller asks again
                raise
            await self._context.put(document)
            return None
        document = fetched_document(response)
        await self._context.put(document)
        if document.outcome is not FetchOutcome.OK:
            return None
        sent = read_page(response.body, response.url, content_type=document.content_type)
        page = await self._context.rendering.as_shown(response, sent)
        return page if page.text_characters else None

    def _is_the_root(self, page: PageReading) -> bool:
        """Whether the server answers every path with its root, as for single-page applications."""
        root = self._context.root_fingerprint
        return root is not None and fingerprint_distance(page.fingerprint, root) <= _SAME_TEXT_BITS
