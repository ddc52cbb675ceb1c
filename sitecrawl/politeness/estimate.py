"""What a scan will cost under the rules of the site and of the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

_SECONDS_PER_MINUTE = 60
_SECONDS_PER_HOUR = 3_600


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """The settings that may cut a scan; 0: no limit."""

    max_sitemaps: int = 0
    max_sitemap_urls: int = 0
    max_scan_minutes: float = 0
    max_crawl_delay_seconds: float = 0
    max_sitemap_stage_seconds: float = 0


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """What a preview found: requests for maps, what they list, the pause of robots.txt."""

    maps: int
    further_maps: int
    pages: int
    asked_pause_seconds: float = 0.0
    fetches_root: bool = True


@dataclass(frozen=True, slots=True)
class LimitAhead:
    """A limit that the scan will hit."""

    setting: str
    words: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many requests, how far apart, and what will be cut."""

    requests: int
    gap_seconds: float
    limits: tuple[LimitAhead, ...]
    is_least: bool  # maps that were not read yet may list more maps

    @property
    def seconds(self) -> float:
        """Requests to a host start one after another, however many are under way."""
        return (self.requests - 1) * self.gap_seconds


def estimate(seen: SiteFigures, mean_gap_seconds: float, limits: ScanLimits) -> Estimate:
    """Say what a scan will cost.

    >>> cost = estimate(SiteFigures(maps=1, further_maps=20, pages=0), 0.35, ScanLimits())
    >>> cost.requests, round(cost.seconds, 2), cost.is_least
    (23, 7.7, True)
    """
    ahead = []
    maps = seen.maps + seen.further_maps
    if limits.max_sitemaps and maps > limits.max_sitemaps:
        words = f"{maps:,} sitemaps, {limits.max_sitemaps:,} will be read"
        ahead.append(LimitAhead("SITECRAWL_MAX_SITEMAPS", words))
        maps = limits.max_sitemaps
    if limits.max_sitemap_urls and seen.pages > limits.max_sitemap_urls:
        words = f"{seen.pages:,} URLs or more, {limits.max_sitemap_urls:,} will be listed"
        ahead.append(LimitAhead("SITECRAWL_MAX_SITEMAP_URLS", words))
    pause = seen.asked_pause_seconds
    if limits.max_crawl_delay_seconds and pause > limits.max_crawl_delay_seconds:
        kept = limits.max_crawl_delay_seconds
        words = f"robots.txt asks for {pause:g} s, {kept:g} s will be kept"
        ahead.append(LimitAhead("SITECRAWL_MAX_CRAWL_DELAY_SECONDS", words))
        pause = limits.max_crawl_delay_seconds
    cost = Estimate(
        requests=1 + seen.fetches_root + maps,  # robots.txt, the root and the maps
        gap_seconds=max(mean_gap_seconds, pause),
        limits=(),
        is_least=bool(seen.further_maps),
    )
    for_maps = maps * cost.gap_seconds
    if limits.max_sitemap_stage_seconds and for_maps > limits.max_sitemap_stage_seconds:
        allowed = f"{limits.max_sitemap_stage_seconds:g} s"
        words = f"about {duration_words(for_maps)} for the sitemaps, which may take {allowed}"
        ahead.append(LimitAhead("SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS", words))
    minutes = cost.seconds / _SECONDS_PER_MINUTE
    if limits.max_scan_minutes and minutes > limits.max_scan_minutes:
        about = duration_words(cost.seconds)
        words = f"about {about}, and the scan may take {limits.max_scan_minutes:g} min"
        ahead.append(LimitAhead("SITECRAWL_MAX_SCAN_MINUTES", words))
    return replace(cost, limits=tuple(ahead))


def duration_words(seconds: float) -> str:
    """
    >>> duration_words(12.4), duration_words(150), duration_words(7_300)
    ('12 s', '2 min 30 s', '2 h 2 min')
    """
    if seconds < _SECONDS_PER_MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _SECONDS_PER_HOUR:
        minutes, rest = divmod(round(seconds), _SECONDS_PER_MINUTE)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / _SECONDS_PER_MINUTE), 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
