"""Why a URL is not taken: a reason for programs and the rule's text for people."""

from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    INVALID_URL = "invalid_url"
    SCHEME_NOT_ALLOWED = "scheme_not_allowed"
    TOO_LONG = "too_long"
    OFFSITE = "offsite"
    OUTSIDE_BASE = "outside_base"
    SKIPPED_PATH = "skipped_path"
    SKIPPED_FILE_TYPE = "skipped_file_type"
    SKIPPED_QUERY = "skipped_query"
    BLOCKED_BY_ROBOTS = "blocked_by_robots"
    ROUTE_PATTERN = "route_pattern"
    # Found by a visit.
    NOT_FOUND = "not_found"
    SOFT_404 = "soft_404"
    REDIRECTED = "redirected"
    REDIRECT_LOOP = "redirect_loop"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    OTHER_CANONICAL = "other_canonical"
    INDEX_PAGE = "index_page"
    # Endless URL spaces.
    TRAP_PATH = "trap_path"
    TRAP_LOOP = "trap_loop"
    TRAP_CALENDAR = "trap_calendar"
    TRAP_FACETS = "trap_facets"
    TRAP_SESSION = "trap_session"
    TRAP_PAGINATION = "trap_pagination"
    TRAP_PARAMETER = "trap_parameter"


NO_ADDRESSES = frozenset({Reason.INVALID_URL, Reason.SCHEME_NOT_ALLOWED, Reason.TOO_LONG})
"""What is refused for one of these reasons is no URL of a page, and is kept as written."""

FOUND_BY_VISIT = frozenset(
    {
        *(Reason.NOT_FOUND, Reason.SOFT_404, Reason.OTHER_CANONICAL),
        *(Reason.REDIRECTED, Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS),
    }
)
"""Reasons that only a visit of the page can give."""

FOUND_BY_CRAWL = FOUND_BY_VISIT | {
    *(Reason.TRAP_PATH, Reason.TRAP_LOOP, Reason.TRAP_CALENDAR, Reason.TRAP_FACETS),
    *(Reason.TRAP_SESSION, Reason.TRAP_PAGINATION),
}
"""Reasons that visits give, of the page itself or of pages like it."""

BROKEN = frozenset(
    {Reason.NOT_FOUND, Reason.SOFT_404, Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS}
)
"""A visit found no page there: links to it are broken."""


class Refusal(NamedTuple):
    """One refusal, for example ``Refusal(Reason.SKIPPED_PATH, "/admin")``."""

    reason: Reason
    rule: str
