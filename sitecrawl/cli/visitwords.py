"""What the crawl knows of a page, in the words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.cli.coveragewords import limit_words
from sitecrawl.html.links import LinkSource
from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.explain import Why
    from sitecrawl.store.queries.visits import ClickStep, VisitFact


def visit_words(visit: VisitFact) -> Iterator[str]:
    """How the page answered, and what it says of itself."""
    if visit.outcome is None:
        return
    when = f"{visit.fetched_at:%Y-%m-%d %H:%M} UTC, " if visit.fetched_at else ""
    facts = [
        f"HTTP {visit.status}" if visit.status else visit.outcome.replace("_", " "),
        visit.content_type,
        visit.error,
        f"at {visit.final_url} after a redirect" if visit.redirects else "",
    ]
    # The error may be the status in words.
    said = ", ".join(dict.fromkeys(fact for fact in facts if fact))
    yield f"visited {when}scan {visit.scan_id}: {said}"
    if visit.title:
        yield f"title: {visit.title}"
    if visit.directives:
        yield f"says to robots: {', '.join(visit.directives)}"
    if visit.canonical:
        canonical = resolve(visit.canonical, visit.final_url or visit.url) or visit.canonical
        yield f"canonical: {'itself' if canonical == visit.url else canonical}"
    if visit.duplicate_of:
        yield f"the same text as {visit.duplicate_of}, which was visited before"
    if visit.redirected_from:
        yield f"redirected here: {' -> '.join([*visit.redirected_from, visit.url])}"


def path_words(path: Sequence[ClickStep]) -> Iterator[str]:
    """The shortest way from where the crawl started; nothing, if that is here."""
    if len(path) <= 1:
        return
    clicks = count_clicks(path)
    yield f"the shortest way here, {clicks} click{'' if clicks == 1 else 's'}:"
    for number, step in enumerate(path, 1):
        yield f"  {number}. {step.url}{_link(step)}"


def count_clicks(path: Sequence[ClickStep]) -> int:
    """A redirect is no click, and neither is the start."""
    return sum(step.source != LinkSource.REDIRECT for step in path[1:])


def _link(step: ClickStep) -> str:
    if step.source is None:
        return ""
    kind = step.source if step.source != LinkSource.LINK or not step.region else ""
    words = [f'"{step.anchor}"' if step.anchor else "", kind, step.region or ""]
    return f"  ({', '.join(word for word in words if word)})"


def unvisited_words(answer: Why) -> str | None:
    """Why a listed page was not visited, if it was not."""
    visit, coverage = answer.visit, answer.coverage
    if answer.scan is None or coverage is None or (visit and visit.outcome):
        return None
    if visit and visit.number is None:
        return f"held under the pattern {pattern_words(visit, answer.scan.summary or {})}"
    if not coverage.has_crawled:
        because = f" ({coverage.ended})" if coverage.ended else ""
        return f"the crawl did not run{because}" if visit else None
    if visit:
        return f"its turn did not come: {_end(coverage)}"
    return _not_in_frontier(answer, answer.scan.settings)


def pattern_words(visit: VisitFact, summary: Mapping[str, Any]) -> str:
    """The pattern that a page is held under, and what the crawl made of it."""
    for cut in summary.get("cut_patterns", ()):
        if cut["pattern"] == visit.family:
            figures = f"{cut['visited']:,} of its pages were visited, {cut['left_out']:,} left out"
            return f"{visit.family}: {figures}"
    return visit.family or ""


def _end(coverage: CrawlCoverage) -> str:
    if coverage.limits:
        return "; ".join(map(limit_words, coverage.limits))
    return coverage.ended or f"scan {coverage.scan_id} is {coverage.scan_status}"


def _not_in_frontier(answer: Why, settings: Mapping[str, Any]) -> str | None:
    if answer.verdict and not answer.verdict.allowed:
        return None  # what robots.txt says is told anyway
    if not answer.click_path:
        return "no page that was visited links to it"
    clicks, most = count_clicks(answer.click_path), settings.get("max_crawl_depth", 0)
    if 0 < most < clicks:
        return f"{clicks} clicks away: SITECRAWL_MAX_CRAWL_DEPTH={most} can be raised"
    if settings.get("skip_other_languages") and settings.get("languages"):
        chosen = ", ".join(settings["languages"])
        return f"its links are not followed (nofollow, a form, or none of the languages {chosen})"
    return "its links are not followed (nofollow, or a form)"
