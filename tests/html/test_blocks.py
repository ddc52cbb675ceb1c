from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitecrawl.html import blocks as module
from sitecrawl.html.blocks import KnownBlocks
from sitecrawl.html.links import PageLimits, PageReading
from sitecrawl.html.page import read_page
from tests.html.reading import HTML, URL

MENU = (
    '<nav class="menu" aria-label="Main"><ul class=list><li><a href="/a">A</a></li>'
    '<li><a href="/b" hreflang=de rel="next">B &amp; <b>b</b>&nbsp;&lt;i&gt;</a><ul>'
    '<li><a href="/b/1"><img src=x alt="One"></a></li><li><a href=/b/2>Two<br>lines</a></li></ul>'
    '<button type=button onclick="location=\'/open\'"><svg><path d="M8 1"/></svg></button>'
    '</li></ul><!-- end --> <div data-href="/card">Card &#13; \n text</div></nav>'
)
FOOTER = '<footer><p class=c>Small print, <a href="/a">A</a> <a href=/terms>Terms</a></p></footer>'
NESTED = f"<header id=top><h1><a href=/>Home</a></h1>{MENU}</header>"
REPEATED_LINK = "<aside><h2>Read on</h2><a href=/r>R</a> <a href=/r>R</a> <a href=/r>S</a></aside>"
BLOCKS = [MENU, FOOTER, NESTED, REPEATED_LINK]


def read(known: KnownBlocks | None, html: str, limits: PageLimits | None = None) -> PageReading:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MIN_BYTES", 0)
        return read_page(
            html.encode(),
            URL,
            content_type=HTML,
            limits=limits or PageLimits(),
            has_menu=False,
            known=known,
        )


def knowing(*blocks: str) -> KnownBlocks:
    known = KnownBlocks()
    for _ in range(module._TIMES_TO_LEARN):
        read(known, f"<!doctype html><body>{''.join(blocks)}")
    return known


def both(known: KnownBlocks, html: str, limits: PageLimits | None = None) -> PageReading:
    """Read a page with what is known and with nothing known, and compare."""
    reading = read(known, html, limits)
    assert reading == read(None, html, limits)
    return reading


def left_out(known: KnownBlocks, html: str) -> int:
    """How many blocks are not in the page's tree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MIN_BYTES", 0)
        return len(known.parse(html.encode()).blocks)


@pytest.mark.parametrize("block", BLOCKS)
def test_known_blocks_are_not_parsed_again(block: str) -> None:
    known = knowing(block)
    html = f"<title>T</title><div class=page>{block}<main><a href=/new>New</a></main></div>"
    assert left_out(known, html) == 1
    assert "/new" in both(known, html).links.locs


def test_a_block_is_known_when_it_has_come_three_times() -> None:
    known = KnownBlocks()
    html = f"<body>{MENU}"
    assert [left_out(known, html) for _ in range(5)] == [0, 0, 0, 1, 1]


def test_the_outermost_known_block_is_left_out() -> None:
    known = knowing(MENU, NESTED)
    assert left_out(known, f"<body>{NESTED}{FOOTER}") == 1
    assert left_out(known, f"<body><header><h2>Other</h2>{MENU}</header>") == 1


def test_the_same_links_around_a_block_are_counted_on() -> None:
    known = knowing(FOOTER)
    own = "<footer><p class=c><a href=/first>F</a> <a href=/a>A</a></p></footer>"
    reading = both(known, f"<body>{own}{FOOTER}<footer><p class=c><a href=/z>Z</a>")
    assert reading.links.paths[-2:] == ["footer > p.c > a:nth(4)", "footer > p.c > a:nth(5)"]


def test_the_same_block_in_several_places() -> None:
    known = knowing(FOOTER)
    both(known, f"<body>{FOOTER}<main>{FOOTER}</main>{FOOTER}<nav>{FOOTER}</nav>{FOOTER}")


def test_the_attributes_of_its_own_element_are_those_of_the_page() -> None:
    block = "<nav data-href=/nav onclick=\"location='/on'\"><a href=/in>In</a></nav>"
    reading = both(knowing(block), f"<body>{block}")
    assert reading.links.locs == ["/nav", "/on", "/in"]


@pytest.mark.parametrize("links", [1, 2, 3, 5, 7, 8])
def test_limits_hold_inside_of_blocks(links: int) -> None:
    known = knowing(MENU, FOOTER)
    both(known, f"<body><a href=/1>1</a>{MENU}{FOOTER}", PageLimits(max_links=links))


def test_addresses_that_are_too_long_are_noted_on_every_page() -> None:
    block = f"<nav><a href='/{'x' * 9000}'>long</a> <a href='data:{'y' * 300}'>data</a></nav>"
    known = knowing(block)
    for _ in range(2):
        reading = both(known, f"<body>{block}")
        assert [finding.kind for finding in reading.findings] == ["oversized_text"]


@pytest.mark.parametrize(
    "around",
    [
        *("<p>{}</p>", "<a href=/out>{}</a>", "<b>{}</b>", "<b><p>x</b>{}", "<button>{}</button>"),
        *("<table>{}</table>", "<table><tr><td>{}</table>", "<select><option>{}</select>"),
        *("<svg>{}</svg>", "<svg><foreignObject>{}</svg>", "<math><mi>{}</math>", "<ul><li>{}"),
        *("<!-- {} -->", "<script>{}</script>", "<style>{}</style>", "<textarea>{}</textarea>"),
        *("<noscript>{}</noscript>", "<template>{}</template>", "<iframe>{}</iframe>", "<title>{}"),
        *("<plaintext>{}", '<nav title="{}', "<nav title='{}'>x</nav>", "<head>{}", "</body>{}"),
        *(
            "<frameset>{}</frameset>",
            "<object>{}</object>",
            "<h1>{}</h1>",
            "<dl><dt>{}",
            "<nobr>{}",
        ),
        *('<script type=application/ld+json>{{"url": "/j", "name": "{}"}}</script>', "<font>x{}y"),
    ],
)
def test_wherever_a_block_stands(around: str) -> None:
    known = knowing(*BLOCKS)
    for block in BLOCKS:
        for _ in range(2):
            both(known, around.format(block) + "<a href=/after>After</a><p>text" + FOOTER)


@pytest.mark.parametrize(
    "content",
    [
        *("<a href=/a>open", "</p>", "<p><div>x</div></p>", "<b><i>x</b></i>", "<a><a href=/a>x"),
        *(
            "<form action=/f>x</form>",
            "<table><tr><td>x</table>",
            "<script>x</script>",
            "<svg><a>x",
        ),
        *(
            "<li>x",
            "<template>x</template>",
            "<title>x</title>",
            "<textarea><a href=/t></textarea>",
        ),
        *(
            "<button><button>x</button></button>",
            "<!-- > --> x",
            "<!--x",
            "<body class=b>x",
            "<br/>",
        ),
        *("<a href='/a>x</a>", "<a href=/a/>x</a>", "<input type=hidden>x", "< a>x", "<svg><p>x"),
        *(
            "<h1><h2>x</h2></h1>",
            "<dd><dd>x</dd></dd>",
            "<nav>x</nav>",
            "<iframe>x</iframe>",
            "x\0y",
        ),
    ],
)
def test_whatever_a_block_holds(content: str) -> None:
    block = f"<nav><a href=/1>1</a>{content}<a href=/2>2</a></nav>"
    known = knowing(block, FOOTER)
    both(known, f"<body><div>{block}<a href=/after>After</a>{FOOTER}")


def test_a_page_that_cannot_have_a_block_left_out_is_parsed_twice_only_once() -> None:
    known = knowing(MENU, FOOTER)
    html = f"<body><a href=/out>{MENU}</a>{FOOTER}"
    assert left_out(known, html) == 0
    assert left_out(known, html) == 1


def test_a_menu_that_is_asked_for_is_read_from_the_whole_page() -> None:
    known = knowing(MENU)
    html = f"<!doctype html><body>{MENU}".encode()
    reading = read_page(html, URL, content_type=HTML, known=known)
    assert reading.menu
    assert reading == read_page(html, URL, content_type=HTML)


def test_other_limits_are_obeyed() -> None:
    known = knowing(MENU)
    html = f"<body>{MENU}"
    for limits in (PageLimits(), PageLimits(max_anchor_characters=2), PageLimits()):
        both(known, html, limits)


def test_few_blocks_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_MAX_KIN": 2, "_MAX_BLOCKS_OF_A_KIN": 3, "_MAX_SEEN_BLOCKS": 5}.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(module, "_PAGES_BETWEEN", 1)
    known = KnownBlocks()
    for number in range(40):
        alike = f"<nav><a href=/>{'Home' * 20}</a><a href=/{number}>{number}</a></nav>"
        other = f"<nav class=c-{number}><a href=/{number}>{number}</a></nav>"
        for _ in range(4):
            both(known, f"<body>{alike}{other}<nav><form>{number}</form></nav>")
        assert len(known._kin) <= 2
        assert all(len(kin.blocks) <= 3 for kin in known._kin.values())
        assert max(len(known._seen), len(known._useless)) <= 5


def test_blocks_that_no_page_has_any_more_are_forgotten() -> None:
    known = knowing(MENU, FOOTER)
    for _ in range(module._MAX_MISSES + 1):
        both(known, f"<body>{FOOTER}")
    assert [kin.head for kin in known._kin.values()] == [FOOTER.encode()[: module._HEAD_BYTES]]
    for _ in range(3 * module._PAGES_BETWEEN):
        both(known, f"<body>{MENU}")
    assert left_out(known, f"<body>{MENU}{FOOTER}") == 2


def test_menus_that_differ_in_one_word() -> None:
    menus = [MENU.replace("Two", f"Two {number}") for number in range(5)]
    known = KnownBlocks()
    for _ in range(module._TIMES_TO_LEARN):
        for menu in menus:
            both(known, f"<body>{menu}")
    for menu in menus:
        assert left_out(known, f"<body>{menu}<p>text") == 1
        both(known, f"<body>{menu}<p>text")


PIECES = [
    *BLOCKS,
    *("<div>", "</div>", "<p>", "</p>", "<a href=/x>", "</a>", "<b>", "</b>", "<i>", "</i>"),
    *("<nav>", "</nav>", "<header>", "</header>", "<aside class=s>", "</aside>", "<footer>"),
    *("<table>", "<tr>", "<td>", "</table>", "<ul>", "<li>", "</ul>", "<svg>", "</svg>", "<path/>"),
    *("<form action=/f>", "</form>", "<button>", "</button>", "<select>", "</select>", "<h2>"),
    *(
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<template>",
        "</template>",
        "<noscript>",
        "<object>",
    ),
    *(
        "<nav title='",
        "'>",
        '"',
        ">",
        "<",
        "</body>",
        "<frameset>",
        "<main>",
        "text ",
        "&amp;",
        "é",
    ),
]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
@example(["<b>", "<p>", "</b>", MENU, "text "])
@example(["<a href=/x>", "<table>", MENU, "</a>", "text "])
def test_any_page_around_blocks(pieces: list[str]) -> None:
    known = knowing(*BLOCKS)
    both(known, "".join(pieces))


@settings(max_examples=400)
@given(
    st.lists(st.sampled_from(PIECES[len(BLOCKS) :]), max_size=12),
    st.lists(st.sampled_from(PIECES), max_size=6),
)
def test_any_block_in_a_page(content: list[str], before: list[str]) -> None:
    block = f"<nav>{''.join(content)}text</nav>"
    both(knowing(block, FOOTER), f"{''.join(before)}{block}<a href=/end>End</a>{FOOTER}")
