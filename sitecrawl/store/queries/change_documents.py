"""The robots.txt files and sitemaps of a site, as two scans found them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, distinct, func, select

from sitecrawl.changes.sitemap_changes import MapHealth, MapState
from sitecrawl.items import NOT_SENT, DocumentKind, FetchOutcome
from sitecrawl.parsing.findings import FindingKind
from sitecrawl.store.compression import unpack_body
from sitecrawl.store.schema import blobs, document_links, documents, fetches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Row, ScalarSelect
    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scan_pairs import Pair

_ANSWERS: Final = (FetchOutcome.OK, FetchOutcome.NOT_FOUND)
_CUT: Final = frozenset({FindingKind.TRUNCATED, FindingKind.GZIP_DAMAGED, FindingKind.OVER_LIMIT})
_SAME: Final = frozenset({FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH})


class RobotsAnswered(NamedTuple):
    """A robots.txt as a scan has got it."""

    document_id: int
    url: str
    status: int | None
    sha256: str | None
    body: bytes


def robots_answers(
    connection: Connection, pair: Pair
) -> list[tuple[RobotsAnswered, RobotsAnswered]]:
    """Each robots.txt that was answered otherwise than before, with the last answer before.

    An error of the server tells nothing of the rules.
    """
    return [
        (_with_body(connection, last), _with_body(connection, new))
        for new in _robots(connection, pair, is_before=False).values()
        for last in _robots(connection, pair, is_before=True, document_id=new.document_id).values()
        if (last.status, last.sha256) != (new.status, new.sha256)
    ]


def _robots(
    connection: Connection, pair: Pair, *, is_before: bool, document_id: int | None = None
) -> dict[int, RobotsAnswered]:
    wanted = (
        select(fetches.c.document_id, documents.c.url, fetches.c.status, fetches.c.sha256)
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(
            documents.c.site_id == pair.scan.site_id,
            documents.c.kind == DocumentKind.ROBOTS_TXT,
            fetches.c.outcome.in_(_ANSWERS),
        )
    )
    if is_before:
        wanted = wanted.where(
            fetches.c.document_id == document_id, fetches.c.scan_id <= pair.before.id
        )
        wanted = wanted.order_by(fetches.c.id.desc()).limit(1)
    else:
        wanted = wanted.where(
            fetches.c.scan_id > pair.before.id, fetches.c.scan_id <= pair.scan.id
        ).order_by(fetches.c.id)
    return {row[0]: RobotsAnswered(*row, b"") for row in connection.execute(wanted)}


def _with_body(connection: Connection, answer: RobotsAnswered) -> RobotsAnswered:
    kept = connection.execute(
        select(blobs.c.encoding, blobs.c.content).where(blobs.c.sha256 == (answer.sha256 or ""))
    ).first()
    return (
        answer if kept is None else answer._replace(body=unpack_body(kept.encoding, kept.content))
    )


def map_states(connection: Connection, pair: Pair) -> list[tuple[MapState | None, MapState | None]]:
    """Every sitemap that the scan asked for or found gone, as it was before and as it is."""
    after = _maps(connection, pair, is_before=False)
    before = _maps(connection, pair, is_before=True)
    gone = connection.scalars(
        select(documents.c.id).where(
            documents.c.site_id == pair.scan.site_id,
            documents.c.kind == DocumentKind.SITEMAP,
            documents.c.gone_scan_id > pair.before.id,
            documents.c.gone_scan_id <= pair.scan.id,
        )
    )
    numbers = after.keys() | (set(gone) & before.keys())
    return [(before.get(number), after.get(number)) for number in sorted(numbers)]


def _maps(connection: Connection, pair: Pair, *, is_before: bool) -> dict[int, MapState]:
    """By document, the last answer of the server."""
    columns = ("outcome", "status", "error", "entries", "findings", "truncated", "complete")
    is_answer = fetches.c.outcome.not_in([*NOT_SENT])
    in_time = fetches.c.scan_id <= pair.before.id
    if not is_before:
        in_time = and_(fetches.c.scan_id > pair.before.id, fetches.c.scan_id <= pair.scan.id)
    last = (
        select(func.max(fetches.c.id).label("id"))
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(
            documents.c.site_id == pair.scan.site_id,
            documents.c.kind == DocumentKind.SITEMAP,
            is_answer,
            in_time,
        )
        .group_by(fetches.c.document_id)
        .subquery()
    )
    wanted = (
        select(
            fetches.c.document_id,
            documents.c.url,
            documents.c.entries.label("kept_entries"),
            _children().label("children"),
            *(fetches.c[name] for name in columns),
        )
        .join_from(fetches, last, last.c.id == fetches.c.id)
        .join(documents, documents.c.id == fetches.c.document_id)
    )
    return {row.document_id: _map(row) for row in connection.execute(wanted)}


def _children() -> ScalarSelect[int]:
    """How many sitemaps of an index were asked for in the scan of its fetch.

    Which ones it named in an earlier scan is not kept.
    """
    child = fetches.alias()
    return (
        select(func.count(distinct(child.c.document_id)))
        .select_from(document_links)
        .join(child, child.c.document_id == document_links.c.child_id)
        .where(
            document_links.c.parent_id == fetches.c.document_id,
            child.c.scan_id == fetches.c.scan_id,
        )
        .correlate(fetches)
        .scalar_subquery()
    )


def _map(row: Row[Any]) -> MapState:
    entries = (row.kept_entries or 0) if row.outcome in _SAME else row.entries
    health, words = _health(row, entries, _finding_kinds(row.findings))
    if health is MapHealth.EMPTY and row.children:
        health = MapHealth.READ
    children = row.children if health is MapHealth.READ and not entries else 0
    return MapState(
        *(row.document_id, row.url, health, entries, row.status, words), children=children
    )


def _health(row: Row[Any], entries: int, kinds: Mapping[str, str]) -> tuple[MapHealth, str]:
    if row.outcome not in _SAME:
        if row.outcome == FetchOutcome.NOT_FOUND:
            return MapHealth.NOT_FOUND, f"{row.status}"
        if row.outcome != FetchOutcome.OK and not entries:
            words = row.error or (f"{row.status}" if row.status else row.outcome)
            return MapHealth.UNREACHABLE, words
        if FindingKind.NOT_A_SITEMAP in kinds and not entries:
            return MapHealth.NOT_A_SITEMAP, kinds[FindingKind.NOT_A_SITEMAP]
        if row.truncated:
            return MapHealth.LIMITED, "see the limits of the scan"
        if not row.complete or _CUT & kinds.keys():
            cut = next((kinds[kind] for kind in _CUT if kind in kinds), "")
            return MapHealth.CUT, cut or row.error or row.outcome
    return (MapHealth.READ, "") if entries else (MapHealth.EMPTY, "")


def _finding_kinds(findings: Any) -> dict[str, str]:
    """Detail by kind, of what is stored as ``[kind, detail, count]`` or as an object."""
    found: dict[str, str] = {}
    for each in findings or ():
        if isinstance(each, dict):
            found[str(each.get("kind"))] = str(each.get("detail", ""))
        elif isinstance(each, list) and each:
            found[str(each[0])] = str(each[1]) if len(each) > 1 else ""
    return found
