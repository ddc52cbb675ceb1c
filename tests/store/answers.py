"""Every question about a scan and its site, with the answers: to compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from sitecrawl.report.gather import gather_report
from sitecrawl.services.explain import explain_url
from sitecrawl.store.queries.bodies import page_bodies
from sitecrawl.store.queries.coverage import crawl_coverage
from sitecrawl.store.queries.documents import documents, evidence, fetches
from sitecrawl.store.queries.feed import iter_page_rows
from sitecrawl.store.queries.known_documents import last_answer, last_good_copy, load_validators
from sitecrawl.store.queries.links import GraphFilter, reading_graph, site_menu
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import count_pages
from sitecrawl.store.queries.resume import load_resumption
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.queries.sitemap_comparison import orphans, pages_and_entries, unlisted_pages
from sitecrawl.store.queries.visits import visit_answers
from sitecrawl.store.schema import documents as document_table
from sitecrawl.store.schema import pages as page_table
from sitecrawl.store.writers.records import ScanHandle

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan


def answers(database: Database, asked: Scan) -> dict[str, Any]:
    """Every question about a scan, with its answer."""
    with reading_graph(database, asked, GraphFilter("", True, True)) as graph:
        edges = sorted(graph.edges(), key=repr)
    report = gather_report(database, asked)
    report["site"]["scans"] = 0  # how many there are is no question about one of them
    site = asked.site_id
    robots_url = f"{asked.root_url}robots.txt"
    return {
        "scan": asked,
        "urls": list(iter_page_rows(database, asked.id, ALL_PAGES)),
        "counts": count_pages(database, asked),
        "report": report,
        "coverage": crawl_coverage(database, asked),
        "documents": documents(database, asked.id),
        "fetches": fetches(database, asked.id),
        "evidence": evidence(database, asked.id),
        "menu": site_menu(database, asked),
        "graph": edges,
        "visits": list(visit_answers(database, asked)),
        "orphans": list(orphans(database, asked)),
        "unlisted": list(unlisted_pages(database, asked)),
        "sitemap diff": list(pages_and_entries(database, asked)),
        "bodies": list(page_bodies(database, asked)),
        "robots": [
            last_answer(database, site, robots_url, before_scan=asked.id + 1),
            last_good_copy(database, site, robots_url, before_scan=asked.id + 1),
        ],
    }


def answers_of_site(database: Database, newest: Scan) -> dict[str, Any]:
    """Questions about what is known today, and what the next scan asks for."""
    with database.reading() as connection:
        urls = connection.scalars(select(page_table.c.url).order_by(page_table.c.number)).all()
        fingerprints = connection.scalars(select(document_table.c.content_fingerprint)).all()
    handle = ScanHandle(
        scan_id=newest.id, site_id=newest.site_id, seed=0, previous_scan_id=None, has_pages=True
    )
    return {
        "why": [explain_url(database, url, None) for url in urls],
        "validators": [
            load_validators(database, newest.site_id, each)
            for each in sorted({each for each in fingerprints if each})
        ],
        "resume": load_resumption(database, handle),
    }


def everything(database: Database, asked: list[int]) -> dict[Any, Any]:
    found = [scan_by_id(database, scan_id) for scan_id in asked]
    kept = [each for each in found if each is not None]
    assert len(kept) == len(asked)
    return {each.id: answers(database, each) for each in kept} | {
        "site": answers_of_site(database, kept[0])
    }


def assert_same(before: dict[Any, Any], after: dict[Any, Any]) -> None:
    for about, questions in before.items():
        for question, answer in questions.items():
            assert after[about][question] == answer, f"{question} of {about}"
