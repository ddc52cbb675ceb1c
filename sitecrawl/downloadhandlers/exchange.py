"""One plain request and its answer on a connection."""

from __future__ import annotations

import asyncio
import logging
import time
from io import BytesIO
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import ResponseDataLossError, StopDownload
from scrapy.http import Headers
from scrapy.utils._download_handlers import check_stop_download, get_maxsize_msg, make_response
from twisted.internet.defer import CancelledError
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed
from twisted.web.http import (
    _ChunkedTransferDecoder,
    _DataLoss,
    _IdentityTransferDecoder,
    _MalformedChunkedDataError,
)
from twisted.web.iweb import UNKNOWN_LENGTH

from sitecrawl.downloadhandlers.heads import plain_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.core.downloader.handlers.http11 import _ScrapyAgent
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.downloadhandlers.departures import ReadyConnection
    from sitecrawl.downloadhandlers.heads import PlainAnswer, PlainRequest

logger = logging.getLogger(__name__)

# As long as a line may be for Twisted.
_MAX_HEAD_BYTES = 16_384


class PlainExchange:
    """Sends a request and makes a response of its answer, with Scrapy's signals and limits.

    An answer whose head is not plain is read by Twisted and an agent, from its first byte.
    """

    def __init__(
        self,
        request: Request,
        plain: PlainRequest,
        make_agent: Callable[[], _ScrapyAgent],
        crawler: Crawler,
        *,
        max_bytes: int,
        fails_on_data_loss: bool,
    ):
        self.outcome: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._request = request
        self._plain = plain
        self._make_agent = make_agent
        self._crawler = crawler
        self._max_bytes = max_bytes
        self._fails_on_data_loss = fails_on_data_loss
        self._began = time.monotonic()
        self._connection: ReadyConnection
        self._head: PlainAnswer
        self._headers = Headers()
        self._decoder: Any = None
        self._collected = b""
        self._body = BytesIO()  # whose value is no copy: a sitemap may have 50 MB

    def begin(self, connection: ReadyConnection) -> None:
        self._connection = connection
        connection.carry(self, self._plain.head)

    # --- what the connection tells -----------------------------------------------------------

    def received(self, data: bytes) -> None:
        if self.outcome.done():
            return  # it was given up, and its connection is about to be closed
        if self._decoder is None:
            self._collect(data)
        else:
            self._decode(data)

    def lost(self, reason: Failure) -> None:
        """The connection was closed before the answer was complete."""
        if self.outcome.done():
            return
        if self._decoder is None:
            self._hand_over()
            return
        try:
            self._decoder.noMoreData()
        except _DataLoss:
            if not self._fails_on_data_loss:
                self._respond(flags=["dataloss"])
                return
            error = ResponseDataLossError()
            error.__cause__ = ResponseFailed([reason, Failure()])  # type: ignore[no-untyped-call]
            self.outcome.set_exception(error)

    # --- the head ----------------------------------------------------------------------------

    def _collect(self, data: bytes) -> None:
        self._collected += data
        end = self._collected.find(b"\r\n\r\n") + 4
        if end < 4 and len(self._collected) <= _MAX_HEAD_BYTES:  # noqa: PLR2004  not found
            return
        head = plain_answer(self._collected[:end]) if end <= _MAX_HEAD_BYTES else None
        if head is None or 0 < self._max_bytes < (head.length or 0):
            self._hand_over()
            return
        self._request.meta["download_latency"] = time.monotonic() - self._began
        self._head = head
        dict.update(self._headers, head.headers)  # the names are normalised
        if stop := check_stop_download(
            signals.headers_received,
            self._crawler,
            self._request,
            headers=self._headers,
            body_length=UNKNOWN_LENGTH if head.length is None else head.length,
        ):
            self._stop(stop)
            return
        if head.length is None:
            self._decoder = _ChunkedTransferDecoder(self._take, self._finish)
        else:
            self._decoder = _IdentityTransferDecoder(head.length, self._take, self._finish)  # type: ignore[no-untyped-call]
        if len(self._collected) > end:
            self._decode(self._collected[end:])

    def _hand_over(self) -> None:
        agent, request = self._make_agent(), self._request
        response: Any = self._connection.leave_to_twisted()
        response.addCallback(agent._cb_latency, request, self._began)  # noqa: SLF001
        response.addCallback(agent._cb_bodyready, request)  # noqa: SLF001
        response.addCallback(agent._cb_bodydone, self._plain.url)  # noqa: SLF001
        response.addCallbacks(self._succeed, self._fail)
        if self._collected:
            self._connection.dataReceived(self._collected)

    # --- the body ----------------------------------------------------------------------------

    def _decode(self, data: bytes) -> None:
        try:
            self._decoder.dataReceived(data)
        except _MalformedChunkedDataError:
            self._connection.close()
            self.lost(Failure())  # type: ignore[no-untyped-call]

    def _take(self, data: bytes) -> None:
        if self.outcome.done():
            return  # the decoder has more chunks of the same piece
        self._body.write(data)
        if stop := check_stop_download(
            signals.bytes_received, self._crawler, self._request, data=data
        ):
            self._stop(stop)
        elif 0 < self._max_bytes < (size := self._body.tell()):
            logger.warning(
                "%s", get_maxsize_msg(size, self._max_bytes, self._request, expected=False)
            )
            self._body.truncate(0)
            self._connection.close()
            self.outcome.set_exception(CancelledError())

    def _finish(self, _rest: bytes) -> None:
        if self.outcome.done():
            return
        self._connection.release(is_kept=self._head.keeps_connection)
        self._respond()

    def _stop(self, stop: StopDownload) -> None:
        self._connection.close()
        self._respond(stop=stop)

    def _respond(self, *, flags: list[str] | None = None, stop: StopDownload | None = None) -> None:
        connection = self._connection
        try:
            response = make_response(
                url=self._plain.url,
                status=self._head.status,
                headers=self._headers,
                body=self._body.getvalue(),
                flags=flags,
                certificate=connection.certificate,
                ip_address=connection.address,
                protocol="HTTP/1.1",
                stop_download=stop,
            )
        except StopDownload as error:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(response)

    def _succeed(self, response: Response) -> None:
        if not self.outcome.done():
            self.outcome.set_result(response)

    def _fail(self, failure: Failure) -> None:
        if not self.outcome.done():
            self.outcome.set_exception(failure.value)  # type: ignore[arg-type]
