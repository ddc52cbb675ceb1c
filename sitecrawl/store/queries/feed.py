"""The rows of feeds: one row per page with the same fields in every format, made by the database.

JSON is one text per page (``json_object`` of SQLite, ``json_build_object`` of PostgreSQL), so a
million pages cost no dictionary. The part of it that pages share, such as all that their class
says, is made once for each class, document or verdict; what is usual of a page that only a sitemap
lists is one constant. It comes as bytes, so nothing is decoded and encoded again.
Other formats get the same fields as columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from sitecrawl.items import Source
from sitecrawl.store.queries.page_filter import LISTED_PAGES
from sitecrawl.store.queries.page_sql import ATTRIBUTES
from sitecrawl.store.queries.pages import reading_pages, select_pages
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import sites
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import DEFAULT_KEY_RULES, KeyRules, page_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan

# Of each field its SQL, with the tables of ``sitecrawl.store.queries.pages``; empty where that
# depends on the database or the site. Fields of one table stand together, those of pages first.
_FIELDS: Final = {
    "url": "p.url",
    "key": "",
    "lastmod": "{m}.lastmod",
    "source": "{m}.source",
    "sources": "",
    "status": ATTRIBUTES["status"],
    "reason": "p.reason",
    "rule": "p.rule",
    "title": "p.title",
    "file_kind": "p.category",
    "changefreq": "p.changefreq",
    "sitemap_priority": "p.sitemap_priority",
    "importance": "p.importance",
    "region": "{m}.region",
    "anchor": "{m}.anchor",
    "inlinks": "s.inlinks",
    "other_language": "",
    "depth": "k.depth",
    "clusters": "",
    "category": "k.category",
    "type": "k.type",
    "language": "k.language",
    "language_source": "k.language_source",
    "template": "k.template",
    "priority": "k.priority",
    "parent": "d.url",
    "discovered_at": "",
    "robots_allowed": "r.allowed",
    "robots_rule": "r.rule",
    "visited": "(v.outcome IS NOT NULL)",
    "clicks": "v.clicks",
    "http_status": "v.status",
    "content_type": "v.content_type",
    "text_hash": "v.text_hash",
    "canonical": "v.canonical",
    "duplicate_of": "v.duplicate_of",
}
FEED_FIELDS: Final = tuple(_FIELDS)
# Tables with far fewer rows than pages, whose fields pages share.
_SHARED: Final = frozenset({"k", "d", "first", "r", "v"})
_TABLE: Final = re.compile(r"\b([a-z]+)\.")
# What is said of a listed page as long as one sitemap gives its URL and no more.
_USUAL: Final[Mapping[str, Any]] = {
    "source": Source.SITEMAP,
    "sources": [Source.SITEMAP],
    "status": PageStatus.LISTED,
    **dict.fromkeys(("reason", "rule", "title", "file_kind", "changefreq", "sitemap_priority")),
    **dict.fromkeys(("importance", "region", "anchor", "inlinks", "other_language")),
}
# A page without a reason is listed, and one without further sources has its own alone.
_IS_USUAL_SOURCE: Final = f"{{m}}.source = '{Source.SITEMAP}' AND f.sources IS NULL"
LIST_FIELDS: Final = frozenset({"clusters", "sources"})
FLAG_FIELDS: Final = frozenset({"other_language", "robots_allowed", "visited"})
# Of a page without a row in the table of the field; null for the others.
_ABSENT: Final = {"visited": False}
INTEGER_FIELDS: Final = frozenset({"depth", "inlinks", "clicks", "http_status"})
FLOAT_FIELDS: Final = frozenset({"sitemap_priority", "importance", "priority"})


def _quoted(text: str) -> str:
    """A text in a statement that is still to be formatted."""
    return "'" + text.replace("'", "''").replace("{", "{{").replace("}", "}}") + "'"


class _Spelling(NamedTuple):
    """What the two databases spell differently."""

    json_object: str
    encoded: str
    json_flag: str
    quote: Callable[[str], str]
    clusters: str
    sources: str
    discovered_at: str
    primary_language: str


_SQLITE: Final = _Spelling(
    json_object="json_object({})",
    encoded="CAST({} AS BLOB)",
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
    json_object="CAST(json_build_object({}) AS TEXT)",
    encoded="convert_to({}, 'UTF8')",
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


@lru_cache(maxsize=10_000)
def _names_in(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _list_of(text: str) -> list[str]:
    return [*_names_in(text)]


def feed_json(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    names: Mapping[str, str] | None = None,
) -> Iterator[list[bytes]]:
    """One JSON object per page, in lists; *names* are fields, each with its name in the object."""
    fields = FeedFields(database, scan)
    text, texts = (fields.json_object(names), {}) if names else fields.json_row()
    row = fields.encoded(text)
    with reading_pages(database, scan, wanted, [row]) as connection:
        for rows in select_pages(connection, scan, wanted, [row], texts=texts):
            yield [encoded for (encoded,) in rows]


def feed_columns(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    names: Sequence[str] = FEED_FIELDS,
    read_list: Callable[[str], Any] = _list_of,
) -> Iterator[list[Sequence[Any]]]:
    """The fields of some pages at a time, as columns of Python values.

    *read_list* makes a value of a list, which is JSON.
    """
    fields = FeedFields(database, scan)
    chosen = [fields.column(name) for name in names]
    with reading_pages(database, scan, wanted, chosen) as connection:
        for rows in select_pages(connection, scan, wanted, chosen):
            columns = zip(names, zip(*rows, strict=True), strict=True)
            yield [_python_values(name, column, read_list) for name, column in columns]


def iter_page_rows(
    database: Database, scan_id: int, wanted: PageFilter = LISTED_PAGES
) -> Iterator[dict[str, Any]]:
    """The rows of a feed as dictionaries of FEED_FIELDS, read as they are consumed."""
    scan = scan_by_id(database, scan_id)
    assert scan is not None
    for columns in feed_columns(database, scan, wanted):
        for values in zip(*columns, strict=True):
            yield dict(zip(FEED_FIELDS, values, strict=True))


def _python_values(
    name: str, column: Sequence[Any], read_list: Callable[[str], Any]
) -> Sequence[Any]:
    if name in LIST_FIELDS:
        return [None if text is None else read_list(text) for text in column]
    if name in FLAG_FIELDS:
        return [None if flag is None else bool(flag) for flag in column]
    return column


class FeedFields:
    """The SQL of the fields for one site on one database."""

    def __init__(self, database: Database, scan: Scan) -> None:
        self._spelling = spelling = _SQLITE if database.is_sqlite else _POSTGRES
        with database.reading() as connection:
            own = select(sites.c.key_rules).where(sites.c.id == scan.site_id)
            self.key_rules = rules = KeyRules(**connection.scalars(own).one())
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

    def shared_table(self, name: str) -> str:
        """The table with far fewer rows than pages that the field is from; ``""``: of no such."""
        tables = self.tables(name)
        table = tables.pop() if len(tables) == 1 else ""
        return table if table in _SHARED else ""

    def tables(self, name: str) -> set[str]:
        """The tables that the field is from; ``{m}``, the mention, is none of them."""
        return set(_TABLE.findall(self._sql[name]))

    def json_row(self) -> tuple[str, dict[str, str]]:
        """A JSON object of all fields, as text, and the texts that it is joined from.

        These are made once for each row of a table (``select_pages``): it takes half of the time of
        one object for each page.
        """
        own: list[str] = []
        shared: dict[str, list[str]] = {}
        for name in FEED_FIELDS:
            if table := self.shared_table(name):
                shared.setdefault(table, []).append(name)
            elif name not in _USUAL:
                own.append(name)
        absent = [f"{self._sql[name]} IS NULL" for name, value in _USUAL.items() if value is None]
        is_usual = " AND ".join([_IS_USUAL_SOURCE, *absent])
        usual, unusual = self._constant(_USUAL), self._members([*_USUAL])
        parts = [
            # No field is an object: only the brace that ends the object is removed.
            f"rtrim({self.json_object(own)}, '}}}}')",
            f"CASE WHEN {is_usual} THEN {usual} ELSE {unusual} END",
        ]
        texts: dict[str, str] = {}
        for table, names in shared.items():
            texts[f"{table}text"] = self._members(names)
            values = {name: _ABSENT.get(name) for name in names}
            parts.append(f"coalesce({table}text.text, {self._constant(values)})")
        # From the right, because each step copies what it has joined: the long parts come last.
        row = "'}}'"
        for part in reversed(parts):
            row = f"({part} || {row})"
        return row, texts

    def _members(self, names: Sequence[str]) -> str:
        """These fields as text that continues a JSON object."""
        return f"',' || trim({self.json_object(names)}, '{{{{}}}}')"

    def _constant(self, values: Mapping[str, Any]) -> str:
        """The same of fields whose values are known."""
        members = json.dumps(values, separators=(",", ":"))[1:-1]
        return self._spelling.quote(f",{members}")

    def json_object(self, names: Mapping[str, str] | Sequence[str]) -> str:
        """A JSON object of these fields, each perhaps with another name in the object, as text."""
        quote, flag = self._spelling.quote, self._spelling.json_flag
        shown = names if isinstance(names, Mapping) else {name: name for name in names}
        values = {
            name: flag.format(flag=self._sql[name]) if name in FLAG_FIELDS else self._sql[name]
            for name in shown
        }
        pairs = (f"{quote(label)}, {values[name]}" for name, label in shown.items())
        return self._spelling.json_object.format(", ".join(pairs))

    def encoded(self, text: str) -> str:
        return self._spelling.encoded.format(text)

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
    plain_length = f"max(length({url}) + 1 - ({start}) - {slash}, 0)"
    plain = f"{lower}(substr({url}, {start}, {plain_length}))"
    # Where the query or the fragment begins.
    end = f"min(instr({rest} || '?', '?'), instr({rest} || '#', '#'))"
    slash = f"(substr({rest}, {end} - 1, 1) = '/')" if rules.fold_trailing_slash else "0"
    marked = f"{lower}(substr({rest}, 1, max({end} - 1 - {slash}, 0))) || substr({rest}, {end})"
    scheme = "" if rules.fold_scheme else f"substr({url}, 1, instr({url}, '://') + 2) || "
    is_plain = f"instr({url}, '?') = 0 AND instr({url}, '#') = 0"
    usual = ""
    if origin and rules == DEFAULT_KEY_RULES:
        first = len(origin) - len(page_key(origin)) + 1
        # A character compared with another: "0" follows the slash.
        usual = (
            f" WHEN {url} >= {_quoted(origin + '/')} AND {url} < {_quoted(origin + '0')}"
            f" AND {url} NOT GLOB '*/[?#]*' THEN CASE"
            f" WHEN {url} NOT GLOB '*/' OR NOT ({is_plain}) THEN substr({url}, {first})"
            f" ELSE substr({url}, {first}, length({url}) - {first}) END"
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
