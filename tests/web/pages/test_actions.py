"""What the forms of the dashboard do, as somebody without JavaScript uses them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.services import jobs, sites, users
from sitecrawl.services.permissions import Role
from sitecrawl.services.sites import NewSite
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.jobs import note_waiting, register_worker
from tests.store.scanning import Scanning
from tests.web.serving import PASSWORD

if TYPE_CHECKING:
    import httpx

    from tests.web.serving import Serving

_HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def owner(server: Serving) -> httpx.Client:
    client = server.signed_in(server.add_user())
    client.headers["Accept"] = "text/html"
    return client


def _flash(client: httpx.Client, answer: httpx.Response) -> str:
    """Follow the redirect; what its page tells."""
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["location"])
    assert page.status_code == 200, page.text
    [told] = re.findall(r'<div class="toast[^>]*><span>(.*?)</span>', page.text, re.DOTALL)
    again = client.get(answer.headers["location"])
    assert 'class="toast"' not in again.text, "a message is shown once"
    return str(told)


def test_a_site_is_watched_and_its_first_task_is_shown(
    server: Serving, owner: httpx.Client
) -> None:
    wrong = owner.post("/sites/new", data={"root_url": "ftp://x", "interval_minutes": "60"})
    assert wrong.status_code == 422
    assert 'aria-invalid="true"' in wrong.text
    done = owner.post("/sites/new", data={"root_url": "example.com", "tags": "a, b"})
    assert re.fullmatch(r"/tasks/\d+", done.headers["location"])
    assert "is watched now" in _flash(owner, done)
    [site] = sites.list_sites(server.database, 1).rows
    assert site.tags == ("a", "b")
    overview = owner.get(f"/sites/{site.id}").text
    assert "Not scanned yet" in overview
    assert f"/sites/{site.id}/pages" not in overview, "there is no page yet"
    twice = owner.post("/sites/new", data={"root_url": "example.com"})
    assert twice.status_code == 409


def test_settings_are_saved_unless_somebody_else_was_faster(
    server: Serving, owner: httpx.Client
) -> None:
    site = sites.add_site(server.database, 1, NewSite("https://example.com"))
    form = {"version": str(site.version), "root_url": site.root_url, "name": "Mine"}
    form |= {"profile": "audit", "priority": "5", "interval_minutes": "60", "enabled": "true"}
    form |= {"worker_tags": "eu, region=eu-1"}
    wrong = owner.post(f"/sites/{site.id}/settings", data={**form, "cron": "no cron"})
    assert wrong.status_code == 422
    assert 'id="error-cron"' in wrong.text
    wrong = owner.post(f"/sites/{site.id}/settings", data={**form, "worker_tags": "a+b"})
    assert "is not a tag of workers" in wrong.text
    assert _flash(owner, owner.post(f"/sites/{site.id}/settings", data=form)) == "Saved"
    saved = sites.get_site(server.database, 1, site.id)
    assert (saved.name, saved.profile, saved.priority) == ("Mine", "audit", 5)
    assert saved.worker_tags == ("eu", "region=eu-1")
    late = owner.post(f"/sites/{site.id}/settings", data=form)
    assert "changed by somebody else" in _flash(owner, late)


def test_many_sites_are_changed_at_once(server: Serving, owner: httpx.Client) -> None:
    ids = [
        str(sites.add_site(server.database, 1, NewSite(f"https://s{number}.example")).id)
        for number in range(3)
    ]
    assert "Select at least one" in _flash(owner, owner.post("/sites/bulk", data={"action": "tag"}))
    tagged = owner.post("/sites/bulk", data={"action": "tag", "tags": "x,y", "site": ids[:2]})
    assert "2 of 2" in _flash(owner, tagged)
    assert sites.site_tags(server.database, 1) == {"x": 2, "y": 2}
    owner.post("/sites/bulk", data={"action": "disable", "site": ids})
    assert ">disabled<" in owner.get("/sites?state=disabled").text
    gone = owner.post("/sites/bulk", data={"action": "delete", "site": ids[:1]})
    assert "1 of 1" in _flash(owner, gone)
    assert sites.count_sites(server.database, 1) == 2


def test_tasks_are_cancelled_and_tried_again(server: Serving, owner: httpx.Client) -> None:
    site = sites.add_site(server.database, 1, NewSite("https://example.com"))
    job_id = site.active_job_id
    assert "being cancelled" in _flash(owner, owner.post(f"/tasks/{job_id}/cancel"))
    assert jobs.get_job(server.database, 1, job_id or 0).status == "cancelled"
    assert "Queued again" in _flash(owner, owner.post(f"/tasks/{job_id}/retry"))
    assert "has ended" in _flash(owner, owner.post(f"/tasks/{job_id}/cancel"))
    assert "retry" in owner.get("/tasks?status=queued").text


def test_workers_are_shown_with_their_tags_and_what_no_worker_can_do(
    server: Serving, owner: httpx.Client
) -> None:
    new = NewSite("https://example.com", worker_tags=("eu",))
    site = sites.add_site(server.database, 1, new)
    values = {"name": "far-1-x", "hostname": "far", "pid": 1, "process_token": "x"}
    values |= {"is_scheduler": True, "capacity": 4, "is_draining": False, "tags": ["browser"]}
    with server.database.writing() as connection:
        register_worker(connection, values, datetime.now(UTC))
        note_waiting(connection, ("eu",), "no worker has the tag eu; workers: 1 with browser")
    for path in ("/tasks", "/tasks/workers", f"/tasks/{site.active_job_id}"):
        assert "no worker has the tag eu; workers: 1 with browser" in owner.get(path).text, path
    shown = owner.get("/tasks/workers").text
    assert "far-1-x" in shown
    assert '<span class="tag">browser</span>' in shown
    monitor = owner.get("/api/monitor").json()
    assert monitor["workers"][0]["tags"] == ["browser"]
    assert monitor["waiting"] == {"no worker has the tag eu; workers: 1 with browser": 1}
    assert owner.get(f"/api/sites/{site.id}").json()["site"]["workerTags"] == ["eu"]


def test_sites_are_imported_row_by_row(owner: httpx.Client) -> None:
    checked = owner.post("/sites/import/check", data={"csv": "https://a.example\nftp://b"})
    assert "<strong>Line 2</strong>" in checked.text
    done = owner.post("/sites/import", files={"csv": (None, "https://a.example\nftp://b")})
    assert done.status_code == 200
    assert "https://a.example" in done.text
    assert len(re.findall(r'<td class="number">\d+</td><td class="url">', done.text)) == 2
    file = {"file": ("sites.csv", b"https://c.example\n", "text/csv")}
    assert "c.example" in owner.post("/sites/import", files=file).text


def test_groups_and_channels_come_and_go(server: Serving, owner: httpx.Client) -> None:
    site = sites.add_site(server.database, 1, NewSite("https://example.com"))
    assert "is there" in _flash(owner, owner.post("/groups", data={"name": "Shops"}))
    assert "already" in _flash(owner, owner.post("/groups", data={"name": "shops"}))
    edited = owner.post("/groups/1", data={"name": "Stores", "colour": "#112233"})
    assert _flash(owner, edited) == "Saved"
    assert "Stores" in owner.get("/groups").text
    assert "its sites stay" in _flash(owner, owner.post("/groups/1/delete"))
    path = f"/sites/{site.id}/channels"
    made = owner.post(path, data={"kind": "webhook", "target": "https://hooks.example/x"})
    assert made.status_code == 200
    assert re.search(r'shown only now:</p><p><code class="secret">whsec_', made.text)
    # A cookie would carry it to the next page, and lie in the browser until then.
    assert not any("whsec_" in cookie for cookie in made.headers.get_list("set-cookie"))
    assert "whsec_" not in owner.get(path).text
    assert "is disabled" in _flash(owner, owner.post(f"{path}/1/disable"))
    assert "is deleted" in _flash(owner, owner.post(f"{path}/1/delete"))


def test_viewers_read_and_change_nothing(server: Serving, owner: httpx.Client) -> None:
    site = sites.add_site(server.database, 1, NewSite("https://example.com"))
    viewer = server.signed_in(server.add_user(Role.VIEWER))
    viewer.headers["Accept"] = "text/html"
    assert '<button class="primary"' not in viewer.get(f"/sites/{site.id}").text
    for path in (
        *("/sites/new", "/sites/import", "/sites/bulk", "/groups", f"/sites/{site.id}/scan"),
        *(f"/sites/{site.id}/settings", f"/sites/{site.id}/delete", f"/sites/{site.id}/channels"),
        f"/tasks/{site.active_job_id}/cancel",
    ):
        answer = viewer.post(path, data={"action": "enable", "name": "x"})
        assert answer.status_code == 403, path
    assert owner.get(f"/sites/{site.id}").status_code == 200


def test_what_people_and_sites_write_is_text(server: Serving, owner: httpx.Client) -> None:
    owner.post("/groups", data={"name": _HOSTILE, "description": _HOSTILE})
    new = NewSite("https://example.com", name=_HOSTILE, tags=(_HOSTILE,), owner=_HOSTILE)
    site = sites.add_site(server.database, 1, new)
    for path in (
        *("/", "/sites", "/groups", "/tasks", f"/tasks/{site.active_job_id}", "/find?q=script"),
        "/tasks/workers",
        *(f"/sites/{site.id}", f"/sites/{site.id}/settings", f"/sites/{site.id}/channels"),
        *(f"/sites?search={_HOSTILE}", f"/sites?tag={_HOSTILE}", f"/find?q={_HOSTILE}"),
    ):
        page = owner.get(path)
        assert page.status_code == 200, path
        assert "<script>alert" not in page.text, path


def test_a_preview_reaches_no_private_address(server: Serving, owner: httpx.Client) -> None:
    for address in ("10.0.0.1", "http://localhost:1", "ftp://x"):
        told = owner.post("/sites/new/preview", data={"root_url": address})
        assert told.headers["content-type"].startswith("text/event-stream")
        assert told.text.startswith("event: failed\n"), told.text
    viewer = server.signed_in(server.add_user(Role.VIEWER))
    assert viewer.post("/sites/new/preview", data={"root_url": "x.example"}).status_code == 403


def test_the_live_part_of_a_task_ends_with_it(server: Serving, owner: httpx.Client) -> None:
    site = sites.add_site(server.database, 1, NewSite("https://example.com"))
    path = f"/tasks/{site.active_job_id}/live"
    with owner.stream("GET", path) as told:
        lines = told.iter_lines()
        assert next(lines) == "event: live"
        assert next(lines).startswith("id: ")
        jobs.cancel_job(server.database, 1, site.active_job_id or 0)
        assert "event: ended" in lines
    assert owner.get(path).text.startswith("event: ended\n")
    stranger = server.signed_in(
        server.add_user(workspace_id=users.workspace_named(server.database, "other"))
    )
    assert stranger.get(path).status_code == 404


def test_messages_lead_nowhere_else(owner: httpx.Client) -> None:
    for back in ("//evil.example/", "https://evil.example/"):
        answer = owner.post("/sites/bulk", data={"action": "enable", "back": back})
        assert answer.headers["location"] == "/"


def test_signing_in_leads_to_the_dashboard(server: Serving) -> None:
    email = server.add_user()
    client = server.anonymous()
    client.headers["Accept"] = "text/html"
    client.post("/login", data={"email": email, "password": PASSWORD})
    assert "Nothing is watched yet" in client.get("/").text


def test_the_overview_of_a_site_says_that_its_last_scan_failed(
    server: Serving, owner: httpx.Client
) -> None:
    scanning = Scanning(server.database, "example.com")
    scanning.fetched(scanning.document("https://example.com/sitemap.xml"), FetchOutcome.NOT_FOUND)
    scanning.finish(ScanStatus.FAILED)
    site = sites.add_site(server.database, 1, NewSite("https://example.com"))
    overview = owner.get(f"/sites/{site.id}").text
    assert "last scan</a> failed" in overview
    assert "is queued" in overview, "it is tried again"
    assert "No scan has succeeded yet" in overview
    assert f'/sites/{site.id}/sitemaps">0</a>' in overview, "where one usually is, there was none"
    assert "No pages yet" in owner.get(f"/sites/{site.id}/pages").text
    assert "No pages yet" in owner.get(f"/sites/{site.id}/tree").text
    assert "There is no site 99." in owner.get("/sites/99").text
