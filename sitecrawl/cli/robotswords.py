"""The words of ``sitecrawl robots``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from sitecrawl.console.text import printable
from sitecrawl.politeness.words import byte_words
from sitecrawl.robots.answers import AnswerKind
from sitecrawl.robots.lines import RobotsText, decode_octets
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.robots.lines import RequestRate
    from sitecrawl.robots.policy import Verdict
    from sitecrawl.scan.robots import AuthorityRobots

_MAX_SHOWN: Final = 20
_MAX_CHARACTERS: Final = 300


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
    for url in urls:
        yield ""
        yield from _judge(robots, url)


def _some(lines: Iterable[str]) -> Iterator[str]:
    """A hostile file has thousands of them."""
    lines = iter(lines)
    yield from islice(lines, _MAX_SHOWN)
    if more := sum(1 for _ in lines):
        yield f"  and {more:,} more like this"


def _rate(rate: RequestRate) -> str:
    hours = f", {rate.start:%H:%M} to {rate.end:%H:%M} UTC" if rate.start and rate.end else ""
    return f"Request-rate: {rate.requests} in {rate.seconds} s{hours}"


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
        yield f"  {mark} {line.number:>4} | {_cut(decode_octets(line.raw))}"
        last = line.number


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."
