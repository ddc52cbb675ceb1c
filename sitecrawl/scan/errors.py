"""Why a request was not sent, or its answer not read.

IgnoreRequest (Scrapy)
├── NotSentError                 the politeness of the scan refused it
├── BlockedByRobotsError         robots.txt disallows it
└── AddressNotAllowedError       the scan may not connect to its address
DownloadCancelledError (Scrapy)
└── ScanStoppedError             the scan was stopped while it was under way
PostponedError                   it has to wait again
ConnectionDroppedError           the connection was lost after it had been made
HeadersTooLargeError             the headers of the answer are too large
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest

if TYPE_CHECKING:
    from sitecrawl.politeness.scan import NotSent, NotSentReason
    from sitecrawl.robots.policy import Verdict


class NotSentError(IgnoreRequest):
    """The politeness of the scan refused this request."""

    def __init__(self, not_sent: NotSent):
        super().__init__(not_sent.words)
        self.reason: NotSentReason = not_sent.reason


class BlockedByRobotsError(IgnoreRequest):
    """robots.txt disallows this request."""

    def __init__(self, verdict: Verdict):
        super().__init__(verdict.explanation)
        self.verdict = verdict


class AddressNotAllowedError(IgnoreRequest):
    """The scan may not connect to the address of this host."""


class ScanStoppedError(DownloadCancelledError):
    """The scan was stopped while this was under way."""


class PostponedError(Exception):
    """The request has to wait again: something changed before it was written.

    *is_unsent*: it was reported as being sent, but was not.
    """

    def __init__(self, *, is_unsent: bool = False):
        super().__init__()
        self.is_unsent = is_unsent


class ConnectionDroppedError(aiohttp.ClientConnectionError):
    """The connection was lost after it had been made."""


class HeadersTooLargeError(Exception):
    """All headers together are larger than allowed, although each of them is not."""
