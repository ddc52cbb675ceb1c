"""The mentions and changes of a scan as Arrow record batches, for Parquet."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select, text

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_BATCH_ROWS: Final = 50_000
MENTION_FIELDS: Final = (
    *("url", "document", "position", "source", "region", "anchor", "rel", "lastmod"),
)
CHANGE_FIELDS: Final = (
    *("id", "kind", "url", "other_url", "before", "after", "confidence", "status", "occurred_at"),
)
# Not by the view of all mentions, whose first half would be joined with itself. A cross join keeps
# SQLite from searching the mentions of each page.
_MENTIONS: Final = """
SELECT p.url, d.url AS document, p.position, p.source, p.region, p.anchor, p.rel, p.lastmod
FROM pages AS p LEFT JOIN documents AS d ON d.id = p.document_id
WHERE p.site_id = :site AND p.seen_scan_id = :scan
UNION ALL
SELECT p.url, d.url, o.position, c.source, c.region, o.anchor, c.rel, o.lastmod
FROM other_mentions AS o CROSS JOIN link_contexts AS c CROSS JOIN pages AS p
LEFT JOIN documents AS d ON d.id = o.document_id
WHERE o.scan_id = :scan AND c.id = o.context_id AND p.id = o.page_id AND p.site_id = :site
"""


def mention_batches(database: Database, scan: Scan) -> Iterator[pa.RecordBatch]:
    """What the scan was the last to see: which document mentions which URL, and how."""
    arrow = import_module("pyarrow")
    types = {name: arrow.string() for name in MENTION_FIELDS} | {"position": arrow.int32()}
    schema = arrow.schema(list(types.items()))
    values = {"scan": scan.id, "site": scan.site_id}
    with database.reading() as connection:
        streaming = connection.execution_options(stream_results=True)
        for rows in streaming.execute(text(_MENTIONS), values).partitions(_BATCH_ROWS):
            yield _batch(arrow, schema, rows)


def change_batches(database: Database, scan: Scan) -> Iterator[pa.RecordBatch]:
    """The changes that the scan brought; what was before and is after as JSON."""
    arrow = import_module("pyarrow")
    types = {name: arrow.string() for name in CHANGE_FIELDS} | {
        "id": arrow.int64(),
        "confidence": arrow.float64(),
        "occurred_at": arrow.timestamp("ms", tz="UTC"),
    }
    schema = arrow.schema(list(types.items()))
    other, own = t.pages.alias("other"), t.changes.c
    statement = (
        select(
            *(own.id, own.kind, t.pages.c.url, other.c.url.label("other_url")),
            *(own.before, own.after, own.confidence, own.status, own.occurred_at),
        )
        .join_from(t.changes, t.pages, t.pages.c.id == own.page_id, isouter=True)
        .join(other, other.c.id == own.other_page_id, isouter=True)
        .where(own.scan_id == scan.id)
        .order_by(own.id)
    )
    with database.reading() as connection:
        streaming = connection.execution_options(stream_results=True)
        for rows in streaming.execute(statement).partitions(_BATCH_ROWS):
            yield _batch(arrow, schema, [tuple(map(_plain, row)) for row in rows])


def _plain(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _batch(arrow: Any, schema: pa.Schema, rows: Sequence[Any]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [
        arrow.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)
    ]
    return arrow.RecordBatch.from_arrays(arrays, schema=schema)
