"""``sitecrawl robots``: the robots.txt of a site, and the line that decides on a URL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from sitecrawl.cli.options import (
    DATABASE_OPTION,
    PROFILE_OPTION,
    SETTING_OPTION,
    load_profile,
)
from sitecrawl.config import Config, ConfigError, apply_environment
from sitecrawl.errors import SiteUnreachableError, StoppedError
from sitecrawl.items import FetchOutcome
from sitecrawl.politeness.ledger import byte_words
from sitecrawl.robots.answers import AnswerKind, may_use_kept_copy, read_answer
from sitecrawl.robots.file import token_of
from sitecrawl.robots.lines import RobotsText, decode_octets
from sitecrawl.robots.policy import policy_for
from sitecrawl.safety.text import printable
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from protego import Protego
    from scrapy.settings import BaseSettings, Settings

    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.file import AgentMatching
    from sitecrawl.robots.lines import RequestRate
    from sitecrawl.robots.policy import RobotsPolicy, Verdict
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.spiders.preview import RobotsSpider, Survey
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

DOMAIN_ARGUMENT = typer.Argument(help="A domain (example.com) or a URL (http://127.0.0.1:8000).")

_MAX_SHOWN: Final = 20
_MAX_CHARACTERS: Final = 300
_MAX_CHANGED: Final = 1_000
# protego stores every rule of a group once per name of the group: a hostile file of 500 KB would
# take gigabytes.
_MAX_PROTEGO_RULES: Final = 1_000_000
_AGENT_LINE: Final = re.compile(rb"^[ \t]*user[- ]?agent", re.IGNORECASE | re.MULTILINE)


def robots(
    domain: Annotated[str, DOMAIN_ARGUMENT],
    urls: Annotated[
        list[str] | None, typer.Argument(help="URLs or paths of the site to check.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Check for this bot instead of sitecrawl.")] = "",
    diff: Annotated[
        bool, typer.Option("--diff", help="List the known URLs whose verdict has changed.")
    ] = False,
    scan: Annotated[
        int | None, typer.Option(help="With --diff: compare with this scan. Default: the newest.")
    ] = None,
    profile: Annotated[str, PROFILE_OPTION] = "default",
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Show the robots.txt of a site: the rules that apply, and the line that decides on a URL.

    \b
    sitecrawl robots example.com
    sitecrawl robots example.com /cart https://example.com/blog/ --agent Googlebot
    sitecrawl robots example.com --diff
    """
    from sitecrawl.spiders.preview import RobotsSpider

    if scan is not None and not diff:
        raise ConfigError("--scan needs --diff")
    settings = preview_settings(profile, setting or [])
    view = RobotsView.of(agent, settings)
    robots = view.seen(preview_site(RobotsSpider, settings, domain).robots)
    for line in describe(robots, view.token, urls or []):
        typer.echo(line)
    if diff:
        from sitecrawl.services.database import reading

        with reading(database) as store:
            for line in changed_verdicts(store, robots, view, domain, scan):
                typer.echo(line)


def preview_settings(profile: str, assignments: list[str]) -> Settings:
    settings = load_profile(profile, assignments)
    settings.set("LOG_LEVEL", "ERROR", "cmdline")
    settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    apply_environment(settings)
    return settings


def preview_site(spider_class: type[RobotsSpider], settings: Settings, domain: str) -> Survey:
    """Run a spider that looks at a site without storing anything, and return what it saw."""
    from scrapy.crawler import AsyncCrawlerProcess

    from sitecrawl.scan.arguments import SpiderArguments

    SpiderArguments.parse({"domain": domain})
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider_class)
    process.crawl(crawler, domain=domain)
    process.start()
    spider = crawler.spider
    if isinstance(spider, spider_class) and spider.is_stopped:
        raise StoppedError("stopped by the user")
    if not isinstance(spider, spider_class) or spider.survey is None:
        raise ConfigError("the preview could not run; the message above says why")
    document = spider.survey.robots.document
    # A site that redirects its robots.txt to a host that does not answer does answer itself.
    is_own = origin_of(document.final_url) == origin_of(document.url)
    failures = {FetchOutcome.UNREACHABLE, FetchOutcome.ADDRESS_NOT_ALLOWED}
    if is_own and document.outcome in failures:
        raise SiteUnreachableError(f"{document.url} cannot be reached: {document.error}")
    return spider.survey


@dataclass(frozen=True, slots=True)
class RobotsView:
    """Makes the policies that apply to one bot."""

    token: str
    matching: AgentMatching
    fail_open: bool

    @classmethod
    def of(cls, agent: str, settings: BaseSettings) -> RobotsView:
        """For the bot *agent*; for sitecrawl, if it is empty."""
        config = Config.from_settings(settings)
        try:
            token = token_of(agent) if agent else config.robots_agent
        except ValueError as error:
            raise ConfigError(f"--agent {error}") from error
        return cls(token, config.agent_matching(), config.robots_fail_open)

    def policy(
        self, answer: RobotsAnswer, body: bytes, kept_copy: bytes | None = None
    ) -> RobotsPolicy:
        return policy_for(
            answer,
            body,
            token=self.token,
            matching=self.matching,
            fail_open=self.fail_open,
            kept_copy=kept_copy,
        )

    def seen(self, robots: AuthorityRobots) -> AuthorityRobots:
        """The same answer, for this bot."""
        from sitecrawl.scan.robots import AuthorityRobots

        policy = self.policy(robots.answer, robots.document.body)
        return AuthorityRobots(robots.document, robots.answer, policy)


# --- what is printed ------------------------------------------------------------------------------


def describe(robots: AuthorityRobots, token: str, urls: Sequence[str]) -> Iterator[str]:
    """The fetch, the groups that apply, sitemaps, and for each URL the line that decides."""
    for line in _lines(robots, token, urls):
        yield printable(line)


def _lines(robots: AuthorityRobots, token: str, urls: Sequence[str]) -> Iterator[str]:
    document, file = robots.document, robots.policy.file
    hops = f", after redirects to {document.final_url}" if document.final_url != robots.url else ""
    answer = f"HTTP {document.status}, {byte_words(len(document.body))}"
    yield f"{robots.url}  {answer if document.status else document.error}{hops}"
    if robots.answer.kind is not AnswerKind.READ or file.not_text or not file.groups:
        yield f"  {robots.policy.usual.explanation}"
    yield from _some(
        f"  line {agent.line}: User-agent: {_cut(agent.value)}  is the group for {token}"
        for agent in file.groups
    )
    if file.groups:
        yield f"  {len(file.rules):,} rule{'' if len(file.rules) == 1 else 's'}"
    if file.crawl_delay:
        yield f"  line {file.crawl_delay.line}: Crawl-delay: {file.crawl_delay.seconds:g} s"
    yield from _some(f"  line {rate.line}: {_rate(rate)}" for rate in file.request_rates)
    yield from _some(f"  line {line.line}: {_cut(line.text)}" for line in file.sitemaps)
    for finding in file.findings:
        where = f"line {finding.line}: " if finding.line else ""
        times = f" ({finding.times:,} times)" if finding.times > 1 else ""
        yield f"  {finding.kind.replace('_', ' ')}: {where}{finding.detail}{times}"
    protego = _protego(robots) if urls else None
    for url in urls:
        yield ""
        yield from _judge(robots, url, token, protego)


def _some(lines: Iterable[str]) -> Iterator[str]:
    """The first lines and the number of the rest: a hostile file has thousands."""
    lines = iter(lines)
    yield from islice(lines, _MAX_SHOWN)
    if more := sum(1 for _ in lines):
        yield f"  and {more:,} more like this"


def _rate(rate: RequestRate) -> str:
    hours = f", {rate.start:%H:%M} to {rate.end:%H:%M} UTC" if rate.start and rate.end else ""
    return f"Request-rate: {rate.requests} in {rate.seconds} s{hours}"


def _judge(
    robots: AuthorityRobots, text: str, token: str, protego: Protego | None
) -> Iterator[str]:
    url = resolve(text, robots.url)
    if url is None:
        yield f"{text}: not an http or https URL"
        return
    if origin_of(url) != origin_of(robots.url):
        yield f"{url}: on another origin, whose own robots.txt decides"
        return
    verdict = robots.policy.decide(url)
    yield f"{url}  {'allowed' if verdict.allowed else 'not allowed'}"
    if verdict.line is None:
        yield f"  {verdict.explanation}"
    else:
        yield from _in_place(robots, verdict)
    if protego is None:
        return
    if protego.can_fetch(url, token) == verdict.allowed:
        yield "  protego agrees"
    else:
        yield f"  protego differs: it would {'disallow' if verdict.allowed else 'allow'} it"


def _protego(robots: AuthorityRobots) -> Protego | None:
    """Scrapy's default parser, as a second opinion; None where there are no rules."""
    from protego import Protego

    body = robots.document.body
    if robots.answer.kind is not AnswerKind.READ or robots.policy.file.not_text:
        return None
    if len(_AGENT_LINE.findall(body)) * body.count(b":") > _MAX_PROTEGO_RULES:
        return None
    return Protego.parse(body.decode("utf-8", "replace"))


def _in_place(robots: AuthorityRobots, verdict: Verdict) -> Iterator[str]:
    """The deciding line with its group's name and its neighbours."""
    groups = [agent.line for agent in robots.policy.file.groups if agent.line < (verdict.line or 0)]
    wanted = {max(groups, default=0), *range((verdict.line or 0) - 1, (verdict.line or 0) + 2)}
    shown = [line for line in RobotsText(robots.document.body) if line.number in wanted]
    last = None
    for line in shown:
        if last is not None and line.number > last + 1:
            yield "      ..."
        mark = ">" if line.number == verdict.line else " "
        yield f"  {mark} {line.number:>4} | {_cut(decode_octets(line.raw))}"
        last = line.number


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


# --- --diff ---------------------------------------------------------------------------------------


class _Earlier(NamedTuple):
    """The policy of an earlier scan, and a line that says which."""

    policy: RobotsPolicy
    words: str


def changed_verdicts(
    database: Database,
    robots: AuthorityRobots,
    view: RobotsView,
    domain: str,
    scan_id: int | None,
) -> Iterator[str]:
    """The URLs of the inventory whose verdict is not that of an earlier scan."""
    from sitecrawl.services.database import known_site, wanted_scan

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
    yield f"  {changed:,} changed" if changed else "  no changes"


def _earlier(database: Database, url: str, view: RobotsView, scan: Scan) -> _Earlier:
    from sitecrawl.store.queries.archive import last_answer, last_good_copy

    before = scan.id + 1
    last = last_answer(database, scan.site_id, url, before_scan=before)
    good = last_good_copy(database, scan.site_id, url, before_scan=before)
    if last is None:
        raise ConfigError(f"{url}: no scan of {scan.site_key} up to {scan.id} has fetched it")
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
    words = f"compared with scan {last.scan_id}, {last.fetched_at:%Y-%m-%d %H:%M} UTC"
    if last.body is None:
        words += f", when {policy.usual.explanation}"
    return _Earlier(policy, f"{words}:")


def _changes(
    database: Database, robots: AuthorityRobots, before: RobotsPolicy, scan: Scan
) -> Iterator[str]:
    from sitecrawl.store.queries.page_filter import ALL_PAGES
    from sitecrawl.store.queries.pages import page_rows

    prefix = origin_of(robots.url) + "/"
    for rows in page_rows(database, scan, ALL_PAGES, ("url",)):
        urls = [url for (url,) in rows if url.startswith(prefix)]
        old, new = before.verdicts(urls), robots.policy.verdicts(urls)
        for row, url in enumerate(urls):
            if old[row].allowed != new[row].allowed:
                word = "now allowed" if new[row].allowed else "no longer allowed"
                yield f"  {word}: {url}  ({new[row].explanation})"
