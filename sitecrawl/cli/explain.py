"""The words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.cli.database import known_site
from sitecrawl.config import Config
from sitecrawl.printable import printable
from sitecrawl.store.queries import latest_scan, site_for, sites
from sitecrawl.store.why import why
from sitecrawl.urls.canonical import KeyRules, canonicalize, explain_refusal, page_ids
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Fetch, MentionFact, PageFact, Site, VerdictFact
    from sitecrawl.store.why import Why
    from sitecrawl.urls.canonical import CanonicalRules


def explain(database: Database, url: str) -> Iterator[str]:
    """Every mention of the page, or why it was refused, or what might have hidden it."""
    for line in _explain(database, url):
        yield printable(line)


def _explain(database: Database, url: str) -> Iterator[str]:
    site = site_for(database, url)
    if site is None:
        # A URL of another host, or one that no page can have, is known to the site whose
        # documents mention it.
        answers = (_look_up(database, each, url) for each in sites(database))
        answer = next((found for found in answers if found.page), None)
    else:
        answer = _look_up(database, site, url)
    if answer is not None and answer.page is not None:
        yield from _verdict(answer.page, answer)
        for mention in answer.mentions:
            yield from _sentence(mention)
        return
    address, rules = _address(url), _rules(database, site)
    if canonicalize(address, None, rules) is None:
        yield f"{url} cannot be a page: {explain_refusal(address, None, rules).rule}"
    elif answer is None:
        known_site(database, url)
    else:
        yield from _never_seen(address, answer)


def _look_up(database: Database, site: Site, url: str) -> Why:
    address, rules = _address(url), _rules(database, site)
    # What no page can have is kept as it was written (see CanonicalizePipeline).
    as_written = address[: rules.max_length].encode(errors="replace").decode()
    wanted = canonicalize(address, None, rules) or as_written
    [number] = page_ids([wanted], site.seed, KeyRules(**site.key_rules))
    return why(database, site.id, number)


def _rules(database: Database, site: Site | None) -> CanonicalRules:
    """Those of the site's last scan."""
    scan = latest_scan(database, site.id) if site else None
    return Config.canonical_rules_of(scan.settings if scan else {})


def _address(url: str) -> str:
    """With a scheme, also when it was typed without."""
    try:
        return url if "://" in url else parse_target(url).url
    except TargetError:
        return url


def _verdict(page: PageFact, answer: Why) -> Iterator[str]:
    newest = answer.scan.id if answer.scan else None
    yield page.url
    yield f"  known since {answer.first_seen_at:%Y-%m-%d %H:%M} UTC, scan {page.first_scan_id}"
    if answer.last_seen_scan_id != newest:
        yield f"  no longer listed: last seen in scan {answer.last_seen_scan_id} of {newest}"
    elif page.reason:
        yield f"  refused: {page.reason}, by the rule {page.rule}"
    else:
        yield "  listed"
    if answer.verdict:
        yield from _robots(answer.verdict)


def _robots(verdict: VerdictFact) -> Iterator[str]:
    word = "allowed" if verdict.allowed else "not allowed"
    where = f", line {verdict.line}" if verdict.line else ""
    rule = f": {verdict.rule}" if verdict.rule else f" ({verdict.reason.replace('_', ' ')})"
    group = f", for {verdict.agents}" if verdict.agents else ""
    yield f"  {word} by {verdict.robots_url or 'robots.txt'}{where}{group}{rule}"
    delay = f"crawl-delay {verdict.crawl_delay:g} s, " if verdict.crawl_delay else ""
    since = f"{verdict.decided_at:%Y-%m-%d %H:%M} UTC"
    yield f"      {delay}confidence {verdict.confidence:g}, first decided {since}"


def _sentence(mention: MentionFact) -> Iterator[str]:
    verb = "listed" if mention.is_current else "was listed"
    lastmod = f", lastmod {mention.lastmod}" if mention.lastmod else ""
    read = f", read {mention.fetched_at:%Y-%m-%d %H:%M} UTC" if mention.fetched_at else ""
    entry = f"entry {mention.position} ({mention.source})"
    yield f"  {verb} by {mention.document_url}, {entry}{lastmod}"
    yield f"      which was found by {mention.found_by}{read}"


def _never_seen(url: str, answer: Why) -> Iterator[str]:
    yield url
    yield "  never seen"
    if answer.scan is None:
        return
    scan = answer.scan
    yield f"  as of scan {scan.id} ({scan.status}), {scan.started_at:%Y-%m-%d %H:%M} UTC"
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
