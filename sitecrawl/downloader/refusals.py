"""Requests that do not leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from sitecrawl.politeness.scan import NotSent, NotSentReason
    from sitecrawl.robots.policy import Verdict


class NotSentError(IgnoreRequest):
    """The politeness of the scan kept this request back for good."""

    def __init__(self, not_sent: NotSent):
        super().__init__(not_sent.words)
        self.reason: NotSentReason = not_sent.reason


class BlockedByRobotsError(IgnoreRequest):
    """The verdict of robots.txt on this request is no."""

    def __init__(self, verdict: Verdict):
        super().__init__(verdict.explanation)
        self.verdict = verdict


class AddressNotAllowedError(IgnoreRequest):
    """The address of a host is not one that the scan may connect to."""


class HeldBackError(Exception):
    """Something came up while this request's connection was being made: it has to wait again."""
