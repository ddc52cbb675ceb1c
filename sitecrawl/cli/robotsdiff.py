"""The words of ``sitecrawl robots --diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.cli.database import known_site, wanted_scan
from sitecrawl.config import ConfigError
from sitecrawl.console.text import printable
from sitecrawl.robots.answers import AnswerKind, may_use_kept_copy, read_answer
from sitecrawl.store.inventory import ALL_PAGES, page_chunks
from sitecrawl.store.robots_copies import last_answer, last_good_copy
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.cli.robotsview import RobotsView
    from sitecrawl.robots.policy import RobotsPolicy
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

_MAX_CHANGED: Final = 1_000


class _Earlier(NamedTuple):
    """What held in an earlier scan, and since when that was known."""

    policy: RobotsPolicy
    words: str


def changed_verdicts(
    database: Database,
    robots: AuthorityRobots,
    view: RobotsView,
    domain: str,
    scan_id: int | None,
) -> Iterator[str]:
    """Which URLs of the inventory may be fetched now and might not then, or the other way round."""
    site = known_site(database, domain)
    earlier = _earlier(database, robots.url, view, wanted_scan(database, site, scan_id))
    yield ""
    yield printable(earlier.words)
    changed = 0
    for line in _changes(database, robots, earlier.policy, wanted_scan(database, site, None)):
        changed += 1
        if changed <= _MAX_CHANGED:
            yield printable(line)
    if changed > _MAX_CHANGED:
        yield f"  and {changed - _MAX_CHANGED:,} more"
    yield f"  {changed:,} changed" if changed else "  nothing has changed"


def _earlier(database: Database, url: str, view: RobotsView, scan: Scan) -> _Earlier:
    before = scan.id + 1
    last = last_answer(database, scan.site_id, url, before_scan=before)
    good = last_good_copy(database, scan.site_id, url, before_scan=before)
    if last is None:
        raise ConfigError(f"{url}: no scan of {scan.site_key} has asked for it until {scan.id}")
    answer = read_answer(last.outcome, last.status, redirects=last.redirects, error=last.error)
    if answer.kind is AnswerKind.READ and last.body is None:
        raise ConfigError(f"{url}: scan {last.scan_id} kept no copy of it (SITECRAWL_KEEP_BODIES)")
    if good is not None and may_use_kept_copy(
        answer, (last.fetched_at - good.fetched_at).total_seconds()
    ):
        last = good
        policy = view.policy(answer, b"", good.body)
    else:
        policy = view.policy(answer, last.body or b"")
    words = f"against scan {last.scan_id}, {last.fetched_at:%Y-%m-%d %H:%M} UTC"
    if last.body is None:
        words += f", when {policy.usual.explanation}"
    return _Earlier(policy, f"{words}:")


def _changes(
    database: Database, robots: AuthorityRobots, before: RobotsPolicy, scan: Scan
) -> Iterator[str]:
    prefix = origin_of(robots.url) + "/"
    for chunk in page_chunks(database, scan, ALL_PAGES, ("url",)):
        urls = [url for url in chunk["url"] if url.startswith(prefix)]
        old, new = before.verdicts(urls), robots.policy.verdicts(urls)
        for row, url in enumerate(urls):
            if old[row].allowed != new[row].allowed:
                word = "now allowed" if new[row].allowed else "no longer allowed"
                yield f"  {word}: {url}  ({new[row].explanation})"
