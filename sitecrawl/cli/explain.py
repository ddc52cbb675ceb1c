"""The words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.store.queries import latest_scan
from sitecrawl.store.why import why
from sitecrawl.urls.canonical import KeyRules, canonicalize, explain_refusal, page_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Fetch, MentionFact, PageFact, Site
    from sitecrawl.store.why import Why


def explain(database: Database, site: Site, url: str) -> Iterator[str]:
    """Every mention of the page, or why it was refused, or what might have hidden it."""
    scan = latest_scan(database, site.id)
    rules = Config.canonical_rules_of(scan.settings if scan else {})
    canonical = canonicalize(url, site.root_url, rules)
    if canonical is None:
        refusal = explain_refusal(url, site.root_url, rules)
        yield f"{url} cannot be a page: {refusal.rule}"
        return
    answer = why(database, site.id, page_id(canonical, site.seed, KeyRules(**site.key_rules)))
    if answer.page is None:
        yield from _never_seen(canonical, answer)
        return
    yield from _verdict(answer.page)
    yield from _mentions(answer)


def _verdict(page: PageFact) -> Iterator[str]:
    yield page.url
    yield f"  known since {page.first_seen_at:%Y-%m-%d %H:%M}, scan {page.first_scan_id}"
    if page.reason:
        yield f"  refused: {page.reason}, by the rule {page.rule}"
    else:
        yield "  listed"


def _mentions(answer: Why) -> Iterator[str]:
    newest = answer.scan.id if answer.scan else None
    if answer.last_seen_scan_id != newest:
        yield f"  last seen in scan {answer.last_seen_scan_id}, no longer in scan {newest}"
    for mention in answer.mentions:
        yield f"  {_sentence(mention)}"


def _sentence(mention: MentionFact) -> str:
    verb = "listed" if mention.is_current else "was listed"
    lastmod = f", lastmod {mention.lastmod}" if mention.lastmod else ""
    read = f", read {mention.fetched_at:%Y-%m-%d %H:%M}" if mention.fetched_at else ""
    return (
        f"{verb} by {mention.document_url}, entry {mention.position} ({mention.source}){lastmod}"
        f"\n      which was found by {mention.found_by}{read}"
    )


def _never_seen(url: str, answer: Why) -> Iterator[str]:
    yield url
    yield "  never seen"
    if answer.scan is None:
        return
    scan = answer.scan
    yield f"  as of scan {scan.id} ({scan.status}), {scan.started_at:%Y-%m-%d %H:%M}"
    if not answer.doubtful:
        yield "  every document of that scan was read to its end, so no document lists it"
        return
    yield "  these documents were not read to their end, and may list it:"
    for fetch in answer.doubtful:
        yield f"    {fetch.url}: {_doubt(fetch)}"


def _doubt(fetch: Fetch) -> str:
    if fetch.error:
        return fetch.error
    return "cut by a limit" if fetch.truncated else fetch.outcome
