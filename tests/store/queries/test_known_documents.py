from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.known_documents import last_answer, last_good_copy
from sitecrawl.store.writers.records import FetchRecord
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.known_documents import RobotsCopy

URL = "https://example.com/robots.txt"
NOON = datetime(2026, 5, 6, 12, tzinfo=UTC)
RULES, OTHER_RULES = b"User-agent: *\nDisallow: /a\n", b"User-agent: *\nDisallow: /b\n"


def keep(
    database: Database,
    outcome: FetchOutcome = FetchOutcome.OK,
    body: bytes = b"",
    *,
    url: str = URL,
    site: str = "example.com",
    is_kept: bool = True,
    **facts: Any,
) -> int:
    """One scan that asks for a robots.txt; gives its id."""
    scanning = Scanning(database, site)
    sha256 = hashlib.sha256(body).hexdigest() if body else ""
    if body and is_kept:
        scanning.writer.keep_body(sha256, body)
    document_id = scanning.document(url, kind="robots_txt")
    record = {"fetched_at": NOON, "received_bytes": len(body), "sha256": sha256, **facts}
    scanning.writer.record_fetch(FetchRecord(document_id, outcome, **record))
    scanning.finish()
    return scanning.handle.scan_id


def site_id(database: Database, site: str = "example.com") -> int:
    scanning = Scanning(database, site)
    scanning.finish()
    return scanning.handle.site_id


def body_of(copy: RobotsCopy | None) -> bytes | None:
    assert copy is not None
    return copy.body


def test_nothing_is_known_of_a_new_site(database: Database) -> None:
    assert last_answer(database, site_id(database), URL) is None
    assert last_good_copy(database, site_id(database), URL) is None


def test_a_copy_has_all_that_the_next_scan_needs(database: Database) -> None:
    scan_id = keep(
        database,
        body=RULES,
        status=200,
        redirects=["https://example.com/r1", "https://example.com/r2"],
        fresh_until=NOON + timedelta(hours=1),
    )
    copy = last_answer(database, site_id(database), URL)
    assert copy is not None
    assert (copy.scan_id, copy.outcome, copy.status, copy.error) == (scan_id, "ok", 200, "")
    assert (copy.fetched_at, copy.fresh_until) == (NOON, NOON + timedelta(hours=1))
    assert (copy.redirects, copy.body) == (2, RULES)
    assert last_good_copy(database, site_id(database), URL) == copy


def test_the_newest_answer_counts(database: Database) -> None:
    keep(database, body=RULES)
    keep(database, body=OTHER_RULES)
    own = site_id(database)
    assert body_of(last_answer(database, own, URL)) == OTHER_RULES
    assert body_of(last_good_copy(database, own, URL)) == OTHER_RULES


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (FetchOutcome.HTTP_ERROR, 503),
        (FetchOutcome.NOT_FOUND, 404),
        (FetchOutcome.TOO_MANY_REDIRECTS, None),
    ],
)
def test_a_refusal_is_an_answer_but_no_copy(
    database: Database, outcome: FetchOutcome, status: int | None
) -> None:
    keep(database, body=RULES)
    # The bytes of an error page may be those of a robots.txt.
    keep(database, outcome, body=OTHER_RULES, status=status, error="no")
    own = site_id(database)
    copy = last_answer(database, own, URL)
    assert copy is not None
    assert (copy.outcome, copy.status, copy.error, copy.body) == (outcome, status, "no", None)
    assert body_of(last_good_copy(database, own, URL)) == RULES


@pytest.mark.parametrize(
    "outcome",
    sorted(
        set(FetchOutcome)
        - {
            FetchOutcome.OK,
            FetchOutcome.NOT_FOUND,
            FetchOutcome.HTTP_ERROR,
            FetchOutcome.TOO_MANY_REDIRECTS,
        }
    ),
)
def test_where_nobody_answered_the_answer_before_counts(
    sqlite_database: Database, outcome: FetchOutcome
) -> None:
    first = keep(sqlite_database, body=RULES)
    keep(sqlite_database, outcome, error="nobody there")
    copy = last_answer(sqlite_database, site_id(sqlite_database), URL)
    assert copy is not None
    assert copy.scan_id == first


def test_an_empty_robots_txt_is_a_copy_like_any_other(database: Database) -> None:
    keep(database, body=RULES)
    keep(database, body=b"")
    own = site_id(database)
    assert body_of(last_answer(database, own, URL)) == b""
    assert body_of(last_good_copy(database, own, URL)) == b""


def test_what_was_not_kept_is_no_copy(database: Database) -> None:
    keep(database, body=RULES)
    keep(database, body=OTHER_RULES, is_kept=False)
    own = site_id(database)
    assert body_of(last_answer(database, own, URL)) is None
    assert body_of(last_good_copy(database, own, URL)) == RULES


def test_scans_can_be_left_out(database: Database) -> None:
    first, second = keep(database, body=RULES), keep(database, body=OTHER_RULES)
    own = site_id(database)
    for before, body in ((second + 1, OTHER_RULES), (second, RULES)):
        assert body_of(last_answer(database, own, URL, before_scan=before)) == body
        assert body_of(last_good_copy(database, own, URL, before_scan=before)) == body
    assert last_answer(database, own, URL, before_scan=first) is None
    assert last_good_copy(database, own, URL, before_scan=first) is None


def test_authorities_and_sites_are_kept_apart(database: Database) -> None:
    keep(database, body=RULES)
    keep(database, body=OTHER_RULES, url="http://example.com/robots.txt")
    keep(database, body=b"third", site="other.example")
    own, other = site_id(database), site_id(database, "other.example")
    assert body_of(last_answer(database, own, URL)) == RULES
    assert body_of(last_answer(database, own, "http://example.com/robots.txt")) == OTHER_RULES
    assert body_of(last_answer(database, other, URL)) == b"third"
    assert last_answer(database, own, "https://www.example.com/robots.txt") is None
