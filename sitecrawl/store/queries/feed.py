"""The rows of feeds: one row per page with the same fields in every format, made by the database.

JSON is one text per page (``json_object`` of SQLite, ``json_build_object`` of PostgreSQL), so a
million pages cost no dictionary; it comes as bytes, so nothing is decoded and encoded again. Other
formats get the same fields as columns.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from sitecrawl.store.queries.pages import LISTED_PAGES, reading_pages, select_pages
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import sites
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import DEFAULT_KEY_RULES, KeyRules, page_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.pages import PageFilter
    from sitecrawl.store.queries.scans import Scan

_STATUS: Final = (
    f"CASE WHEN p.reason IS NULL THEN '{PageStatus.LISTED}' ELSE '{PageStatus.REFUSED}' END"
)
# Of each field its SQL, with the tables of ``sitecrawl.store.queries.pages``; empty where that
# depends on the database or the site.
_FIELDS: Final = {
    "url": "p.url",
    "key": "",
    "lastmod": "{m}.lastmod",
    "depth": "k.depth",
    "clusters": "",
    "category": "k.category",
    "type": "k.type",
    "language": "k.language",
    "language_source": "k.language_source",
    "other_language": "",
    "template": "k.template",
    "priority": "k.priority",
    "parent": "d.url",
    "source": "{m}.source",
    "sources": "",
    "status": _STATUS,
    "discovered_at": "",
    "reason": "p.reason",
    "rule": "p.rule",
    "title": "p.title",
    "file_kind": "p.category",
    "changefreq": "p.changefreq",
    "sitemap_priority": "p.sitemap_priority",
    "robots_allowed": "r.allowed",
    "robots_rule": "r.rule",
    "importance": "p.importance",
    "region": "{m}.region",
    "anchor": "{m}.anchor",
    "inlinks": "s.inlinks",
    "clicks": "v.clicks",
    "http_status": "v.status",
    "content_type": "v.content_type",
    "text_hash": "v.text_hash",
    "canonical": "v.canonical",
    "duplicate_of": "v.duplicate_of",
}
FEED_FIELDS: Final = tuple(_FIELDS)
LIST_FIELDS: Final = frozenset({"clusters", "sources"})
FLAG_FIELDS: Final = frozenset({"other_language", "robots_allowed"})
INTEGER_FIELDS: Final = frozenset({"depth", "inlinks", "clicks", "http_status"})
FLOAT_FIELDS: Final = frozenset({"sitemap_priority", "importance", "priority"})


def _quoted(text: str) -> str:
    """A text in a statement that is still to be formatted."""
    return "'" + text.replace("'", "''").replace("{", "{{").replace("}", "}}") + "'"


class _Spelling(NamedTuple):
    """What the two databases spell differently."""

    json_object: str
    json_flag: str
    quote: Callable[[str], str]
    clusters: str
    sources: str
    discovered_at: str
    primary_language: str


_SQLITE: Final = _Spelling(
    json_object="CAST(json_object({}) AS BLOB)",
    json_flag="CASE {flag} WHEN 1 THEN json('true') WHEN 0 THEN json('false') END",
    quote=_quoted,
    clusters="json(k.clusters)",
    sources="CASE WHEN f.sources IS NULL THEN json_array({m}.source) ELSE json(("
    "SELECT json_group_array(name) FROM (SELECT {m}.source AS name UNION ALL"
    " SELECT entry.value FROM json_each(f.sources) AS entry WHERE entry.value <> {m}.source)))"
    " END",
    discovered_at="substr(first.started_at, 1, 19) || 'Z'",
    primary_language="substr(k.language, 1, instr(k.language || '-', '-') - 1)",
)
_POSTGRES: Final = _Spelling(
    json_object="convert_to(CAST(json_build_object({}) AS TEXT), 'UTF8')",
    json_flag="{flag}",
    # The driver takes a percent sign for the start of a parameter.
    quote=lambda text: _quoted(text).replace("%", "%%"),
    clusters="k.clusters",
    sources="CASE WHEN f.sources IS NULL THEN json_build_array({m}.source) ELSE ("
    "SELECT json_agg(name) FROM (SELECT {m}.source AS name UNION ALL"
    " SELECT entry FROM json_array_elements_text(f.sources) AS entry WHERE entry <> {m}.source"
    ") AS named) END",
    discovered_at="to_char(first.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
    primary_language="split_part(k.language, '-', 1)",
)


def feed_json(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    names: Mapping[str, str] | None = None,
) -> Iterator[list[bytes]]:
    """One JSON object per page, in lists; *names* are fields, each with its name in the object."""
    fields = _Fields(database, scan)
    row = fields.json_row(names or dict(zip(FEED_FIELDS, FEED_FIELDS, strict=True)))
    with reading_pages(database, scan, wanted, [row]) as connection:
        for rows in select_pages(connection, scan, wanted, [row]):
            yield [encoded for (encoded,) in rows]


def feed_columns(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    names: Sequence[str] = FEED_FIELDS,
) -> Iterator[list[Sequence[Any]]]:
    """The fields of some pages at a time, as columns of Python values."""
    fields = _Fields(database, scan)
    chosen = [fields.column(name) for name in names]
    with reading_pages(database, scan, wanted, chosen) as connection:
        for rows in select_pages(connection, scan, wanted, chosen):
            columns = zip(names, zip(*rows, strict=True), strict=True)
            yield [_python_values(name, column) for name, column in columns]


def iter_page_rows(
    database: Database, scan_id: int, wanted: PageFilter = LISTED_PAGES
) -> Iterator[dict[str, Any]]:
    """The rows of a feed as dictionaries of FEED_FIELDS, read as they are consumed."""
    scan = scan_by_id(database, scan_id)
    assert scan is not None
    for columns in feed_columns(database, scan, wanted):
        for values in zip(*columns, strict=True):
            yield dict(zip(FEED_FIELDS, values, strict=True))


def _python_values(name: str, column: Sequence[Any]) -> Sequence[Any]:
    if name in LIST_FIELDS:
        return [None if text is None else [*_list_of(text)] for text in column]
    if name in FLAG_FIELDS:
        return [None if flag is None else bool(flag) for flag in column]
    return column


@lru_cache(maxsize=10_000)
def _list_of(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


class _Fields:
    """The SQL of the fields for one site on one database."""

    def __init__(self, database: Database, scan: Scan) -> None:
        self._spelling = spelling = _SQLITE if database.is_sqlite else _POSTGRES
        with database.reading() as connection:
            own = select(sites.c.key_rules).where(sites.c.id == scan.site_id)
            rules = KeyRules(**connection.scalars(own).one())
        key = postgres_key(rules, "p.url")
        if database.is_sqlite:
            key = sqlite_key(rules, "p.url", origin_of(scan.root_url))
        self._sql = _FIELDS | {
            "key": key,
            "clusters": spelling.clusters,
            "sources": spelling.sources,
            "discovered_at": spelling.discovered_at,
            "other_language": _other_language(scan.settings.get("languages", ()), spelling),
        }

    def json_row(self, names: Mapping[str, str]) -> str:
        """A JSON object of these fields, each with its name in the object, as UTF-8."""
        quote, flag = self._spelling.quote, self._spelling.json_flag
        values = {
            name: flag.format(flag=self._sql[name]) if name in FLAG_FIELDS else self._sql[name]
            for name in names
        }
        pairs = (f"{quote(shown)}, {values[name]}" for name, shown in names.items())
        return self._spelling.json_object.format(", ".join(pairs))

    def column(self, name: str) -> str:
        """The field as a value of its own; lists are JSON text."""
        return f"CAST({self._sql[name]} AS TEXT)" if name in LIST_FIELDS else self._sql[name]


def _other_language(chosen: Sequence[str], spelling: _Spelling) -> str:
    """``sitecrawl.classify.languages.is_other_language`` as SQL."""
    if not chosen:
        return "NULL"
    codes = ", ".join(map(spelling.quote, chosen))
    is_other = f"k.language NOT IN ({codes}) AND {spelling.primary_language} NOT IN ({codes})"
    return f"CASE WHEN k.language IS NOT NULL THEN {is_other} END"


def sqlite_key(rules: KeyRules, url: str, origin: str = "") -> str:
    """``sitecrawl.urls.canonical.page_key`` as SQL of SQLite.

    Nearly all pages are of one *origin*, of which is known where the key begins.
    """
    start = f"instr({url}, '://') + 3"
    if rules.fold_www:
        start = f"{start} + 4 * (substr({url}, {start}, 4) = 'www.')"
    rest = f"substr({url}, {start})"
    lower = "lower" if rules.fold_path_case else ""
    slash = f"(substr({url}, -1) = '/')" if rules.fold_trailing_slash else "0"
    plain = f"{lower}(substr({url}, {start}, length({url}) + 1 - ({start}) - {slash}))"
    # Where the query or the fragment begins.
    end = f"min(instr({rest} || '?', '?'), instr({rest} || '#', '#'))"
    slash = f"(substr({rest}, {end} - 1, 1) = '/')" if rules.fold_trailing_slash else "0"
    marked = f"{lower}(substr({rest}, 1, {end} - 1 - {slash})) || substr({rest}, {end})"
    scheme = "" if rules.fold_scheme else f"substr({url}, 1, instr({url}, '://') + 2) || "
    is_plain = f"instr({url}, '?') = 0 AND instr({url}, '#') = 0"
    usual = ""
    if origin and rules == DEFAULT_KEY_RULES:
        first = len(origin) - len(page_key(origin)) + 1
        usual = (
            f" WHEN substr({url}, 1, {len(origin) + 1}) = {_quoted(origin + '/')} AND {is_plain}"
            f" THEN CASE WHEN substr({url}, -1) = '/'"
            f" THEN substr({url}, {first}, length({url}) - {first}) ELSE substr({url}, {first}) END"
        )
    return (
        f"CASE{usual} WHEN instr({url}, '://') = 0 THEN {url}"
        f" WHEN {is_plain} THEN {scheme}{plain} ELSE {scheme}{marked} END"
    )


def postgres_key(rules: KeyRules, url: str) -> str:
    """``sitecrawl.urls.canonical.page_key`` as SQL of PostgreSQL."""
    www = r"(?:www\.)?" if rules.fold_www else ""
    slash = "/?" if rules.fold_trailing_slash else ""
    # Greediness is that of the first quantifier: every part has to say what it must not hold.
    after = f"regexp_replace(substr({url}, position('://' IN {url}) + 3), '^{www}', '')"
    path = f"regexp_replace(substring({after} FROM '^[^?#]*'), '{slash}$', '')"
    tail = f"substring({after} FROM '[?#].*$')"
    if rules.fold_path_case:
        path = f"lower({path})"
    scheme = "" if rules.fold_scheme else f"substr({url}, 1, position('://' IN {url}) + 2) || "
    return (
        f"CASE WHEN position('://' IN {url}) = 0 THEN {url}"
        f" ELSE {scheme}{path} || coalesce({tail}, '') END"
    )
