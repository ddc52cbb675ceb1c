"""The text of ``sitecrawl why``: how a URL was found, why it was refused or is missing."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from sitecrawl.changes.presence import PresenceState
from sitecrawl.classify.language import is_other_language, language_name
from sitecrawl.classify.pages import LanguageSource
from sitecrawl.cli.changes import change_words
from sitecrawl.cli.coverage import coverage_words, limit_words
from sitecrawl.html.links import LinkSource
from sitecrawl.items import DocumentKind, FetchOutcome, Source
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import CheckCause, PageStatus
from sitecrawl.urls.address import resolve
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sitecrawl.classify.pages import PageClass
    from sitecrawl.services.explain import Explanation, PageStory
    from sitecrawl.store.queries.checks import LastCheck
    from sitecrawl.store.queries.classification import ExplainedPage
    from sitecrawl.store.queries.coverage import CrawlEnd
    from sitecrawl.store.queries.documents import Fetch
    from sitecrawl.store.queries.explain import (
        MentionCount,
        MentionFact,
        PageFact,
        VerdictFact,
        Why,
    )
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.visits import ClickStep, VisitFact

_MAX_DOUBTFUL = 10
_NOT_READ = (
    "not looked for among images, scripts, styles and the like: docs/links.md#what-is-not-read"
)
_MENTION_VERBS: dict[str, str] = {
    Source.START: "a start URL of the crawl at",
    LinkSource.REDIRECT: "the target of a redirect of",
    LinkSource.CANONICAL: "named as the canonical page by",
}
# Other reasons are explained by their rule.
_REFUSALS = {
    Reason.NOT_FOUND: "the answer was {rule}",
    Reason.SOFT_404: "its text is that of {rule}, which does not exist",
    Reason.REDIRECT_LOOP: "it is in a redirect loop: {rule}",
    Reason.TOO_MANY_REDIRECTS: "it redirects too often: {rule}",
    Reason.OTHER_CANONICAL: "its canonical page is {rule}",
    Reason.TRAP_PARAMETER: "its parameter does not change the page: it has the text of {rule}",
    Reason.INDEX_PAGE: "it is the same page as {rule}: both were visited, and have the same text",
}
_LANGUAGE_SOURCES = {
    LanguageSource.HREFLANG: "from hreflang",
    LanguageSource.HTML: "from the HTML",
    LanguageSource.PATH: "from the path",
    LanguageSource.SUBDOMAIN: "from the host",
    LanguageSource.QUERY: "from a query parameter",
    LanguageSource.TEXT: "from the text",
}


def describe(
    found: Explanation, story: PageStory | None, *, show_all: bool = False
) -> Iterator[str]:
    """Every mention of the page, why it was refused, or which documents may list it.

    *story* is that of a page that was found.
    """
    for line in _lines(found, story, show_all=show_all):
        yield printable(line)


def _lines(found: Explanation, story: PageStory | None, *, show_all: bool) -> Iterator[str]:
    if found.why is None:
        yield f"{found.asked} cannot be a page: {found.problem}"
        if found.asked.startswith("/"):
            yield f"  write the whole URL, such as https://example.com{found.asked}"
    elif found.why.page is not None and story is not None:
        yield from _known(found.why.page, found.why, story)
    else:
        yield from _never_seen(found.address, found.why, show_all=show_all)


def _known(page: PageFact, answer: Why, story: PageStory) -> Iterator[str]:
    yield page.url
    yield f"  known since {answer.first_seen_at:%Y-%m-%d %H:%M} UTC, scan {page.first_scan_id}"
    if answer.is_mentioned and (unconfirmed := _unconfirmed_words(answer)):
        yield f"  {unconfirmed}"
    if not answer.is_mentioned:
        yield (
            f"  no longer listed: last seen in scan {answer.last_seen_scan_id};"
            " since then all that listed it was read without it, or is gone"
        )
    elif page.reason:
        details = refusal_words(answer, story.redirects)
        yield f"  {PageStatus.of(page.reason)}: {page.reason}, {details}"
    else:
        yield "  listed"
        if words := unvisited_words(answer):
            yield f"  not visited: {words}"
        if answer.scan and story.explained:
            yield from (f"  {line}" for line in class_words(story.explained, answer.scan))
    if answer.verdict:
        yield from _robots(answer.verdict)
    if answer.visit and answer.visit.outcome:
        yield from (f"  {line}" for line in visit_words(answer.visit))
    elif answer.last_check:
        yield f"  {last_check_words(answer.last_check)}"
    yield from (f"  {line}" for line in path_words(answer.click_path))
    yield from (f"  {line}" for line in mention_words(answer))
    yield from (f"  {line}" for line in history_words(story))


def _unconfirmed_words(answer: Why) -> str:
    """Which scan was the last that could tell, if it is not the newest."""
    newest, last = answer.scan, answer.last_seen_scan_id
    if newest is None or last is None or last >= newest.id:
        return ""
    return f"last confirmed by scan {last}; scan {newest.id} has not read what lists it"


def _robots(verdict: VerdictFact) -> Iterator[str]:
    word = "allowed" if verdict.allowed else "not allowed"
    where = f", line {verdict.line}" if verdict.line else ""
    rule = f": {verdict.rule}" if verdict.rule else f" ({verdict.reason.replace('_', ' ')})"
    group = f", for {verdict.agents}" if verdict.agents else ""
    robots_txt = verdict.robots_url or "robots.txt"
    if verdict.reason == VerdictReason.NO_ROBOTS_TXT:
        yield f"  {word}: there is no {robots_txt}"
    elif verdict.reason == VerdictReason.NOT_TEXT:
        yield f"  {word}: what {robots_txt} answers is no robots.txt"
    else:
        yield f"  {word} by {robots_txt}{where}{group}{rule}"
    delay = f"crawl-delay {verdict.crawl_delay:g} s, " if verdict.crawl_delay else ""
    since = f"{verdict.decided_at:%Y-%m-%d %H:%M} UTC"
    yield f"      {delay}confidence {verdict.confidence:g}, first decided {since}"


def _never_seen(url: str, answer: Why, *, show_all: bool) -> Iterator[str]:
    yield url
    yield "  never seen"
    scan = answer.scan
    if scan is None or answer.coverage is None:
        return
    yield f"  as of scan {scan.id} ({scan.status}), {scan.started_at:%Y-%m-%d %H:%M} UTC"
    doubts = [f"{fetch.url}: {_doubt(fetch)}" for fetch in answer.doubtful]
    doubts += [f"{document}: not fetched" for document in answer.unread]
    if not doubts:
        yield "  every fetched document was read completely: no entry and no link names it"
    else:
        yield "  these documents were not read completely and may list it:"
        yield from (f"    {doubt}" for doubt in islice(doubts, None if show_all else _MAX_DOUBTFUL))
        if not show_all and len(doubts) > _MAX_DOUBTFUL:
            yield f"    and {len(doubts) - _MAX_DOUBTFUL:,} more; --all shows them"
    if not answer.coverage.is_whole:
        yield from (f"  {line}" for line in coverage_words(answer.coverage))
    yield f"  {_NOT_READ}"


def _doubt(fetch: Fetch) -> str:
    if fetch.error:
        return fetch.error
    return "cut by a limit" if fetch.truncated else fetch.outcome


# --- refusals -------------------------------------------------------------------------------------


def refusal_words(answer: Why, redirects: Sequence[str]) -> str:
    """The details of the reason; *redirects* is the chain that a redirect leads to."""
    page, visit = answer.page, answer.visit
    assert page is not None
    rule = page.rule or ""
    if page.reason == Reason.REDIRECTED:
        return f"to {' -> '.join(redirects) or rule}"
    if visit and visit.number is None and visit.family == rule and answer.scan:
        return f"held under the pattern {pattern_words(visit, answer.scan.summary or {})}"
    words = _REFUSALS.get(Reason(page.reason), "by the rule {rule}") if page.reason else ""
    return words.format(rule=rule)


# --- visits and click paths -----------------------------------------------------------------------


def visit_words(visit: VisitFact) -> Iterator[str]:
    """How the page answered, and what it says of itself."""
    when = f"{_time(visit.fetched_at)}, " if visit.fetched_at else ""
    facts = [
        *_answer_words(visit),
        visit.content_type,
        visit.error,
        f"at {visit.final_url} after a redirect" if visit.redirects else "",
    ]
    # The error may be the status in words.
    said = ", ".join(dict.fromkeys(fact for fact in facts if fact))
    verb, why = "checked" if visit.checked_for else "visited", ""
    if visit.checked_for == CheckCause.MISSING:
        why = ", because what listed it was read without it or is gone"
    yield f"{verb} {when}scan {visit.scan_id}{why}: {said}"
    if visit.title:
        yield f"title: {visit.title}"
    if visit.directives:
        yield f"robots directives: {', '.join(visit.directives)}"
    if visit.canonical:
        canonical = resolve(visit.canonical, visit.final_url or visit.url) or visit.canonical
        yield f"canonical: {'itself' if canonical == visit.url else canonical}"
    if visit.duplicate_of:
        yield f"same text as {visit.duplicate_of}, which was visited earlier"
    if visit.redirected_from:
        yield f"redirected here: {' -> '.join([*visit.redirected_from, visit.url])}"


def last_check_words(check: LastCheck) -> str:
    """When an earlier scan visited the page, and how it answered."""
    when = f"{_time(check.checked_at)}, " if check.checked_at else ""
    said = dict.fromkeys(fact for fact in [*_answer_words(check), check.error] if fact)
    return f"last checked {when}scan {check.scan_id}: {', '.join(said)}"


def _answer_words(visit: VisitFact | LastCheck) -> Iterator[str]:
    assert visit.outcome is not None
    target = f" -> {visit.redirect_target}" if visit.redirect_target else ""
    yield f"HTTP {visit.status}{target}" if visit.status else visit.outcome.replace("_", " ")
    if visit.outcome == FetchOutcome.NOT_MODIFIED:
        yield "unchanged (304)"


def path_words(path: Sequence[ClickStep]) -> Iterator[str]:
    """The shortest click path from the start of the crawl; nothing for the start itself."""
    if len(path) <= 1:
        return
    clicks = count_clicks(path)
    yield f"shortest click path, {clicks} click{'' if clicks == 1 else 's'}:"
    for number, step in enumerate(path, 1):
        yield f"  {number}. {step.url}{_link(step)}"


def count_clicks(path: Sequence[ClickStep]) -> int:
    """Steps without the start and redirects."""
    return sum(step.source != LinkSource.REDIRECT for step in path[1:])


def _link(step: ClickStep) -> str:
    if step.source is None:
        return ""
    kind = step.source if step.source != LinkSource.LINK or not step.region else ""
    words = [f'"{step.anchor}"' if step.anchor else "", kind, step.region or ""]
    return f"  ({', '.join(word for word in words if word)})"


def unvisited_words(answer: Why) -> str | None:
    """Why a listed page was not visited, if it was not."""
    visit, crawl = answer.visit, answer.crawl
    if answer.scan is None or crawl is None or (visit and visit.outcome):
        return None
    if {each.source for each in answer.mention_counts} == {LinkSource.ALTERNATE}:
        return "a page in another format is not fetched"
    if visit and visit.number is None:
        return f"held under the pattern {pattern_words(visit, answer.scan.summary or {})}"
    if not crawl.has_crawled:
        because = f" ({crawl.ended})" if crawl.ended else ""
        return f"the crawl did not run{because}" if visit else None
    if visit:
        return f"still in the queue when the scan ended: {_end(crawl)}"
    return _not_in_frontier(answer, answer.scan.settings)


def pattern_words(visit: VisitFact, summary: Mapping[str, Any]) -> str:
    """The pattern that a page is held under, and how many of its pages were visited."""
    for cut in summary.get("cut_patterns", ()):
        if cut["pattern"] == visit.family:
            return f"{visit.family}: {_pattern_figures(cut)}"
    return visit.family or ""


def _pattern_figures(cut: Mapping[str, Any]) -> str:
    broken = f", {cut['broken']:,} of them broken" if cut["broken"] else ""
    words = f"{cut['visited']:,} of its pages were visited{broken}, {cut['left_out']:,} not checked"
    if not cut["proof"]:
        return words
    url, same_as = cut["proof"][0].values()
    return f"{words}; its parameter does not change the page: {url} has the text of {same_as}"


def _end(crawl: CrawlEnd) -> str:
    if crawl.limits:
        return "; ".join(map(limit_words, crawl.limits))
    return crawl.ended or f"scan {crawl.scan_id} is {crawl.scan_status}"


def _not_in_frontier(answer: Why, settings: Mapping[str, Any]) -> str | None:
    if answer.verdict and not answer.verdict.allowed:
        return None  # what robots.txt says is told anyway
    if not answer.click_path:
        return "no visited page links to it"
    clicks, most = count_clicks(answer.click_path), settings.get("max_crawl_depth", 0)
    if 0 < most < clicks:
        return f"{clicks} clicks away: SITECRAWL_MAX_CRAWL_DEPTH={most} can be raised"
    if settings.get("skip_other_languages") and settings.get("languages"):
        chosen = ", ".join(settings["languages"])
        return f"its links are not followed (nofollow, a form, or none of the languages {chosen})"
    return "its links are not followed (nofollow, or a form)"


# --- classes --------------------------------------------------------------------------------------


def class_words(explained: ExplainedPage, scan: Scan) -> Iterator[str]:
    """Category, language, priority and clusters, each with its reason."""
    found = explained.page_class
    yield f"{found.category} content, {found.page_type}: {found.reason}"
    if found.language:
        yield _language_words(found, scan)
    yield f"priority {found.priority:g}:"
    total = sum(part.weight for part in explained.parts)
    for part in explained.parts:
        share = part.value * part.weight / total
        yield f"  {share:.2f} of {part.weight / total:.2f}: {part.words}"
    if explained.clusters:
        yield "in the clusters:"
        for cluster in explained.clusters:
            size = _size_words(cluster.pages, is_estimate=explained.are_estimates)
            yield f"  {cluster.key} ({size}): {cluster.why}"


def _size_words(pages: int, *, is_estimate: bool) -> str:
    """
    >>> _size_words(12_345, is_estimate=False), _size_words(12_345, is_estimate=True)
    ('12,345 pages', 'about 12,000 pages')
    """
    return f"about {float(f'{pages:.2g}'):,.0f} pages" if is_estimate else f"{pages:,} pages"


def _language_words(found: PageClass, scan: Scan) -> str:
    chosen = scan.settings.get("languages", ())
    is_other = is_other_language(found.language, chosen)
    mark = f", not one of the chosen {', '.join(chosen)}" if is_other else ""
    source = f", {_LANGUAGE_SOURCES[found.language_source]}" if found.language_source else ""
    return f"language: {language_name(found.language)}{source}{mark}"


# --- history --------------------------------------------------------------------------------------


def history_words(story: PageStory) -> Iterator[str]:
    """Where the page stands, and what happened to it, the newest first."""
    presence = story.presence
    if presence is not None and presence.state is not PresenceState.PRESENT:
        yield f"{presence.state} since scan {presence.since_scan_id}"
    if story.history:
        yield "history:"
    for change in story.history:
        words = change_words(change)
        said = f"{change.kind}: {words}" if words else change.kind
        yield f"  {_time(change.occurred_at)}, scan {change.scan_id}: {said}"


# --- mentions -------------------------------------------------------------------------------------


def mention_words(answer: Why) -> Iterator[str]:
    """Each mention, current ones first; then the number of those left out."""
    for mention in answer.mentions:
        yield from _sentence(mention)
    if more := answer.mentions_left_out:
        yield f"and {more:,} more; --all shows them ({_kinds(answer.mention_counts)})"


def _sentence(mention: MentionFact) -> Iterator[str]:
    entry = f", {_entry(mention)}" if mention.source != Source.START else ""
    yield f"{_verb(mention)} {mention.document_url}{entry}"
    details = [
        f"at {mention.path}" if mention.path else "",
        f"rel {mention.rel}" if mention.rel else "",
        f"which was found by {mention.found_by}" if not mention.path else "",
        f"read {_time(mention.fetched_at)}, scan {mention.scan_id}" if mention.fetched_at else "",
        _later_words(mention),
    ]
    if said := ", ".join(detail for detail in details if detail):
        yield f"    {said}"


def _later_words(mention: MentionFact) -> str:
    """What scans have found after the one that read it."""
    words = []
    if mention.last_seen_at and mention.last_seen_scan_id > mention.scan_id:
        words.append(f"confirmed {_time(mention.last_seen_at)}, scan {mention.last_seen_scan_id}")
    if mention.dropped_scan_id is not None:
        words.append(f"no longer in it in scan {mention.dropped_scan_id}")
    elif mention.gone_scan_id is not None:
        words.append(f"the document is gone since scan {mention.gone_scan_id}")
    return ", ".join(words)


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _verb(mention: MentionFact) -> str:
    is_page = mention.document_kind == DocumentKind.PAGE
    verb = _MENTION_VERBS.get(mention.source, "linked by" if is_page else "listed by")
    return verb if mention.is_current else f"was {verb}"


def _entry(mention: MentionFact) -> str:
    where = f" in {mention.region}" if mention.region else ""
    anchor = f': "{mention.anchor}"' if mention.anchor else ""
    lastmod = f", lastmod {mention.lastmod}" if mention.lastmod else ""
    return f"entry {mention.position} ({mention.source}{where}){anchor}{lastmod}"


def _kinds(counts: Sequence[MentionCount]) -> str:
    return ", ".join(
        f"{each.mentions:,} {each.source}"
        + (f" in {each.region}" if each.region else "")
        + ("" if each.is_current else " that are gone")
        for each in counts
    )
