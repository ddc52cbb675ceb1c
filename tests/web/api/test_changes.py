"""What changed between two real scans, by the API."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.web.world import World


def get(world: World, path: str, **params: Any) -> Any:
    answer = world.viewer.get(f"/api/sites/{world.site_id}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_changes_say_what_happened_and_why_it_is_believed(shared_world: World) -> None:
    found = get(shared_world, "changes")["changes"]
    by_url = {(each["type"], each["url"]): each for each in found}
    added = by_url["added", shared_world.site.at("/blog/c")]
    assert added["detail"] == added["url"]
    assert added["source"] == "scanner"
    only = get(shared_world, "changes", type="added")["changes"]
    assert {each["type"] for each in only} == {"added"}
    assert get(shared_world, "changes", to="2024-01-31")["changes"] == []


def test_changes_can_be_downloaded_as_the_seed_has_them(shared_world: World) -> None:
    answer = shared_world.viewer.get(
        f"/api/sites/{shared_world.site_id}/changes.csv",
        params={"type": "added", "from": "2024-01-01"},
    )
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment")
    header, first, *_ = csv.reader(io.StringIO(answer.text))
    assert header == ["type", "detail", "occurredAt"]
    assert first[:2] == ["added", shared_world.site.at("/blog/c")]


def test_one_scan_and_any_two_scans_are_compared(shared_world: World) -> None:
    newest, oldest = get(shared_world, "scans")["scans"]
    diff = get(shared_world, "scan-diff", scanId=newest["id"])
    assert diff["summary"]["added"] == newest["added"] == 1
    assert "added" in {each["type"] for each in diff["items"]}
    pair = get(shared_world, "diff", before=oldest["id"], after=newest["id"])
    assert ("added", shared_world.site.at("/blog/c")) in {
        (each["kind"], each["url"]) for each in pair["pages"]
    }
    missing = shared_world.viewer.get(f"/api/sites/{shared_world.site_id}/scan-diff?scanId=999")
    assert missing.status_code == 404


def test_people_deal_with_changes(shared_world: World) -> None:
    [first, *_] = get(shared_world, "changes")["changes"]
    path = f"/api/sites/{shared_world.site_id}/changes"
    edited = shared_world.member.patch(
        f"{path}/{first['id']}", json={"assignee": "grace", "note": "looking"}
    ).json()
    assert (edited["assignee"], edited["note"], edited["status"]) == ("grace", "looking", "open")
    closed = shared_world.member.post(
        f"{path}/bulk", json={"ids": [first["id"]], "status": "closed", "assignee": None}
    ).json()
    [change] = closed["changes"]
    assert (change["assignee"], change["status"], change["note"]) == (None, "closed", "looking")
    assert shared_world.viewer.patch(f"{path}/{first['id']}", json={}).status_code == 403


def test_events_and_the_history_of_a_page(shared_world: World) -> None:
    events = get(shared_world, "events")["events"]
    assert "added" in {each["kind"] for each in events}
    get(shared_world, "incidents")
    page = get(shared_world, "pages/why", url=shared_world.site.at("/blog/c"))
    [change] = get(shared_world, f"pages/{page['id']}/history")["changes"]
    assert change["type"] == "added"


def test_the_detail_of_a_site_has_its_newest_changes(shared_world: World) -> None:
    detail = shared_world.viewer.get(f"/api/sites/{shared_world.site_id}").json()
    assert detail["recentChanges"]
    assert detail["recentScans"][0]["added"] == 1
