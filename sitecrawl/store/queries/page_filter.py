"""Which pages are wanted and in which order, as typed values and as conditions in SQL.

A condition names what it asks of a page in braces (``{category}``), and the values it is compared
with as ``{v_...}``. What stands for the names depends on where pages are read: ``pages.py`` has the
SQL for the tables of the inventory, ``page_index.py`` that for the index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from sitecrawl.store.queries.cursors import Position
    from sitecrawl.store.vocabulary import PageStatus

_FIRST_REDIRECT: Final = HTTPStatus.MULTIPLE_CHOICES
# Before and after every lastmod, which is text that begins with a year.
_FIRST_LASTMOD: Final = "0"
_LAST_LASTMOD: Final = ":"
_LAST_CHARACTER: Final = "\U0010ffff"

# The mention that a page is listed by, or one of the further ones.
_ANY_MENTION: Final = """
({own} OR p.id IN (
    SELECT other.page_id FROM further_mentions AS other WHERE {also} AND {{other_counts}}))
"""
_CONFIRMED: Final = """
(p.seen_scan_id >= {scan} OR {m}.document_id IN {confirming} OR p.id IN (
    SELECT other.page_id FROM other_mentions AS other
    WHERE other.document_id IN {confirming} AND {other_counts}))
"""
_DESCRIBED: Final = """
p.id IN (SELECT page_id FROM page_signals UNION SELECT page_id FROM menu_entries)
"""
_OF_SCANS: Final = """
{{{scan_id}}} IN (SELECT id FROM scans WHERE site_id = {{site}} AND {conditions})
"""
CHANGED: Final = """
{number} IN (
    SELECT changed.number
    FROM changes AS change JOIN pages AS changed ON changed.id = change.page_id
    WHERE change.site_id = {site} AND change.occurred_at >= {v_changed_since})
"""


class PageSort(StrEnum):
    """What pages can be sorted by; equal ones come in the order of their numbers."""

    FIRST_SEEN = "first_seen"
    """The order in which pages were first seen, which is that of their numbers."""
    LAST_SEEN = "last_seen"
    URL = "url"
    TITLE = "title"
    LASTMOD = "lastmod"
    PRIORITY = "priority"
    DEPTH = "depth"
    CLICKS = "clicks"
    TEMPLATE = "template"
    CATEGORY = "category"
    TYPE = "type"
    LANGUAGE = "language"
    SOURCE = "source"
    STATUS = "status"
    REASON = "reason"
    HTTP_STATUS = "http_status"


TEXT_SORTS: Final = frozenset(
    {
        *(PageSort.URL, PageSort.TITLE, PageSort.LASTMOD, PageSort.TEMPLATE, PageSort.CATEGORY),
        *(PageSort.TYPE, PageSort.LANGUAGE, PageSort.SOURCE, PageSort.STATUS, PageSort.REASON),
    }
)
"""Of a page without a value it is an empty text; of the other sorts it is -1."""


@dataclass(frozen=True, slots=True)
class PageOrder:
    """Pages with no value come first; in a descending order everything is reversed."""

    sort: PageSort = PageSort.FIRST_SEEN
    descending: bool = False


class Condition(NamedTuple):
    """SQL with names in braces, and the values of those that begin with ``v_``."""

    sql: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, sql: str, **values: Any) -> Condition:
        return cls(sql, {f"v_{name}": value for name, value in values.items()})


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages are wanted: every listed one, unless more is said."""

    include_refused: bool = False
    """Broken ones as well."""
    status: PageStatus | None = None
    """Refused or broken; implies such pages."""
    source: str = ""
    """Of any mention of the page."""
    region: str = ""
    """Of any mention of the page; together with a source, of the same one."""
    reason: str = ""
    """Why it was refused; implies refused pages."""
    contains: str = ""
    """Text in the URL, in whatever case."""
    search: str = ""
    """Text in the URL or the title, in whatever case."""
    text: str = ""
    """Text in the title or in the anchor of any mention, in whatever case."""
    prefix: str = ""
    """How the URL begins."""
    pattern: str = ""
    """As ``sitecrawl.urls.patterns`` gives it, or as the crawl names what it gave up."""
    template: str = ""
    """As classification names it, such as ``/blog/{slug}``."""
    min_depth: int | None = None
    max_depth: int | None = None
    max_clicks: int | None = None
    min_priority: float | None = None
    max_priority: float | None = None
    http_status: tuple[int, int] | None = None
    """The lowest and the highest; redirects and errors imply refused pages."""
    visited: bool | None = None
    robots_allowed: bool | None = None
    """What robots.txt says; disallowed ones imply refused pages."""
    indexable: bool | None = None
    """Whether a search engine may show it, as far as is known."""
    orphan: bool | None = None
    """Whether it is in a sitemap and no visited page links to it; needs a crawl."""
    category: str = ""
    page_type: str = ""
    language: str = ""
    """``pt`` wants ``pt-br``, too."""
    cluster: str = ""
    """The key of one."""
    lastmod_since: date | datetime | None = None
    lastmod_before: date | datetime | None = None
    first_seen_since: datetime | None = None
    """When the scan started that saw it first."""
    first_seen_before: datetime | None = None
    last_seen_since: datetime | None = None
    """When the scan started that last read or confirmed the document that lists it."""
    last_seen_before: datetime | None = None
    changed_since: datetime | None = None
    """Whether a change of it was found since then."""
    page_id: int | None = None
    numbers: tuple[int, ...] | None = None
    """Only pages with one of these numbers."""
    one_of: int = 1
    """A random sample of one of so many pages; a power of two. The same pages every time."""
    is_confirmed: bool = False
    """Whether the scan itself has read or confirmed that it is there."""
    is_described: bool = False
    """Whether more is known of it than its row says, or the menu has it."""
    order: PageOrder | None = None
    """None: roughly that in which they were first seen, which costs nothing."""
    limit: int | None = None
    after: Position | None = None
    """Only pages that come after this one; needs an order."""

    @property
    def wants_refused(self) -> bool:
        is_no_success = self.http_status is not None and self.http_status[0] >= _FIRST_REDIRECT
        is_asked_for = self.include_refused or self.status is not None or bool(self.reason)
        return is_asked_for or is_no_success or self.robots_allowed is False

    @property
    def is_of_few(self) -> bool:
        """Whether it names the pages, so that only these need to be looked at."""
        return self.page_id is not None or self.numbers is not None

    def conditions(self) -> list[Condition]:
        found = [*self._of_mention(), *self._of_page(), *self._of_visit(), *self._of_class()]
        found += [*self._of_time(), *self._of_text()]
        if not self.wants_refused:
            # Last, because SQLite goes through half of a row to come to it.
            found.append(Condition.of("{reason} IS NULL"))
        return found

    def _of_mention(self) -> Iterator[Condition]:
        if self.region:
            wanted = [name for name in ("source", "region") if getattr(self, name)]
            own = " AND ".join(f"{{m}}.{name} = {{v_{name}}}" for name in wanted)
            also = " AND ".join(f"other.{name} = {{v_{name}}}" for name in wanted)
            sql = _ANY_MENTION.format(own=f"({own})", also=also)
            yield Condition.of(sql, source=self.source, region=self.region)
        elif self.source:
            yield Condition.of("{has_source}", source=self.source)

    def _of_page(self) -> Iterator[Condition]:
        if self.page_id is not None:
            yield Condition.of("p.id = {v_page_id}", page_id=self.page_id)
        if self.numbers is not None:
            yield Condition.of("{is_one_of_numbers}", numbers=self.numbers)
        if self.one_of > 1:
            # Ids are hashes.
            yield Condition.of("p.id & {v_mask} = 0", mask=self.one_of - 1)
        if self.is_confirmed:
            yield Condition.of(_CONFIRMED)
        if self.is_described:
            yield Condition.of(_DESCRIBED)
        if self.status is not None:
            yield Condition.of("{status} = {v_status}", status=self.status.value)
        if self.reason:
            yield Condition.of("{reason} = {v_reason}", reason=self.reason)
        if self.prefix:
            end = self.prefix + _LAST_CHARACTER
            yield Condition.of(
                "{url}{c} >= {v_prefix} AND {url}{c} < {v_prefix_end}",
                prefix=self.prefix,
                prefix_end=end,
            )

    def _of_visit(self) -> Iterator[Condition]:
        if self.max_clicks is not None:
            yield Condition.of("{clicks} <= {v_clicks}", clicks=self.max_clicks)
        if self.http_status is not None:
            low, high = self.http_status
            sql = "{http_status} BETWEEN {v_status_low} AND {v_status_high}"
            yield Condition.of(sql, status_low=low, status_high=high)
        for name in ("visited", "robots_allowed", "indexable", "orphan"):
            flag = getattr(self, name)
            if flag is not None:
                yield Condition.of(f"{{{name}}} = {{v_{name}}}", **{name: flag})

    def _of_class(self) -> Iterator[Condition]:
        for name, value in (
            *(("category", self.category), ("type", self.page_type), ("template", self.template)),
        ):
            if value:
                yield Condition.of(f"{{{name}}} = {{v_{name}}}", **{name: value})
        if self.language:
            is_primary = "-" not in self.language
            below = f"{_escaped(self.language)}-%" if is_primary else self.language
            yield Condition.of(
                "({language} = {v_language} OR {language} LIKE {v_languages} ESCAPE '!')",
                language=self.language,
                languages=below,
            )
        if self.cluster:
            yield Condition.of("{has_cluster}", cluster=self.cluster)
        for name in ("depth", "priority"):
            for bound, sign in (("min", ">="), ("max", "<=")):
                value = getattr(self, f"{bound}_{name}")
                if value is not None:
                    sql = f"{{{name}}} {sign} {{v_{bound}_{name}}}"
                    yield Condition.of(sql, **{f"{bound}_{name}": value})

    def _of_time(self) -> Iterator[Condition]:
        if self.lastmod_since or self.lastmod_before:
            # Not BETWEEN: the end is not part of it. What has no lastmod is in no range.
            yield Condition.of(
                "{lastmod}{c} >= {v_lastmod_since} AND {lastmod}{c} < {v_lastmod_before}",
                lastmod_since=_lastmod_text(self.lastmod_since) or _FIRST_LASTMOD,
                lastmod_before=_lastmod_text(self.lastmod_before) or _LAST_LASTMOD,
            )
        for name in ("first", "last"):
            moments = {
                f"{name}_seen_{end}": moment
                for end in ("since", "before")
                if (moment := getattr(self, f"{name}_seen_{end}")) is not None
            }
            if moments:
                conditions = " AND ".join(
                    f"started_at {'>=' if each.endswith('since') else '<'} {{v_{each}}}"
                    for each in moments
                )
                sql = _OF_SCANS.format(scan_id=f"{name}_scan_id", conditions=conditions)
                yield Condition.of(sql, **{each: _aware(moments[each]) for each in moments})
        if self.changed_since is not None:
            yield Condition.of(CHANGED, changed_since=_aware(self.changed_since))

    def _of_text(self) -> Iterator[Condition]:
        if self.contains:
            pattern = _containing(self.contains.lower())
            yield Condition.of(_like("{url}", "contains"), contains=pattern)
        if self.search:
            yield text_condition("search", self.search, ["{url}", "{title}"])
        if self.text:
            own = text_condition("text", self.text, ["p.title", "{m}.anchor"])
            also = text_condition("text", self.text, ["other.anchor"])
            yield Condition(_ANY_MENTION.format(own=own.sql, also=also.sql), own.values)


LISTED_PAGES: Final = PageFilter()
ALL_PAGES: Final = PageFilter(include_refused=True)
CONFIRMED_PAGES: Final = PageFilter(include_refused=True, is_confirmed=True)


def checked_order(sort: str, *, descending: bool = False) -> PageOrder:
    """The order with this name; ``InvalidInputError`` if there is none."""
    sort = sort or PageSort.FIRST_SEEN
    if sort not in set(PageSort):
        raise InvalidInputError("sort", f"{sort!r}: expected one of {', '.join(PageSort)}")
    return PageOrder(PageSort(sort), descending)


def text_condition(name: str, text: str, columns: Sequence[str]) -> Condition:
    """Whether one of the columns contains the text, in whatever case."""
    ways = {f"{name}_{index}": way for index, way in enumerate(spellings(text))}
    likes = (_like(column, way) for column in columns for way in ways)
    return Condition.of(
        f"({' OR '.join(likes)})", **{each: _containing(way) for each, way in ways.items()}
    )


def spellings(text: str) -> list[str]:
    """The usual ways to write it: SQLite's ``lower`` knows no letters but those of English.

    >>> spellings("News"), spellings("über")
    (['news'], ['über', 'Über'])
    """
    ways = (text.lower(), text.upper(), text.capitalize(), text.title())
    lowered = (re.sub("[A-Z]+", lambda match: match[0].lower(), way) for way in ways)
    return list(dict.fromkeys(lowered))


def _like(column: str, name: str) -> str:
    return f"lower({column}) LIKE {{v_{name}}} ESCAPE '!'"


def _containing(text: str) -> str:
    return f"%{_escaped(text)}%"


def _escaped(text: str) -> str:
    for special in "!%_":
        text = text.replace(special, f"!{special}")
    return text


def _lastmod_text(moment: date | datetime | None) -> str:
    """As lastmods are stored, so that they compare as text."""
    if moment is None:
        return ""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return _aware(moment).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _aware(moment: date | datetime) -> datetime:
    """A moment without a time zone is meant in UTC; a date is the moment at which it begins."""
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
