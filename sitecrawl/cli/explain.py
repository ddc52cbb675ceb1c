"""The words of ``sitecrawl why``."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.cli.classwords import class_words
from sitecrawl.cli.coveragewords import coverage_words
from sitecrawl.cli.database import known_site
from sitecrawl.cli.mentionwords import mention_words
from sitecrawl.cli.refusalwords import refusal_words
from sitecrawl.cli.visitwords import path_words, unvisited_words, visit_words
from sitecrawl.config import Config
from sitecrawl.console.text import printable
from sitecrawl.store.queries import latest_scan, site_for, sites
from sitecrawl.store.why import MAX_MENTIONS, page_fact, why
from sitecrawl.urls.canonical import KeyRules, canonicalize, explain_refusal
from sitecrawl.urls.columns import page_ids
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.document_facts import Fetch
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Site
    from sitecrawl.store.page_facts import PageFact, VerdictFact
    from sitecrawl.store.why import Why
    from sitecrawl.urls.canonical import CanonicalRules

_MAX_REDIRECTS = 20
_MAX_DOUBTFUL = 10


def explain(database: Database, url: str, *, show_all: bool = False) -> Iterator[str]:
    """Every mention of the page, or why it was refused, or what might have hidden it."""
    for line in _explain(database, url, show_all=show_all):
        yield printable(line)


def _explain(database: Database, url: str, *, show_all: bool) -> Iterator[str]:
    most = None if show_all else MAX_MENTIONS
    site = site_for(database, url)
    if site is None:
        # A URL of another host, or one that no page can have, is known to the site whose
        # documents mention it.
        answers = ((each, _look_up(database, each, url, most)) for each in sites(database))
        site, answer = next(((each, found) for each, found in answers if found.page), (None, None))
    else:
        answer = _look_up(database, site, url, most)
    if site is not None and answer is not None and answer.page is not None:
        yield from _known(database, site, answer.page, answer)
        return
    address, rules = _address(url), _rules(database, site)
    if canonicalize(address, None, rules) is None:
        yield f"{url} cannot be a page: {explain_refusal(address, None, rules).rule}"
    elif answer is None:
        known_site(database, url)
    else:
        yield from _never_seen(address, answer, show_all=show_all)


def _look_up(database: Database, site: Site, url: str, max_mentions: int | None) -> Why:
    rules = _rules(database, site)
    # A rendered page may have shown that what is behind "#" is a page of its own.
    as_route = why(
        database, site.id, _page_id(site, url, replace(rules, keep_hash_routes=True)), max_mentions
    )
    if as_route.page is not None or "#" not in url:
        return as_route
    return why(database, site.id, _page_id(site, url, rules), max_mentions)


def _page_id(site: Site, url: str, rules: CanonicalRules) -> int:
    address = _address(url)
    # What no page can have is kept as it was written (see CanonicalizePipeline).
    as_written = address[: rules.max_length].encode(errors="replace").decode()
    wanted = canonicalize(address, None, rules) or as_written
    [number] = page_ids([wanted], site.seed, KeyRules(**site.key_rules))
    return number


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


def _known(database: Database, site: Site, page: PageFact, answer: Why) -> Iterator[str]:
    yield page.url
    newest = answer.scan.id if answer.scan else None
    yield f"  known since {answer.first_seen_at:%Y-%m-%d %H:%M} UTC, scan {page.first_scan_id}"
    if answer.last_seen_scan_id != newest:
        yield f"  no longer listed: last seen in scan {answer.last_seen_scan_id} of {newest}"
    elif page.reason:
        yield f"  refused: {page.reason}, {refusal_words(answer, _redirects(database, site, page))}"
    else:
        yield "  listed"
        if words := unvisited_words(answer):
            yield f"  not visited: {words}"
        if answer.scan:
            yield from (f"  {line}" for line in class_words(database, answer.scan, page))
    if answer.verdict:
        yield from _robots(answer.verdict)
    if answer.visit:
        yield from (f"  {line}" for line in visit_words(answer.visit))
    yield from (f"  {line}" for line in path_words(answer.click_path))
    yield from (f"  {line}" for line in mention_words(answer))


def _redirects(database: Database, site: Site, page: PageFact) -> list[str]:
    """Where the page redirects to, and where that does."""
    rules = _rules(database, site)
    targets: list[str] = []
    current: PageFact | None = page
    while current and current.reason == Reason.REDIRECTED and len(targets) < _MAX_REDIRECTS:
        targets.append(current.rule or "")
        current = page_fact(database, _page_id(site, current.rule or "", rules))
    return targets


def _robots(verdict: VerdictFact) -> Iterator[str]:
    word = "allowed" if verdict.allowed else "not allowed"
    where = f", line {verdict.line}" if verdict.line else ""
    rule = f": {verdict.rule}" if verdict.rule else f" ({verdict.reason.replace('_', ' ')})"
    group = f", for {verdict.agents}" if verdict.agents else ""
    yield f"  {word} by {verdict.robots_url or 'robots.txt'}{where}{group}{rule}"
    delay = f"crawl-delay {verdict.crawl_delay:g} s, " if verdict.crawl_delay else ""
    since = f"{verdict.decided_at:%Y-%m-%d %H:%M} UTC"
    yield f"      {delay}confidence {verdict.confidence:g}, first decided {since}"


def _never_seen(url: str, answer: Why, *, show_all: bool) -> Iterator[str]:
    yield url
    yield "  never seen"
    scan = answer.scan
    if scan is None or answer.coverage is None:
        return
    yield f"  as of scan {scan.id} ({scan.status}), {scan.started_at:%Y-%m-%d %H:%M} UTC"
    doubts = [f"{fetch.url}: {_doubt(fetch)}" for fetch in answer.doubtful]
    doubts += [f"{document}: not fetched" for document in answer.unread]
    if not doubts:
        yield "  every document of that scan was read to its end, so no document lists it"
    else:
        yield "  these documents were not read to their end, and may list it:"
        yield from (f"    {doubt}" for doubt in islice(doubts, None if show_all else _MAX_DOUBTFUL))
        if not show_all and len(doubts) > _MAX_DOUBTFUL:
            yield f"    and {len(doubts) - _MAX_DOUBTFUL:,} more; --all shows them"
    if not answer.coverage.is_whole:
        yield from (f"  {line}" for line in coverage_words(answer.coverage))


def _doubt(fetch: Fetch) -> str:
    if fetch.error:
        return fetch.error
    return "cut by a limit" if fetch.truncated else fetch.outcome
