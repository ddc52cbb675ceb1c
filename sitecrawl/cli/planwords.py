"""The words of ``sitecrawl plan``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.politeness.estimate import ScanLimits, Seen, duration_words, estimate
from sitecrawl.politeness.words import byte_words
from sitecrawl.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import Settings

    from sitecrawl.politeness.estimate import Estimate
    from sitecrawl.spiders.survey import Survey, SurveyedMap


def describe(survey: Survey, settings: Settings) -> Iterator[str]:
    """What was seen, how many requests a scan will make, for how long, and which limits it hits."""
    for line in _lines(survey, settings):
        yield printable(line)


def _lines(survey: Survey, settings: Settings) -> Iterator[str]:
    robots = survey.robots
    assert robots is not None
    file = robots.policy.file
    yield f"{robots.url}  {robots.policy.usual.explanation}"
    for surveyed in survey.maps:
        yield f"{surveyed.document.url}  {_seen(surveyed)}"
    if not survey.maps:
        yield f"no sitemap is named, and none is at {survey.guesses} common places"
    if survey.maps_named > len(survey.maps):
        yield f"and {survey.maps_named - len(survey.maps):,} more that robots.txt names"
    pause = file.seconds_between_requests(datetime.now(UTC).time())
    not_read = max(survey.maps_named - len(survey.maps), 0)
    seen = Seen(
        maps=len(survey.maps) + survey.guesses,
        further_maps=not_read + sum(each.maps for each in survey.maps),
        pages=sum(each.pages for each in survey.maps),
        asked_pause_seconds=pause,
    )
    config = Config.from_settings(settings)
    cost = estimate(
        seen,
        settings.getfloat("DOWNLOAD_DELAY"),
        ScanLimits(
            max_sitemaps=config.max_sitemaps,
            max_sitemap_urls=config.max_sitemap_urls,
            max_scan_minutes=config.max_scan_minutes,
            max_crawl_delay_seconds=config.max_crawl_delay_seconds,
        ),
    )
    yield ""
    yield from _cost(cost, pause)


def _seen(surveyed: SurveyedMap) -> str:
    if surveyed.kind is None:
        return surveyed.document.error or "not a sitemap"
    parts = [
        f"{surveyed.pages:,} URLs" if surveyed.pages or not surveyed.maps else "",
        f"{surveyed.maps:,} further sitemaps" if surveyed.maps else "",
        byte_words(len(surveyed.document.body)),
    ]
    return f"{surveyed.kind}: " + ", ".join(part for part in parts if part)


def _cost(cost: Estimate, pause: float) -> Iterator[str]:
    least = "at least " if cost.is_least else ""
    yield f"a scan makes {least}{cost.requests:,} requests, {cost.gap_seconds:g} s apart"
    because = " because robots.txt asks for it" if pause and pause >= cost.gap_seconds else ""
    yield f"and takes {least}{duration_words(cost.seconds)}{because}"
    for limit in cost.limits:
        yield f"limit ahead: {limit.words} ({limit.setting})"
