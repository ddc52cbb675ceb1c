"""Finds what is known of one URL: the answer to "why is it on the list, and why not"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sitecrawl.config import Config
from sitecrawl.errors import NotFoundError
from sitecrawl.services.database import known_site
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.classification import explain_page
from sitecrawl.store.queries.explain import MAX_MENTIONS, page_fact, why
from sitecrawl.store.queries.scans import latest_scan, sites, sites_for
from sitecrawl.urls.canonical import KeyRules, canonicalize, explain_refusal
from sitecrawl.urls.columns import page_ids
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.changes.presence import Presence
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ChangeFact
    from sitecrawl.store.queries.classification import ExplainedPage
    from sitecrawl.store.queries.explain import PageFact, Why
    from sitecrawl.store.queries.scans import Site
    from sitecrawl.urls.canonical import CanonicalRules

_MAX_REDIRECTS: Final = 20


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of a URL."""

    asked: str
    """The URL as it was asked for."""
    address: str
    """The URL with a scheme."""
    site: Site | None = None
    """None: it cannot be a page of any."""
    why: Why | None = None
    problem: str = ""
    """Why it cannot be a page."""


@dataclass(frozen=True, slots=True)
class PageStory:
    """What is known of a page besides its mentions."""

    explained: ExplainedPage | None
    """Its class, with reasons; None: it is not listed."""
    redirects: Sequence[str]
    """The targets of its chain of redirects."""
    presence: Presence | None
    """None: it is present."""
    history: Sequence[ChangeFact]
    """Its changes, the newest first."""


@requires(Permission.READ)
def explain_url(
    database: Database, url: str, max_mentions: int | None = MAX_MENTIONS
) -> Explanation:
    """Look the URL up; ``ConfigError`` if it belongs to no site that has been scanned."""
    address = _address(url)
    around = sites_for(database, url)
    site = around[0] if around else None
    # A site below another one may not know what that one lists. A refused URL (of another host, or
    # not valid) belongs to the site that mentions it.
    for each in around or sites(database):
        answer = look_up(database, each, url, max_mentions)
        if answer.page is not None:
            return Explanation(url, address, each, answer)
    rules = canonical_rules(database, site)
    if canonicalize(address, None, rules) is None:
        return Explanation(url, address, problem=explain_refusal(address, None, rules).rule)
    site = known_site(database, url)
    return Explanation(url, address, site, look_up(database, site, url, max_mentions))


@requires(Permission.READ)
def page_story(database: Database, found: Explanation) -> PageStory | None:
    """What else is known of a page: its class, its redirects, its changes; None: there is none."""
    from sitecrawl.services.changes import page_history, page_presence

    site, answer = found.site, found.why
    if site is None or answer is None or answer.page is None:
        return None
    page, scan = answer.page, answer.scan
    is_listed = answer.is_mentioned and not page.reason
    return PageStory(
        explained=explain_page(database, scan, page.id) if scan and is_listed else None,
        redirects=_redirects(database, site, page),
        presence=page_presence(database, page.id),
        history=page_history(database, site, page.id),
    )


def _redirects(database: Database, site: Site, page: PageFact) -> list[str]:
    rules = canonical_rules(database, site)
    targets: list[str] = []
    current: PageFact | None = page
    while current and current.reason == Reason.REDIRECTED and len(targets) < _MAX_REDIRECTS:
        targets.append(current.rule or "")
        current = page_fact(database, page_id(site, current.rule or "", rules))
    return targets


@requires(Permission.READ)
def look_up(
    database: Database, site: Site, url: str, max_mentions: int | None = MAX_MENTIONS
) -> Why:
    """What is known of the URL as a page of this site."""
    rules = canonical_rules(database, site)
    # In a rendered application, "#..." may be a page of its own.
    route_rules = replace(rules, keep_hash_routes=True)
    as_route = why(database, site.id, page_id(site, url, route_rules), max_mentions)
    if as_route.page is not None or "#" not in url:
        return as_route
    return why(database, site.id, page_id(site, url, rules), max_mentions)


@requires(Permission.READ)
def find_page_id(asked: AskedScan, url: str) -> int:
    """The id of the page with this URL, in any spelling."""
    found = look_up(asked.database, asked.site, url, 0)
    if found.page is None:
        raise NotFoundError(f"{url} is not in the inventory of {asked.site.key}")
    return found.page.id


@requires(Permission.READ)
def page_id(site: Site, url: str, rules: CanonicalRules) -> int:
    """The id that a page with this URL has or would have."""
    address = _address(url)
    # A URL that is not valid is kept as it was written (see CanonicalizePipeline).
    as_written = address[: rules.max_length].encode(errors="replace").decode()
    wanted = canonicalize(address, None, rules) or as_written
    [number] = page_ids([wanted], site.seed, KeyRules(**site.key_rules))
    return number


@requires(Permission.READ)
def canonical_rules(database: Database, site: Site | None) -> CanonicalRules:
    """The rules of the site's last scan."""
    scan = latest_scan(database, site.id) if site else None
    return Config.canonical_rules_of(scan.settings if scan else {})


def _address(url: str) -> str:
    """*url* with a scheme, also when it was typed without one."""
    try:
        return url if "://" in url else parse_target(url).url
    except TargetError:
        return url
