"""The words of ``sitecrawl robots``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.cli.database import known_site
from sitecrawl.config import Config, ConfigError
from sitecrawl.parse.robots import RobotsText, decode_octets
from sitecrawl.politeness.words import byte_words
from sitecrawl.printable import printable
from sitecrawl.robots.answers import AnswerKind, read_answer
from sitecrawl.robots.policy import policy_for
from sitecrawl.store.inventory import ALL_PAGES, export_rows
from sitecrawl.store.queries import latest_scan
from sitecrawl.store.robots_copies import last_good_copy
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.settings import Settings

    from sitecrawl.robots.verdict import Verdict
    from sitecrawl.spiders.survey import Survey
    from sitecrawl.stages.authority import AuthorityRobots
    from sitecrawl.store.engine import Database

_MAX_SITEMAPS: Final = 20
_MAX_CHANGED: Final = 1_000


def describe(survey: Survey, settings: Settings, urls: Sequence[str]) -> Iterator[str]:
    """The fetch, the groups that apply, sitemaps, and for each URL the line that decides."""
    robots = survey.robots
    assert robots is not None
    token = Config.from_settings(settings).robots_agent
    for line in _lines(robots, token, urls):
        yield printable(line)


def _lines(robots: AuthorityRobots, token: str, urls: Sequence[str]) -> Iterator[str]:
    document, file = robots.document, robots.policy.file
    hops = f", after redirects to {document.final_url}" if document.final_url != robots.url else ""
    status = f"HTTP {document.status}" if document.status else document.error
    yield f"{robots.url}  {status}, {byte_words(len(document.body))}{hops}"
    if robots.answer.kind is not AnswerKind.READ or file.not_text or not file.groups:
        yield f"  {robots.policy.usual.explanation}"
    for agent in file.groups:
        yield f"  line {agent.line}: User-agent: {agent.value}  is the group for {token}"
    if file.groups:
        yield f"  {len(file.rules)} rules"
    if file.crawl_delay:
        yield f"  line {file.crawl_delay.line}: Crawl-delay: {file.crawl_delay.seconds:g} s"
    for rate in file.request_rates:
        yield f"  line {rate.line}: Request-rate: {rate.requests} in {rate.seconds} s"
    for sitemap in file.sitemaps[:_MAX_SITEMAPS]:
        yield f"  line {sitemap.line}: {sitemap.text}"
    if len(file.sitemaps) > _MAX_SITEMAPS:
        yield f"  and {len(file.sitemaps) - _MAX_SITEMAPS} more sitemaps"
    for finding in file.findings:
        where = f"line {finding.line}: " if finding.line else ""
        yield f"  {finding.kind.replace('_', ' ')}: {where}{finding.detail} ({finding.times} times)"
    for url in urls:
        yield ""
        yield from _judge(robots, url)


def _judge(robots: AuthorityRobots, text: str) -> Iterator[str]:
    url = resolve(text, robots.url)
    if url is None:
        yield f"{text}: not an http or https URL"
        return
    if origin_of(url) != origin_of(robots.url):
        yield f"{url}: of another authority, whose own robots.txt decides"
        return
    verdict = robots.policy.decide(url)
    yield f"{url}  {'allowed' if verdict.allowed else 'not allowed'}"
    if verdict.line is None:
        yield f"  {verdict.explanation}"
    else:
        yield from _in_place(robots, verdict)


def _in_place(robots: AuthorityRobots, verdict: Verdict) -> Iterator[str]:
    """The deciding line between the name of its group and its neighbours."""
    groups = [agent.line for agent in robots.policy.file.groups if agent.line < (verdict.line or 0)]
    wanted = {max(groups, default=0), *range((verdict.line or 0) - 1, (verdict.line or 0) + 2)}
    shown = [line for line in RobotsText(robots.document.body) if line.number in wanted]
    last = None
    for line in shown:
        if last is not None and line.number > last + 1:
            yield "      ..."
        mark = ">" if line.number == verdict.line else " "
        yield f"  {mark} {line.number:>4} | {decode_octets(line.raw)}"
        last = line.number


def changed_verdicts(
    database: Database, survey: Survey, settings: Settings, domain: str, scan_id: int | None
) -> Iterator[str]:
    """Which URLs of the inventory have another verdict than under the copy of an earlier scan."""
    config, robots = Config.from_settings(settings), survey.robots
    assert robots is not None
    site = known_site(database, domain)
    before_scan = None if scan_id is None else scan_id + 1
    copy = last_good_copy(database, site.id, robots.url, before_scan=before_scan)
    newest = latest_scan(database, site.id)
    if copy is None or newest is None:
        raise ConfigError(f"{robots.url}: no scan of {site.key} has kept a copy of it")
    before = policy_for(
        read_answer(copy.outcome, copy.status),
        copy.body,
        token=config.robots_agent,
        matching=config.agent_matching(),
    )
    yield ""
    yield f"against the copy of scan {copy.scan_id}, {copy.fetched_at:%Y-%m-%d %H:%M} UTC:"
    changed = 0
    prefix = origin_of(robots.url) + "/"
    for rows in export_rows(database, newest, ALL_PAGES, ("url",)):
        urls = [url for (url,) in rows if url.startswith(prefix)]
        old, new = before.verdicts(urls), robots.policy.verdicts(urls)
        for row, url in enumerate(urls):
            if old[row].allowed != new[row].allowed:
                changed += 1
                if changed <= _MAX_CHANGED:
                    word = "now allowed" if new[row].allowed else "no longer allowed"
                    yield printable(f"  {word}: {url}  ({new[row].explanation})")
    if changed > _MAX_CHANGED:
        yield f"  and {changed - _MAX_CHANGED:,} more"
    yield f"  {changed:,} URLs have changed their verdict" if changed else "  no URL has changed"
