from __future__ import annotations

import pytest

from sitecrawl.html.links import PageLimits
from tests.html.reading import named, read, rows


@pytest.mark.parametrize(
    ("html", "found"),
    [
        pytest.param('<a href="/a">', [("link", "/a")], id="a link"),
        pytest.param("<A HREF=/a>", [("link", "/a")], id="upper case, no quotes"),
        pytest.param('<a href=" /a?b=1&amp;c=2 ">', [("link", "/a?b=1&c=2")], id="entities"),
        pytest.param('<a href="/a/\n   b">', [("link", "/a/b")], id="broken over lines"),
        pytest.param('<svg><a xlink:href="/a">', [("link", "/a")], id="a link in a drawing"),
        pytest.param('<map><area href="/a"></map>', [("area", "/a")], id="image map"),
        pytest.param('<a name="x">', [], id="no address"),
        pytest.param('<a href="#">', [], id="nothing but a hash"),
        pytest.param('<a href="javascript:void(0)">', [], id="a script that does nothing"),
        pytest.param('<a href="JavaScript: void(0) ;">', [], id="the same in other letters"),
        pytest.param('<a href="javascript:;">', [], id="an empty script"),
        pytest.param('<a href="#x">', [], id="a fragment of the page"),
        pytest.param('<a href="#/x">', [("link", "#/x")], id="a route behind a hash"),
        pytest.param('<a href="#!x">', [("link", "#!x")], id="an old route behind a hash"),
        pytest.param(
            """<a href="#x" onclick="location='/a'">""",
            [("onclick", "/a")],
            id="a fragment that a script replaces",
        ),
        pytest.param(
            '<base href="/b/"><a href="#x">', [("link", "#x")], id="a fragment of another base"
        ),
        pytest.param('<a href="mailto:a@b.example">', [("link", "mailto:a@b.example")], id="mail"),
        pytest.param('<a href="tel:+1">', [("link", "tel:+1")], id="telephone"),
        pytest.param('<a href="data:,x">', [("link", "data:,x")], id="data"),
        pytest.param(
            """<a href="javascript:window.open('/a')">""",
            [("link", "javascript:window.open('/a')"), ("onclick", "/a")],
            id="a script that leads somewhere",
        ),
        pytest.param('<iframe src="/a"></iframe>', [("iframe", "/a")], id="iframe"),
        pytest.param('<iframe src="about:blank"></iframe>', [], id="empty iframe"),
        pytest.param('<frameset><frame src="/a">', [("iframe", "/a")], id="frame"),
        pytest.param('<form action="/a">', [("form", "/a")], id="form"),
        pytest.param('<form action="/a" method=" GET ">', [("form", "/a")], id="get form"),
        pytest.param('<form action="/a" method="post">', [], id="post form"),
        pytest.param("<form>", [], id="form without address"),
        pytest.param('<div data-href="/a">', [("data-attribute", "/a")], id="data-href"),
        pytest.param('<ul><li data-url="a.html">', [("data-attribute", "a.html")], id="data-url"),
        pytest.param('<b data-link="?p=2">', [("data-attribute", "?p=2")], id="data-link"),
        pytest.param('<div data-url="btn-42" data-href="">', [], id="data that is no address"),
        pytest.param('<div data-url="/blog/{id}">', [], id="a template of an address"),
        pytest.param('<button data-navigate="/a">', [("button", "/a")], id="button"),
        pytest.param('<span role="link" data-href="/a">', [("role-link", "/a")], id="role"),
        pytest.param('<span role="link" href="/a">', [("role-link", "/a")], id="role with href"),
        pytest.param(
            """<i role=link onclick="location='/a'">""", [("role-link", "/a")], id="role, handler"
        ),
        pytest.param('<a role="link" href="/a">', [("link", "/a")], id="a link of that role"),
        pytest.param('<a routerLink="/a">', [("router-link", "/a")], id="Angular"),
        pytest.param('<a ng-href="/a">', [("router-link", "/a")], id="AngularJS"),
        pytest.param('<a ng-href="/a/{{id}}">', [], id="AngularJS, unresolved"),
        pytest.param('<a ui-sref="home">', [], id="name of a state"),
        pytest.param('<a ui-sref="/a">', [("router-link", "/a")], id="state with a path"),
        pytest.param('<router-link to="/a">', [("router-link", "/a")], id="Vue"),
        pytest.param('<nuxt-link to="/a/:id">', [], id="route with a parameter"),
        pytest.param('<button hx-get="/a">', [("router-link", "/a")], id="htmx"),
        pytest.param('<a href="/a" hx-get="/b">', [("link", "/a"), ("router-link", "/b")], id="2"),
        pytest.param("""<p onclick="location.href='/a'">""", [("onclick", "/a")], id="onclick"),
        pytest.param("""<a @click="$router.push('/a')">""", [("onclick", "/a")], id="Alpine"),
        pytest.param('<p onclick="show(1)">', [], id="a handler that leads nowhere"),
        pytest.param("<loc>https://x.example/a</loc>", [("inline-loc", "https://x.example/a")]),
        pytest.param("<url><loc><![CDATA[/a]]></loc></url>", [("inline-loc", "/a")], id="cdata"),
    ],
)
def test_sources(html: str, found: list[tuple[str, str]]) -> None:
    assert named(html) == found


@pytest.mark.parametrize(
    ("inner", "anchor"),
    [
        ("text", "text"),
        ("  two\n  words ", "two words"),
        ("<b>two</b><i>words</i>", "two words"),
        ("<img alt='a picture'>", "a picture"),
        ("<span><img src=x alt=' deep '></span>", "deep"),
        ("<img alt='hidden'>text", "text"),
        ("<svg aria-label='icon'></svg>", "icon"),
        ("<svg><title>drawing</title></svg>", "drawing"),
        ("<i title='hint'></i>", "hint"),
        ("", ""),
        ("x" * 300, "x" * 200),
        ("&lt;b&gt; &eacute;", "<b> é"),
    ],
)
def test_anchors(inner: str, anchor: str) -> None:
    assert [row.anchor for row in rows(f'<a href="/a">{inner}</a>')] == [anchor]


@pytest.mark.parametrize(
    ("attributes", "anchor"),
    [
        ("aria-label='label' title='title'", "label"),
        ("title=' the  title '", "the title"),
    ],
)
def test_labels_stand_for_a_text_that_is_not_there(attributes: str, anchor: str) -> None:
    assert rows(f'<a href="/a" {attributes}><img src="x"></a>')[0].anchor == anchor
    assert rows(f'<a href="/a" {attributes}>text</a>')[0].anchor == "text"


def test_relations_and_languages_are_kept() -> None:
    (row,) = rows('<a href="/a" rel=" NoFollow  me " hreflang="de_AT">x</a>')
    assert (row.rel, row.language) == ("nofollow me", "de-at")
    assert read('<a href="/a" hreflang="??">x</a>').links.languages == {}


def test_a_path_leads_to_its_link() -> None:
    found = rows(
        """<body class="home page"><div class="wrap"><ul class=posts><li><a href=1>1</a></li>
        <li><a href=2>2</a> <a href=3>3</a></li></ul><div id=box><p><a href=4>4</a></div></div>
        <footer><a href=5>5</a></footer>"""
    )
    assert [row.path for row in found] == [
        "body.home > div.wrap > ul.posts > li > a",
        "body.home > div.wrap > ul.posts > li > a:nth(2)",
        "body.home > div.wrap > ul.posts > li > a:nth(3)",
        "div#box > p > a",
        "footer > a",
    ]


def test_long_paths_keep_their_end() -> None:
    html = "".join(f'<div class="level-{number}">' for number in range(60)) + '<a href="/a">'
    (row,) = rows(html, limits=PageLimits(max_path_characters=60))
    assert row.path == "... > div.level-57 > div.level-58 > div.level-59 > a"


def test_names_from_outside_do_not_break_a_path() -> None:
    (row,) = rows('<div class="a>b{}"><div id="x y"><div class="very-%s"><a href=1>' % ("x" * 99))
    assert row.path == "div > div > a"


def test_a_menu_has_titles_and_levels_in_order() -> None:
    page = read(
        """<header><a href="/"><img alt="Logo"></a><nav><ul><li><a href="/a">A</a>
        <ul><li><a href="/b">B</a><ul><li><a href="/c">C</a></ul></ul><li><a href="/d">D</a></ul>
        </nav><form action="/search"></form></header>
        <main><ul><li><a href="/main">no menu</a></ul></main>
        <aside><p><a href="/e">E</a></p><a href="#top">no page</a><a href="mailto:x@y.z">mail</a>
        </aside><footer><a href="/f">no menu</a></footer>"""
    )
    found = [(entry.title, page.links.locs[entry.row], entry.level) for entry in page.menu]
    assert found == [
        ("Logo", "/", 0),
        ("A", "/a", 0),
        ("B", "/b", 1),
        ("C", "/c", 2),
        ("D", "/d", 0),
        ("E", "/e", 0),
    ]


def test_the_lists_around_a_menu_do_not_count() -> None:
    page = read("<ul><li><nav><ul><li><a href=/a>A</a></ul></nav></ul>")
    assert [entry.level for entry in page.menu] == [0]
