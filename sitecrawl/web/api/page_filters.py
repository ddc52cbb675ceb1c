"""The parameters that lists of pages, their facets and their downloads share."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Final

from pydantic import Field

from sitecrawl.errors import InvalidInputError
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.refusal import Reason
from sitecrawl.web.api.models import Body, Moment

_HTTP_STATUS: Final = re.compile(r"([1-5])(?:xx|([0-9]{2}))")
Text = Annotated[str, Field(max_length=500)]


class PageParameters(Body):
    """Which pages: the listed ones, unless more is said."""

    status: PageStatus | None = None
    refused: bool = Field(default=False, description="Refused and broken ones as well.")
    reason: Reason | None = Field(default=None, description="Why it was refused.")
    source: Text = Field(default="", description="Of any mention, such as sitemap or link.")
    region: Text = Field(default="", description="Of the page that links, such as navigation.")
    contains: Text = Field(default="", description="In the URL.")
    search: Text = Field(default="", description="In the URL or the title.")
    text: Text = Field(default="", description="In the title or the text of a link.")
    prefix: Annotated[str, Field(max_length=2_000)] = Field(
        default="", description="How the URL begins."
    )
    pattern: Text = Field(default="", description="Such as /item/{n}.")
    template: Text = Field(default="", description="As classification names it.")
    category: Text = ""
    type: Text = ""
    language: Text = Field(default="", description="`pt` wants `pt-br`, too.")
    cluster: Text = Field(default="", description="The key of one.")
    min_depth: int | None = Field(default=None, ge=0, le=1_000)
    max_depth: int | None = Field(default=None, ge=0, le=1_000)
    max_clicks: int | None = Field(default=None, ge=0, le=100_000)
    min_priority: float | None = Field(default=None, ge=0, le=1)
    max_priority: float | None = Field(default=None, ge=0, le=1)
    http_status: Text = Field(default="", description="Such as 404 or 5xx.")
    visited: bool | None = None
    robots_allowed: bool | None = None
    indexable: bool | None = None
    orphan: bool | None = Field(default=None, description="In a sitemap, and not linked.")
    lastmod_since: date | None = None
    lastmod_before: date | None = None
    first_seen_since: Moment | None = None
    first_seen_before: Moment | None = None
    last_seen_since: Moment | None = None
    last_seen_before: Moment | None = None
    changed_since: Moment | None = None

    def filter_without(self, *names: str) -> PageFilter:
        """As the store takes it; *names* are parameters that are no filters."""
        values = self.model_dump(exclude={"refused", "type", "http_status", "reason", *names})
        return PageFilter(
            **values,
            include_refused=self.refused,
            reason=self.reason or "",
            page_type=self.type,
            http_status=_status_range(self.http_status),
        )


def _status_range(text: str) -> tuple[int, int] | None:
    """
    >>> _status_range("404"), _status_range("5xx"), _status_range("")
    ((404, 404), (500, 599), None)
    """
    if not text:
        return None
    found = _HTTP_STATUS.fullmatch(text)
    if found is None:
        raise InvalidInputError("http_status", f"{text!r}: expected one such as 404 or 5xx")
    first = int(found[1]) * 100
    return (int(text), int(text)) if found[2] else (first, first + 99)
