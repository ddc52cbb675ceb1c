"""Pages that do not want to be explored: bounded, and what was found before is kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from sitecrawl.render.explorer import Ending, Exploration, ExplorationLimits
from tests.site import Reply

if TYPE_CHECKING:
    from tests.render.browsing import Browsing
    from tests.site import SiteServer

_LIMITS = ExplorationLimits(seconds=5.0, settle_seconds=0.5)
_FIRST = "<button onclick=\"history.pushState({}, '', '/a')\">A</button>"
_LAST = "<button onclick=\"history.pushState({}, '', '/b')\">B</button>"

_BOUNDED = {
    "timers that never end": "<script>(function on() { setTimeout(on, 1) })()</script>",
    "timers that multiply": """<script>
        let count = 0;
        const on = () => { if (count++ < 20000) { setTimeout(on, 5); setTimeout(on, 5); } };
        on();
    </script>""",
    "a document that never rests": """<p id=p></p><script>
        setInterval(() => { p.textContent = Math.random(); p.className = "x" + Math.random(); }, 1);
    </script>""",
    "a list that never ends": """<ul id=u></ul><script>
        setInterval(() => u.insertAdjacentHTML("beforeend", "<li onclick='1'>x</li>"), 5);
    </script>""",
    "a request that never ends": "<script>fetch('/never')</script>",
    "a page that scrolls for ever": """<div id=d style="height: 3000px"></div><script>
        addEventListener("scroll", () => { d.style.height = d.clientHeight + 3000 + "px"; });
    </script>""",
    "100,000 elements": """<div id=many></div><script>
        many.innerHTML = "<span>x</span>".repeat(100000);
    </script>""",
    "very deep": """<div id=deep></div><script>
        let at = deep;
        for (let i = 0; i < 1000; i++) at = at.appendChild(document.createElement("div"));
    </script>""",
    "10,000 buttons": """<div id=many></div><script>
        many.innerHTML = "<button onclick='1'>x</button>".repeat(10000);
    </script>""",
    "forms whose fields are named as properties": """<form><input name=parentNode>
        <input name=children><input name=id><input name=getAttribute><b onclick="1">x</b></form>""",
    "attributes without end": "<p onclick='1' class='" + "x " * 50_000 + "'>" + "y" * 100_000,
    "replaced functions": """<script>
        JSON.stringify = () => "lies"; JSON.parse = () => ({});
        for (const name of ["push", "map", "forEach", "slice", "join", "indexOf", "filter"]) {
          Array.prototype[name] = () => { throw new Error("mine"); };
        }
        Array.prototype[Symbol.iterator] = null;
        Array.prototype.toJSON = Object.prototype.toJSON = String.prototype.toJSON = () => "lies";
        Promise.prototype.then = null;
        window.Promise = window.Map = window.Set = window.URL = window.Error = null;
        Function.prototype.call = Function.prototype.apply = Function.prototype.bind = null;
        Object.keys = Object.defineProperty = Reflect.apply = null;
        RegExp.prototype.exec = null; String.prototype.trim = String.prototype.slice = null;
        Element.prototype.getAttribute = Element.prototype.matches = () => { throw 1; };
        EventTarget.prototype.dispatchEvent = EventTarget.prototype.addEventListener = null;
        Event.prototype.preventDefault = null;
        window.setTimeout = window.clearTimeout = window.getComputedStyle = null;
    </script>""",
    "a router that lies": """<div id=v></div><script>
        v.__vue_app__ = { config: { globalProperties: { $router: {
          getRoutes: () => new Proxy([], { get: (_, name) => name === "length" ? 1e9 : {} }),
          resolve: () => ({ href: {} }),
        } } } };
        const fiber = { memoizedProps: { get router() { throw 1; } } };
        fiber.child = fiber;
        v.__reactContainer$x = fiber;
    </script>""",
    "messages without end": """<script>
        setInterval(() => { alert(1); confirm(2); prompt(3); }, 1);
    </script>""",
    "a click that writes the page anew": "<button onclick=\"document.write('<p>')\">W</button>",
    "a click that closes the window": '<button onclick="window.close()">Shut</button>',
    "a click that reloads": '<button onclick="location.reload()">Again</button>',
    "a click that goes back": '<button onclick="history.back()">Back</button>',
    "a click that empties the page twice": """<button onclick="this.outerHTML = ''">X</button>""",
}


def _explore(
    browsing: Browsing, site: SiteServer, body: str, limits: ExplorationLimits = _LIMITS
) -> Exploration:
    html = f"<!doctype html><meta charset=utf-8><title>t</title><body>{_FIRST}{body}{_LAST}"
    site.routes["/"] = Reply(html, content_type="text/html; charset=utf-8")
    site.routes["/never"] = Reply(b"x", delay_seconds=30)
    return browsing.explore(site.at("/"), limits)


@pytest.mark.parametrize("body", _BOUNDED.values(), ids=_BOUNDED)
def test_a_hostile_page_is_explored_within_bounds(
    browsing: Browsing, site: SiteServer, body: str
) -> None:
    began = time.monotonic()

    found = _explore(browsing, site, body)

    paths = {route.url.removeprefix(site.url) for route in found.routes}
    assert found.is_page_usable, found.trouble
    assert "/a" in paths
    assert time.monotonic() - began < 25
    assert len(found.refused) < 1000


def test_replaced_functions_hide_no_route(browsing: Browsing, site: SiteServer) -> None:
    found = _explore(browsing, site, _BOUNDED["replaced functions"])

    assert {route.url for route in found.routes} == {site.at("/a"), site.at("/b")}


@pytest.mark.parametrize(
    "handler", ["while (true);", "for (;;) alert(1)"], ids=["endless", "messages"]
)
def test_a_click_that_never_ends_costs_no_more_than_its_page(
    browsing: Browsing, site: SiteServer, handler: str
) -> None:
    body = f'<button onclick="{handler}">Stuck</button>'

    found = _explore(
        browsing, site, body, ExplorationLimits(settle_seconds=0.2, patience_seconds=2)
    )

    assert (found.ending, found.is_page_usable) == (Ending.HUNG, False)
    assert [route.url for route in found.routes] == [site.at("/a")]
    assert found.fragments[0].html.count("Stuck") == 1
    # The browser is as good as before.
    assert _explore(browsing, site, "").ending is Ending.FINISHED


def test_what_is_beyond_the_limit_of_elements_is_told(browsing: Browsing, site: SiteServer) -> None:
    found = _explore(browsing, site, "<p>x</p>" * 100, ExplorationLimits(max_elements=50))

    assert [route.url for route in found.routes] == [site.at("/a")]
    assert found.truncated == ("max_elements",)


def test_the_time_is_limited(browsing: Browsing, site: SiteServer) -> None:
    slow = "".join(
        f'<button onclick="setTimeout(() => 0, 900)">{name}</button>' for name in "qrstuvwx"
    )

    found = _explore(browsing, site, slow, ExplorationLimits(seconds=1.5))

    assert (found.ending, found.truncated) == (Ending.OUT_OF_TIME, ("seconds",))
    assert found.is_page_usable
