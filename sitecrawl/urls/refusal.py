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


class Refusal(NamedTuple):
    """One refusal, for example ``Refusal(Reason.SKIPPED_PATH, "/admin")``."""

    reason: Reason
    rule: str
