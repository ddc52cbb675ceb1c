"""Imports and exports watched sites as CSV and JSON.

- Short form: one URL per line, in the first column; empty lines are ignored.
- Full form: a CSV with a header that names columns, or a JSON list of objects, with any of
  :data:`FIELDS`; tags are separated by commas, groups are named and made when they are missing.

A row that cannot be used is reported and keeps no other from being imported. Sites that are watched
already are skipped with their number, so an import that was cut off can be run again.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final

from sitecrawl.config.values import flag
from sitecrawl.errors import InvalidInputError
from sitecrawl.exporters.csv_rows import safe_cell
from sitecrawl.safety.policy import is_private_by_name
from sitecrawl.services.groups import GroupInput, add_group, list_groups
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import (
    NewSite,
    check_address,
    checked_site,
    list_sites,
    store_site,
)
from sitecrawl.store.queries.watched_sites import known_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.watched_sites import SiteFilter, WatchedSite

FIELDS: Final = (
    *("root_url", "name", "tags", "group", "enabled", "profile", "priority"),
    *("interval_minutes", "cron", "timezone", "owner", "worker_tags", "settings"),
)
_OF_EXPORTS: Final = ("id", *FIELDS, "next_due_at", "last_scan_at", "pages", "created_at")
# Of the seed's exports and of what people write; case, spaces and underscores do not matter.
_SAME_FIELDS: Final = {"url": "root_url", "interval": "interval_minutes", "label": "name"}
MAX_IMPORT_BYTES: Final = 50_000_000
MAX_IMPORT_ROWS: Final = 100_000
_BATCH_ROWS: Final = 500


class TransferFormat(StrEnum):
    """What sites are written as and read from."""

    CSV = "csv"
    JSON = "json"


class ImportStatus(StrEnum):
    """The outcome of a row."""

    IMPORTED = "imported"
    DUPLICATE = "duplicate"
    """It is watched already."""
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """The outcome of one row."""

    line: int
    """In the file, from 1; of JSON the position in the list."""
    root_url: str
    status: ImportStatus
    site_id: int | None = None
    """Of the new site, or of the one that is watched already."""
    message: str = ""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The outcome of every row, in their order."""

    rows: tuple[ImportedRow, ...]

    def count(self, status: ImportStatus) -> int:
        return sum(row.status is status for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    values: dict[str, Any]
    complaint: str = ""

    @property
    def root_url(self) -> str:
        return str(self.values.get("root_url", ""))[:200]


@requires(Permission.EDIT)
def import_sites(
    database: Database,
    workspace_id: int,
    data: str | bytes,
    format_: TransferFormat = TransferFormat.CSV,
    progress: Callable[[int, int], None] | None = None,
    *,
    address_allow: Iterable[str] = (),
    allow_private: bool = False,
) -> ImportResult:
    """Watch every site of a file; *progress* gets rows done and total after each batch.

    *address_allow* is as for a single site. *allow_private*: the caller owns the machine, and the
    sites that are private by their name get the permission.
    """
    text = _decoded(data)
    rows = list(islice(_read_rows(text, format_), MAX_IMPORT_ROWS + 1))
    if len(rows) > MAX_IMPORT_ROWS:
        raise InvalidInputError("file", f"it has more than {MAX_IMPORT_ROWS:,} rows")
    check = _Check(_Groups(database, workspace_id), tuple(address_allow), allow_private)
    results: list[ImportedRow] = []
    for start in range(0, len(rows), _BATCH_ROWS):
        batch = rows[start : start + _BATCH_ROWS]
        results += _import_batch(database, workspace_id, batch, check)
        if progress is not None:
            progress(len(results), len(rows))
    return ImportResult(tuple(results))


@requires(Permission.READ)
def export_sites(
    database: Database,
    workspace_id: int,
    file: IO[str],
    format_: TransferFormat = TransferFormat.CSV,
    wanted: SiteFilter | None = None,
    *,
    is_short: bool = False,
) -> int:
    """Write the sites and return their number; short: number, URL, robots.txt and date only."""
    sites = _all_sites(database, workspace_id, wanted)
    if format_ is TransferFormat.JSON:
        records = [_short(site) if is_short else _full(site) for site in sites]
        json.dump(records, file, indent=2, ensure_ascii=False, default=str)
        file.write("\n")
        return len(records)
    writer = csv.writer(file, quoting=csv.QUOTE_ALL if is_short else csv.QUOTE_MINIMAL)
    writer.writerow(_SHORT_FIELDS if is_short else _OF_EXPORTS)
    number = 0
    for number, site in enumerate(sites, 1):  # noqa: B007  it is returned
        record = _short(site) if is_short else _full(site)
        writer.writerow([_csv_cell(name, value) for name, value in record.items()])
    return number


_SHORT_FIELDS: Final = ("id", "rootUrl", "robotsUrl", "createdAt")


def _all_sites(
    database: Database, workspace_id: int, wanted: SiteFilter | None
) -> Iterator[WatchedSite]:
    cursor = None
    while True:
        page = list_sites(database, workspace_id, wanted, cursor=cursor, limit=_BATCH_ROWS)
        yield from page.rows
        cursor = page.next_cursor
        if cursor is None:
            return


def _short(site: WatchedSite) -> dict[str, Any]:
    origin = "/".join(site.root_url.split("/", 3)[:3])
    values = (site.id, site.root_url, f"{origin}/robots.txt", site.created_at.isoformat())
    return dict(zip(_SHORT_FIELDS, values, strict=True))


def _full(site: WatchedSite) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(site, name, None) for name in _OF_EXPORTS}
    for name, value in values.items():
        if isinstance(value, datetime):
            values[name] = value.isoformat()
    lists = {"tags": list(site.tags), "worker_tags": list(site.worker_tags)}
    return values | lists | {"group": site.group_name}


def _csv_cell(name: str, value: Any) -> Any:
    if name in {"tags", "worker_tags"}:
        value = ", ".join(value)
    elif name == "settings":
        value = json.dumps(value) if value else ""
    return safe_cell(value)


def _decoded(data: str | bytes) -> str:
    if len(data) > MAX_IMPORT_BYTES:
        raise InvalidInputError("file", f"it has more than {MAX_IMPORT_BYTES:,} bytes")
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError("file", f"it is not UTF-8 text: {error}") from error


def _read_rows(text: str, format_: TransferFormat) -> Iterator[_Row]:
    return _read_json(text) if format_ is TransferFormat.JSON else _read_csv(text)


def _read_csv(text: str) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    header: list[str] | None = None
    is_first = True
    try:
        for cells in reader:
            stripped = [each.strip() for each in cells]
            if not any(stripped):
                continue
            if is_first:
                is_first = False
                header = _header(stripped)
                if header is not None:
                    continue
            if header is None:
                yield _Row(reader.line_num, {"root_url": stripped[0]})
            else:
                yield _named_row(reader.line_num, dict(zip(header, stripped, strict=False)))
    except csv.Error as error:
        raise InvalidInputError("file", f"line {reader.line_num}: {error}") from error


def _header(cells: list[str]) -> list[str] | None:
    """The columns, if the first line names them."""
    names = [_field_name(each) for each in cells]
    return names if "root_url" in names else None


def _field_name(text: str) -> str:
    """
    >>> _field_name("rootUrl"), _field_name("URL"), _field_name("Interval minutes")
    ('root_url', 'root_url', 'interval_minutes')
    """
    folded = text.lower().replace("_", "").replace(" ", "").replace("-", "")
    by_folded = {name.replace("_", ""): name for name in FIELDS}
    return by_folded.get(folded) or _SAME_FIELDS.get(folded, folded)


def _read_json(text: str) -> Iterator[_Row]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("file", f"it is not JSON: {error}") from error
    if isinstance(data, dict) and isinstance(data.get("sites"), list):
        data = data["sites"]
    if not isinstance(data, list):
        raise InvalidInputError("file", "expected a list of URLs or of objects")
    for line, each in enumerate(data, 1):
        if isinstance(each, str):
            yield _Row(line, {"root_url": each})
        elif isinstance(each, dict):
            yield _named_row(line, {_field_name(str(name)): each[name] for name in each})
        else:
            yield _Row(line, {}, "expected a URL or an object")


def _named_row(line: int, given: dict[str, Any]) -> _Row:
    """The fields that a site has, each as its type; other columns are those of exports."""
    is_given = {name: given[name] for name in FIELDS if given.get(name) not in (None, "")}
    try:
        return _Row(line, {name: _READ[name](value) for name, value in is_given.items()})
    except (ValueError, TypeError) as error:
        return _Row(line, {"root_url": given.get("root_url", "")}, str(error))


def _tags(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(str(part).strip() for part in parts if str(part).strip())


def _number(name: str) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        try:
            return int(value)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{name}: {str(value)[:50]!r} is not a number") from error

    return read


def _switch(value: Any) -> bool:
    try:
        return bool(flag.parse(value))
    except ValueError as error:
        raise ValueError(f"enabled: {str(value)[:50]!r} is not {flag.expects}") from error


def _settings(value: Any) -> dict[str, Any]:
    settings = json.loads(value) if isinstance(value, str) else value
    if not isinstance(settings, dict):
        raise TypeError("settings: expected a JSON object")
    return settings


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(FIELDS, str),
    "tags": _tags,
    "worker_tags": _tags,
    "enabled": _switch,
    "priority": _number("priority"),
    "interval_minutes": _number("interval_minutes"),
    "settings": _settings,
}


class _Groups:
    """Finds groups by name, and makes those that are missing."""

    def __init__(self, database: Database, workspace_id: int):
        self._database = database
        self._workspace_id = workspace_id
        known = list_groups(database, workspace_id)
        self._ids = {group.name.lower(): group.id for group in known}

    def number(self, name: str) -> int:
        known = self._ids.get(name.lower())
        if known is None:
            known = add_group(self._database, self._workspace_id, GroupInput(name)).id
            self._ids[name.lower()] = known
        return known


def _import_batch(
    database: Database, workspace_id: int, rows: Iterable[_Row], check: _Check
) -> list[ImportedRow]:
    now = datetime.now(UTC)
    checked = [(row, check.checked(row)) for row in rows]
    keys = [values["key"] for _, values in checked if isinstance(values, dict)]
    results = []
    with database.writing() as connection:
        known = known_keys(connection, workspace_id, keys)
        for row, values in checked:
            if isinstance(values, str):
                status, site_id, message = ImportStatus.INVALID, None, values
            elif (site_id := known.get(values["key"])) is not None:
                status, message = ImportStatus.DUPLICATE, f"watched already: site {site_id}"
            else:
                site_id = store_site(connection, workspace_id, values, now)
                assert site_id is not None  # the transaction has just looked
                known[values["key"]] = site_id
                status, message = ImportStatus.IMPORTED, ""
            results.append(ImportedRow(row.line, row.root_url, status, site_id, message))
    return results


@dataclass(frozen=True, slots=True)
class _Check:
    groups: _Groups
    address_allow: tuple[str, ...]
    allow_private: bool

    def checked(self, row: _Row) -> dict[str, Any] | str:
        """What is stored of the site, or why it cannot be watched."""
        if row.complaint:
            return row.complaint
        given = dict(row.values)
        group = given.pop("group", "")
        try:
            target, values = checked_site(NewSite(**{"root_url": "", **given}))
            values["allow_private"] = self.allow_private and is_private_by_name(target.url)
            check_address(target.url, self.address_allow, allow_private=values["allow_private"])
            if group:
                values["group_id"] = self.groups.number(group)
        except InvalidInputError as error:
            return str(error)
        return values
