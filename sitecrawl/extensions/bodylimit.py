"""Cuts documents that are too long: what came before the cut is used."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakSet

from scrapy import signals
from scrapy.exceptions import StopDownload

from sitecrawl.downloadermiddlewares.compression import is_gzip_type, starts_as_markup
from sitecrawl.items import DocumentKind
from sitecrawl.urls.skip import file_kind

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers


_NOT_READ = {"document", "archive", "image", "media"}


class BodyLimit:
    """Stop a download at the document's limit, and use what has arrived.

    A file in the place of a page is not downloaded, unless the request asks for files. A gzip file
    is only if it begins with markup, because some servers send pages as such. See
    :meth:`should_download` to use another policy.

    Meta: ``sitecrawl_max_bytes``, ``sitecrawl_document``, ``sitecrawl_files`` (endings of files to
    be downloaded). Stats: ``sitecrawl/documents/cut``.
    """

    def __init__(self, crawler: Crawler):
        self._stats = crawler.stats
        self._received: WeakKeyDictionary[Request, int] = WeakKeyDictionary()
        self._gzip_files: WeakSet[Request] = WeakSet()
        crawler.signals.connect(self.headers_received, signals.headers_received)
        crawler.signals.connect(self.bytes_received, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def headers_received(self, headers: Headers, request: Request) -> None:
        content_type = headers.get("Content-Type") or b""
        if self.should_download(request, content_type.decode("latin-1")):
            return
        if not is_gzip_type(content_type):
            raise StopDownload(fail=False)
        if not headers.get("Content-Encoding"):
            self._gzip_files.add(request)

    def should_download(self, request: Request, content_type: str) -> bool:
        """Whether a body of this type is of use; override it to use another policy."""
        is_page = request.meta.get("sitecrawl_document", {}).get("kind") is DocumentKind.PAGE
        kind = file_kind(content_type)
        return not is_page or kind not in _NOT_READ or _is_wanted_file(request, kind)

    def bytes_received(self, data: bytes, request: Request) -> None:
        if request in self._gzip_files:
            self._gzip_files.discard(request)
            if not starts_as_markup(data):
                raise StopDownload(fail=False)
        limit = request.meta.get("sitecrawl_max_bytes")
        if not limit:
            return
        received = self._received.get(request, 0) + len(data)
        self._received[request] = received
        if received > limit:
            self._stats.inc_value("sitecrawl/documents/cut")
            raise StopDownload(fail=False)


def _is_wanted_file(request: Request, kind: str) -> bool:
    """Whether the request asks for such files; the ending decides for an octet stream."""
    endings = request.meta.get("sitecrawl_files", ())
    is_named = urlsplit(request.url).path.lower().endswith(tuple(f".{each}" for each in endings))
    return bool(endings) and (kind == "document" or (kind == "archive" and is_named))
