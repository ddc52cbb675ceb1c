from __future__ import annotations

import pytest

from tests.html.reading import read, regions

LINK = '<a href="/a">a</a>'


@pytest.mark.parametrize(
    ("html", "region"),
    [
        (LINK, "content-link"),
        (f"<main>{LINK}</main>", "content-link"),
        (f"<nav>{LINK}</nav>", "navigation"),
        (f"<div role=navigation>{LINK}</div>", "navigation"),
        (f"<header>{LINK}</header>", "header"),
        (f"<div role='banner'>{LINK}</div>", "header"),
        (f"<footer>{LINK}</footer>", "footer"),
        (f"<div role=contentinfo>{LINK}</div>", "footer"),
        (f"<aside>{LINK}</aside>", "aside"),
        (f"<div role=COMPLEMENTARY>{LINK}</div>", "aside"),
        (f"<ol aria-label='Breadcrumb'><li>{LINK}</ol>", "breadcrumb"),
        (f"<ol itemscope itemtype='https://schema.org/BreadcrumbList'>{LINK}</ol>", "breadcrumb"),
        (f"<p id=breadcrumbs>{LINK}</p>", "breadcrumb"),
        (f"<div class='woocommerce-breadcrumb'>{LINK}</div>", "breadcrumb"),
        (f"<div aria-label='Pagination'>{LINK}</div>", "pagination"),
        (f"<ul class='page-numbers'>{LINK}</ul>", "pagination"),
        (f"<div class='my-pagination'>{LINK}</div>", "pagination"),
        ('<main><a rel="next" href="/a">', "pagination"),
        ('<main><a rel="nofollow PREV" href="/a">', "pagination"),
    ],
)
def test_regions_by_elements_roles_and_labels(html: str, region: str) -> None:
    assert regions(html) == {"/a": region}


@pytest.mark.parametrize(
    ("html", "region"),
    [
        (f"<div class=navbar>{LINK}</div>", "navigation"),
        (f"<div id=menu>{LINK}</div>", "navigation"),
        (f"<ul class='list main-menu'>{LINK}</ul>", "navigation"),
        (f"<div class='nav--primary'>{LINK}</div>", "navigation"),
        (f"<div class=sidebar>{LINK}</div>", "aside"),
        (f"<div id=header>{LINK}</div>", "header"),
        (f"<div class='site-footer__inner'>{LINK}</div>", "footer"),
        (f"<div class='Footer_root__x3fa'>{LINK}</div>", "footer"),
        (f"<td class=menu>{LINK}</td>", "content-link"),
        (f"<table><tr><td class=menu>{LINK}</td></table>", "navigation"),
        # The header of a card is none of the page, nor is a menu item a menu.
        (f"<div class='card-header'>{LINK}</div>", "content-link"),
        (f"<div class='menu-item footer-text'>{LINK}</div>", "content-link"),
        (f"<div class='navigate sidebars'>{LINK}</div>", "content-link"),
    ],
)
def test_regions_by_the_usual_names_where_there_is_nothing_better(html: str, region: str) -> None:
    assert regions(html) == {"/a": region}


@pytest.mark.parametrize(
    ("html", "region"),
    [
        pytest.param(f"<header><nav>{LINK}", "navigation", id="a menu in the header"),
        pytest.param(f"<header><ul class=menu>{LINK}", "navigation", id="the same by its class"),
        pytest.param(f"<nav><header>{LINK}", "navigation", id="a header in the menu"),
        pytest.param(f"<nav class=breadcrumb>{LINK}", "breadcrumb", id="breadcrumbs are a nav"),
        pytest.param(f"<ol class=breadcrumb><nav>{LINK}", "breadcrumb", id="whatever is inside"),
        pytest.param(f"<nav><div class=pagination>{LINK}", "pagination", id="pages in a nav"),
        pytest.param(f"<footer><nav>{LINK}", "navigation", id="a menu in the footer"),
        pytest.param(f"<footer><ul class=menu>{LINK}", "footer", id="not by its class"),
        pytest.param(f"<aside><ul class=menu>{LINK}", "aside", id="nor in an aside"),
        pytest.param(f"<article><header>{LINK}", "content-link", id="header of an article"),
        pytest.param(f"<main><section><footer>{LINK}", "content-link", id="footer of a section"),
        pytest.param(f"<main><div class=header>{LINK}", "content-link", id="header in the main"),
        pytest.param(f"<main><aside>{LINK}", "aside", id="an aside of the main"),
        pytest.param(f"<div class=header><footer>{LINK}", "footer", id="elements beat classes"),
        pytest.param(f"<footer><div class=sidebar>{LINK}", "footer", id="classes do not"),
        pytest.param(f"<aside><a href=/b rel=next>{LINK}", "aside", id="a relation is its own"),
    ],
)
def test_the_innermost_and_most_telling_wins(html: str, region: str) -> None:
    assert regions(html)["/a"] == region


def test_what_is_in_the_head_has_no_region() -> None:
    assert regions('<link rel=next href="/a"><meta property="og:url" content="/b">') == {
        "/a": "",
        "/b": "",
    }


def test_pages_that_look_alike_are_read_alike() -> None:
    html = f"<div class=x><nav>{LINK}</nav></div><div class=x>{LINK}</div>"
    assert regions(html) == regions(html) == {"/a": "content-link"}


def test_very_long_names_are_read_up_to_a_length() -> None:
    assert regions(f"<div class='{'x ' * 5000} navbar'>{LINK}") == {"/a": "content-link"}


def test_long_element_names_are_cut_in_paths() -> None:
    (path,) = read(f"<{'x' * 999} data-href=/a>").links.paths
    assert path == f"body > {'x' * 40}"
