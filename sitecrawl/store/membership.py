"""Which mentions belong to the inventory of a scan, as SQL.

A mention belongs to it when the scan, or a later one, has read it, or has confirmed the document
that gives it.

Most documents are confirmed and were read once: all their mentions count, as none can be older than
the document. Only of the others each mention has to be asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.store.facts import Scan

_COUNTS = """
({m}.{seen} >= {scan} OR EXISTS (
    SELECT 1 FROM documents AS d
    WHERE d.id = {m}.document_id AND d.last_scan_id >= {scan}
    AND {m}.{seen} >= coalesce(d.content_scan_id, 0)))
"""

_OWN_COUNTS = """
(p.document_id NOT IN (
    SELECT id FROM documents WHERE site_id = {site}
    AND (last_scan_id IS NULL OR last_scan_id < {scan} OR content_scan_id > first_scan_id))
OR {asked})
"""


def membership(scan: Scan) -> dict[str, str]:
    """What stands for names in statements about ``pages AS p`` and ``further_mentions AS other``.

    ``{own_counts}``: the mention in the page's row belongs to the inventory; ``{other_counts}``:
    the further one does; ``{site}`` and ``{scan}``: their numbers.
    """
    site_id, scan_id = int(scan.site_id), int(scan.id)
    asked = _COUNTS.format(m="p", seen="seen_scan_id", scan=scan_id)
    return {
        "site": str(site_id),
        "scan": str(scan_id),
        "own_counts": _OWN_COUNTS.format(site=site_id, scan=scan_id, asked=asked),
        "other_counts": _COUNTS.format(m="other", seen="scan_id", scan=scan_id),
    }
