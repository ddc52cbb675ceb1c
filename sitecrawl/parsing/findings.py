"""What is wrong with a document: findings by kind, counted, each with an example."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from sitecrawl.urls.address import without_credentials

_EXAMPLE_CHARACTERS = 120


class FindingKind(StrEnum):
    NOT_A_SITEMAP = "not_a_sitemap"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    OVER_LIMIT = "over_limit"
    GZIP_DAMAGED = "gzip_damaged"
    TRAILING_BYTES = "trailing_bytes"
    ENCODING = "encoding"
    NULL_CHARACTERS = "null_characters"
    LEADING_JUNK = "leading_junk"
    JUNK_LINES = "junk_lines"
    MISSING_ROOT = "missing_root"
    OVERSIZED_TEXT = "oversized_text"
    BAD_LOC = "bad_loc"
    RELATIVE_LOC = "relative_loc"
    RAW_AMPERSAND = "raw_ampersand"
    MARKUP_IN_LOC = "markup_in_loc"
    MISPLACED_ENTRY = "misplaced_entry"
    UNDEFINED_ENTITY = "undefined_entity"
    INVALID_LASTMOD = "invalid_lastmod"
    INVALID_CHANGEFREQ = "invalid_changefreq"
    INVALID_PRIORITY = "invalid_priority"
    NOT_HTML = "not_html"
    BAD_BASE = "bad_base"
    BAD_JSON = "bad_json"
    HOSTILE_NESTING = "hostile_nesting"


class Finding(NamedTuple):
    kind: FindingKind
    detail: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which is not used


class Findings:
    """Collects findings: one per kind, with the number of times and the first example."""

    def __init__(self) -> None:
        self._examples: dict[FindingKind, str] = {}
        self._counts: dict[FindingKind, int] = {}

    def note(self, kind: FindingKind, detail: str) -> None:
        if kind not in self._counts:
            self._counts[kind] = 0
            self._examples[kind] = without_credentials(detail)[:_EXAMPLE_CHARACTERS]
        self._counts[kind] += 1

    def __contains__(self, kind: FindingKind) -> bool:
        return kind in self._counts

    def as_list(self) -> list[Finding]:
        return [Finding(kind, self._examples[kind], count) for kind, count in self._counts.items()]
