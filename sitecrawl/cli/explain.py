"""The words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.cli.database import known_site
from sitecrawl.config import Config
from sitecrawl.printable import printable
from sitecrawl.store.queries import latest_scan, site_for, sites
from sitecrawl.store.why import why
from sitecrawl.urls.canonical import (
    DEFAULT_RULES,
    KeyRules,
    canonicalize,
    explain_refusal,
    page_id,
)
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Fetch, MentionFact, PageFact, Site
    from sitecrawl.store.why import Why


def explain(database: Database, url: str) -> Iterator[str]:
    """Every mention of the page, or why it was refused, or what might have hidden it."""
    for line in _explain(database, url):
        yield printable(line)


def _explain(database: Database, url: str) -> Iterator[str]:
    site = site_for(database, url)
    if site is None:
        # A URL of another host is known to the site whose documents mention it.
        answers = (_look_up(database, each, url) for each in sites(database))
        answer = next((found for found in answers if found and found.page), None)
        if answer is None:
            known_site(database, url)
            return
    else:
        answer = _look_up(database, site, url)
    if answer is None:
        refusal = explain_refusal(url, None, DEFAULT_RULES)
        yield f"{url} cannot be a page: {refusal.rule}"
    elif answer.page is None:
        yield from _never_seen(_address(url), answer)
    else:
        yield from _verdict(answer.page, answer)
        for mention in answer.mentions:
            yield from _sentence(mention)


def _look_up(database: Database, site: Site, url: str) -> Why | None:
    """What is known of the URL; None if no page can have it."""
    scan = latest_scan(database, site.id)
    rules = Config.canonical_rules_of(scan.settings if scan else {})
    canonical = canonicalize(_address(url), site.root_url, rules)
    if canonical is None:
        return None
    return why(database, site.id, page_id(canonical, site.seed, KeyRules(**site.key_rules)))


def _address(url: str) -> str:
    """With a scheme, also when it was typed without."""
    try:
        return url if "://" in url else parse_target(url).url
    except TargetError:
        return url


def _verdict(page: PageFact, answer: Why) -> Iterator[str]:
    newest = answer.scan.id if answer.scan else None
    yield page.url
    yield f"  known since {page.first_seen_at:%Y-%m-%d %H:%M}, scan {page.first_scan_id}"
    if answer.last_seen_scan_id != newest:
        yield f"  no longer listed: last seen in scan {answer.last_seen_scan_id} of {newest}"
    elif page.reason:
        yield f"  refused: {page.reason}, by the rule {page.rule}"
    else:
        yield "  listed"


def _sentence(mention: MentionFact) -> Iterator[str]:
    verb = "listed" if mention.is_current else "was listed"
    lastmod = f", lastmod {mention.lastmod}" if mention.lastmod else ""
    read = f", read {mention.fetched_at:%Y-%m-%d %H:%M}" if mention.fetched_at else ""
    entry = f"entry {mention.position} ({mention.source})"
    yield f"  {verb} by {mention.document_url}, {entry}{lastmod}"
    yield f"      which was found by {mention.found_by}{read}"


def _never_seen(url: str, answer: Why) -> Iterator[str]:
    yield url
    yield "  never seen"
    if answer.scan is None:
        return
    scan = answer.scan
    yield f"  as of scan {scan.id} ({scan.status}), {scan.started_at:%Y-%m-%d %H:%M}"
    if not answer.doubtful and not answer.unread:
        yield "  every document of that scan was read to its end, so no document lists it"
        return
    yield "  these documents were not read to their end, and may list it:"
    for fetch in answer.doubtful:
        yield f"    {fetch.url}: {_doubt(fetch)}"
    for document in answer.unread:
        yield f"    {document}: not fetched"


def _doubt(fetch: Fetch) -> str:
    if fetch.error:
        return fetch.error
    return "cut by a limit" if fetch.truncated else fetch.outcome
