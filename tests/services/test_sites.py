"""Watched sites: added, listed, changed and removed, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, insert, select, update

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services import sites as service
from sitecrawl.services.groups import GroupInput, add_group
from sitecrawl.services.jobs import list_jobs
from sitecrawl.services.sites import (
    NewSite,
    SiteEdit,
    add_site,
    edit_site,
    get_site,
    list_sites,
    remove_site,
    site_named,
    site_scans,
    site_tags,
)
from sitecrawl.store import schema as t
from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort
from sitecrawl.store.vocabulary import SiteState
from sitecrawl.store.writers.watched_sites import rows_of
from tests.store.scanning import Scanning, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

W = 1


def names(database: Database, wanted: SiteFilter | None = None, **options: Any) -> list[str]:
    return [site.name for site in list_sites(database, W, wanted, **options).rows]


def other_workspace(database: Database) -> int:
    with database.writing() as connection:
        statement = insert(t.workspaces).values(name="other", created_at=datetime.now(UTC))
        return int(connection.execute(statement.returning(t.workspaces.c.id)).scalar_one())


def test_a_site_is_added_with_defaults_and_discovered_at_once(database: Database) -> None:
    site = add_site(database, W, NewSite("Example.com"))
    assert (site.root_url, site.name, site.profile) == (
        "https://example.com/",
        "example.com",
        "monitor",
    )
    assert (site.interval_minutes, site.priority, site.enabled) == (1440, 3, True)
    assert site.next_due_at is not None
    assert site.next_due_at - site.created_at == timedelta(days=1)
    assert site.active_job_status == "queued"
    (job,) = list_jobs(database, W).rows
    assert (job.id, job.kind, job.trigger) == (site.active_job_id, "discover", "added")


def test_a_site_that_is_switched_off_waits(database: Database) -> None:
    site = add_site(database, W, NewSite("example.com", enabled=False))
    assert (site.next_due_at, site.active_job_id) == (None, None)


@pytest.mark.parametrize("again", ["http://www.example.com", "https://EXAMPLE.com/", "example.com"])
def test_the_same_site_is_watched_once(sqlite_database: Database, again: str) -> None:
    first = add_site(sqlite_database, W, NewSite("example.com"))
    with pytest.raises(ConflictError, match=f"watched already: site {first.id}"):
        add_site(sqlite_database, W, NewSite(again))
    theirs = add_site(sqlite_database, other_workspace(sqlite_database), NewSite(again))
    assert theirs.id != first.id


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("root_url", {"root_url": "ftp://example.com"}),
        ("root_url", {"root_url": "example"}),
        ("name", {"name": "a\nb"}),
        ("name", {"name": "x" * 201}),
        ("tags", {"tags": ("a,b",)}),
        ("tags", {"tags": ("",)}),
        ("tags", {"tags": tuple(f"t{number}" for number in range(51))}),
        ("group_id", {"group_id": 7}),
        ("profile", {"profile": "nonesuch"}),
        ("priority", {"priority": 0}),
        ("priority", {"priority": 6}),
        ("interval_minutes", {"interval_minutes": 4}),
        ("cron", {"cron": "x"}),
        ("timezone", {"timezone": "Nowhere"}),
        ("settings", {"settings": {"SITECRAWL_MAX_SITEMAP": 1}}),
        ("settings", {"settings": {"SITECRAWL_MAX_SITEMAPS": "many"}}),
        ("settings", {"settings": {"DOWNLOAD_DELAY": "slow"}}),
        # Of the machine: they name components, files and networks.
        ("settings", {"settings": {"EXTENSIONS": {"os.system": 1}}}),
        ("settings", {"settings": {"SITECRAWL_ADDRESS_ALLOW": "10.0.0.0/8"}}),
        ("settings", {"settings": {"SITECRAWL_DATABASE_URL": "sqlite:////etc/x"}}),
        ("settings", {"settings": {"SITECRAWL_BROWSER": "/bin/sh"}}),
    ],
)
def test_what_cannot_be_watched_is_refused_by_field(
    sqlite_database: Database, field: str, values: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        add_site(sqlite_database, W, NewSite(**{"root_url": "example.com", **values}))
    assert caught.value.field == field
    assert names(sqlite_database) == []


def test_sites_are_found_by_what_people_type(sqlite_database: Database) -> None:
    site = add_site(sqlite_database, W, NewSite("https://example.com/docs/", name="The docs"))
    for text in (str(site.id), "example.com/docs", "http://www.example.com/docs/", "the docs"):
        assert site_named(sqlite_database, W, text).id == site.id
    with pytest.raises(NotFoundError, match=r"did you mean 1 \(The docs\)"):
        site_named(sqlite_database, W, "docs")
    with pytest.raises(NotFoundError, match="site list"):
        site_named(sqlite_database, W, "nowhere.example")


def test_lists_are_filtered(database: Database) -> None:
    group = add_group(database, W, GroupInput("Shops"))
    add_site(database, W, NewSite("a.example", tags=("prod", "50%"), group_id=group.id))
    add_site(database, W, NewSite("b.example", tags=("prod",), owner="Kim", enabled=False))
    add_site(database, W, NewSite("c.example", name="Blog_1"))
    add_site(database, other_workspace(database), NewSite("d.example", tags=("prod",)))
    assert names(database, SiteFilter(tags=("prod",))) == ["a.example", "b.example"]
    assert names(database, SiteFilter(tags=("prod", "50%"))) == ["a.example"]
    assert names(database, SiteFilter(group_id=group.id)) == ["a.example"]
    assert names(database, SiteFilter(without_group=True)) == ["b.example", "Blog_1"]
    assert names(database, SiteFilter(text="KIM")) == ["b.example"]
    assert names(database, SiteFilter(text="g_1")) == ["Blog_1"]
    assert names(database, SiteFilter(text="%")) == []
    assert names(database, SiteFilter(state=SiteState.DISABLED)) == ["b.example"]
    assert names(database, SiteFilter(state=SiteState.QUEUED)) == ["a.example", "Blog_1"]
    assert len(names(database, SiteFilter(state=SiteState.NEW))) == 3
    assert names(database, SiteFilter(state=SiteState.FAILING)) == []
    assert site_tags(database, W) == {"50%": 1, "prod": 2}


def test_pages_of_a_list_are_the_whole_list(database: Database) -> None:
    for number in range(7):
        name = f"Name {number % 3}"
        new = NewSite(f"s{number}.example", name=name, priority=1 + number % 2)
        site = add_site(database, W, new)
        if number % 3:
            with database.writing() as connection:
                at = datetime(2026, 1, number % 2 + 1, tzinfo=UTC)
                statement = update(t.watched_sites).where(t.watched_sites.c.id == site.id)
                connection.execute(statement.values(last_scan_at=at, next_due_at=at))
    for sort in SiteSort:
        for is_descending in (False, True):
            whole = list_sites(database, W, sort=sort, is_descending=is_descending)
            assert whole.next_cursor is None
            found = _page_by_page(database, sort, is_descending)
            assert found == [site.id for site in whole.rows]
            assert sorted(found) == list(range(1, 8))


def _page_by_page(database: Database, sort: SiteSort, is_descending: bool) -> list[int]:
    found: list[int] = []
    cursor = None
    while True:
        page = list_sites(
            database, W, sort=sort, is_descending=is_descending, cursor=cursor, limit=2
        )
        found += [site.id for site in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("cursor", ["x", "W10", "bnVsbA", "WyJ2Iixbe31dLDFd", "é"])
def test_a_made_up_cursor_is_refused(sqlite_database: Database, cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor"):
        list_sites(sqlite_database, W, cursor=cursor)


def test_edits_change_what_is_given(database: Database) -> None:
    group = add_group(database, W, GroupInput("Shops"))
    site = add_site(database, W, NewSite("example.com", owner="Kim"))
    edit = SiteEdit(tags=("new",), group_id=group.id, priority=5, settings={"RETRY_TIMES": 1})
    changed = edit_site(database, W, site.id, edit, site.version)
    assert (changed.tags, changed.group_name, changed.priority) == (("new",), "Shops", 5)
    assert (changed.owner, changed.version, changed.next_due_at) == ("Kim", 2, site.next_due_at)
    with pytest.raises(ConflictError, match="somebody else"):
        edit_site(database, W, site.id, SiteEdit(priority=1), site.version)
    nothing = edit_site(database, W, site.id, SiteEdit(group_id=None, owner=None))
    assert (nothing.group_id, nothing.owner, nothing.tags) == (None, None, ("new",))
    with pytest.raises(InvalidInputError, match="priority"):
        edit_site(database, W, site.id, SiteEdit(priority=9))
    with pytest.raises(NotFoundError):
        edit_site(database, other_workspace(database), site.id, SiteEdit(priority=1))


def test_a_shorter_interval_counts_from_the_last_scan(sqlite_database: Database) -> None:
    site = add_site(sqlite_database, W, NewSite("example.com"))
    long_ago = datetime.now(UTC) - timedelta(hours=5)
    with sqlite_database.writing() as connection:
        connection.execute(update(t.watched_sites).values(last_scan_at=long_ago))
    later = edit_site(sqlite_database, W, site.id, SiteEdit(interval_minutes=600))
    assert later.next_due_at is not None
    assert abs(later.next_due_at - long_ago - timedelta(hours=10)) < timedelta(seconds=1)
    now = edit_site(sqlite_database, W, site.id, SiteEdit(interval_minutes=60))
    assert now.next_due_at is not None
    assert abs(now.next_due_at - datetime.now(UTC)) < timedelta(seconds=5)
    off = edit_site(sqlite_database, W, site.id, SiteEdit(enabled=False))
    assert off.next_due_at is None


def test_a_new_root_url_is_discovered_and_the_history_kept(database: Database) -> None:
    scan(database, {}, site="old.example")
    site = add_site(database, W, NewSite("old.example"))
    assert site.site_id is not None, "what is known of the site is its inventory"
    with database.writing() as connection:
        connection.execute(update(t.jobs).values(status="success"))
    scan(database, {}, site="new.example")
    moved = edit_site(database, W, site.id, SiteEdit(root_url="new.example"))
    assert (moved.name, moved.key) == ("new.example", "new.example")
    assert moved.site_id not in {None, site.site_id}
    assert moved.last_scan_id is None
    assert [each.site_key for each in site_scans(database, W, site.id)] == [
        "new.example",
        "old.example",
    ]
    newest = list_jobs(database, W).rows[0]
    assert (newest.kind, newest.trigger) == ("discover", "root_changed")
    add_site(database, W, NewSite("third.example"))
    with pytest.raises(ConflictError, match="watched already"):
        edit_site(database, W, site.id, SiteEdit(root_url="third.example"))


def counts(database: Database) -> dict[str, int]:
    with database.reading() as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in t.metadata.tables.items()
        }


def test_removing_a_site_removes_everything_of_it_and_nothing_else(database: Database) -> None:
    scan(database, {"/sitemap.xml": ["/kept/1", "/kept/2"]}, site="kept.example")
    add_site(database, W, NewSite("kept.example"))
    before = counts(database)
    scan(database, {"/sitemap.xml": ["/gone/1", "/gone/2"]}, site="gone.example")
    scan(database, {"/sitemap.xml": ["/gone/1"]}, site="gone.example")
    site = add_site(database, W, NewSite("gone.example"))
    with database.writing() as connection:
        _add_change(connection, site.site_id or 0, site.id)
    assert counts(database) != before
    remove_site(database, W, site.id)
    assert counts(database) == before
    with pytest.raises(NotFoundError):
        get_site(database, W, site.id)


def _add_change(connection: Any, site_id: int, watched_site_id: int) -> None:
    now = datetime.now(UTC)
    scan_id = connection.scalar(select(func.max(t.scans.c.id)))
    event_id = connection.execute(
        insert(t.events)
        .values(
            site_id=site_id,
            scan_id=scan_id,
            kind="added",
            severity="info",
            title="1 new page",
            pages=1,
            important_pages=0,
            detail={},
            is_silent=False,
            occurred_at=now,
        )
        .returning(t.events.c.id)
    ).scalar_one()
    channel_id = connection.execute(
        insert(t.channels)
        .values(
            workspace_id=W,
            watched_site_id=watched_site_id,
            kind="webhook",
            name="hook",
            target_label="x",
            target="x",
            target_hash="x",
            rules={},
            enabled=True,
            failures=0,
            created_at=now,
            updated_at=now,
        )
        .returning(t.channels.c.id)
    ).scalar_one()
    connection.execute(
        insert(t.announcements).values(
            channel_id=channel_id,
            event_id=event_id,
            watched_site_id=watched_site_id,
            scan_id=scan_id,
            key="k",
            batch="at_once",
            status="due",
            due_at=now,
        )
    )


def test_every_table_is_considered_when_a_site_is_removed() -> None:
    covered = rows_of(t.watched_sites.c.id == 1, (1,))
    # They belong to the whole database or to a workspace.
    shared = {
        *("workspaces", "site_groups", "workers", "blobs", "embedding_models"),
        *("users", "memberships", "identities", "sessions", "api_tokens", "one_time_links"),
        *("known_addresses", "login_failures", "audit_log", "idempotency_keys", "saved_views"),
    }
    assert {table.name for table in t.metadata.sorted_tables} - {
        table.name for table in covered
    } <= shared


def test_each_workspace_has_an_inventory_of_its_own(sqlite_database: Database) -> None:
    others = other_workspace(sqlite_database)
    scan(sqlite_database, {"/sitemap.xml": ["/1"]}, site="example.com")
    theirs = add_site(sqlite_database, others, NewSite("example.com"))
    own = add_site(sqlite_database, W, NewSite("example.com"))
    assert theirs.site_id is None
    assert own.site_id is not None
    # A root URL that leads to the site of another workspace leads to nothing of it, either.
    moved = add_site(sqlite_database, others, NewSite("other.example"))
    remove_site(sqlite_database, others, theirs.id)
    moved = edit_site(sqlite_database, others, moved.id, SiteEdit(root_url="https://example.com"))
    assert moved.site_id is None
    remove_site(sqlite_database, others, moved.id)
    assert counts(sqlite_database)["pages"] == 1
    remove_site(sqlite_database, W, own.id)
    assert counts(sqlite_database)["pages"] == 0


def test_a_site_is_not_removed_under_a_running_scan(sqlite_database: Database) -> None:
    running = Scanning(sqlite_database, "example.com")
    site = add_site(sqlite_database, W, NewSite("example.com"))
    with pytest.raises(ConflictError, match="being scanned"):
        remove_site(sqlite_database, W, site.id)
    running.finish()
    remove_site(sqlite_database, W, site.id)


def test_every_function_declares_its_permission() -> None:
    from sitecrawl.services.permissions import permission_of

    for name in ("list_sites", "get_site", "add_site", "edit_site", "remove_site"):
        assert permission_of(getattr(service, name))
