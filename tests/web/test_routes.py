"""Every route asks who is calling: it refuses anonymous, foreign and too-low callers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.routing import iter_route_contexts

from sitecrawl.services import users
from sitecrawl.services.permissions import Permission, Role
from sitecrawl.web.app import described_api
from sitecrawl.web.openapi import find_allowed
from tests.web.serving import PASSWORD
from tests.web.world import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from tests.web.world import World

_API = described_api()
# What everybody may ask: probes, signing in, cron by its own token, and links that prove a right.
_PUBLIC_OPERATIONS = {"signIn", "getHealth", "getReadiness", "cronScan"}
_PUBLIC_PAGES = {
    *("/login", "/logout", "/setup/{secret}", "/password/{secret}", "/unsubscribe/{token}"),
    *("/problems/{name}", "/login/provider", "/login/provider/callback"),
}


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in _API["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


_GUARDED = [each for each in _operations() if each[2]["operationId"] not in _PUBLIC_OPERATIONS]
_ABOVE_VIEWERS = [
    each for each in _GUARDED if Permission(each[2]["x-permission"]) not in Role.VIEWER.permissions
]
_OF_OBJECTS = [each for each in _GUARDED if "{" in each[1]]
_LISTS = [
    each
    for each in _GUARDED
    if "{" not in each[1] and each[0] == "get" and each[1] != "/api/workspaces"
]


def _each(operations: list[tuple[str, str, dict[str, Any]]]) -> pytest.MarkDecorator:
    names = [operation["operationId"] for _, _, operation in operations]
    return pytest.mark.parametrize(("method", "path", "operation"), operations, ids=names)


def _filled(path: str, world: World, **others: int | str) -> str:
    """The path of objects of workspace 1, but for *others*."""
    ending = "csv" if "links." in path else "json"
    values = {**world.objects, "format": ending, **others}
    return re.sub(r"\{(\w+)\}", lambda name: str(values[name[1]]), path)


def _body(operation: dict[str, Any]) -> Any:
    """Something that the schema takes."""
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return None
    name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
    return _example(_API["components"]["schemas"][name])


def _example(schema: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(_API["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if values := schema.get("examples") or schema.get("enum"):
        return values[0]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0])
    if schema.get("type") == "object":
        needed = schema.get("required", ())
        return {name: _example(schema["properties"][name]) for name in needed}
    if schema.get("format") == "date-time":
        return "2030-01-01T00:00:00Z"
    plain = {"integer": 1, "boolean": False, "array": []}
    return plain.get(schema.get("type", ""), "x" * 12)


def _send(
    client: httpx.Client, method: str, path: str, operation: dict[str, Any]
) -> httpx.Response:
    body = _body(operation)
    given: dict[str, Any] = {} if body is None else {"json": body}
    params = {
        each["name"]: 1 if each["schema"].get("type") == "integer" else "https://x.example/"
        for each in operation.get("parameters", ())
        if each["in"] == "query" and each.get("required")
    }
    return client.request(method, path, params=params, **given)


@_each(_GUARDED)
def test_anonymous_callers_are_refused(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    answer = _send(shared_world.anonymous, method, _filled(path, shared_world), operation)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"


@_each(_ABOVE_VIEWERS)
def test_callers_with_too_few_permissions_are_refused(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    answer = _send(shared_world.viewer, method, _filled(path, shared_world), operation)
    assert answer.status_code == 403, answer.text


@_each(_OF_OBJECTS)
def test_objects_of_others_do_not_exist(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    answer = _send(shared_world.stranger, method, _filled(path, shared_world), operation)
    assert answer.status_code == 404, f"{answer.status_code} {answer.text}"


# These need a dive; their own tests have one.
_OF_DIVES = ("/search", "/similar")


@_each([each for each in _OF_OBJECTS if each[0] == "get" and not each[1].endswith(_OF_DIVES)])
def test_they_do_exist_for_their_owner(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    """Else the test above would show nothing."""
    path = _filled(path, shared_world)
    name = operation["operationId"]
    if "text/event-stream" in operation["responses"]["200"]["content"]:
        assert _first_event(shared_world.owner, path)
        return
    wanted: dict[str, dict[str, int | str]] = {
        "getScanDiff": {"scanId": shared_world.objects["scan_id"]},
        "explainUrl": {"url": shared_world.site.at("/about")},
    }
    answer = shared_world.owner.get(path, params=wanted.get(name))
    assert answer.status_code == 200, answer.text


# By which objects of workspace 1 could be reached through a site of one's own.
_BELOW_SITES = [
    each for each in _OF_OBJECTS if "{site_id}" in each[1] and each[1].count("_id}") > 1
]


@_each(_BELOW_SITES)
def test_who_watches_the_same_site_does_not_reach_the_objects_of_others(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    path = _filled(path, shared_world, site_id=shared_world.twin_site_id)
    answer = _send(shared_world.twin, method, path, operation)
    assert answer.status_code == 404, f"{answer.status_code} {answer.text}"


@_each(
    [
        each
        for each in _OF_OBJECTS
        if each[0] == "get"
        and set(re.findall(r"\w+_id", each[1])) <= {"site_id", "page_id"}
        and not each[1].endswith("/similar")
    ]
)
def test_who_watches_the_same_site_sees_nothing_that_others_wrote(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    own: dict[str, int | str] = {
        "site_id": shared_world.twin_site_id,
        "page_id": shared_world.twin_page_id,
    }
    path = _filled(path, shared_world, **own)
    url = {"url": shared_world.site.at("/about")}
    is_url = operation["operationId"] == "explainUrl"
    is_first = operation["operationId"] == "compareScans"  # there is none before it
    answer = shared_world.twin.get(path, params=url if is_url else None)
    assert answer.status_code in {200, 422} or is_first, answer.text
    for text in (MARK, "ours@example.com", "owner-1@example.com"):
        assert text not in answer.text
    # Nor as of a scan of theirs.
    ours = {"scan": shared_world.objects["scan_id"], "scanId": shared_world.objects["scan_id"]}
    taken = {each["name"] for each in operation.get("parameters", ())} & ours.keys()
    for name in taken:
        answer = shared_world.twin.get(path, params={**url, name: ours[name]})
        assert answer.status_code == 404 or shared_world.site.url not in answer.text


def test_an_inventory_belongs_to_a_workspace(shared_world: World) -> None:
    def scans(client: httpx.Client, site_id: int) -> set[int]:
        found = client.get(f"/api/sites/{site_id}/scans").json()["scans"]
        return {each["id"] for each in found}

    ours = scans(shared_world.owner, shared_world.site_id)
    theirs = scans(shared_world.twin, shared_world.twin_site_id)
    assert len(ours) == 2
    assert len(theirs) == 1
    assert not ours & theirs
    assert shared_world.page_id != shared_world.twin_page_id


def test_who_begins_to_watch_the_site_of_others_gets_nothing_of_them(shared_world: World) -> None:
    server = shared_world.server
    workspace = users.workspace_named(server.database, "latecomer")
    late = server.signed_in(server.add_user(Role.OWNER, workspace_id=workspace))
    site_id = late.post("/api/sites", json={"rootUrl": shared_world.site.url}).json()["id"]
    assert late.get(f"/api/sites/{site_id}/scans").json()["scans"] == []
    assert late.get(f"/api/sites/{site_id}/pages").status_code == 404
    # And what it removes is its own only.
    assert late.delete(f"/api/sites/{site_id}").status_code == 204
    assert shared_world.owner.get(f"/api/sites/{shared_world.site_id}/pages").status_code == 200


def _first_event(client: httpx.Client, path: str) -> str:
    """Of a stream that does not end."""
    with client.stream("GET", path) as answer:
        return next(line for line in answer.iter_lines() if line.startswith("data:"))


@_each(_LISTS)
def test_lists_have_nothing_of_others(
    shared_world: World, method: str, path: str, operation: dict[str, Any]
) -> None:
    if "text/event-stream" in operation["responses"]["200"]["content"]:
        text = _first_event(shared_world.stranger, path)
    else:
        text = _send(shared_world.stranger, method, path, operation).text
    assert shared_world.site.url not in text
    assert "owner-1@example.com" not in text


@pytest.mark.parametrize("scope", list(Permission))
def test_a_token_can_do_what_its_scopes_say_and_no_more(shared_world: World, scope: str) -> None:
    made = shared_world.owner.post("/api/tokens", json={"name": scope, "scopes": [scope]})
    client = shared_world.server.by_token(made.json()["token"])
    for method, path, operation in _operations():
        if operation["operationId"] in _PUBLIC_OPERATIONS:
            continue
        if operation["x-permission"] == scope:
            continue
        answer = _send(client, method, _filled(path, shared_world), operation)
        assert answer.status_code == 403, f"{operation['operationId']}: {answer.text}"


def test_a_token_cannot_make_itself_more_powerful(shared_world: World) -> None:
    client = shared_world.server.by_token(shared_world.token)
    for method, path, body in (
        ("post", "/api/tokens", {"name": "more", "scopes": ["manage"]}),
        ("post", "/api/users", {"email": "mallory@example.com", "role": "owner"}),
        ("put", "/api/session/password", {"currentPassword": PASSWORD, "newPassword": "x" * 20}),
        ("post", "/api/users/1/password-link", None),
        ("get", "/api/sessions", None),
    ):
        answer = client.request(method, path, json=body)
        assert answer.status_code == 403, f"{path}: {answer.text}"


def test_every_route_has_its_guard_or_is_known_to_be_public(shared_world: World) -> None:
    from sitecrawl.web.app import create_app

    app = create_app(shared_world.server.config, shared_world.server.database)
    unguarded = set()
    for context in iter_route_contexts(app.routes):
        dependant = getattr(context, "dependant", None)
        if dependant is None or find_allowed(dependant) is None:
            name = getattr(context, "operation_id", None) or getattr(context, "path", "")
            unguarded.add(name)
    assert unguarded == {*_PUBLIC_OPERATIONS, *_PUBLIC_PAGES, "/api/openapi.json", "/static"}


def test_operations_have_stable_names_and_words() -> None:
    names = [operation["operationId"] for _, _, operation in _operations()]
    assert len(names) == len(set(names))
    for _, _, operation in _operations():
        assert re.fullmatch(r"[a-z][a-zA-Z]+", operation["operationId"])
        for status, answer in operation["responses"].items():
            if status == "default" or int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"]
