"""An application whose routes stand behind "#", with a link to each heading, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.scanned import WITHOUT_LIMITS
from tests.render.browser import needs_browser
from tests.stages.stored import refusals, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

pytestmark = needs_browser

# As docsify does it: "./" in links, the home page as "#/", and headings as "?id=" of a route.
APPLICATION = b"""<!doctype html><html lang="en"><head><title>Manual</title></head>
<body><div id="app"></div><script>
const names = ["setup", "usage", "themes"];
function show() {
  const path = location.hash.replace(/^#\\/?/, "").split("?")[0];
  const own = path ? "#/" + path : "#/";
  const pages = names.map((name) => `<li><a href="#/./${name}">${name}</a>`).join("");
  const headings = [...Array(12).keys()]
    .map((n) => `<li><a href="${own}?id=heading-${n}">Heading ${n}</a>`).join("");
  document.getElementById("app").innerHTML = `<nav><ul><li><a href="#/">Home</a>${pages}</ul></nav>
    <main><h1>The page ${path || "home"}</h1><p>${(path + " of the manual ").repeat(20)}</p>
    <ul>${headings}</ul></main>`;
}
addEventListener("hashchange", show);
show();
</script></body></html>"""


def test_each_route_is_listed_once_and_headings_are_no_pages(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    site.routes["/"] = APPLICATION
    done = crawl(site.url, settings=WITHOUT_LIMITS, timeout_seconds=120).succeeded()
    listed = [url.removeprefix(site.url) for url in done.urls]
    assert sorted(listed) == ["/", "/#/setup", "/#/themes", "/#/usage"]
    found = summary(done)
    assert found["rendered"]["pages"] <= 4 + 10
    [cut] = found["cut_patterns"]
    assert (cut["pattern"], cut["kind"]) == ("/#/*?id={v}", "parameter")
    copies = [url for url, (why, _) in refusals(done).items() if why == "trap_parameter"]
    assert len(copies) == cut["visited"] + cut["left_out"] == 4 * 12
