"""``sitecrawl why``: how a URL came to be known, why it was refused, or why it may be missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply
from tests.site.build import robots, sitemap, sitemap_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Inventory
    from tests.site import SiteServer
    from tests.site.project import ProcessResult, Project


def why(inventory: Inventory, url: str) -> str:
    return inventory.run("why", url).succeeded().stdout


def test_a_listed_page_is_explained_by_each_document(inventory: Inventory) -> None:
    shop = inventory.shop
    text = inventory.process("why", shop.at("/about")).succeeded().stdout
    lines = text.splitlines()
    assert lines[0] == shop.at("/about")
    assert "known since" in lines[1]
    assert lines[2].strip() == "listed"
    assert f"listed by {shop.at('/pages.xml')}, entry 2 (sitemap), lastmod 2026-01-02" in text
    assert f"listed by {shop.at('/more.xml.gz')}, entry 2 (sitemap)" in text
    assert "which was found by another sitemap" in text


def test_a_listed_page_is_explained_by_its_class(inventory: Inventory) -> None:
    text = why(inventory, inventory.shop.at("/goods/5"))
    lines = text.partition("  listed\n")[2].splitlines()
    assert lines[0] == "  primary content, page: no rule says more"
    assert re.fullmatch(r"  priority 0\.[0-9]+:", lines[1])
    assert re.fullmatch(r"    (0\.[0-9]+) of \1: primary content", lines[2])
    assert "  in the clusters:" in lines
    assert re.search(r"\n    /goods/\{id\} \([0-9]+ pages\): the address is of the form ", text)


def test_a_page_of_a_feed(inventory: Inventory) -> None:
    text = why(inventory, inventory.shop.at("/news/1"))
    assert f"listed by {inventory.shop.at('/news.rss')}, entry 1 (feed)" in text


@pytest.mark.parametrize(
    ("path", "reason", "rule"),
    [
        ("/admin/panel", "skipped_path", "/admin"),
        ("/price-list.pdf", "skipped_file_type", "*.pdf"),
    ],
)
def test_a_refused_page_comes_with_its_reason_and_rule(
    inventory: Inventory, path: str, reason: str, rule: str
) -> None:
    text = why(inventory, inventory.shop.at(path))
    assert f"refused: {reason}, by the rule {rule}" in text
    assert f"listed by {inventory.shop.at('/pages.xml')}, entry" in text


def test_a_refused_page_of_another_site_is_explained(inventory: Inventory) -> None:
    # It belongs to no known site by its address, but it is in the inventory as refused.
    text = why(inventory, "https://elsewhere.example/x")
    assert "refused: offsite" in text
    assert inventory.shop.at("/pages.xml") in text


def test_a_page_that_was_dropped(inventory: Inventory) -> None:
    text = why(inventory, inventory.shop.at("/gone"))
    assert "\n  no longer listed: last seen in scan 1; since then all that listed it was" in text
    assert "no longer in it in scan 2\n" in text
    assert f"was listed by {inventory.shop.at('/pages.xml')}" in text
    assert "\n  listed\n" not in text


def test_never_seen_and_nothing_was_missed(inventory: Inventory) -> None:
    text = why(inventory, inventory.wiki.at("/articles/none"))
    assert text.splitlines()[1].strip() == "never seen"
    assert "scan 3 (finished)" in text
    assert "every fetched document was read completely: no entry and no link names it" in text
    assert "  not looked for among images, scripts, styles" in text.splitlines()[-1]


def test_never_seen_but_documents_failed(inventory: Inventory) -> None:
    text = why(inventory, inventory.shop.at("/nowhere"))
    assert "never seen" in text
    assert "these documents were not read completely and may list it:" in text
    assert f"    {inventory.shop.at('/broken.xml')}: " in text
    assert "503" in text
    assert "/pages.xml" not in text


@pytest.mark.parametrize(
    "path",
    ["/about/", "/about#team", "/about?utm_source=x", "/./about", "/%61bout"],
)
def test_the_url_may_be_written_in_any_way(inventory: Inventory, path: str) -> None:
    assert "\n  listed\n" in why(inventory, inventory.shop.at(path))


@pytest.mark.parametrize("scheme", ["", "//", "https://"])
def test_the_scheme_may_be_left_out_or_differ(inventory: Inventory, scheme: str) -> None:
    host = inventory.shop.url.removeprefix("http://")
    assert "\n  listed\n" in why(inventory, f"{scheme}{host}/about")


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://",
        "mailto:joe@shop.example",
        "",
        "http://exa mple.com/",
        "http://a\x01b/",
    ],
)
def test_what_cannot_be_a_page_is_no_traceback(inventory: Inventory, url: str) -> None:
    done = inventory.run("why", url)
    assert "Traceback" not in done.output
    assert done.returncode in {0, 2}
    assert done.output.strip()


def test_a_url_that_cannot_be_a_page_on_the_site(inventory: Inventory) -> None:
    text = why(inventory, inventory.shop.at("/" + "x" * 3000))
    assert "cannot be a page" in text
    assert "2083" in text.replace(",", "")


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("javascript:void(0)", "http and https only, not javascript:"),
        ("mailto:joe@shop.example", "http and https only, not mailto:"),
        ("ftp://shop.example/a", "http and https only, not ftp:"),
        ("http://[::1", "not a valid URL"),
    ],
)
def test_a_url_that_cannot_be_a_page_anywhere(inventory: Inventory, url: str, rule: str) -> None:
    assert why(inventory, url) == f"{url} cannot be a page: {rule}\n"


def test_the_rules_are_those_of_the_last_scan(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    site.routes |= {
        "/": b"<h1>Site</h1>",
        "/robots.txt": robots("/map.xml"),
        "/map.xml": sitemap(*(site.at(f"/{number}") for number in range(12))),
    }
    project.crawl(site.url, settings={"SITECRAWL_MAX_URL_LENGTH": 100}).succeeded()
    for url in (site.at("/" + "x" * 100), site.url.removeprefix("http://") + "/" + "x" * 100):
        text = cli("why", url).succeeded().stdout
        assert text == f"{url} cannot be a page: at most 100 characters\n"


def test_a_listed_text_that_is_no_url_is_explained_as_refused(inventory: Inventory) -> None:
    text = why(inventory, "http://[broken")
    assert text.splitlines()[0] == "http://[broken"
    assert "refused: invalid_url, by the rule not a valid URL" in text
    assert f"listed by {inventory.shop.at('/pages.xml')}, entry" in text


# --- what robots.txt says -----------------------------------------------------------------------

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"


def test_a_page_that_robots_txt_refuses_is_explained_in_full(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    site.routes |= {
        "/": b"<h1>Site</h1>",
        "/robots.txt": b"User-agent: *\nDisallow: /private # \x1b[2J\nDisallow: /\x1b[2J\n"
        b"Crawl-delay: 0.01\nSitemap: /map.xml\n",
        "/map.xml": sitemap("/private/x", "/%1B[2J", *(f"/{number}" for number in range(12))),
    }
    project.crawl(site.url).succeeded()
    text = cli("why", site.at("/private/x")).succeeded().stdout
    robots_txt = re.escape(site.at("/robots.txt"))
    assert re.fullmatch(
        rf"{re.escape(site.at('/private/x'))}\n"
        rf"  known since {TIME}, scan 1\n"
        r"  refused: blocked_by_robots, by the rule Disallow: /private\n"
        rf"  not allowed by {robots_txt}, line 2, for \*: Disallow: /private\n"
        rf"      crawl-delay 0\.01 s, confidence 1, first decided {TIME}\n"
        rf"  listed by {re.escape(site.at('/map.xml'))}, entry 1 \(sitemap\)\n"
        rf"      which was found by robots\.txt line 5, read {TIME}, scan 1\n",
        text,
    )
    hostile = cli("why", site.at("/%1B[2J")).succeeded().stdout
    assert "line 3, for *: Disallow: /\\x1b[2J" in hostile
    assert "\x1b" not in hostile

    # A second scan by the same copy: nothing is in doubt.
    project.crawl(site.url).succeeded()
    assert cli("why", site.at("/private/x")).stdout.startswith(text.partition(" read ")[0])
    unknown = cli("why", site.at("/nowhere")).succeeded().stdout
    assert "every fetched document was read completely" in unknown


def test_a_page_that_robots_txt_allows(inventory: Inventory) -> None:
    text = why(inventory, inventory.shop.at("/about"))
    robots_txt = inventory.shop.at("/robots.txt")
    assert f"\n  allowed by {robots_txt}, for * (no rule)\n      confidence 1, first" in text


def test_robots_txt_says_nothing_of_other_sites(inventory: Inventory) -> None:
    assert "robots.txt," not in why(inventory, "https://elsewhere.example/x")


def test_a_page_of_a_site_without_robots_txt(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    site.routes |= {"/sitemap.xml": sitemap("/a")}
    project.crawl(site.url).succeeded()
    text = cli("why", site.at("/a")).succeeded().stdout
    assert f"\n  allowed: there is no {site.at('/robots.txt')}\n" in text


def test_a_page_of_a_site_that_answers_with_a_page_for_robots_txt(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    shell = Reply(b"<!doctype html><title>App</title>", content_type="text/html")
    site.routes |= {"/robots.txt": shell, "/sitemap.xml": sitemap("/a")}
    project.crawl(site.url).succeeded()
    text = cli("why", site.at("/a")).succeeded().stdout
    assert f"\n  allowed: what {site.at('/robots.txt')} answers is no robots.txt\n" in text


def test_a_page_without_a_robots_txt_to_go_by(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    site.routes |= {"/robots.txt": Reply(status=500), "/sitemap.xml": sitemap("/a")}
    settings = {"RETRY_TIMES": 0, "SITECRAWL_MIN_SITEMAP_URLS": 1}
    project.crawl(site.url, settings=settings).succeeded()
    text = cli("why", site.at("/a")).succeeded().stdout
    assert "\n  listed\n" in text, "a list is no fetch"
    assert f"\n  not allowed by {site.at('/robots.txt')} (unreachable)\n" in text
    assert "confidence 0.5" in text


# --- how far "never seen" can be trusted --------------------------------------------------------


def _serve(site: SiteServer) -> None:
    site.routes |= {
        "/": b"<h1>Site</h1>",
        "/robots.txt": robots("/index.xml"),
        "/index.xml": sitemap_index(site.at("/a.xml"), site.at("/b.xml")),
        "/a.xml": sitemap(*(site.at(f"/a/{number}") for number in range(12))),
        "/b.xml": sitemap(*(site.at(f"/b/{number}") for number in range(12))),
    }


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SITECRAWL_MAX_SITEMAPS", 2),
        ("SITECRAWL_MAX_SITEMAP_URLS", 12),
        ("SITECRAWL_MAX_SITEMAP_URLS", 5),
    ],
)
def test_what_a_limit_left_out_may_list_it(
    site: SiteServer,
    project: Project,
    cli: Callable[..., ProcessResult],
    setting: str,
    value: int,
) -> None:
    _serve(site)
    feed = project.crawl(site.url, settings={setting: value})
    # Which of the two maps came first is up to the scheduler.
    left = "b" if site.at("/b/11") not in feed.urls else "a"
    text = cli("why", site.at(f"/{left}/11")).succeeded().stdout
    assert "never seen" in text
    assert "every document of that scan was read" not in text
    assert site.at(f"/{left}.xml") in text


def test_a_robots_txt_that_is_not_asked_again_still_names_its_sitemaps(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    _serve(site)
    site.routes["/robots.txt"] = robots("/a.xml", "/b.xml")
    project.crawl(site.url).succeeded()
    project.crawl(site.url, settings={"SITECRAWL_MAX_SITEMAPS": 1}).ended_in_part()
    assert len(site.requests("/robots.txt")) == 1
    text = cli("why", site.at("/c")).succeeded().stdout
    assert f"    {site.at('/b.xml')}: not fetched" in text
    known = cli("why", site.at("/b/1")).succeeded().stdout
    assert "\n  last confirmed by scan 1; scan 2 has not read what lists it\n  listed\n" in known
    assert len(cli("urls", site.url).succeeded().stdout.splitlines()) == 24


def test_a_scan_that_failed_cannot_say_that_nothing_lists_it(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    url = site.url
    site.stop()
    assert project.crawl(url, settings={"RETRY_TIMES": 0}).returncode == 1
    text = cli("why", f"{url}/x").stdout
    assert "never seen" in text
    assert "(failed)" in text
    assert "every document of that scan was read" not in text


def test_a_page_is_found_in_the_site_around_a_scanned_part_of_it(
    site: SiteServer, project: Project, cli: Callable[..., ProcessResult]
) -> None:
    site.routes["/robots.txt"] = robots("/sitemap.xml")
    site.routes["/sitemap.xml"] = sitemap(site.at("/docs/a"), site.at("/docs/b"))
    site.routes["/"] = site.routes["/docs/"] = b"<h1>Nothing</h1>"
    for url in (site.url, site.at("/docs/")):
        settings = {
            "SITECRAWL_CRAWL": "never",
            "SITECRAWL_MAX_SITEMAP_URLS": 1 if "docs" in url else 0,
        }
        project.crawl(url, settings=settings)
    text = cli("why", site.at("/docs/b")).succeeded().stdout
    assert "never seen" not in text
    assert f"listed by {site.at('/sitemap.xml')}, entry 2" in text


def test_a_path_alone_is_no_address(inventory: Inventory) -> None:
    assert "write the whole URL, such as https://example.com/about" in why(inventory, "/about")
