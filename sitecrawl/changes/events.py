"""Groups changes into events, as a person would tell them, with their severity.

Conditions on events, such as ``removed>10,noindex,robots``, let a pipeline stop a release.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from sitecrawl.changes.kinds import Change, ChangeKind, EventKind, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MAX_SECTIONS: Final = 5
_MANY: Final = 100
_MAX_EXAMPLES: Final = 10
_ERROR: Final = 400
_REDIRECT: Final = 300

_NOUNS: Final = {
    "article": ("article", "articles"),
    "blog": ("article", "articles"),
    "news": ("news article", "news articles"),
    "product": ("product page", "product pages"),
    "documentation": ("documentation page", "documentation pages"),
    "docs": ("documentation page", "documentation pages"),
    "category": ("category page", "category pages"),
    "listing": ("list", "lists"),
    "job": ("job", "jobs"),
    "event": ("event page", "event pages"),
    "recipe": ("recipe", "recipes"),
}


@dataclass(frozen=True, slots=True)
class Event:
    """Changes that belong together."""

    kind: EventKind
    severity: Severity
    title: str
    changes: tuple[Change, ...] = ()
    pages: int = 0
    important: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)
    is_silent: bool = False
    incident: str = ""
    """The key of the incident that it opens or belongs to; ``""``: none."""


def event_kind(change: Change) -> EventKind:
    """The kind of event that a change of a page belongs to."""
    if change.kind is not ChangeKind.UPDATED:
        return EventKind(change.kind)
    before, after = change.before or {}, change.after or {}
    if by_status := _kind_of_status(before.get("status") or 0, after.get("status") or 0):
        return by_status
    if "indexable" in after:
        return EventKind.INDEXABLE if after["indexable"] else EventKind.NOINDEX
    if after.keys() | before.keys() <= {"lastmod", "changefreq", "sitemap_priority"}:
        return EventKind.LASTMOD
    return EventKind.UPDATED


def _kind_of_status(old: int, new: int) -> EventKind | None:
    if new >= _ERROR:
        return EventKind.BROKEN
    if old >= _ERROR:
        return EventKind.REPAIRED
    return EventKind.REDIRECTED if new >= _REDIRECT else None


def section(url: str) -> str:
    """The first folder of the path.

    >>> section("https://example.com/blog/2024/x"), section("https://example.com/about")
    ('/blog', '/')
    """
    path = urlsplit(url).path
    first, slash, _ = path.lstrip("/").partition("/")
    return f"/{first}" if slash and first else "/"


def group_pages(changes: Iterable[Change]) -> list[Event]:
    """The events of changes of pages, the most severe first."""
    groups: defaultdict[tuple[EventKind, bool, int], list[Change]] = defaultdict(list)
    for change in changes:
        kind = event_kind(change)
        status = 0
        if kind is EventKind.BROKEN:
            status = int((change.after or {}).get("status") or 0)
        groups[kind, change.is_silent, status].append(change)
    events = [
        event
        for (kind, is_silent, status), members in groups.items()
        for event in _events_of(kind, members, status, is_silent=is_silent)
    ]
    return sorted(events, key=lambda event: (-event.severity.rank, -event.pages))


def _events_of(
    kind: EventKind, changes: Sequence[Change], status: int, *, is_silent: bool
) -> Iterable[Event]:
    """One event per section, or one in all if there are too many to read."""
    by_section: defaultdict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_section[section(_url(change))].append(change)
    if len(by_section) <= _MAX_SECTIONS:
        for name, members in by_section.items():
            yield _event(kind, members, status, name, is_silent=is_silent)
    else:
        yield _event(kind, changes, status, "", is_silent=is_silent)


def _event(
    kind: EventKind, changes: Sequence[Change], status: int, name: str, *, is_silent: bool
) -> Event:
    important = sum(change.page is not None and change.page.is_important for change in changes)
    sections = Counter(section(_url(change)) for change in changes)
    detail: dict[str, Any] = {"examples": [_url(change) for change in changes[:_MAX_EXAMPLES]]}
    if name:
        detail["section"] = name
    else:
        detail["sections"] = dict(sections.most_common(_MAX_EXAMPLES))
    if status:
        detail["status"] = status
    severity = _severity(kind, len(changes), important, status)
    incident = ""
    if kind in _INCIDENTS and severity.rank >= Severity.MEDIUM.rank and not is_silent:
        incident = f"{kind}:{name or '*'}" + (f":{status}" if status else "")
    return Event(
        kind,
        severity,
        _title(kind, changes, status, name, len(sections)),
        tuple(changes),
        len(changes),
        important,
        detail,
        is_silent,
        incident,
    )


_INCIDENTS: Final = frozenset({EventKind.BROKEN, EventKind.NOINDEX})


def _url(change: Change) -> str:
    return change.page.url if change.page is not None else ""


def _severity(kind: EventKind, pages: int, important: int, status: int) -> Severity:
    severity = _SEVERITIES.get(kind, Severity.INFO)
    if kind is EventKind.BROKEN and status >= 500:  # noqa: PLR2004
        severity = Severity.LOW
    if severity.rank >= Severity.LOW.rank:
        if important:
            severity = severity.raised()
        if pages >= _MANY:
            severity = severity.raised()
    return severity


_SEVERITIES: Final = {
    EventKind.REMOVED: Severity.LOW,
    EventKind.UNLISTED: Severity.LOW,
    EventKind.BROKEN: Severity.MEDIUM,
    EventKind.NOINDEX: Severity.MEDIUM,
    EventKind.REDIRECTED: Severity.LOW,
    EventKind.MOVED: Severity.INFO,
}


def _title(
    kind: EventKind, changes: Sequence[Change], status: int, name: str, sections: int
) -> str:
    number = len(changes)
    if number == 1:
        return _of_one(kind, changes[0], status)
    where = f"{name}: " if name not in {"", "/"} else ""
    spread = f" in {sections:,} sections" if not name else ""
    pages = f"{number:,} {_noun(changes)}"
    match kind:
        case EventKind.ADDED:
            return f"{where}{number:,} new {_noun(changes)}{spread}"
        case EventKind.BROKEN:
            return f"{where}{pages}{spread} answer {_status_words(changes, status)}"
        case EventKind.LASTMOD | EventKind.UPDATED:
            fields = _fields(changes)
            return f"{where}{pages}{spread} changed: {fields}"
        case EventKind.MOVED:
            return f"{where}{pages}{spread} moved{_rename_words(changes)}"
    return f"{where}{pages}{spread} {_VERBS[kind][1]}"


def _status_words(changes: Sequence[Change], status: int) -> str:
    is_soft = all(change.evidence.get("soft_404") for change in changes)
    noun = "an error page" if len(changes) == 1 else "error pages"
    return f"with {noun} (soft 404)" if is_soft else str(status)


def _of_one(kind: EventKind, change: Change, status: int) -> str:
    url = _url(change)
    match kind:
        case EventKind.ADDED:
            return f"new page {url}"
        case EventKind.BROKEN:
            return f"{url} answers {_status_words([change], status)}"
        case EventKind.LASTMOD | EventKind.UPDATED:
            return f"{url} changed: {_fields([change])}"
        case EventKind.MOVED:
            return f"{url} moved to {change.other.url if change.other else '?'}"
    return f"{url} {_VERBS[kind][0]}"


_VERBS: Final = {
    EventKind.REMOVED: ("was removed", "were removed"),
    EventKind.UNLISTED: (
        "is no longer listed, and still answers",
        "are no longer listed, and still answer",
    ),
    EventKind.RETURNED: ("returned", "returned"),
    EventKind.REPAIRED: ("answers again", "answer again"),
    EventKind.REDIRECTED: ("redirects now", "redirect now"),
    EventKind.NOINDEX: ("can no longer be indexed",) * 2,
    EventKind.INDEXABLE: ("can be indexed again",) * 2,
    EventKind.SOURCE_CHANGED: ("is listed by another document", "are listed by other documents"),
}


def _noun(changes: Sequence[Change]) -> str:
    types = Counter(change.page.type for change in changes if change.page is not None)
    if types:
        [(most, number)] = types.most_common(1)
        if most in _NOUNS and number * 10 >= len(changes) * 8:
            return _NOUNS[most][len(changes) > 1]
    return "page" if len(changes) == 1 else "pages"


def _fields(changes: Sequence[Change]) -> str:
    fields: Counter[str] = Counter()
    for change in changes:
        fields.update(dict.fromkeys([*(change.before or {}), *(change.after or {})]).keys())
    return ", ".join(_FIELD_WORDS.get(name, name) for name, _ in fields.most_common(4))


_FIELD_WORDS: Final = {
    "sitemap_priority": "priority",
    "redirect_target": "redirect target",
    "robots_meta": "robots meta",
    "robots_header": "X-Robots-Tag",
    "hreflang": "language versions",
}


def _rename_words(changes: Sequence[Change]) -> str:
    targets = Counter(section(change.other.url) for change in changes if change.other is not None)
    [(most, number)] = targets.most_common(1) or [("", 0)]
    return f" to {most}" if number * 2 > len(changes) and most != "/" else ""


# --- Conditions ------------------------------------------------------------------------------
_CONDITION: Final = re.compile(r"\s*([a-z_]+)\s*(?:>\s*(\d{1,9}))?\s*")
_SHORT: Final = {
    "robots": EventKind.ROBOTS_CHANGED,
    "sitemap": EventKind.SITEMAP_CHANGED,
    "collapse": EventKind.INVENTORY_COLLAPSED,
}
_OF_UPDATES: Final = frozenset(
    {
        *(EventKind.BROKEN, EventKind.REPAIRED, EventKind.REDIRECTED, EventKind.NOINDEX),
        *(EventKind.INDEXABLE, EventKind.UPDATED, EventKind.LASTMOD),
    }
)
CONDITION_NAMES: Final = tuple(sorted({*_SHORT, *EventKind, *ChangeKind}))


class Condition(NamedTuple):
    """More than *limit* pages with an event of this kind."""

    kind: EventKind
    limit: int = 0

    def __str__(self) -> str:
        return f"{self.kind}>{self.limit}" if self.limit else str(self.kind)


def parse_conditions(text: str) -> list[Condition]:
    """
    >>> [str(each) for each in parse_conditions("removed>10, noindex,robots")]
    ['removed>10', 'noindex', 'robots_changed']
    >>> parse_conditions("vanished")
    Traceback (most recent call last):
    ValueError: 'vanished': expected a kind or kind>number, such as removed>10
    """
    found = []
    for part in text.split(","):
        match = _CONDITION.fullmatch(part)
        if match is None or match[1] not in CONDITION_NAMES:
            raise ValueError(f"{part!r}: expected a kind or kind>number, such as removed>10")
        found.append(Condition(_SHORT.get(match[1]) or EventKind(match[1]), int(match[2] or 0)))
    return found


def broken_conditions(
    conditions: list[Condition], pages: Mapping[EventKind, int]
) -> list[tuple[Condition, int]]:
    """Conditions that hold, each with the number of pages; *pages* by kind of event.

    >>> pages = {EventKind.NOINDEX: 2, EventKind.LASTMOD: 5, EventKind.REMOVED: 3}
    >>> conditions = parse_conditions("removed>3,noindex,updated>6")
    >>> [(str(condition), number) for condition, number in broken_conditions(conditions, pages)]
    [('noindex', 2), ('updated>6', 7)]
    """
    found = []
    for condition in conditions:
        kinds = _OF_UPDATES if condition.kind is EventKind.UPDATED else {condition.kind}
        number = sum(pages.get(kind, 0) for kind in kinds)
        if number > condition.limit:
            found.append((condition, number))
    return found
