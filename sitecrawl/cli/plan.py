"""``sitecrawl plan``: what a scan of a site would cost."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.options import PROFILE_OPTION, SETTING_OPTION
from sitecrawl.cli.robots import DOMAIN_ARGUMENT, preview_settings, preview_site
from sitecrawl.config import Config
from sitecrawl.politeness.estimate import ScanLimits, Seen, duration_words, estimate
from sitecrawl.politeness.ledger import byte_words
from sitecrawl.robots.answers import AnswerKind
from sitecrawl.safety.text import printable
from sitecrawl.stages.waterfall import crawl_is_needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from sitecrawl.politeness.estimate import Estimate
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.spiders.preview import Survey, SurveyedMap


def plan(
    domain: Annotated[str, DOMAIN_ARGUMENT],
    profile: Annotated[str, PROFILE_OPTION] = "default",
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
) -> None:
    """Estimate the cost of a scan: fetches robots.txt and the first sitemaps, stores nothing.

    \b
    sitecrawl plan example.com
    sitecrawl plan example.com --profile audit
    """
    from sitecrawl.spiders.preview import PlanSpider

    settings = preview_settings(profile, setting or [])
    for line in describe(preview_site(PlanSpider, settings, domain), settings):
        typer.echo(line)


def describe(survey: Survey, settings: BaseSettings) -> Iterator[str]:
    """What was seen; how many requests a scan makes, how long it takes, which limits it hits."""
    for line in _lines(survey, settings):
        yield printable(line)


def _lines(survey: Survey, settings: BaseSettings) -> Iterator[str]:
    robots, config = survey.robots, Config.from_settings(settings)
    root = robots.policy.decide(survey.root_url)
    yield f"{robots.url}  {_rules(robots)}"
    if not root.allowed:
        yield f"{survey.root_url}  will not be fetched: {root.explanation}"
    for surveyed in survey.maps:
        yield f"{surveyed.document.url}  {_seen(surveyed)}"
    if survey.maps_not_read:
        yield f"and {survey.maps_not_read:,} more sitemaps that robots.txt names"
    if not survey.maps:
        yield f"robots.txt names no sitemap, and none is at {survey.guesses} common paths"
    pause = robots.policy.file.seconds_between_requests(datetime.now(UTC).time())
    cost = estimate(
        Seen(
            maps=survey.map_requests,
            further_maps=survey.further_maps,
            pages=survey.pages,
            asked_pause_seconds=pause,
            fetches_root=root.allowed,
        ),
        settings.getfloat("DOWNLOAD_DELAY"),
        ScanLimits(
            max_sitemaps=config.max_sitemaps,
            max_sitemap_urls=config.max_sitemap_urls,
            max_scan_minutes=config.max_scan_minutes,
            max_crawl_delay_seconds=config.max_crawl_delay_seconds,
            max_sitemap_stage_seconds=config.sitemap_stage_timeout_seconds,
        ),
    )
    yield ""
    yield from _cost(cost, pause)
    if root.allowed:
        yield from _crawl(survey, config, cost.gap_seconds)
    if limit := config.check_pages:
        longest = duration_words(limit * cost.gap_seconds)
        yield f"then it checks up to {limit:,} of the listed pages: {longest} more"


def _crawl(survey: Survey, config: Config, gap_seconds: float) -> Iterator[str]:
    is_unknown = survey.further_maps > 0 and config.crawl == "auto"
    if is_unknown or not crawl_is_needed(config, survey.pages):
        return
    if limit := config.max_crawl_pages:
        longest = duration_words(limit * gap_seconds)
        yield f"then it follows links, up to {limit:,} pages: {longest} more"
    else:
        yield "then it follows links, without a limit of pages"


def _rules(robots: AuthorityRobots) -> str:
    file = robots.policy.file
    if robots.answer.kind is not AnswerKind.READ or not file.groups:
        return robots.policy.usual.explanation
    names = ", ".join(dict.fromkeys(group.value[:100] for group in file.groups[:3]))
    return f"{_number(len(file.rules), 'rule')} for {names}"


def _seen(surveyed: SurveyedMap) -> str:
    if surveyed.kind is None:
        return surveyed.document.error or "not a sitemap"
    parts = [
        _number(surveyed.pages, "URL") if surveyed.pages or not surveyed.maps else "",
        _number(surveyed.maps, "further sitemap") if surveyed.maps else "",
        byte_words(len(surveyed.document.body)),
    ]
    return f"{surveyed.kind}: " + ", ".join(part for part in parts if part)


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
