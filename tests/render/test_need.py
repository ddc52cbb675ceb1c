"""The score that says whether a page needs rendering."""

from __future__ import annotations

import time
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.html.links import PageReading
from sitecrawl.html.page import read_page
from sitecrawl.render.need import RenderingNeed, Sign, Verdict, rendering_need
from tests.render.pages import HTML, PAGES, Sent, links, module, page, script


def need(body: str | bytes, content_type: str = HTML) -> RenderingNeed:
    sent = body.encode() if isinstance(body, str) else body
    return rendering_need(sent, read_page(sent, "https://acme.example/", content_type=content_type))


def signs(body: str | bytes) -> set[Sign]:
    reasons = need(body).reasons
    return {sign for sign in Sign if sign.value in reasons}


@pytest.mark.parametrize("sent", PAGES, ids=lambda sent: sent.name)
def test_verdicts(sent: Sent) -> None:
    found = need(sent.body, sent.content_type)
    assert found.verdict is sent.verdict, found


def test_every_score_is_explained() -> None:
    for sent in PAGES:
        found = need(sent.body, sent.content_type)
        assert found.reasons or not found.score
        assert found.score == sum(reason.points for reason in found.reasons)
        assert len(set(found.reasons)) == len(found.reasons)


def test_every_sign_is_seen_on_some_page() -> None:
    seen = {reason for sent in PAGES for reason in need(sent.body, sent.content_type).reasons}
    assert [sign.name for sign in Sign if sign.value not in seen] == []


def test_signs_have_words_of_their_own() -> None:
    assert len({sign.value.text for sign in Sign}) == len(Sign)


@pytest.mark.parametrize("characters", [49, 50, 249, 250, 599, 600, 1499, 1500])
def test_more_text_never_counts_for_rendering(characters: int) -> None:
    body = page(f"{links(5)}{script('/a.js')}").encode()
    before, after = PageReading("https://acme.example/"), PageReading("https://acme.example/")
    before.text_characters, after.text_characters = characters, characters + 1
    assert rendering_need(body, before).score >= rendering_need(body, after).score


# --- single signs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "root",
    [
        '<div id="root"></div>',
        "<div id='app'>\n  </div>",
        "<div id=app></div>",
        '<div class="x" id="__next" data-y="1"></div>',
        '<div\n id="react-root"><!-- filled by scripts --></div>',
        "<app-root></app-root>",
        '<app-root class="dark"> </app-root>',
        "<section data-ng-view></section>",
        '<ui-view></ui-view><div ui-view=""></div>',
        '<div id="app"><script>boot()</script></div>',
    ],
)
def test_an_empty_root(root: str) -> None:
    assert Sign.EMPTY_ROOT in signs(page(f"<h1>Acme</h1>{root}{script('/a.js')}"))


@pytest.mark.parametrize(
    "element",
    [
        '<div id="root">Text</div>',
        '<div id="appendix"></div>',
        '<div class="app"></div>',
        '<div data-id="app"></div>',
        "<p>The id=root element</p>",
        "<app-rooter></app-rooter>",
    ],
)
def test_no_empty_root(element: str) -> None:
    assert Sign.EMPTY_ROOT not in signs(page(f"<h1>Acme</h1>{element}{script('/a.js')}"))


@pytest.mark.parametrize(
    "address",
    [
        "/static/js/main.4f3a2b1c.js",
        "/_next/static/chunks/webpack-1a2b.js",
        "/assets/index-D4x_9aZb.js",
        "https://cdn.example/x/vendor.js",
        "/dist/bundle.min.js?v=3",
        "/runtime~main.js",
        "/packs/js/application-9c0ffee1234.js",
    ],
)
def test_a_bundle(address: str) -> None:
    assert Sign.BUNDLE in signs(page(script(address)))


@pytest.mark.parametrize(
    "address",
    [
        "/js/jquery-3.6.0.min.js",
        "/js/bootstrap.min.js",
        "/js/main.js",
        "/wp-includes/js/jquery/jquery.min.js?ver=3.7.1",
        "https://code.example/ui/1.13.2/jquery-ui.js",
    ],
)
def test_no_bundle(address: str) -> None:
    found = signs(page(script(address)))
    assert Sign.BUNDLE not in found
    assert Sign.NO_SCRIPT not in found


@pytest.mark.parametrize(
    "words",
    [
        "Please enable JavaScript.",
        "<strong>This site needs JAVASCRIPT</strong>",
        "Veuillez activer JavaScript pour continuer.",
        "Habilite JavaScript, por favor.",
        "Abilita JavaScript.",
        "Schakel JavaScript in.",
        "Włącz obsługę JavaScript.",
        "Пожалуйста, включите JavaScript.",
        "请启用JavaScript后继续。",
        "يرجى تفعيل جافا سكريبت",
    ],
)
def test_a_plea_for_javascript(words: str) -> None:
    assert Sign.NOSCRIPT in signs(page(f"<noscript>{words}</noscript>{script('/a.js')}"))


def test_a_pixel_is_no_plea() -> None:
    pixel = '<noscript><img src="/javascript.gif" alt=""></noscript>'
    assert Sign.NOSCRIPT not in signs(page(pixel + script("/a.js")))


@pytest.mark.parametrize(
    "scripts",
    [
        "",
        "<script></script>",
        '<script type="application/ld+json">{"name": "Acme"}</script>',
        '<script type="text/x-handlebars">{{name}}</script>',
        '<script src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>',
        "<script>window._paq=[];_paq.push(['trackPageView'])</script>",
        "<!--[if lt IE 9]><script src='/js/old.js'></script><![endif]-->",
    ],
)
def test_scripts_that_add_nothing(scripts: str) -> None:
    found = need(page(scripts))
    assert Sign.NO_SCRIPT.value in found.reasons
    assert found.verdict is Verdict.NO


@pytest.mark.parametrize(
    "kind", ["text/javascript", "application/x-javascript", "module", "text/babel"]
)
def test_scripts_that_may_add_something(kind: str) -> None:
    assert Sign.NO_SCRIPT not in signs(page(f'<script type="{kind}">start()</script>'))


def test_an_application_that_watches_as_well_is_no_mere_watcher() -> None:
    start = '<script>Sentry.init({}); import("/app.js").then(start)</script>'
    assert {Sign.EMPTY_ROOT, Sign.BUNDLE} <= signs(page('<div id="app"></div>' + start))


def test_a_wide_encoding_is_read_as_well() -> None:
    body = page('<div id="root"></div>' + module("/a.js")).encode("utf-16")
    assert Sign.EMPTY_ROOT in signs(body)


def test_what_follows_a_megabyte_of_data_is_seen() -> None:
    data = f'<script type="application/json">"{"x" * 1_000_000}"</script>'
    found = need(page('<div id="root"></div>' + data + script("/static/js/main.4f3a2b1c.js")))
    assert {Sign.EMPTY_ROOT.value, Sign.BUNDLE.value} <= set(found.reasons)


# --- anything at all --------------------------------------------------------------------------

_PIECES = st.sampled_from(
    [
        *("<", ">", "</", "<!--", "-->", "<script", "</script>", "<noscript>", "</noscript>"),
        *("<body>", ' id="app"', "<app-root>", " src=/a-", "\0", "\xff", "javascript", "{", "x-"),
    ]
)


@given(
    st.one_of(
        st.binary(max_size=300), st.lists(_PIECES, max_size=60).map(lambda p: "".join(p).encode())
    )
)
def test_it_never_raises(body: bytes) -> None:
    reading = PageReading("https://acme.example/")
    assert rendering_need(body, reading).score == rendering_need(body, reading).score


@pytest.mark.parametrize(
    "unit",
    [
        "<!--", "<script", "<script>", "<noscript", "<noscript>x</noscript>", " id=app", " id=app>",
        "<app-root ", "<body><a-a>", "<script></script>", '<script src="/a-', "<input ",
        "<turbo-frame ",
        "<script src=/a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a></script>",
        "<script src=/a/a/a/a/a/a/a-0000000000000000000000000000000000></script>", "hx-trigger=' ",
        "elm.a.", " \n\t", "<body >", "<noscript><</noscript>",
    ],
)  # fmt: skip
def test_hostile_pages_take_time_in_proportion(unit: str) -> None:
    reading = PageReading("https://acme.example/")

    def seconds(size: int) -> float:
        body = (unit * (size // len(unit) + 1))[:size].encode()
        timer = timeit.Timer(lambda: rendering_need(body, reading), timer=time.process_time)
        return min(timer.repeat(3, number=1))

    # A quadratic reader would take sixteen times as long, and a fixed cost makes it less.
    assert seconds(200_000) < 10 * seconds(50_000) + 0.005
