"""What pages say of themselves otherwise than when they answered last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.store.queries.scan_pairs import page_ref

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.kinds import PageRef
    from sitecrawl.store.queries.scan_pairs import Pair

_STATUS: Final = """
CASE WHEN {v}.reason = 'soft_404' THEN 404 ELSE (
    SELECT f.status FROM fetches AS f
    WHERE f.document_id = {v}.document_id AND f.scan_id = {v}.scan_id ORDER BY f.id DESC LIMIT 1
) END
"""
_VISIT_FIELDS: Final = {
    "redirect_target": "{v}.redirect_target",
    "title": "{v}.title",
    "canonical": "{v}.canonical",
    "text": "{v}.text_hash",
    "h1": "{v}f.h1",
    "description": "{v}f.description",
    "robots_meta": "{v}f.robots_meta",
    "robots_header": "{v}f.robots_header",
    "hreflang": "{v}f.alternates_hash",
    "indexable": "{v}f.is_indexable",
}
_COMPARED: Final = """
SELECT {ref}, v.reason, {columns}
FROM visits AS v JOIN visits AS b ON b.page_id = v.page_id AND b.scan_id = (
    SELECT max(e.scan_id) FROM visits AS e
    WHERE e.page_id = v.page_id AND e.scan_id < {scan} AND e.outcome IS NOT NULL
    AND e.outcome NOT IN ({not_answered}))
JOIN pages AS p ON p.id = v.page_id
LEFT JOIN page_facts AS vf ON vf.scan_id = v.scan_id AND vf.page_id = v.page_id
LEFT JOIN page_facts AS bf ON bf.scan_id = b.scan_id AND bf.page_id = b.page_id
{class}
WHERE v.scan_id = {scan} AND v.outcome IS NOT NULL AND v.outcome NOT IN ({not_answered})
AND b.outcome IS NOT NULL
AND (v.outcome <> b.outcome OR coalesce(v.reason, '') <> coalesce(b.reason, '') OR {differs})
ORDER BY p.number, v.id, b.id
"""


class VisitChange(NamedTuple):
    """A visited page that is not what it was when it answered last."""

    page: PageRef
    reason: str | None
    """Why it is no page after all."""
    before: dict[str, Any]
    after: dict[str, Any]


def changed_visits(connection: Connection, pair: Pair) -> Iterator[VisitChange]:
    """Each page once, with the fields that differ; content only where both visits read it."""
    columns = [_STATUS.format(v=visit) for visit in "bv"]
    columns += [f"{visit}f.page_id IS NOT NULL" for visit in "bv"]
    columns += [sql.format(v=visit) for sql in _VISIT_FIELDS.values() for visit in "bv"]
    differs = " OR ".join(
        f"{sql.format(v='v')} IS DISTINCT FROM {sql.format(v='b')}"
        for sql in _VISIT_FIELDS.values()
    )
    names = pair.names() | {
        "columns": ", ".join(columns),
        "differs": differs,
    }
    last_id = None
    for row in connection.exec_driver_sql(_COMPARED.format_map(names)):
        page = page_ref(row)
        if page.id == last_id:
            continue
        last_id = page.id
        before, after = _visit_difference(row[8:])
        if before or after:
            yield VisitChange(page, row[7], before, after)


def _visit_difference(values: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    old_status, new_status, old_is_read, new_is_read, *fields = values
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if old_status != new_status:
        before["status"], after["status"] = old_status, new_status
    for index, name in enumerate(_VISIT_FIELDS):
        old, new = fields[2 * index : 2 * index + 2]
        is_comparable = name == "redirect_target" or (old_is_read and new_is_read)
        if old != new and is_comparable:
            if name == "indexable":
                old, new = bool(old), bool(new)
            before[name], after[name] = old, new
    return before, after
