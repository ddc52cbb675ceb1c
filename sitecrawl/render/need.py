"""Whether a page needs rendering: an explained score, from the page as the server sent it.

Points for rendering come from what single-page applications send: an empty element to fill,
bundles of scripts, a plea to turn JavaScript on. Points against it come from what is there
already: text, links, forms. It runs for every page, so it reads bytes and builds no second tree,
and a page that clearly has its content is told by that alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.html.links import LinkSource
from sitecrawl.render.rules.trackers import TRACKERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sitecrawl.html.links import PageReading

_YES_FROM = 60
# Little text and few links alone are a small page.
_MAYBE_FROM = 25

_SHELL_CHARACTERS = 50
_LITTLE_CHARACTERS = 250
_SOME_CHARACTERS = 600
_MUCH_CHARACTERS = 1_500
_FEW_LINKS = 3
_SOME_LINKS = 10
_MANY_LINKS = 30

# Applications put what matters at the start of a page, and their scripts there or at its end.
_HEAD_BYTES = 196_608
_TAIL_BYTES = 65_536
_MAX_SCRIPTS = 100
_SCRIPT_BYTES = 4_000
_NOSCRIPT_BYTES = 4_000
_TAG_BYTES = 1_000


class Verdict(StrEnum):
    YES = "yes"
    MAYBE = "maybe"
    NO = "no"


class Reason(NamedTuple):
    """One observation, for a person, and what it adds to the score."""

    text: str
    points: int


class Sign(Enum):
    """Everything that counts, with its weight; positive means rendering."""

    EMPTY_ROOT = Reason("the root element of an application is empty", 80)
    BARE_ROOT = Reason("the root element of an application has hardly anything in it", 40)
    CLIENT_ONLY = Reason("the server left rendering to the browser", 60)
    FRAMEWORK = Reason("a framework that runs in the browser", 30)
    NOSCRIPT = Reason("visitors without JavaScript are asked to turn it on", 30)
    BUNDLE = Reason("bundles of scripts", 20)
    SELF_LOADING = Reason("parts that load themselves", 20)
    NO_TEXT = Reason("no text worth the name", 30)
    LITTLE_TEXT = Reason("little text", 15)
    NO_LINKS = Reason("no links", 30)
    FEW_LINKS = Reason("few links", 5)

    SOME_TEXT = Reason("text is there", -20)
    MUCH_TEXT = Reason("much text is there", -45)
    SOME_LINKS = Reason("links are there", -20)
    MANY_LINKS = Reason("many links are there", -30)
    SERVER_RENDERED = Reason("the server rendered it, for scripts to take over", -30)
    FORM = Reason("a form is there", -30)
    FORWARDING = Reason("it only leads on to another page", -100)
    FRAMES = Reason("its content is in frames, which are pages", -100)
    CHALLENGE = Reason("a check for robots, which is not ours to pass", -300)
    NO_SCRIPT = Reason("no script that could add anything", -300)
    NOT_HTML = Reason("not an HTML page", -300)


@dataclass(frozen=True, slots=True)
class RenderingNeed:
    score: int
    verdict: Verdict
    reasons: tuple[Reason, ...]


_FORWARDS = frozenset({LinkSource.META_REFRESH, LinkSource.HTTP_REFRESH})
_LINKS = (LinkSource.ROUTER_LINK, LinkSource.AREA, LinkSource.ROLE_LINK)
# The two usual ways to leave room for an application in a page that is full otherwise.
_ROOM = (b'id="app"></', b'id="root"></')

# All that follows is looked for in lower case, with a space for every white space. Where it can
# be, it is a plain text: to find that takes a hundredth of what a regular expression takes. Those
# that are needed start with a plain text, for the same reason.
_PLAIN = bytes.maketrans(b"\t\n\r\f\v", b" " * 5).lower()

_ROOT_IDS = rb"""
    root app __next __nuxt __layout ___gatsby gatsby-focus-wrapper app-?root react-?root react-?app
    vue-?app vue-?root q-app svelte svelte-?app ember-?app app-?mount mount main-?app application
    app-?container app-?main single-spa-application[^"'\s>]{0,99} spa-?root elm elm-?app
    blazor-?app storefront shell
"""
_ROOTS = (
    re.compile(rb""" id=["']?(?:%s)(?=["' >])""" % b"|".join(_ROOT_IDS.split())),
    *(
        re.compile(rb"<%s(?=[ >])" % name)
        for name in (b"app-root", b"app-shell", b"my-app", b"ion-app", b"router-outlet")
    ),
    *(re.compile(rb"%s(?=[ =>])" % name) for name in (b"ng-view", b"ui-view", b"data-reactroot")),
)
_END_OF_TAG_AND_ELEMENT = re.compile(rb"[^<>]{0,1000}> {0,500}</")
# An element of which the whole body consists, such as a component.
_ONLY_ELEMENT = re.compile(
    rb"<body[^>]{0,1000}> {0,500}<([a-z][a-z0-9-]{0,90})(?: [^>]{0,1000})?> {0,500}</\1>"
    rb" {0,500}(?:</body|\Z)"
)
_SOURCE = re.compile(rb""" src {0,5}= {0,5}["']?([^"' >]{1,500})""")
_KIND = re.compile(rb""" type {0,5}= {0,5}["']?([^"' >]{1,100})""")
_DATA_KIND = re.compile(
    rb"json|template|importmap|speculationrules|/x-(?!javascript)|handlebars|mustache|boundary"
)
_BUNDLE_SOURCE = re.compile(
    rb"/_next/|/_nuxt/|/_app/immutable/|/static/js/|/_astro/|/packs/js/|webpack|chunk|bundle"
    rb"|vendors?[.-]|runtime[.~-]|polyfills?[.-]"
    # A name with a hash: main.4f3a2b1c.js, index-bkx4_9az.js, app~5d2e1f00.js.
    rb"|(?:^|/)[a-z][\w~-]{0,60}[.~-](?=[a-z_-]{0,30}[0-9])[\w-]{7,40}\.m?js"
)
_BUNDLE_TEXTS = (
    *(b"webpackjsonp", b"webpackchunk", b"__webpack", b"/@vite", b"__vite"),
    *(b'import("', b"import('", b"system.import("),
)
_FRAMEWORKS = (
    *(b"flutter.js", b"flutter_bootstrap.js", b"main.dart.js", b"_framework/blazor", b"_bg.wasm"),
    *(b"__sveltekit", b"__meteor_runtime_config__", b"elm.main.init(", b".nocache.js"),
    *(b'/config/environment"', b" ng-app", b" data-ng-app", b" ng-version="),
    *(b"/vaadin/build/", b"sap-ui-core.js", b"ext.application("),
)
_HYDRATIONS = (
    *(b"__next_data__", b"self.__next_f", b"window.__nuxt__=", b"window.__nuxt__ ="),
    *(b"__nuxt_data__", b"__docusaurus"),
    *(b"__remixcontext", b"__reactroutercontext", b"data-server-rendered", b"ng-server-context"),
    *(b"data-reactroot", b"data-sveltekit-hydrate", b"window.pagepath", b"window.___"),
    *(b"fastboot-body-start", b"<astro-island", b"__apollo_state__", b"__initial_state__"),
    *(b"__preloaded_state__", b"q:container", b"<!--blazor:{", b'id="ng-state"'),
)
_CLIENT_ONLY = (
    *(b"bailout_to_client_side_rendering", b"serverrendered:false", b"serverrendered:!1"),
    *(b"serverrendered: false", b'data-ssr="false"'),
)
_SELF_LOADING = (
    re.compile(rb"""hx-trigger=["'][^"']{0,200}\b(?:load|revealed|intersect)\b"""),
    re.compile(rb"<turbo-frame [^>]{0,500}\bsrc="),
    re.compile(rb"<include-fragment [^>]{0,500}\bsrc="),
)
_FIELD = re.compile(rb"""<input(?![^>]{0,300}type=["']?hidden)""")
_FIELDS = (b"<textarea", b"<select")
_CHALLENGES = (
    *(b"_cf_chl_opt", b"/cdn-cgi/challenge-platform/h/", b"captcha-delivery.com", b"px-captcha"),
    *(b"awswafintegration", b"_incapsula_resource", b"/_sec/verify?provider="),
)
# JavaScript keeps its name in nearly every language.
_JAVASCRIPT = tuple(
    word.encode()
    for word in (
        *("javascript", "java script", "java-script", "джаваскрипт", "яваскрипт", "जावास्क्रिप्ट"),
        *("جافا سكريبت", "جافاسكريبت", "جاوااسکریپت", "자바스크립트", "จาวาสคริปต์"),
    )
)
_TAG = re.compile(rb"<[^>]{0,1000}>?")
_SIGNS_BY_TEXT = (
    (Sign.CHALLENGE, _CHALLENGES),
    (Sign.FRAMEWORK, _FRAMEWORKS),
    (Sign.CLIENT_ONLY, _CLIENT_ONLY),
    (Sign.FRAMES, (b"<frameset",)),
)


def rendering_need(body: bytes, reading: PageReading) -> RenderingNeed:
    """Weigh a page's bytes and what was read from it; never raises."""
    if not reading.is_html:
        return _weighed([Sign.NOT_HTML])
    sources = reading.links.sources
    links = sources.count(LinkSource.LINK) + reading.own_links
    signs = [*_text_signs(reading.text_characters), *_link_signs(links, sources)]
    is_full = reading.text_characters >= _MUCH_CHARACTERS and links >= _SOME_LINKS
    if not is_full or any(room in body for room in _ROOM):
        if not _FORWARDS.isdisjoint(sources) and reading.text_characters < _SOME_CHARACTERS:
            signs.append(Sign.FORWARDING)
        is_bare = reading.text_characters < _LITTLE_CHARACTERS and links <= _FEW_LINKS
        has_content = reading.text_characters >= _LITTLE_CHARACTERS or links > 0
        signs += _markup_signs(_plain(body), has_content=has_content, is_bare=is_bare)
    return _weighed(signs)


def _weighed(signs: list[Sign]) -> RenderingNeed:
    reasons = tuple(sign.value for sign in signs)
    score = sum(reason.points for reason in reasons)
    if score >= _YES_FROM:
        verdict = Verdict.YES
    else:
        verdict = Verdict.MAYBE if score >= _MAYBE_FROM else Verdict.NO
    return RenderingNeed(score, verdict, reasons)


def _text_signs(characters: int) -> Iterator[Sign]:
    if characters < _SHELL_CHARACTERS:
        yield Sign.NO_TEXT
    elif characters < _LITTLE_CHARACTERS:
        yield Sign.LITTLE_TEXT
    elif characters >= _MUCH_CHARACTERS:
        yield Sign.MUCH_TEXT
    elif characters >= _SOME_CHARACTERS:
        yield Sign.SOME_TEXT


def _link_signs(links: int, sources: list[LinkSource]) -> Iterator[Sign]:
    if links <= _FEW_LINKS:
        links += sum(map(sources.count, _LINKS))
    if links == 0:
        yield Sign.NO_LINKS
    elif links <= _FEW_LINKS:
        yield Sign.FEW_LINKS
    elif links >= _MANY_LINKS:
        yield Sign.MANY_LINKS
    elif links >= _SOME_LINKS:
        yield Sign.SOME_LINKS


def _markup_signs(whole: bytes, *, has_content: bool, is_bare: bool) -> Iterator[Sign]:
    page, _ = _cut(whole, b"<!--", b"-->")
    markup, scripts = _cut(page, b"<script", b"</script>")
    own = [script[:_SCRIPT_BYTES] for script in scripts[:_MAX_SCRIPTS] if _is_own(script)]
    if not own:
        yield Sign.NO_SCRIPT
        return
    markup, noscripts = _cut(markup, b"<noscript", b"</noscript>")
    if any(map(_asks_for_javascript, noscripts)):
        yield Sign.NOSCRIPT
    if any(map(_is_bundle, own)):
        yield Sign.BUNDLE
    for sign, texts in _SIGNS_BY_TEXT:
        if _has_any(page, texts):
            yield sign
    if any(pattern.search(markup) for pattern in _SELF_LOADING):
        yield Sign.SELF_LOADING
    if _has_any(markup, _FIELDS) or _FIELD.search(markup):
        yield Sign.FORM
    # Some leave their data in comments.
    is_hydrated = _has_any(whole, _HYDRATIONS)
    if is_hydrated and has_content:
        yield Sign.SERVER_RENDERED
    root = _root_sign(markup)
    if root is Sign.EMPTY_ROOT or (root is Sign.BARE_ROOT and is_bare and not is_hydrated):
        yield root


def _has_any(page: bytes, texts: Iterable[bytes]) -> bool:
    return any(text in page for text in texts)


def _root_sign(markup: bytes) -> Sign | None:
    if _ONLY_ELEMENT.search(markup):
        return Sign.EMPTY_ROOT
    found = None
    for pattern in _ROOTS:
        for match in pattern.finditer(markup):
            found = Sign.BARE_ROOT
            if _END_OF_TAG_AND_ELEMENT.match(markup, match.end()):
                return Sign.EMPTY_ROOT
    return found


def _is_own(script: bytes) -> bool:
    """Whether a script could add content: it is no data, and does not only watch visitors."""
    tag, _, text = script[: _TAG_BYTES + _SCRIPT_BYTES].partition(b">")
    kind = _KIND.search(tag)
    if kind and _DATA_KIND.search(kind[1]):
        return False
    source = _SOURCE.search(tag)
    if source is None and _has_any(text, _BUNDLE_TEXTS):
        return True
    subject = source[1] if source else text
    return bool(subject.strip()) and not _has_any(subject, TRACKERS)


def _is_bundle(script: bytes) -> bool:
    tag, _, text = script.partition(b">")
    kind = _KIND.search(tag)
    if kind and kind[1] == b"module":
        return True
    source = _SOURCE.search(tag)
    return bool(_BUNDLE_SOURCE.search(source[1])) if source else _has_any(text, _BUNDLE_TEXTS)


def _asks_for_javascript(noscript: bytes) -> bool:
    words = _TAG.sub(b" ", noscript[:_NOSCRIPT_BYTES])
    return _has_any(words, _JAVASCRIPT)


def _plain(body: bytes) -> bytes:
    """The start and the end of a page, in lower case and with plain spaces."""
    if len(body) > _HEAD_BYTES + _TAIL_BYTES:
        body = body[:_HEAD_BYTES] + body[-_TAIL_BYTES:]
    # In UTF-16 every other byte of markup is a zero.
    return body.translate(_PLAIN, b"\0")


def _cut(page: bytes, opening: bytes, closing: bytes) -> tuple[bytes, list[bytes]]:
    """Take out all that is between two marks; without a closing one the rest stays as it is.

    A regular expression would look for the missing end once for each beginning.
    """
    kept, taken = [], []
    position = 0
    while (start := page.find(opening, position)) >= 0:
        end = page.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(page[position:start])
        taken.append(page[start + len(opening) : end])
        position = end + len(closing)
    kept.append(page[position:])
    return b"".join(kept), taken
