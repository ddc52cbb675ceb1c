"""What history and change detection cost on a site of a million pages.

    python -m benchmarks.change_cost [--pages 1000000]

A site is scanned three times: first, then with 1 % of its pages changed (a quarter of these each
new, dropped; half with another lastmod) and every sitemap read anew, then with every sitemap
unchanged (304). Each phase runs in a process of its own. Scans are written by the writers of the
store alone, without requests: so what history costs is not hidden in the rest of a scan. The second
scan is written twice, with and without history.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers import finalize_mentions
from sitecrawl.store.writers import pages as page_writer
from sitecrawl.store.writers.records import DocumentRecord, FetchRecord, PageRows
from sitecrawl.store.writers.scan_writer import ScanWriter
from sitecrawl.urls.canonical import KeyRules
from sitecrawl.urls.columns import page_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAP_PAGES: Final = 50_000
_BATCH: Final = 2_500
_EVERY: Final = 400
_ROOT: Final = "https://example.com"
_STAMPS: Final = ("2026-10-01", "2026-11-01")


def _page(number: int) -> str:
    return f"{_ROOT}/section-{number % 50}/an-ordinary-page-{number}"


def _entries(start: int, *, is_changed: bool) -> Iterator[tuple[str, str]]:
    """Addresses and lastmods of one sitemap; of a changed one four of 400 entries differ."""
    for number in range(start, start + _MAP_PAGES):
        kind = number % _EVERY if is_changed else -1
        if kind == 0:
            continue
        stamp = _STAMPS[1] if kind in {1, 2} else _STAMPS[0]
        yield _page(number), f"{stamp}T{number % 24:02}:{number % 60:02}:00Z"
        if kind == 3:
            yield f"{_page(number)}-new", f"{_STAMPS[1]}T00:00:00Z"


def _scan(url: str, pages: int, *, is_changed: bool = False, is_same: bool = False) -> int:
    with open_database(url) as database:
        writer = ScanWriter(database)
        scan = writer.begin(
            asked="example.com", site_key="example.com", root_url=f"{_ROOT}/", settings={}
        )
        robots_id = writer.document(
            DocumentRecord(f"{_ROOT}/robots.txt", DocumentKind.ROBOTS_TXT, "the site")
        )
        now = datetime.now(UTC)
        writer.record_fetch(FetchRecord(robots_id, FetchOutcome.OK, now, 200, complete=True))
        for start in range(0, pages, _MAP_PAGES):
            name = f"{_ROOT}/sitemap-{start // _MAP_PAGES}.xml"
            document_id = writer.document(
                DocumentRecord(name, DocumentKind.SITEMAP, "robots.txt", robots_id)
            )
            if is_same:
                writer.record_fetch(FetchRecord(document_id, FetchOutcome.NOT_MODIFIED, now, 304))
                continue
            entries = list(_entries(start, is_changed=is_changed))
            for first in range(0, len(entries), _BATCH):
                _add(writer, document_id, scan.seed, first, entries[first : first + _BATCH])
            writer.record_fetch(
                FetchRecord(
                    document_id,
                    FetchOutcome.OK,
                    now,
                    200,
                    entries=len(entries),
                    complete=True,
                    fingerprint="1",
                )
            )
        writer.finish(ScanStatus.FINISHED)
    return scan.scan_id


def _add(
    writer: ScanWriter, document_id: int, seed: int, first: int, entries: Sequence[tuple[str, str]]
) -> None:
    urls = [url for url, _ in entries]
    writer.add_pages(
        PageRows(
            document_id,
            "sitemap",
            ids=page_ids(urls, seed, KeyRules()),
            urls=urls,
            positions=range(first + 1, first + len(urls) + 1),
            lastmods=[lastmod for _, lastmod in entries],
        )
    )


def _without_history(url: str, pages: int) -> None:
    nothing = "SELECT 1"
    with ExitStack() as stack:
        for name in ("_KEEP", "_KEEP_REPEATED"):
            stack.enter_context(mock.patch.object(page_writer, name, nothing))
        stack.enter_context(mock.patch.object(finalize_mentions, "_KEEP_PROMOTED", nothing))
        stack.enter_context(mock.patch.object(finalize_mentions, "record_absences"))
        _scan(url, pages, is_changed=True)


def _detect(url: str, scan_id: int) -> dict[str, Any]:
    with open_database(url) as database:
        comparison = detect_changes(database, scan_id)
    return comparison.counts if comparison is not None else {}


def _open(url: str) -> None:
    open_database(url).close()


def _run_phase(phase: str, url: str, pages: int) -> None:
    before = time.process_time()
    found: Any = None
    match phase:
        case "first":
            _scan(url, pages)
        case "second":
            _scan(url, pages, is_changed=True)
        case "second without history":
            _without_history(url, pages)
        case "same":
            _scan(url, pages, is_same=True)
        case "open":
            _open(url)
        case _:
            found = _detect(url, int(phase.rpartition(" ")[2]))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = time.process_time() - before
    print(json.dumps({"cpu": round(seconds, 2), "mb": round(memory), "found": found}))


def _phase(phase: str, path: Path, pages: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.change_cost", "--phase", phase]
    command += ["--pages", str(pages), "--database", f"sqlite:///{path}"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, Any] = json.loads(out)
    size = sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))
    result["size"] = size
    print(
        f"{phase:<24} {result['cpu']:6.2f} s CPU  {result['mb']:5} MB peak"
        f"  {size / 1e6:8.1f} MB on disc  {result['found'] or ''}",
        flush=True,
    )
    return result


def _measure(pages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder) / "site.db", Path(folder) / "copy.db"
        _phase("first", path, pages)
        _phase("detect 1", path, pages)
        shutil.copy(path, copy)
        without = _phase("second without history", copy, pages)
        with_history = _phase("second", path, pages)
        alone = _phase("open", path, pages)
        detected = _phase("detect 2", path, pages)
        _phase("same", path, pages)
        _phase("detect 3", path, pages)
    more = with_history["cpu"] - without["cpu"]
    print(
        f"1 % changed: history {more:.2f} s CPU and detection"
        f" {detected['cpu'] - alone['cpu']:.2f} s CPU more than the scan;"
        f" memory {detected['mb'] - alone['mb']} MB more than an open database"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--phase", default="")
    parser.add_argument("--database", default="")
    given = parser.parse_args()
    if given.phase:
        _run_phase(given.phase, given.database, given.pages)
    else:
        _measure(given.pages)


if __name__ == "__main__":
    main()
