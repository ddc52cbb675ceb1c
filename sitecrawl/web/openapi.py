"""The description of the API: what FastAPI finds, and what holds for all of it.

``python -m sitecrawl.web.openapi`` writes ``docs/openapi.json`` and the client made from it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts
from pydantic import Field

from sitecrawl.web.api.models import Model
from sitecrawl.web.api.site_bulk import ImportRequest
from sitecrawl.web.auth import Allowed
from sitecrawl.web.problems import MEDIA_TYPE, PROBLEMS, Problem

if TYPE_CHECKING:
    from fastapi import FastAPI

_METHODS: Final = ("get", "post", "put", "patch", "delete")
_FIRST_FAILURE: Final = 400
_PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}
_EVERYWHERE: Final = ("throttled", "wrong-host")
_SIGNED_IN: Final = ("not-signed-in", "forbidden", "not-found")
_CHANGING: Final = ("cross-site", "too-large")
_IDEMPOTENCY_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "A request with the same key and body is done once; for a day.",
}

webhooks = APIRouter()


class WebhookEvent(Model):
    id: int
    kind: str = Field(examples=["section_removed"])
    severity: str = Field(examples=["high"])
    title: str
    pages: int
    important_pages: int
    occurred_at: str
    examples: list[str] = Field(default_factory=list)


class SitemapChange(Model):
    """What one scan found, as it is sent to webhooks."""

    type: str = Field(examples=["sitemap.change"])
    title: str
    ts: int = Field(description="Seconds since 1970.")
    site_id: int
    site_slug: str = Field(description="The root URL.", examples=["https://example.com/"])
    site_name: str
    scan_id: int
    added: int
    removed: int
    updated: int
    url: str | None = Field(default=None, description="The site's page in the dashboard.")
    events: list[WebhookEvent]
    events_omitted: int | None = None


@webhooks.post("sitemap.change", operation_id="onSitemapChange", status_code=204)
def sitemap_change(body: SitemapChange) -> None:
    """Signed by `webhook-signature` (Standard Webhooks) and `X-Sitemap-Signature`."""


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of the API, as OpenAPI 3.1."""
    schema = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        webhooks=webhooks.routes,
    )
    parts = schema["components"]
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    # Its route takes a form as well, and reads the body itself.
    parts["schemas"]["ImportRequest"] = ImportRequest.model_json_schema()
    parts["schemas"]["Problem"] = _problem_schema(parts["schemas"])
    parts["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "sc_<number>_<secret>"},
        "session": {"type": "apiKey", "in": "cookie", "name": "__Host-sitecrawl"},
    }
    schema["security"] = [{"token": []}, {"session": []}]
    permissions = _permissions(app)
    for path in schema["paths"].values():
        for method in _METHODS:
            if method in path:
                _complete(path[method], method, permissions)
    for path in schema["webhooks"].values():
        path["post"]["responses"].pop("422", None)
    return schema


def _problem_schema(schemas: dict[str, Any]) -> dict[str, Any]:
    made = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(made.pop("$defs"))
    return made


def _permissions(app: FastAPI) -> dict[str, str]:
    """The permission of each operation."""
    found = {}
    for context in iter_route_contexts(app.routes):
        operation = getattr(context, "operation_id", None)
        dependant = getattr(context, "dependant", None)
        if operation and dependant and (allowed := find_allowed(dependant)):
            found[operation] = str(allowed.permission)
    return found


def find_allowed(dependant: Any) -> Allowed | None:
    """The :class:`Allowed` among the dependencies of a route."""
    if isinstance(dependant.call, Allowed):
        return dependant.call
    found = (find_allowed(each) for each in dependant.dependencies)
    return next((each for each in found if each), None)


def _complete(operation: dict[str, Any], method: str, permissions: dict[str, str]) -> None:
    answers = operation["responses"]
    names = [*_EVERYWHERE]
    permission = permissions.get(operation["operationId"])
    if permission:
        operation["x-permission"] = permission
        names += _SIGNED_IN
    if method != "get":
        names += _CHANGING
    if "422" in answers or operation.get("parameters") or "requestBody" in operation:
        names.append("invalid-input")
    if method == "post" and permission:
        operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
        names += ("key-in-use", "key-reused")
    for status in [each for each in answers if each.isdigit() and int(each) >= _FIRST_FAILURE]:
        answers[status] = _answer(answers[status]["description"])
    if "422" in answers:
        del answers["422"]
    for name in names:
        kind = PROBLEMS[name]
        before = answers.get(str(kind.status))
        words = f"{kind.title}: {kind.meaning}"
        if before and words not in before["description"]:
            words = f"{before['description']} {words}"
        answers[str(kind.status)] = _answer(words)
    answers["default"] = _answer("Any other problem.")


def _answer(description: str) -> dict[str, Any]:
    return {"description": description, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}


def write_files(root: Path) -> None:
    """The description and the client made from it."""
    from sitecrawl.web.app import described_api
    from sitecrawl.web.client_code import client_code

    schema = described_api()
    text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    (root / "docs" / "openapi.json").write_text(text, encoding="utf-8")
    code = client_code(schema)
    (root / "sitecrawl" / "client" / "operations.py").write_text(code, encoding="utf-8")


if __name__ == "__main__":
    write_files(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
