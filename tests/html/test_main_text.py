from __future__ import annotations

import pytest

from tests.html.reading import read

_TEXT = (
    "What this page is about, in more words than a page without a text of its own would have: " * 2
)


@pytest.mark.parametrize(
    "surrounding",
    [
        "<nav>Menu</nav>",
        "<header><p>Shop</p></header>",
        "<footer>2026</footer>",
        "<aside>News</aside>",
        "<div class='sidebar'><p>News</p></div>",
        "<div class=navheader><table><tr><td>Prev</td></tr></table></div>",
        "<ul class='docnav top'><li>Next</ul>",
        "<div class=footer>Last updated on 3 May <div class=nav>More</div></div>",
    ],
)
def test_what_surrounds_the_content_is_no_main_text(surrounding: str) -> None:
    alone = read(f"<body><p>{_TEXT}")
    page = read(f"<body>{surrounding}<p>{_TEXT}</p>{surrounding}")
    assert page.text.split() == alone.text.split()
    assert page.text_hash == alone.text_hash
    # The whole page still counts where traps and empty pages are told.
    assert page.text_characters > alone.text_characters


def test_the_main_element_is_the_content() -> None:
    inside = f"<h1>Title</h1><nav>On this page</nav><aside>A note</aside><p>{_TEXT}</p>"
    page = read(f"<body><div>Cookies</div><main>{inside}</main><div>Imprint</div>")
    assert page.text.split() == f"Title A note {_TEXT}".split()
    by_role = read(f"<body><div>Cookies</div><div role=main>{inside}</div>")
    assert by_role.text_hash == page.text_hash


@pytest.mark.parametrize(
    "page",
    [
        "<body><nav><a href=/a>A</a> <a href=/b>B</a></nav>",
        "<body><nav>A long list of links</nav><main><p>Index</p></main>",
    ],
)
def test_a_page_that_is_all_menu_is_compared_by_it(page: str) -> None:
    found = read(page)
    assert found.text
    assert len("".join(found.text.split())) == found.text_characters


@pytest.mark.parametrize(("one", "other"), [("RC2", "RC5"), ("12.99", "13.99"), ("a", "A")])
def test_words_and_numbers_of_the_main_text_count(one: str, other: str) -> None:
    pages = [read(f"<body><nav>Menu</nav><main>{_TEXT} {word}</main>") for word in (one, other)]
    assert pages[0].text_hash != pages[1].text_hash


def test_no_text_has_no_hash() -> None:
    assert read("<body><script>x</script>").text == ""
