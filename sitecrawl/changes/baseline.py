"""Which settings differ between two scans, so that differences of pages may be our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# Settings that do not decide which pages are found. All others may, also those of later versions.
_OTHER: Final = frozenset(
    {
        *("profile", "job", "feed_refused", "page_items", "conditional_requests", "use_proxies"),
        *("verify_certificates", "address_allow", "allow_private_site"),
        *("allow_unguarded_handlers", "max_header_bytes"),
        *("language_detection", "languages", "sitemap_batch_entries", "browser_user_agents"),
        *("busy_backoff_seconds", "retry_backoff_seconds", "max_errors_in_a_row"),
    }
)
_OTHER_PREFIXES: Final = (
    *("database_", "keep_", "progress", "check_", "collapse_", "robots_cache", "slot_"),
    *("max_crawl_delay", "max_retry_after", "key_"),
    # How fast the site is asked.
    *("AUTOTHROTTLE_", "CONCURRENT_REQUESTS", "DOWNLOAD_DELAY", "RETRY_TIMES"),
)
_TIMEOUT: Final = "_timeout_seconds"
VERSION: Final = "version"
"""The recorded setting that has the version of our rules."""


def changed_settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The settings that may change which pages are found and differ between two scans.

    A setting that only one of them has does not count: another version of sitecrawl added or
    removed it, and the version is compared, too.

    >>> changed_settings({"skip_paths": ["/a"], "progress": "auto"}, {"skip_paths": []})
    ['skip_paths']
    >>> changed_settings({"max_pages": 0}, {"max_pages": 0, "new": 1})
    []
    >>> changed_settings({"DOWNLOAD_DELAY": 0.35, "job": "a1"}, {"DOWNLOAD_DELAY": 2, "job": "b2"})
    []
    """
    return sorted(
        name
        for name in before.keys() & after.keys()
        if _plain(before[name]) != _plain(after[name]) and _may_matter(name)
    )


def _may_matter(name: str) -> bool:
    is_other = name in _OTHER or name.endswith(_TIMEOUT)
    return not is_other and not name.startswith(_OTHER_PREFIXES)


def _plain(value: Any) -> Any:
    # What was a tuple in the settings is a list in the database.
    return list(value) if isinstance(value, tuple) else value


def baseline_words(names: list[str]) -> str:
    """
    >>> baseline_words(["max_pages", "version"])
    'other settings than in the scan before: max_pages; another version of sitecrawl'
    """
    settings = [name for name in names if name != VERSION]
    parts = []
    if settings:
        parts.append(f"other settings than in the scan before: {', '.join(settings)}")
    if VERSION in names:
        parts.append("another version of sitecrawl")
    return "; ".join(parts)
