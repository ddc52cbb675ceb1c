"""Accounts, users and channels in a real browser; pages before anything is watched."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from sitecrawl.channels.email import UNSUBSCRIBE_PATH, unsubscribe_token
from sitecrawl.services import channels, groups, jobs, sites, users
from sitecrawl.services.channels import NewChannel
from sitecrawl.services.groups import GroupInput
from sitecrawl.services.permissions import Role
from sitecrawl.services.secret_keys import secret_box
from sitecrawl.services.sites import NewSite, SiteEdit
from tests.monitor.receivers import HttpReceiver
from tests.web.pages.browsing import answer_dialogs, browsed, does, served, sign_in
from tests.web.serving import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.web.pages.browsing import Dashboard
    from tests.web.serving import Serving


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """In which nothing is watched."""
    with (
        served(tmp_path_factory.mktemp("empty")) as (server, database_url),
        browsed(server, database_url) as made,
    ):
        yield made


@pytest.fixture
def visitor(dashboard: Dashboard) -> Iterator[Page]:
    """A browser in which nobody is signed in."""
    context = dashboard.context.browser.new_context()  # type: ignore[union-attr]
    page = context.new_page()
    dashboard.watch(page)
    yield page
    context.close()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", "Give the address of a site"),
        ("/sites", "Nothing is watched yet"),
        ("/sites?search=nothing", "Take a filter away"),
        ("/incidents", "An incident is trouble"),
        ("/tasks?status=failed", "Scans appear here"),
        ("/groups", "Groups keep sites together"),
        ("/compare", "Watch another one"),
        ("/find?q=nothing-is-called-so", "Nothing is called"),
    ],
)
def test_empty_pages_say_what_to_do(dashboard: Dashboard, path: str, words: str) -> None:
    for site in sites.list_sites(dashboard.server.database, 1).rows:
        sites.remove_site(dashboard.server.database, 1, site.id)
    for group in groups.list_groups(dashboard.server.database, 1):
        groups.remove_group(dashboard.server.database, 1, group.id)
    page = dashboard.open(path)
    expect(page.locator("main")).to_contain_text(words)
    dashboard.check_layout()


# --- signing in --------------------------------------------------------------------------------


@does("/login", "/logout")
def test_somebody_signs_in_and_out(dashboard: Dashboard, visitor: Page) -> None:
    server = dashboard.server
    visitor.goto(f"{server.url}/sites?tag=a")
    visitor.fill("[name=email]", "owner-1@example.com")
    visitor.fill("[name=password]", "wrong wrong wrong")
    visitor.click("main button")
    expect(visitor.locator(".error")).to_be_visible()
    visitor.fill("[name=password]", PASSWORD)
    visitor.click("main button")
    visitor.wait_for_url(f"{server.url}/sites?tag=a")
    visitor.click("button:text-is('Sign out')")
    visitor.wait_for_url(f"{server.url}/login")
    visitor.goto(f"{server.url}/")
    assert urlsplit(visitor.url).path == "/login"


@does("/setup/{secret}")
def test_the_first_user_sets_the_server_up(dashboard: Dashboard, tmp_path: Path) -> None:
    """On a server of its own; the browser is the same."""
    with served(tmp_path, with_owner=False) as (server, _):
        secret = users.setup_link(server.database)
        context = dashboard.context.browser.new_context()  # type: ignore[union-attr]
        page = context.new_page()
        page.on("request", lambda each: dashboard.sent.append(urlsplit(each.url).path))
        page.goto(f"{server.url}/setup/{secret}")
        page.fill("[name=email]", "ada@example.com")
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        expect(page.locator("main")).to_contain_text("Nothing is watched yet")
        context.close()


# --- the account -------------------------------------------------------------------------------


@does("/account/sessions/{session_id}/end", "/account/sessions/end-others")
def test_sessions_are_seen_and_ended(dashboard: Dashboard) -> None:
    server = dashboard.server
    others = [server.signed_in("owner-1@example.com") for _ in range(3)]
    page = dashboard.open("/account")
    rows = page.locator("section:has(#sessions) tbody tr")
    before = rows.count()
    assert before >= 4
    expect(rows.filter(has_text="this one")).to_have_count(1)
    rows.filter(has_text="python-httpx").first.locator("button").click()
    dashboard.told("The session has ended")
    expect(rows).to_have_count(before - 1)
    assert [each.get("/api/session").status_code for each in others].count(401) == 1
    page.click("button:text-is('Sign out everywhere else')")
    dashboard.told("have ended")
    expect(rows).to_have_count(1)
    assert {each.get("/api/session").status_code for each in others} == {401}


@does("/account/tokens", "/account/tokens/{token_id}/revoke")
def test_a_token_is_made_shown_once_and_revoked(dashboard: Dashboard) -> None:
    page = dashboard.open("/account")
    if page.locator("[name=days]").is_hidden():
        page.click("summary:text-is('Make a token')")
    page.fill("[name=name]", "nightly export")
    page.check("[name=scope][value=scan]")
    page.fill("[name=days]", "30")
    page.click("button:text-is('Make it')")
    token = page.locator("code.secret").inner_text()
    client = dashboard.server.by_token(token)
    assert client.get("/api/sites").status_code == 200
    assert client.post("/api/groups", json={"name": "x"}).status_code == 403
    dashboard.open("/account")
    expect(page.locator("main")).not_to_contain_text(token)
    row = page.locator("tbody tr", has_text="nightly export")
    expect(row).to_contain_text("read, scan")
    asked = answer_dialogs(page, accept=True)
    row.locator("button").click()
    dashboard.told("no longer works")
    assert "nightly export" in asked[0]
    assert client.get("/api/sites").status_code == 401


@does("/account/password")
def test_a_password_is_changed(dashboard: Dashboard, visitor: Page) -> None:
    server = dashboard.server
    email = server.add_user(Role.MEMBER, "changes@example.com")
    sign_in(visitor, server, email)
    visitor.click("a:text-is('Account')")
    for current, told in (("not the one I have", "it is wrong"), (PASSWORD, "is changed")):
        visitor.fill("[name=current_password]", current)
        visitor.fill("[name=new_password]", "another horse battery")
        visitor.click("button:text-is('Change it')")
        expect(visitor.locator(".toast")).to_contain_text(told)
    server.signed_in(email, "another horse battery")


@does("/account/workspace")
def test_another_workspace_is_shown(dashboard: Dashboard, visitor: Page) -> None:
    server = dashboard.server
    email = server.add_user(Role.MEMBER, "both@example.com")
    second = users.workspace_named(server.database, "second")
    users.create_user(server.database, second, email, Role.VIEWER)
    sign_in(visitor, server, email)
    visitor.click("a:text-is('Account')")
    visitor.select_option("[name=workspace]", label="second (viewer)")
    visitor.click("button:text-is('Go there')")
    expect(visitor.locator(".who")).to_contain_text("(viewer)")


# --- users -------------------------------------------------------------------------------------


@does(
    *("/users", "/users/{user_id}/link", "/users/{user_id}/role", "/users/{user_id}/{action}"),
    "/password/{secret}",
)
def test_users_are_added_changed_and_removed(dashboard: Dashboard, visitor: Page) -> None:
    page = dashboard.open("/users")
    page.fill("[name=email]", "grace@example.com")
    page.fill("[name=name]", "Grace")
    page.select_option("form[action='/users'] [name=role]", "viewer")
    page.click("button:text-is('Add')")
    first = page.locator("code.secret").inner_text()
    row = page.locator("tbody tr", has_text="grace@example.com")
    row.locator("button:has-text('Password link')").click()
    link = page.locator("code.secret").inner_text()
    assert link != first
    answer = visitor.goto(first)
    assert answer is not None
    assert answer.status == 404, "a new link replaces the one before"
    visitor.goto(link)
    visitor.fill("[name=password]", PASSWORD)
    visitor.click("main button")
    expect(visitor.locator(".who")).to_contain_text("grace@example.com (viewer)")
    expect(visitor.locator("a:text-is('Users')")).to_have_count(0)
    dashboard.open("/users")
    row.locator("select").select_option("member")
    row.locator("button:has-text('Set')").click()
    dashboard.told("grace@example.com is member now")
    row.locator("button:has-text('Disable')").click()
    dashboard.told("is disabled")
    visitor.reload()
    assert urlsplit(visitor.url).path == "/login"
    row.locator("button:has-text('Enable')").click()
    dashboard.told("is enabled")
    answer_dialogs(page, accept=True)
    row.locator("button:has-text('Remove')").click()
    dashboard.told("no longer of this workspace")
    expect(row).to_have_count(0)
    page.click("a:text-is('Audit log')")
    expect(page.locator("tbody tr").first).to_contain_text("change user")
    expect(page.locator("tbody tr").first).to_contain_text("owner-1@example.com")


# --- channels ----------------------------------------------------------------------------------


def _watched(server: Serving, name: str) -> int:
    site = sites.add_site(server.database, 1, NewSite(f"https://{name}.example", name=name))
    jobs.cancel_job(server.database, 1, site.active_job_id or 0)
    return site.id


_CHANNEL = "/sites/{site_id}/channels/{channel_id}"


@does("/sites/{site_id}/channels", f"{_CHANNEL}/{{action}}")
def test_a_channel_is_added_tested_disabled_and_deleted(dashboard: Dashboard) -> None:
    server = dashboard.server
    number = _watched(server, "told")
    group = groups.add_group(server.database, 1, GroupInput("Told together"))
    sites.edit_site(server.database, 1, number, SiteEdit(group_id=group.id))
    with HttpReceiver() as receiver:
        page = dashboard.open(f"/sites/{number}/channels")
        expect(page.locator("main")).to_contain_text("Nobody is told")
        page.fill("[name=target]", "ftp://nowhere")
        page.click("button:text-is('Add')")
        expect(page.locator(".toast.bad")).to_be_visible()
        page.fill("[name=target]", receiver.url)
        page.fill("[name=name]", "Our hook")
        page.select_option("[name=min_severity]", "high")
        page.select_option("[name=scope]", "group")
        page.click("button:text-is('Add')")
        expect(page.locator("code.secret")).to_contain_text("whsec_")
        row = page.locator("tbody tr", has_text="Our hook")
        expect(row).to_contain_text("group Told together")
        row.locator("button:has-text('Test')").click()
        dashboard.told("was sent to")
        assert len(receiver.received) == 1
        receiver.status = 500
        row.locator("button:has-text('Test')").click()
        expect(page.locator(".toast.bad")).to_contain_text("could not be sent")
    row.locator("button:has-text('Disable')").click()
    dashboard.told("is disabled")
    row.locator("button:has-text('Enable')").click()
    dashboard.told("is enabled")
    answer_dialogs(page, accept=True)
    row.locator("button:has-text('Delete')").click()
    dashboard.told("is deleted")
    expect(page.locator("main")).to_contain_text("Nobody is told")


@does(_CHANNEL, f"{_CHANNEL}/secret", f"{_CHANNEL}/deliveries/{{delivery_id}}/replay")
def test_a_channel_is_changed_and_a_message_sent_again(dashboard: Dashboard) -> None:
    server = dashboard.server
    number = _watched(server, "changed")
    with HttpReceiver() as receiver:
        new = NewChannel("webhook", receiver.url, "Our hook", watched_site_id=number)
        made = channels.add_channel(server.database, 1, new, server.config)
        page = dashboard.open(f"/sites/{number}/channels/{made.channel.id}")
        expect(page.locator("main")).to_contain_text("Nothing was sent yet")
        page.click("button:text-is('Test')")
        dashboard.told("was sent to")
        page.click("a:text-is('Our hook')")
        page.fill("[name=name]", "Their hook")
        page.select_option("[name=min_severity]", "high")
        page.select_option("[name=cadence]", "daily")
        page.click("button:text-is('Save')")
        dashboard.told("Saved")
        expect(page.locator(".facts")).to_contain_text("daily, from high")
        deliveries = page.locator("section:has(#deliveries) tbody tr")
        expect(deliveries).to_have_count(1)
        deliveries.locator("summary").click()
        expect(deliveries).to_contain_text("200")
        deliveries.locator("button").click()
        dashboard.told("was sent to")
        expect(deliveries).to_have_count(2)
        first, again = receiver.received
        assert first.json["title"] == again.json["title"]
        dashboard.check_layout()
    answer_dialogs(page, accept=True)
    page.click("button:text-is('New secret')")
    assert page.locator("code.secret").inner_text() not in {"", made.secret}


@does("/unsubscribe/{token}")
def test_somebody_unsubscribes(dashboard: Dashboard, visitor: Page) -> None:
    server = dashboard.server
    new = NewChannel("email", "anna@example.com")
    channel = channels.add_channel(server.database, 1, new, server.config).channel
    key = secret_box(server.database, server.config).derived_key("unsubscribe")
    visitor.goto(f"{server.url}{UNSUBSCRIBE_PATH}{unsubscribe_token(channel.id, key)}")
    visitor.click("button:text-is('Stop them')")
    expect(visitor.locator("main")).to_contain_text("gets no more messages")
    assert not channels.show_channel(server.database, 1, channel.id).enabled
