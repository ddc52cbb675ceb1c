"""Compares a scan with the one before: which findings are new, and which are fixed.

Only what visits have shown is compared, because it is kept for each scan. A scan says nothing of
pages that it did not visit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sitecrawl.findings.kinds import DESCRIPTIONS, unit_of
from sitecrawl.store.queries.page_findings import PageFindings
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import iso_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.findings.kinds import SiteFinding
    from sitecrawl.report.data import (
        FindingBefore,
        FindingFacts,
        Percentiles,
        ScanBefore,
        SpeedFacts,
    )
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_SHARES: Final = (50, 75, 90, 95, 99, 100)


def compare_findings(
    database: Database, scan: Scan, findings: Sequence[FindingFacts]
) -> ScanBefore | None:
    """Say in each finding what has changed; None: no earlier scan has visited pages."""
    with database.reading() as connection:
        now = PageFindings(connection, scan)
        previous_id = now.previous_scan_id()
        previous = scan_by_id(database, previous_id) if previous_id is not None else None
        if previous is None:
            return None
        visited = now.visited_urls()
        items_now = {kind: {item.url for item in items} for kind, items in now.by_kind()}
        before = PageFindings(connection, previous)
        items_before = {kind: {item.url for item in items} for kind, items in before.by_kind()}
        visited_before = len(before.visited_urls())
    changes = {kind: _change(items_now[kind], urls, visited) for kind, urls in items_before.items()}
    by_value = {kind.value: change for kind, change in changes.items()}
    for finding in findings:
        finding["before"] = by_value.get(finding["kind"])
    shown = {finding["kind"] for finding in findings}
    return {
        "scan_id": previous.id,
        "started_at": iso_text(previous.started_at),
        "visited": visited_before,
        "speed": speed_facts(database, previous),
        "fixed": [
            _gone(kind, change)
            for kind, change in changes.items()
            if change["fixed"] and kind.value not in shown
        ],
    }


def _change(now: set[str], before: set[str], visited: set[str]) -> FindingBefore:
    gone = before - now
    fixed = len(gone & visited)
    return {
        "count": len(before),
        "new": len(now - before),
        "fixed": fixed,
        "not_visited": len(gone) - fixed,
    }


def _gone(kind: SiteFinding, change: FindingBefore) -> FindingFacts:
    description = DESCRIPTIONS[kind]
    return {
        "kind": kind.value,
        "severity": description.severity.value,
        "topic": description.topic.value,
        "title": description.title,
        "count": 0,
        "unit": unit_of(kind).value,
        "items": [],
        "advice": description.advice,
        "before": change,
    }


def speed_facts(database: Database, scan: Scan) -> SpeedFacts:
    """Percentiles over the pages that the scan has read."""
    with database.reading() as connection:
        speeds = PageFindings(connection, scan).speeds()
    if not speeds:
        return {"pages": 0, "elapsed_ms": None, "bytes": None}
    elapsed, sizes = np.array(speeds, np.int64).T
    return {
        "pages": len(speeds),
        "elapsed_ms": percentiles(elapsed.tolist()),
        "bytes": percentiles(sizes.tolist()),
    }


def percentiles(values: Sequence[int]) -> Percentiles:
    """By nearest rank: each of them is one of the values.

    >>> percentiles(range(1, 101))["p95"], percentiles([7])["p50"]
    (95, 7)
    """
    ranked = np.percentile(values, _SHARES, method="inverted_cdf").tolist()
    p50, p75, p90, p95, p99, largest = map(int, ranked)
    return {"p50": p50, "p75": p75, "p90": p90, "p95": p95, "p99": p99, "max": largest}
