"""The requests of the monitor that this API follows, with every field that they name.

What it deliberately does otherwise is in docs/api.md.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from sitecrawl.web.app import described_api

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from tests.web.world import World

SITE = "id rootUrl robotsUrl enabled tags createdAt updatedAt"
SITE_SETTINGS = "groupId scanPriority scanIntervalMinutes lastScanAt"
SCAN = "id status startedAt finishedAt totalUrls added removed updated"


class Known(NamedTuple):
    """A request as it is described: ``a.b[].c`` is field c of every b of a."""

    words: str
    method: str
    path: str
    given: str = ""
    """Fields of the JSON body, or names of parameters."""
    answered: str = ""
    status: int = 200


REQUESTS = [
    Known("watch a site", "post", "/api/sites", "rootUrl tags", "id rootUrl", 201),
    Known(
        "list the sites",
        "get",
        "/api/sites",
        answered=" ".join(f"sites[].{name}" for name in f"{SITE} {SITE_SETTINGS}".split()),
    ),
    Known(
        "see a site, its sitemaps with counts, and what happened last",
        "get",
        "/api/sites/{site_id}",
        answered=" ".join(
            (
                *(f"site.{name}" for name in f"{SITE} {SITE_SETTINGS}".split()),
                *(f"summary.{name}" for name in ("totalUrls", "activeUrls", "inactiveUrls")),
                *(f"sitemaps[].{name}" for name in ("id", "url", "isIndex", "lastStatus")),
                *(f"sitemaps[].urlCounts.{name}" for name in ("total", "active", "inactive")),
                *(f"recentScans[].{name}" for name in SCAN.split()),
                *(f"recentChanges[].{name}" for name in ("id", "type", "detail", "occurredAt")),
            )
        ),
    ),
    Known(
        "change a site",
        "patch",
        "/api/sites/{site_id}",
        "rootUrl enabled tags scanPriority scanIntervalMinutes groupId",
        f"{SITE} {SITE_SETTINGS}",
    ),
    Known("scan a site now", "post", "/api/sites/{site_id}/scan", "", "ok status scanId", 202),
    Known(
        "import sites from the text of a file",
        "post",
        "/api/sites/import",
        "csv",
        "ok imported results[].rootUrl results[].status results[].siteId results[].message",
    ),
    Known("export the sites", "get", "/api/sites/export.csv"),
    Known("export changes", "get", "/api/sites/{site_id}/changes.csv", "type from to"),
    Known(
        "see what a scan has changed",
        "get",
        "/api/sites/{site_id}/scan-diff",
        "scanId",
        "scanId summary.added summary.removed summary.updated startedAt finishedAt"
        " items[].type items[].detail items[].occurredAt",
    ),
    Known(
        "add a channel",
        "post",
        "/api/sites/{site_id}/notifications",
        "type target secret",
        "id type target secret createdAt",
        201,
    ),
    Known(
        "list the channels of a site",
        "get",
        "/api/sites/{site_id}/notifications",
        answered="channels[].id channels[].type channels[].target channels[].secret"
        " channels[].createdAt",
    ),
    Known("test the channels", "post", "/api/sites/{site_id}/test-webhook", "", "ok"),
    Known(
        "make a group",
        "post",
        "/api/groups",
        "name description color",
        "id name description color createdAt updatedAt",
        201,
    ),
    Known("list groups", "get", "/api/groups", answered="groups[].id groups[].name groups[].color"),
    Known("change a group", "patch", "/api/groups/{group_id}", "name description color", "id"),
    Known(
        "remove a channel",
        "delete",
        "/api/sites/{site_id}/notifications/{channel_id}",
        status=204,
    ),
    Known("remove a group", "delete", "/api/groups/{group_id}", status=204),
    Known("remove a site", "delete", "/api/sites/{site_id}", status=204),
    Known(
        "scan what is due",
        "post",
        "/api/cron/scan",
        "",
        "sitesChecked queued results[].siteId results[].scanId results[].status",
    ),
]

_API = described_api()


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
    while "$ref" in schema:
        schema = _API["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _properties(schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Every field of an answer as the table writes it."""
    schema = _resolved(schema)
    if schema.get("type") == "array":
        yield from _properties(schema["items"], f"{prefix}[]")
        return
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        yield path
        yield from _properties(inner, path)


@pytest.mark.parametrize("known", REQUESTS, ids=lambda known: known.words)
def test_the_description_has_every_request_with_its_fields(known: Known) -> None:
    operation = _API["paths"][known.path][known.method]
    parameters = {each["name"] for each in operation.get("parameters", ())}
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    taken = parameters | set(_properties(body.get("schema", {})))
    assert set(known.given.split()) <= taken
    answer = operation["responses"][str(known.status)]
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    assert set(known.answered.split()) <= set(_properties(schema))


def test_a_site_is_imported_by_a_form_as_well() -> None:
    content = _API["paths"]["/api/sites/import"]["post"]["requestBody"]["content"]
    assert "file" in content["multipart/form-data"]["schema"]["properties"]


def _value(answer: Any, path: str) -> Any:
    """The field of an answer; of a list that of its first element."""
    for step in path.split("."):
        name = step.removesuffix("[]")
        assert name in answer, f"{path}: {answer}"
        answer = answer[name][0] if step.endswith("[]") else answer[name]
    return answer


def _check(answer: httpx.Response, known: Known) -> Any:
    assert answer.status_code == known.status, answer.text
    if known.status == 204:
        assert answer.content == b""
        return None
    if not known.answered:
        return answer
    given = answer.json()
    for path in known.answered.split():
        _value(given, path)
    return given


def test_they_answer_so(shared_world: World) -> None:
    """One after another, as somebody would who has a site with history and watches another one."""
    by_words = {each.words: each for each in REQUESTS}
    client, old_id = shared_world.owner, shared_world.site_id

    def ask(words: str, number: int = old_id, **given: Any) -> Any:
        known = by_words[words]
        ids = {"site_id": number, "group_id": number, "channel_id": given.pop("channel", 0)}
        answer = client.request(known.method, known.path.format(**ids), **given)
        return _check(answer, known)

    new = ask("watch a site", json={"rootUrl": "https://followed.example", "tags": ["production"]})
    ask("list the sites")
    seen = ask("see a site, its sitemaps with counts, and what happened last")
    assert seen["summary"]["totalUrls"] == sum(
        seen["summary"][name] for name in ("activeUrls", "inactiveUrls")
    )
    assert seen["recentScans"][0]["status"] == "success"
    group = ask("make a group", json={"name": "followed", "description": "", "color": "#123456"})
    changed = ask(
        "change a site",
        new["id"],
        json={
            "rootUrl": "https://followed.example",
            "enabled": False,
            "tags": ["production", "updated"],
            "scanPriority": 3,
            "scanIntervalMinutes": 720,
            "groupId": group["id"],
        },
    )
    assert (changed["groupId"], changed["scanIntervalMinutes"]) == (group["id"], 720)
    assert ask("change a site", new["id"], json={"groupId": None})["groupId"] is None
    client.post(f"/api/jobs/{new['activeJobId']}/cancel").raise_for_status()
    ask("scan a site now", new["id"])
    text = "https://imported.example\n\nno url at all"
    good, bad = ask("import sites from the text of a file", json={"csv": text})["results"]
    assert (good["status"], bad["status"]) == ("success", "skipped")
    assert bad["message"]
    file = {"file": ("sites.csv", b"https://of-a-form.example,ignored\n", "text/csv")}
    assert ask("import sites from the text of a file", files=file)["imported"] == 1
    exported = ask("export the sites")
    assert exported.headers["content-type"] == "text/csv; charset=utf-8"
    assert "sites-export.csv" in exported.headers["content-disposition"]
    assert _header(exported) == ["id", "rootUrl", "robotsUrl", "createdAt"]
    when = {"type": "added", "from": "2024-01-01", "to": "2099-12-31"}
    rows = ask("export changes", params=when)
    assert _header(rows) == ["type", "detail", "occurredAt"]
    assert {row["type"] for row in csv.DictReader(io.StringIO(rows.text))} == {"added"}
    nothing = ask("export changes", params={"to": "2024-01-31"})
    assert len(nothing.text.splitlines()) == 1
    scan = seen["recentScans"][0]["id"]
    diff = ask("see what a scan has changed", params={"scanId": scan})
    assert diff["scanId"] == scan
    channel = ask(
        "add a channel",
        new["id"],
        json={
            "type": "webhook",
            "target": "https://127.0.0.1:1/hook",
            "secret": "an optional secret",
        },
    )
    [shown] = ask("list the channels of a site", new["id"])["channels"]
    assert shown["id"] == channel["id"]
    assert shown["secret"] == "***"
    ask("test the channels", new["id"])
    ask("list groups")
    ask("change a group", group["id"], json={"name": "renamed", "color": "#654321"})
    wrong = client.post("/api/groups", json={"name": "odd", "color": "reddish"})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "color")
    ask("remove a channel", new["id"], channel=channel["id"])
    ask("remove a group", group["id"])
    ask("remove a site", new["id"])
    assert client.get(f"/api/sites/{new['id']}").status_code == 404


def _header(answer: httpx.Response) -> list[str]:
    return next(csv.reader(io.StringIO(answer.text)))
