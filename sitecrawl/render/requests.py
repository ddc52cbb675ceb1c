"""What a rendered page may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sitecrawl.render.rules.trackers import TRACKERS

if TYPE_CHECKING:
    from tldextract import TLDExtract


class RequestKind(StrEnum):
    """What a page wants to load."""

    FRAME = "frame"
    RESOURCE = "resource"
    """A script or a style sheet."""
    DATA = "data"
    """``fetch()`` and XMLHttpRequest."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of a page that Scrapy may send in its place."""

    page_url: str
    url: str
    kind: RequestKind
    method: str
    headers: dict[str, str]
    deadline: float
    """By the monotonic clock: later than that it need not be sent."""


def is_data_wanted(setting: str, wanted: PageRequest) -> bool:
    """Whether ``SITECRAWL_RENDER_DATA`` lets a page have this data."""
    if setting == "same-site":
        return _is_same_site(wanted.url, wanted.page_url)
    return setting == "all"


def is_tracker(wanted: PageRequest) -> bool:
    """Whether this is a script of another site that only watches visitors."""
    url = wanted.url.lower().encode()
    is_listed = any(text in url for text in TRACKERS)
    return is_listed and not _is_same_site(wanted.url, wanted.page_url)


@cache
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract

    # The list that comes with the package: nothing is downloaded or written.
    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def _is_same_site(url: str, other: str) -> bool:
    """Whether two addresses are below one registrable domain, as browsers define a site."""
    host, other_host = urlsplit(url).hostname or "", urlsplit(other).hostname or ""
    if host == other_host:
        return True
    domain = _suffixes()(host).top_domain_under_public_suffix
    return bool(domain) and domain == _suffixes()(other_host).top_domain_under_public_suffix
