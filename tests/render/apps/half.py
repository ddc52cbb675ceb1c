"""A site that is half pages of a server and half an application: the shop is below ``/app/``."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from tests.render.apps.build import FOLDER
from tests.render.apps.hosting import HTML, hosted_app
from tests.render.apps.truth import Danger, Need, RouteTruth, Step, Truth, read_truth
from tests.site import Reply, redirect

if TYPE_CHECKING:
    from tests.site.reply import Route

_APP = "react"
_BASE = "/app/"


@dataclass(frozen=True, slots=True)
class StaticPage:
    title: str
    text: str
    links: tuple[str, ...] = ()


@cache
def static_pages() -> dict[str, StaticPage]:
    said = json.loads((FOLDER / "half.json").read_text())
    return {
        path: StaticPage(page["title"], page["text"], tuple(page.get("links", ())))
        for path, page in said.items()
    }


def half_site() -> dict[str, Route]:
    pages: dict[str, Route] = {
        path: Reply(_html(page), content_type=HTML) for path, page in static_pages().items()
    }
    app = hosted_app(_APP, _BASE)
    return {**pages, "/app": redirect(_BASE, 301), "/app/*": app.answer}


def half_truth() -> Truth:
    app = read_truth(FOLDER / _APP / "truth.json")
    static = [_static_route(path) for path in static_pages()]
    routes = [*static, *(_moved_route(route) for route in app.routes.values())]
    return Truth(
        title=f"Static pages, and below {_BASE}: {app.title}",
        start="/",
        routes={route.path: route for route in routes},
        patterns=tuple(_moved(pattern) for pattern in app.patterns),
        beyond={_moved(path): need for path, need in app.beyond.items()},
        dangers={name: _moved_danger(danger) for name, danger in app.dangers.items()},
    )


def _html(page: StaticPage) -> str:
    links = "".join(f'<li><a href="{to}">{_label(to)}</a></li>' for to in page.links)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{page.title}</title>'
        f'<script src="/report.js"></script></head>\n<body>'
        f'<header><a href="/">Northwind</a></header>'
        f"<main><h1>{page.title}</h1>\n<p>{page.text}</p>\n<ul>{links}</ul></main></body></html>\n"
    )


def _label(path: str) -> str:
    return "Our shop" if path == _BASE else static_pages()[path].title


def _static_route(path: str) -> RouteTruth:
    page = static_pages()[path]
    if path == "/":
        return RouteTruth(path, page.title, "the start", "/", (), frozenset())
    start = next(each for each, parent in static_pages().items() if path in parent.links)
    steps = (Step("click", f"a[href='{path}']"),)
    return RouteTruth(path, page.title, "link in the HTML", start, steps, frozenset({Need.LINK}))


def _moved(path: str) -> str:
    return _BASE + path.removeprefix("/")


def _moved_route(route: RouteTruth) -> RouteTruth:
    moved = replace(route, path=_moved(route.path), start=_moved(route.start))
    if route.path != "/":
        return moved
    steps = (Step("click", f"a[href='{_BASE}']"),)
    return replace(
        moved, reached="link in the HTML", start="/", steps=steps, needs=frozenset({Need.LINK})
    )


def _moved_danger(danger: Danger) -> Danger:
    method, path = danger.request.split()
    return replace(danger, page=_moved(danger.page), request=f"{method} {_moved(path)}")
