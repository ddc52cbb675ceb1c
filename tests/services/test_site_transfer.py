"""Import and export of watched sites, and what is done to many at once."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import InvalidInputError
from sitecrawl.services.groups import list_groups
from sitecrawl.services.jobs import list_jobs
from sitecrawl.services.site_bulk import BulkAction, change_sites, scan_sites
from sitecrawl.services.site_transfer import (
    FIELDS,
    ImportStatus,
    TransferFormat,
    export_sites,
    import_sites,
)
from sitecrawl.services.sites import count_sites, get_site, list_sites
from sitecrawl.store.queries.watched_sites import SiteFilter
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

FULL = (
    "Root URL,name,tags,group,interval_minutes,cron,timezone,priority,owner,enabled,settings,"
    "worker tags\n"
    'a.example,Shop A,"prod, eu",Shops,60,,,5,Kim,yes,"{""RETRY_TIMES"": 1}","eu, gpu"\n'
    "b.example,,,shops,,0 6 * * MON,Europe/Berlin,,,no,\n"
)


def exported(database: Database, format_: TransferFormat, *, is_short: bool = False) -> str:
    file = io.StringIO()
    export_sites(database, 1, file, format_, is_short=is_short)
    return file.getvalue()


def test_the_short_form_is_a_url_per_line(database: Database) -> None:
    text = (
        b"\xef\xbb\xbfhttps://one.example, ignored\r\n\r\n   \n,\nnot a url\nftp://x.example\n"
        b"two.example\nhttp://www.one.example/\n"
    )
    seen: list[tuple[int, int]] = []
    result = import_sites(database, 1, text, progress=lambda *figures: seen.append(figures))
    assert [(row.line, row.status, row.site_id) for row in result.rows] == [
        (1, "imported", 1),
        (5, "invalid", None),
        (6, "invalid", None),
        (7, "imported", 2),
        (8, "duplicate", 1),
    ]
    assert "contains a space" in result.rows[1].message
    assert result.rows[4].message == "watched already: site 1"
    assert seen == [(5, 5)]
    again = import_sites(database, 1, text)
    assert again.count(ImportStatus.IMPORTED) == 0
    assert [row.site_id for row in again.rows] == [1, None, None, 2, 1]


def test_an_import_that_is_cut_off_goes_on_when_it_is_run_again(sqlite_database: Database) -> None:
    text = "\n".join(f"s{number}.example" for number in range(1_100))
    seen: list[int] = []

    def cut_off(done: int, _total: int) -> None:
        seen.append(done)
        if done == 1_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_sites(sqlite_database, 1, text, progress=cut_off)
    assert seen == [500, 1_000]
    again = import_sites(sqlite_database, 1, text)
    assert again.count(ImportStatus.DUPLICATE) == 1_000
    assert again.count(ImportStatus.IMPORTED) == 100


def test_the_full_form_has_everything(database: Database) -> None:
    assert import_sites(database, 1, FULL).count(ImportStatus.IMPORTED) == 2
    first, second = list_sites(database, 1).rows
    assert (first.name, first.tags, first.group_name) == ("Shop A", ("prod", "eu"), "Shops")
    assert (first.interval_minutes, first.priority, first.owner) == (60, 5, "Kim")
    assert first.settings == {"RETRY_TIMES": 1}
    assert (first.worker_tags, second.worker_tags) == (("eu", "gpu"), ())
    assert (second.cron, second.timezone, second.enabled) == ("0 6 * * MON", "Europe/Berlin", False)
    assert [group.sites for group in list_groups(database, 1)] == [2]
    assert [job.watched_site_id for job in list_jobs(database, 1).rows] == [first.id]


@pytest.mark.parametrize("format_", TransferFormat)
def test_what_is_exported_can_be_imported(
    sqlite_database: Database, format_: TransferFormat
) -> None:
    import_sites(sqlite_database, 1, FULL)
    before = list_sites(sqlite_database, 1).rows
    text = exported(sqlite_database, format_)
    change_sites(sqlite_database, 1, SiteFilter(), BulkAction.DELETE)
    assert count_sites(sqlite_database, 1) == 0
    assert import_sites(sqlite_database, 1, text, format_).count(ImportStatus.IMPORTED) == 2
    after = list_sites(sqlite_database, 1).rows
    for old, new in zip(before, after, strict=True):
        for field in FIELDS:
            name = {"group": "group_name"}.get(field, field)
            assert getattr(new, name) == getattr(old, name)


def test_the_short_export_is_that_of_the_seed(sqlite_database: Database) -> None:
    import_sites(sqlite_database, 1, "https://one.example/docs/")
    lines = exported(sqlite_database, TransferFormat.CSV, is_short=True).splitlines()
    assert lines[0] == '"id","rootUrl","robotsUrl","createdAt"'
    assert lines[1].startswith(
        '"1","https://one.example/docs/","https://one.example/robots.txt","20'
    )
    (again,) = import_sites(sqlite_database, 1, "\n".join(lines)).rows
    assert again.status is ImportStatus.DUPLICATE


def test_json_takes_urls_and_objects(sqlite_database: Database) -> None:
    data = json.dumps(
        {
            "sites": [
                "one.example",
                {"url": "two.example", "tags": ["a"], "settings": {"RETRY_TIMES": 0}},
                {"root_url": "three.example", "priority": "high"},
                {"name": "no URL"},
                {"root_url": "four.example", "tags": 5},
                {"root_url": "five.example", "settings": "[]"},
                7,
            ]
        }
    )
    result = import_sites(sqlite_database, 1, data, TransferFormat.JSON)
    assert [row.status for row in result.rows] == ["imported"] * 2 + ["invalid"] * 5
    assert "priority: 'high' is not a number" in result.rows[2].message


@pytest.mark.parametrize(
    ("data", "format_", "words"),
    [
        (b"\xff\xfe", TransferFormat.CSV, "not UTF-8"),
        ("{", TransferFormat.JSON, "not JSON"),
        ("[" * 100_000, TransferFormat.JSON, "not JSON"),
        ("5", TransferFormat.JSON, "expected a list"),
        ('a.example\n"' + "x" * 200_000, TransferFormat.CSV, "line 2: field larger"),
        ("a.example\n" * 100_001, TransferFormat.CSV, "100,000 rows"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole(
    sqlite_database: Database, data: str | bytes, format_: TransferFormat, words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        import_sites(sqlite_database, 1, data, format_)
    assert count_sites(sqlite_database, 1) == 0


def test_many_sites_are_changed_at_once(database: Database) -> None:
    import_sites(database, 1, "a.example\nb.example\nc.example")
    running = Scanning(database, "c.example")
    change_sites(database, 1, SiteFilter(ids=(1, 2)), BulkAction.TAG, tags=["x", "y"])
    change_sites(database, 1, SiteFilter(tags=("x",)), BulkAction.UNTAG, tags=["y"])
    change_sites(database, 1, SiteFilter(ids=(2,)), BulkAction.DISABLE)
    assert [site.tags for site in list_sites(database, 1).rows] == [("x",), ("x",), ()]
    assert not get_site(database, 1, 2).enabled
    result = scan_sites(database, 1, SiteFilter())
    assert result.done == ()
    assert set(result.failed) == {1, 2, 3}
    assert "is queued already" in result.failed[1]
    removed = change_sites(database, 1, SiteFilter(ids=(1, 2)), BulkAction.DELETE)
    assert removed.done == (1, 2)
    assert count_sites(database, 1) == 1
    with pytest.raises(InvalidInputError, match="at least one tag"):
        change_sites(database, 1, SiteFilter(), BulkAction.TAG)
    running.finish()


def test_more_sites_than_go_into_one_transaction(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitecrawl.services.site_bulk._AT_ONCE", 2)
    import_sites(database, 1, "\n".join(f"{name}.example" for name in "abcde"))
    full = [f"t{number}" for number in range(50)]
    change_sites(database, 1, SiteFilter(ids=(4,)), BulkAction.TAG, tags=full)
    told: list[tuple[int, int]] = []
    result = change_sites(
        *(database, 1, SiteFilter(), BulkAction.TAG),
        tags=["one more"],
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(2, 5), (4, 5), (5, 5)]
    assert (result.done, set(result.failed)) == ((1, 2, 3, 5), {4})
    assert "at most 50" in result.failed[4]
    assert [len(site.tags) for site in list_sites(database, 1).rows] == [1, 1, 1, 50, 1]
    before = get_site(database, 1, 1)
    change_sites(database, 1, SiteFilter(), BulkAction.DISABLE)
    assert get_site(database, 1, 1).next_due_at is None
    change_sites(database, 1, SiteFilter(), BulkAction.ENABLE)
    after = get_site(database, 1, 1)
    assert after.next_due_at is not None
    assert after.version == before.version + 2
    with pytest.raises(InvalidInputError, match="no group 9"):
        change_sites(database, 1, SiteFilter(), BulkAction.GROUP, group_id=9)
