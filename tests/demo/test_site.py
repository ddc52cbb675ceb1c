from __future__ import annotations

import gzip
import http.client
import json
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

import pytest

import sitecrawl.demo
from sitecrawl.demo import DemoServer, sitemaps
from sitecrawl.demo.site import NOT_FOUND, Page, build_site

ORIGIN = "http://127.0.0.1:8000"
SITE = build_site(ORIGIN)
HTML_PAGES = [path for path, page in SITE.items() if page.content_type.startswith("text/html")]


class LinkCollector(HTMLParser):
    """Every address that a page names."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.json_ld: list[str] = []
        self.title = ""
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_json_ld = ("type", "application/ld+json") in attrs
        self._within = "json_ld" if is_json_ld else tag
        named = {"href", "src", "action"}
        self.links += [value for name, value in attrs if name in named and value]

    def handle_data(self, data: str) -> None:
        if self._within == "json_ld":
            self.json_ld.append(data)
        elif self._within == "title":
            self.title += data
        self._within = ""


def collect(path: str) -> LinkCollector:
    collector = LinkCollector()
    collector.feed(SITE[path].body.decode())
    return collector


def linked_addresses() -> set[str]:
    """What the pages name, each except itself."""
    return {
        address
        for path in HTML_PAGES
        for address in (urljoin(ORIGIN + path, link) for link in collect(path).links)
        if address != ORIGIN + path
    }


def page_at(url: str) -> Page | None:
    """What the site serves for an absolute URL of its own."""
    assert url.startswith(f"{ORIGIN}/")
    return SITE.get(urlsplit(url).path)


def locs(path: str) -> list[str]:
    body = SITE[path].body
    if path == sitemaps.GUIDES:
        return body.decode().split()
    if body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    root = ET.fromstring(body)
    names = ("{http://www.sitemaps.org/schemas/sitemap/0.9}loc", "link")
    return [element.text or "" for name in names for element in root.iter(name)]


def test_index_lists_five_maps_of_which_one_is_gone() -> None:
    listed = {url: page_at(url) for url in locs(sitemaps.INDEX)}
    assert [url for url, page in listed.items() if page is None] == [ORIGIN + sitemaps.GONE]
    assert [urlsplit(url).path for url in listed] == [
        sitemaps.PAGES,
        sitemaps.BLOG,
        sitemaps.SEEDS,
        sitemaps.GUIDES,
        sitemaps.GONE,
    ]


def test_robots_names_the_index_and_the_feed() -> None:
    lines = SITE["/robots.txt"].body.decode().splitlines()
    named = [line.removeprefix("Sitemap: ") for line in lines if line.startswith("Sitemap:")]
    assert named == [ORIGIN + sitemaps.INDEX, ORIGIN + sitemaps.FEED]


@pytest.mark.parametrize(
    "path", [sitemaps.PAGES, sitemaps.BLOG, sitemaps.SEEDS, sitemaps.GUIDES, sitemaps.FEED]
)
def test_every_listed_page_is_served(path: str) -> None:
    own = [url for url in locs(path) if url != sitemaps.PARTNER]
    assert own
    served = {url: page_at(url) for url in own}
    assert not [url for url, page in served.items() if not page or page.status != HTTPStatus.OK]


def test_the_maps_have_something_to_refuse_and_to_fold() -> None:
    listed = [
        url
        for path in (sitemaps.PAGES, sitemaps.BLOG, sitemaps.SEEDS, sitemaps.GUIDES)
        for url in locs(path)
    ]
    listed += [url.partition("?")[0] for url in locs(sitemaps.FEED)]
    assert {sitemaps.PARTNER, f"{ORIGIN}/cart", f"{ORIGIN}/downloads/catalogue-2026.pdf"} < set(
        listed
    )
    assert 120 <= len(set(listed)) <= 200
    assert len(set(listed)) < len(listed)
    assert b"<![CDATA[http" in SITE[sitemaps.SEEDS].body


def test_every_internal_link_resolves() -> None:
    own = {address for address in linked_addresses() if address.startswith(ORIGIN)}
    assert not [address for address in own if page_at(address) is None]


def test_linked_and_listed_pages_differ_on_both_sides() -> None:
    linked = linked_addresses()
    listed = set(locs(sitemaps.PAGES))
    assert f"{ORIGIN}/school-garden" in listed - linked
    assert f"{ORIGIN}/blog/page/2/" in linked - listed


def test_titles_are_unique_and_json_ld_is_json() -> None:
    titles = [collect(path).title for path in HTML_PAGES]
    assert all(titles)
    assert len(set(titles)) == len(titles)
    data = [json.loads(text) for path in HTML_PAGES for text in collect(path).json_ld]
    assert {"Library", "Product", "Event", "BlogPosting"} == {facts["@type"] for facts in data}


def test_redirects_lead_to_pages() -> None:
    targets = [page.headers["Location"] for page in SITE.values() if "Location" in page.headers]
    assert "/" in targets
    assert all(SITE[target].status == HTTPStatus.OK for target in targets)


def test_two_builds_are_equal() -> None:
    assert build_site(ORIGIN) == SITE


def test_the_server_answers_conditional_requests_on_one_connection() -> None:
    with DemoServer() as demo:
        address = urlsplit(demo.url).netloc
        client = http.client.HTTPConnection(address, timeout=10)

        def ask(method: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            client.request(method, path, headers=names)
            response = client.getresponse()
            return response.status, dict(response.getheaders()), response.read()

        status, facts, body = ask("GET", "/robots.txt")
        assert status == HTTPStatus.OK
        assert f"Sitemap: {demo.url}/sitemap_index.xml".encode() in body
        status, head, nothing = ask("HEAD", "/robots.txt")
        assert (status, head["ETag"], nothing) == (HTTPStatus.OK, facts["ETag"], b"")
        assert head["Content-Length"] == str(len(body))
        for held, expected in (
            ({"If_None_Match": facts["ETag"]}, HTTPStatus.NOT_MODIFIED),
            ({"If_None_Match": '"other"'}, HTTPStatus.OK),
            ({"If_Modified_Since": facts["Last-Modified"]}, HTTPStatus.NOT_MODIFIED),
            ({"If_Modified_Since": "Wed, 01 Jan 2020 00:00:00 GMT"}, HTTPStatus.OK),
            ({"If_Modified_Since": "yesterday"}, HTTPStatus.OK),
        ):
            assert ask("GET", "/robots.txt", **held)[0] == expected
        assert ask("GET", "/seeds/?sort=name")[0] == HTTPStatus.OK
        assert ask("GET", "/home")[1]["Location"] == "/"
        status, _, missing = ask("GET", "/nowhere")
        assert (status, missing) == (HTTPStatus.NOT_FOUND, build_site(demo.url)[NOT_FOUND].body)
        client.close()


def test_works_from_a_zip(tmp_path: Path) -> None:
    package = Path(sitecrawl.demo.__file__).parent
    archive = tmp_path / "sitecrawl.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("sitecrawl/__init__.py", "")
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                zipped.write(path, Path("sitecrawl/demo", path.relative_to(package)))
    code = (
        f"import sys; sys.path.insert(0, {str(archive)!r})\n"
        "from sitecrawl.demo import site\n"
        "assert '.zip' in site.__file__\n"
        "print(len(site.build_site('http://h')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == len(SITE)
