"""How a built application is hosted: its files, its data, and its page for every other path."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from mimetypes import guess_type
from typing import TYPE_CHECKING

from tests.render.apps.build import DIGEST_FILE, FOLDER
from tests.site import Reply, redirect

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.site import Request

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# A careless crawler changes something without any form or script: a GET that is an action.
ACTIONS_BY_GET = frozenset({"/logout"})
CLICKED = "/api/clicked"
"""Where report.js tells of a click that would do harm."""
HTML = "text/html; charset=utf-8"

_REPORT_SCRIPT = FOLDER / "report.js"
_NO_DATA = Reply(b'{"error": "unknown"}', status=404, content_type="application/json")
_BASE = b'<base href="/"'


@dataclass(frozen=True, slots=True)
class HostedApp:
    """Answers as hosts of single-page applications do: 200 and the page for any unknown path."""

    base: str
    """Ends with a slash; everything of the application is below it."""
    files: Mapping[str, Reply]
    api: Mapping[str, Reply]
    """By path with query."""
    pages: Mapping[str, Reply]
    """By the path below which a page answers; the longest that fits holds."""

    def answer(self, request: Request) -> Reply:
        below = "/" + request.target.removeprefix(self.base)
        path = below.partition("?")[0]
        is_api = path.startswith("/api/")
        if request.method not in SAFE_METHODS:
            # A form wants a page afterwards; a script wants nothing.
            return Reply(status=204) if is_api else redirect(self.base, 303)
        if path in ACTIONS_BY_GET:
            return redirect(self.base)
        if is_api:
            return self.api.get(below, _NO_DATA)
        if path in self.files:
            return self.files[path]
        return self.pages[max(filter(path.startswith, self.pages), key=len)]


@cache
def hosted_app(name: str, base: str = "/") -> HostedApp:
    """The committed bundle; below another ``base`` only if its page has a ``base`` element."""
    dist = FOLDER / name / "dist"
    paths = [path for path in sorted(dist.rglob("*")) if path.is_file()]
    files = {
        f"/{path.relative_to(dist).as_posix()}": _file(path)
        for path in paths
        if path.name not in {"index.html", DIGEST_FILE}
    }
    pages = {
        f"/{path.parent.relative_to(dist).as_posix()}/".replace("/./", "/"): _file(path)
        for path in paths
        if path.name == "index.html"
    }
    if base != "/":
        pages = {folder: _based(page, base) for folder, page in pages.items()}
    data = json.loads((FOLDER / name / "api.json").read_text())
    api = {target: _json(said["body"], said.get("delay_ms", 0)) for target, said in data.items()}
    return HostedApp(base, files, api, pages)


def report_script() -> Reply:
    # Uncached, so that each page asks for it again.
    return replace(_file(_REPORT_SCRIPT), headers={"Cache-Control": "no-store"})


def _file(path: Path) -> Reply:
    content_type = guess_type(path.name)[0] or "application/octet-stream"
    return Reply(
        path.read_bytes(), content_type=HTML if content_type == "text/html" else content_type
    )


def _based(page: Reply, base: str) -> Reply:
    assert isinstance(page.body, bytes)
    assert _BASE in page.body, "this application can only be served at the root"
    return replace(page, body=page.body.replace(_BASE, f'<base href="{base}"'.encode()))


def _json(body: object, delay_ms: int) -> Reply:
    return Reply(json.dumps(body), content_type="application/json", delay_seconds=delay_ms / 1000)
