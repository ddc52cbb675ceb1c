"""``sitecrawl robots``: the robots.txt of a site, and the line that decides on a URL."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import (
    DatabaseOption,
    DomainArgument,
    ProfileOption,
    SettingOption,
    preview_request,
)
from sitecrawl.config import ConfigError
from sitecrawl.politeness.ledger import byte_words
from sitecrawl.robots.answers import AnswerKind
from sitecrawl.robots.lines import RobotsText, decode_octets
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.robots.lines import RequestRate
    from sitecrawl.robots.policy import Verdict
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.services.database import AskedScan
    from sitecrawl.services.robots import JudgedUrl, RobotsView

_MAX_SHOWN: Final = 20
_MAX_CHARACTERS: Final = 300
_MAX_CHANGED: Final = 1_000


def robots(
    domain: DomainArgument,
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
    profile: ProfileOption = "default",
    setting: SettingOption = None,
    database: DatabaseOption = "",
) -> None:
    """Show the robots.txt of a site, and what it says of URLs.

    That is the rules that apply, and for each URL the line that decides.

    \b
    sitecrawl robots example.com
    sitecrawl robots example.com /cart https://example.com/blog/ --agent Googlebot
    sitecrawl robots example.com --diff
    """
    from sitecrawl.services.preview import preview_robots
    from sitecrawl.services.robots import RobotsView

    if scan is not None and not diff:
        raise ConfigError("--scan needs --diff")
    request = preview_request(domain, profile, setting or [])
    view = RobotsView.of(agent, request.config())
    robots = view.seen(preview_robots(request))
    for line in describe(robots, view.token, urls or []):
        typer.echo(line)
    if diff:
        from sitecrawl.services.database import asking

        with asking(database, domain, scan) as asked:
            for line in describe_changes(asked, robots, view):
                typer.echo(line)


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
    if urls:
        from sitecrawl.services.robots import judge_urls

        for judged in judge_urls(robots, urls, token):
            yield ""
            yield from _judged(robots, judged)


def _some(lines: Iterable[str]) -> Iterator[str]:
    """The first lines and the number of the rest: a hostile file has thousands."""
    lines = iter(lines)
    yield from islice(lines, _MAX_SHOWN)
    if more := sum(1 for _ in lines):
        yield f"  and {more:,} more like this"


def _rate(rate: RequestRate) -> str:
    hours = f", {rate.start:%H:%M} to {rate.end:%H:%M} UTC" if rate.start and rate.end else ""
    return f"Request-rate: {rate.requests} in {rate.seconds} s{hours}"


def _judged(robots: AuthorityRobots, judged: JudgedUrl) -> Iterator[str]:
    verdict = judged.verdict
    if verdict is None:
        yield f"{judged.url}: {judged.problem}"
        return
    yield f"{judged.url}  {'allowed' if verdict.allowed else 'not allowed'}"
    if verdict.line is None:
        yield f"  {verdict.explanation}"
    else:
        yield from _in_place(robots, verdict)
    if judged.protego_allows == verdict.allowed:
        yield "  protego agrees"
    elif judged.protego_allows is not None:
        yield f"  protego differs: it would {'disallow' if verdict.allowed else 'allow'} it"


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


def describe_changes(asked: AskedScan, robots: AuthorityRobots, view: RobotsView) -> Iterator[str]:
    """The URLs of the inventory whose verdict is not that of the scan."""
    from sitecrawl.services.robots import changed_verdicts, earlier_robots

    before = earlier_robots(asked, robots.url, view)
    when = f"compared with scan {before.scan_id}, {before.fetched_at:%Y-%m-%d %H:%M} UTC"
    because = "" if before.has_file else f", when {before.policy.usual.explanation}"
    yield ""
    yield printable(f"{when}{because}:")
    changed = 0
    for url, verdict in changed_verdicts(asked, robots, before.policy):
        changed += 1
        if changed <= _MAX_CHANGED:
            word = "now allowed" if verdict.allowed else "no longer allowed"
            yield printable(f"  {word}: {url}  ({verdict.explanation})")
    if changed > _MAX_CHANGED:
        yield f"  and {changed - _MAX_CHANGED:,} more"
    yield f"  {changed:,} changed" if changed else "  no changes"
