"""What a scan has left in the project's SQLite database, for tests to assert on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.site.project import ProcessResult

_FETCHES = """
SELECT d.url, f.outcome, f.status, f.error, f.format, f.entries, f.truncated, f.complete,
    f.findings, f.redirects, f.received_bytes, f.sha256, d.found_by, d.depth, d.kind
FROM fetches AS f JOIN documents AS d ON d.id = f.document_id
WHERE f.scan_id = ? ORDER BY f.id
"""


@dataclass(frozen=True, slots=True)
class StoredFetch:
    url: str
    outcome: str
    status: int | None
    error: str | None
    format: str | None
    entries: int
    truncated: bool
    complete: bool
    findings: list[str]
    redirects: list[str]
    received_bytes: int
    sha256: str | None
    found_by: str
    depth: int
    kind: str


def scan_ids(result: ProcessResult) -> list[int]:
    return [row[0] for row in result.query("SELECT id FROM scans ORDER BY id")]


def fetches(result: ProcessResult) -> dict[str, StoredFetch]:
    """The fetches of the newest scan, by the document's URL."""
    found = {}
    for row in result.query(_FETCHES, scan_ids(result)[-1]):
        url, outcome, status, error, format_, entries, truncated, complete, findings, *rest = row
        redirects, *others = rest
        kinds = [finding["kind"] for finding in json.loads(findings)]
        fetch = StoredFetch(
            url,
            outcome,
            status,
            error,
            format_,
            entries,
            bool(truncated),
            bool(complete),
            kinds,
            json.loads(redirects),
            *others,
        )
        assert url not in found, f"{url} is recorded twice"
        found[url] = fetch
    return found


def outcomes(result: ProcessResult) -> dict[str, str]:
    return {url: fetch.outcome for url, fetch in fetches(result).items()}


def scan(result: ProcessResult) -> tuple[str, str]:
    """Status and reason of the newest scan."""
    status, reason = result.query("SELECT status, reason FROM scans ORDER BY id DESC LIMIT 1")[0]
    return status, reason


def summary(result: ProcessResult) -> dict[str, Any]:
    """That of the newest scan, as it is stored with it."""
    text = result.query("SELECT summary FROM scans ORDER BY id DESC LIMIT 1")[0][0]
    stored: dict[str, Any] = json.loads(text)
    return stored


def truncations(result: ProcessResult) -> dict[str, float]:
    """The limits that the newest scan hit, by setting."""
    return {cut["setting"]: cut["limit"] for cut in summary(result)["truncated"]}


def stage(result: ProcessResult, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [s for s in summary(result)["stages"] if s["stage"] == name]
    (only,) = found
    return only


def evidence(result: ProcessResult, type_: str) -> list[tuple[str, dict[str, Any]]]:
    """Content and metadata of the newest scan's evidence of one type."""
    sql = "SELECT content, metadata FROM evidence WHERE scan_id = ? AND type = ? ORDER BY id"
    rows = result.query(sql, scan_ids(result)[-1], type_)
    return [(content, json.loads(metadata)) for content, metadata in rows]


def refusals(result: ProcessResult) -> dict[str, tuple[str, str]]:
    """Reason and rule of every refused page, by URL."""
    sql = "SELECT url, reason, rule FROM pages WHERE reason IS NOT NULL ORDER BY number"
    return {url: (reason, rule) for url, reason, rule in result.query(sql)}


def mentions(result: ProcessResult) -> list[tuple[str, str, str]]:
    """Page, document and source of every mention, in the order of documents and positions."""
    sql = """
        SELECT p.url, d.url, m.source FROM mentions AS m
        JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
        ORDER BY d.id, m.position, p.number
    """
    return [(page, document, source) for page, document, source in result.query(sql)]


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawl_delay: float | None
    confidence: float
    robots_url: str


def verdicts(result: ProcessResult) -> dict[str, StoredVerdict | None]:
    """What robots.txt says of every page, by URL."""
    sql = """
        SELECT p.url, v.allowed, v.reason, v.rule, v.line, v.agents, v.crawl_delay, v.confidence,
            d.url
        FROM pages AS p LEFT JOIN verdicts AS v ON v.id = p.verdict_id
        LEFT JOIN documents AS d ON d.id = v.document_id ORDER BY p.number
    """
    return {
        url: StoredVerdict(bool(facts[0]), *facts[1:]) if facts[0] is not None else None
        for url, *facts in result.query(sql)
    }
