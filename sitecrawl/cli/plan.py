"""``sitecrawl plan``: what a scan of a site would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sitecrawl.cli.options import (
    DomainArgument,
    ProfileOption,
    SettingOption,
    preview_request,
)
from sitecrawl.politeness.estimate import duration_words
from sitecrawl.politeness.ledger import byte_words
from sitecrawl.robots.answers import AnswerKind
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.politeness.estimate import Estimate
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.services.preview import ScanPlan
    from sitecrawl.spiders.preview import PreviewedSitemap


def plan(
    domain: DomainArgument,
    profile: ProfileOption = "default",
    setting: SettingOption = None,
) -> None:
    """Estimate what a scan would cost.

    It fetches robots.txt and the first sitemaps, and stores nothing.

    \b
    sitecrawl plan example.com
    sitecrawl plan example.com --profile audit
    """
    from sitecrawl.services.preview import plan_scan

    for line in describe(plan_scan(preview_request(domain, profile, setting or []))):
        typer.echo(line)


def describe(planned: ScanPlan) -> Iterator[str]:
    """What was seen; how many requests a scan makes, how long it takes, which limits it hits."""
    for line in _lines(planned):
        yield printable(line)


def _lines(planned: ScanPlan) -> Iterator[str]:
    preview, cost = planned.preview, planned.cost
    yield f"{preview.robots.url}  {_rules(preview.robots)}"
    if not planned.root.allowed:
        yield f"{preview.root_url}  will not be fetched: {planned.root.explanation}"
    for sitemap in preview.maps:
        yield f"{sitemap.document.url}  {_sitemap_words(sitemap)}"
    if preview.maps_not_read:
        yield f"and {preview.maps_not_read:,} more sitemaps that robots.txt names"
    if not preview.maps:
        yield f"robots.txt names no sitemap, and none is at {preview.guesses} common paths"
    yield ""
    yield from _cost(cost, planned.pause_seconds)
    if planned.follows_links and (limit := planned.max_crawl_pages):
        longest = duration_words(limit * cost.gap_seconds)
        yield f"then it follows links, up to {limit:,} pages: {longest} more"
    elif planned.follows_links:
        yield "then it follows links, without a limit of pages"
    if limit := planned.check_pages:
        longest = duration_words(limit * cost.gap_seconds)
        yield f"then it checks up to {limit:,} of the listed pages: {longest} more"


def _rules(robots: AuthorityRobots) -> str:
    file = robots.policy.file
    if robots.answer.kind is not AnswerKind.READ or not file.groups:
        return robots.policy.usual.explanation
    names = ", ".join(dict.fromkeys(group.value[:100] for group in file.groups[:3]))
    return f"{_number(len(file.rules), 'rule')} for {names}"


def _sitemap_words(sitemap: PreviewedSitemap) -> str:
    if sitemap.kind is None:
        return sitemap.document.error or "not a sitemap"
    parts = [
        _number(sitemap.pages, "URL") if sitemap.pages or not sitemap.maps else "",
        _number(sitemap.maps, "further sitemap") if sitemap.maps else "",
        byte_words(len(sitemap.document.body)),
    ]
    return f"{sitemap.kind}: " + ", ".join(part for part in parts if part)


def _cost(cost: Estimate, pause: float) -> Iterator[str]:
    least = "at least " if cost.is_least else ""
    because = ", because robots.txt asks for it" if pause and pause >= cost.gap_seconds else ""
    requests = _number(cost.requests, "request")
    yield f"a scan makes {least}{requests}, {cost.gap_seconds:g} s apart{because}"
    yield f"and takes at least {duration_words(cost.seconds)}"
    for limit in cost.limits:
        yield f"limit ahead: {limit.words} ({limit.setting})"


def _number(number: int, of_what: str) -> str:
    return f"{number:,} {of_what}{'' if number == 1 else 's'}"
