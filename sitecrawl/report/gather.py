"""Gathers the data of a report from the inventory of a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sitecrawl
from sitecrawl.items import DocumentKind, EvidenceType, FetchOutcome
from sitecrawl.report.coverage import coverage_facts
from sitecrawl.report.findings import MAX_ITEMS, site_findings
from sitecrawl.report.inventory import read_inventory, report_pages
from sitecrawl.report.mentions import read_mentions
from sitecrawl.report.previous_scan import compare_findings, speed_facts
from sitecrawl.report.structure import section_links
from sitecrawl.store.queries.coverage import crawl_coverage
from sitecrawl.store.queries.documents import document_fetches, evidence, number_of_scans
from sitecrawl.store.queries.topics import mapped_pages, topics_of
from sitecrawl.store.queries.visits import pages_by_clicks, visited_pages
from sitecrawl.store.schema import iso_text

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from sitecrawl.report.data import (
        EvidenceFacts,
        FindingFacts,
        Headline,
        NamedCount,
        ProbeFacts,
        ReportData,
        RobotsFacts,
        SiteFacts,
        SitemapFacts,
        TopicFacts,
    )
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.documents import DocumentFetch, EvidenceFact
    from sitecrawl.store.queries.scans import Scan

MAX_EVIDENCE: Final = 500
MAX_EVIDENCE_CHARACTERS: Final = 20_000
MAX_SITEMAPS: Final = 2_000
MAX_MAPPED_PAGES: Final = 2_000
_ANSWERED: Final = (
    *(FetchOutcome.OK, FetchOutcome.REDIRECTED),
    *(FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH),
)


def gather_report(database: Database, scan: Scan, *, max_items: int = MAX_ITEMS) -> ReportData:
    """Read the inventory and the records of a scan; the same state gives the same data.

    Each finding has at most *max_items* items; it is counted with all of them.
    """
    inventory = read_inventory(database, scan)
    mentions = read_mentions(database, scan, inventory)
    crawl = crawl_coverage(database, scan)
    records = evidence(database, scan.id)
    findings = site_findings(database, scan, inventory, mentions, crawl, max_items=max_items)
    maps = document_fetches(database, scan, DocumentKind.SITEMAP)
    return {
        "site": _site(database, scan),
        "headline": _headline(scan, inventory, crawl, visited_pages(database, scan)),
        "coverage": coverage_facts(database, scan, inventory, mentions, crawl),
        "tree": inventory.tree.root(),
        "depths": [
            {"depth": depth, "pages": pages} for depth, pages in sorted(inventory.by_depth.items())
        ],
        "clicks": [
            {"clicks": clicks, "pages": pages} for clicks, pages in pages_by_clicks(database, scan)
        ],
        "clusters": inventory.clusters.facts(inventory.by_class),
        "topics": _topics(database, scan),
        "categories": _counts(inventory.by_category()),
        "types": _counts(inventory.by_type()),
        "languages": inventory.languages(),
        "regions": mentions.regions(),
        "before": compare_findings(database, scan, findings),
        "findings": findings,
        "speed": speed_facts(database, scan),
        "politeness": _politeness(records),
        "robots": _robots(database, scan, records),
        "sitemaps": _sitemaps(maps),
        "probes": _probes(maps),
        "evidence": [_evidence(record) for record in records[:MAX_EVIDENCE]],
        "links": section_links(inventory, mentions),
        "pages": report_pages(database, scan, inventory),
    }


def gather_findings(database: Database, scan: Scan) -> list[FindingFacts]:
    """The findings of a report alone."""
    inventory = read_inventory(database, scan)
    mentions = read_mentions(database, scan, inventory)
    return site_findings(database, scan, inventory, mentions, crawl_coverage(database, scan))


def _site(database: Database, scan: Scan) -> SiteFacts:
    return {
        "root_url": scan.root_url,
        "asked": scan.asked,
        "scan_id": scan.id,
        "scans": number_of_scans(database, scan.site_id),
        "started_at": iso_text(scan.started_at),
        "finished_at": iso_text(scan.finished_at) if scan.finished_at else None,
        "status": scan.status,
        "reason": scan.reason or "",
        "profile": scan.profile or "",
        "version": sitecrawl.__version__,
    }


def _topics(database: Database, scan: Scan) -> list[TopicFacts]:
    with database.reading() as connection:
        topics = topics_of(connection, scan.site_id)
        pages = mapped_pages(connection, scan.site_id, MAX_MAPPED_PAGES) if topics else []
    return [
        {
            "name": topic.name,
            "pages": topic.pages,
            "points": [
                (round(page.x, 3), round(page.y, 3), page.url)
                for page in pages
                if page.topic_id == topic.id
            ],
        }
        for topic in topics
    ]


def _headline(scan: Scan, inventory: Inventory, crawl: CrawlCoverage, visited: int) -> Headline:
    summary = scan.summary or {}
    documents: dict[str, int] = summary.get("documents", {})
    return {
        "pages": len(inventory.ids),
        "refused": inventory.by_reason.total(),
        "visited": visited,
        "rendered": summary.get("rendered", {}).get("pages", 0),
        "documents": sum(documents.get(outcome, 0) for outcome in _ANSWERED),
        "requests": summary.get("requests", 0),
        "bytes": summary.get("received_bytes", 0),
        "seconds": summary.get("seconds", 0.0),
        "by_source": dict(_in_order(inventory.by_source)),
        "by_reason": dict(_in_order(inventory.by_reason)),
        "truncations": [
            {"what": limit["what"], "setting": limit["setting"] or "", "limit": limit["limit"]}
            for limit in crawl.limits
        ],
    }


def _politeness(records: Sequence[EvidenceFact]) -> dict[str, object]:
    ledgers = [each for each in records if each.type == EvidenceType.POLITENESS_LEDGER]
    return dict(ledgers[-1].metadata) if ledgers else {}


def _robots(database: Database, scan: Scan, records: Sequence[EvidenceFact]) -> list[RobotsFacts]:
    metadata = {
        each.document_url: each.metadata for each in records if each.type == EvidenceType.ROBOTS_TXT
    }
    return [
        {
            "url": fetch.url,
            "outcome": fetch.outcome,
            "status": fetch.status,
            "fetched_at": iso_text(fetch.fetched_at),
            "rules": metadata.get(fetch.url, {}).get("rules", 0),
            "crawl_delay": metadata.get(fetch.url, {}).get("crawl_delay"),
            "sitemaps": list(metadata.get(fetch.url, {}).get("sitemaps", ())),
        }
        for fetch in document_fetches(database, scan, DocumentKind.ROBOTS_TXT)
    ]


def _probes(fetches: Sequence[DocumentFetch]) -> ProbeFacts:
    asked = [fetch for fetch in fetches if not fetch.is_named]
    missing = sum(map(_is_missing_probe, asked))
    return {"asked": len(asked), "found": len(asked) - missing}


def _is_missing_probe(fetch: DocumentFetch) -> bool:
    """Whether it is nothing but an address where many sites have a sitemap, and this one not."""
    return not fetch.is_named and fetch.outcome not in _ANSWERED


def _sitemaps(fetches: Sequence[DocumentFetch]) -> list[SitemapFacts]:
    """What the site names, and what was found where sitemaps often are."""
    named = [fetch for fetch in fetches if not _is_missing_probe(fetch)]
    return [
        {
            "url": fetch.url,
            "format": fetch.format or "",
            "outcome": fetch.outcome,
            "status": fetch.status,
            "entries": fetch.entries,
            "listed": fetch.listed,
            "bytes": fetch.received_bytes,
            "findings": fetch.findings,  # type: ignore[typeddict-item]  # stored by the parser in this form
        }
        for fetch in named[:MAX_SITEMAPS]
    ]


def _evidence(record: EvidenceFact) -> EvidenceFacts:
    return {
        "type": record.type,
        "content": record.content[:MAX_EVIDENCE_CHARACTERS],
        "metadata": record.metadata,
        "confidence": record.confidence,
        "created_at": iso_text(record.created_at),
    }


def _counts(counter: Counter[str]) -> list[NamedCount]:
    return [{"name": name, "pages": pages} for name, pages in _in_order(counter)]


def _in_order(counter: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, then by name."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))
