"""Finds folders that are listed twice, as ``/docs/`` and as ``/docs/index.html``.

Servers differ in what they show for a folder, so this is learned from the visits of a scan: both
addresses were visited, and their main texts are the same. Then the one that was visited later is
refused as an index page of the other, and a record of evidence says how many pairs were compared.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import bindparam, or_, select, update

from sitecrawl.items import EvidenceType
from sitecrawl.store.schema import evidence, visits
from sitecrawl.store.writers.bulk import insert_columns
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import ScanHandle

_INDEX: Final = re.compile(
    r"(?<=/)(?:index\.(?:x?html?|shtml|php|aspx?|jsp)|default\.(?:html?|aspx?))\Z", re.IGNORECASE
)
_MAX_EXAMPLES: Final = 5
_CREATE_FOLDERS: Final = "CREATE TEMPORARY TABLE index_folders (url TEXT PRIMARY KEY)"
_FOLDERS: Final = """
SELECT v.url, v.number, v.page_id, v.id, v.text_hash FROM visits AS v
JOIN index_folders ON index_folders.url = v.url
WHERE v.scan_id = {scan} AND v.text_hash IS NOT NULL AND v.checked_for IS NULL
AND (v.reason IS NULL OR v.reason = '{reason}')
"""


class _Visited(NamedTuple):
    url: str
    number: int
    page_id: int
    visit_id: int
    text_hash: str


def merge_index_pages(connection: Connection, scan: ScanHandle) -> None:
    """Refuse one of a folder and its index page where they were proven to be the same."""
    indexes = _index_pages(connection, scan)
    if not indexes:
        return
    connection.exec_driver_sql(_CREATE_FOLDERS)
    insert_columns(connection, "index_folders", {"url": list(indexes)}, {})
    statement = _FOLDERS.format(scan=int(scan.scan_id), reason=Reason.INDEX_PAGE.value)
    folders = [_Visited._make(row) for row in connection.exec_driver_sql(statement)]
    connection.exec_driver_sql("DROP TABLE index_folders")
    pairs = [(folder, index) for folder in folders for index in indexes[folder.url]]
    same = [sorted(pair, key=_order) for pair in pairs if pair[0].text_hash == pair[1].text_hash]
    if same:
        refusals = [
            {"visit": later.visit_id, "rule": first.url, "duplicate_of": first.page_id}
            for first, later in same
        ]
        values = {"reason": Reason.INDEX_PAGE, "rule": bindparam("rule")}
        refuse = update(visits).where(visits.c.id == bindparam("visit"))
        connection.execute(
            refuse.values(**values, duplicate_of=bindparam("duplicate_of")), refusals
        )
    if pairs:
        connection.execute(evidence.insert().values(_record(scan, pairs, same)))


def _index_pages(connection: Connection, scan: ScanHandle) -> dict[str, list[_Visited]]:
    """By the address of their folder."""
    columns = (visits.c.url, visits.c.number, visits.c.page_id, visits.c.id, visits.c.text_hash)
    statement = select(*columns).where(
        visits.c.scan_id == scan.scan_id,
        visits.c.text_hash.is_not(None),
        visits.c.checked_for.is_(None),  # what is listed does not depend on what was checked
        or_(visits.c.reason.is_(None), visits.c.reason == Reason.INDEX_PAGE),
        or_(visits.c.url.ilike("%/index.%"), visits.c.url.ilike("%/default.%")),
    )
    found: dict[str, list[_Visited]] = {}
    for row in connection.execute(statement):
        if index := _INDEX.search(row.url):
            found.setdefault(row.url[: index.start()], []).append(_Visited._make(row))
    return found


def _order(visited: _Visited) -> int:
    return visited.number


def _record(
    scan: ScanHandle,
    pairs: Sequence[tuple[_Visited, _Visited]],
    same: Sequence[Sequence[_Visited]],
) -> dict[str, Any]:
    names = Counter(index.url.rpartition("/")[2] for _, index in pairs)
    return {
        "scan_id": scan.scan_id,
        "type": EvidenceType.INDEX_PAGES,
        "content": f"{len(same)} of {len(pairs)} folders have the same text as their index page",
        "metadata": {
            "compared": len(pairs),
            "same": len(same),
            "names": dict(names),
            "examples": [[first.url, later.url] for first, later in same[:_MAX_EXAMPLES]],
        },
        "confidence": 1.0,
        "created_at": datetime.now(UTC),
    }
