from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitecrawl.report.markdown import escaped, linked, markdown_report
from tests.report.hostile import ATTACKS, hostile_report
from tests.report.sample import ROOT, sample_report


class _Rendered(HTMLParser):
    """What a reader sees of Markdown: its text, its elements, its links."""

    def __init__(self, markdown: str):
        super().__init__()
        self.text = ""
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_it_reads_as_a_report() -> None:
    text = markdown_report(sample_report(3_000))
    assert text.startswith(f"# Site report: {ROOT}/\n\nScan 12 of 2026-03-14T08:00:00Z")
    assert "3,000 known, about 3,240 in all (95 % interval 3,090 to 3,510)." in text
    assert "### Sitemap entries that answer 404: 17\n\n*Fix soon.* Take them out" in text
    assert "- and 12 more\n" in text
    assert "## Clusters\n\n| Cluster | Kind | Pages | Within | Why | Samples |\n| --- |" in text
    assert "further row" in text  # long tables are cut, and say so


def test_findings_come_in_the_order_of_their_weight() -> None:
    text = markdown_report(sample_report(100))
    titles = [line for line in text.splitlines() if line.startswith("### ")]
    assert [title.rpartition(" ")[2] for title in titles] == ["18", "17", "48", "3"]


def test_attacks_stay_text() -> None:
    rendered = _Rendered(markdown_report(hostile_report()))
    assert rendered.tags <= {
        *("h1", "h2", "h3", "p", "ul", "li", "strong", "em", "a"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert {link.partition(":")[0] for link in rendered.links} == {"https"}
    assert "</script><script>window.hacked = 1</script>" in rendered.text


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_table_keeps_its_cells(attack: str) -> None:
    table = f"| a | b |\n| --- | --- |\n| {linked(attack)} | {escaped(attack)} |\n"
    html = MarkdownIt("commonmark").enable("table").render(table)
    assert html.count("<td") == 2


@given(st.text(max_size=80))
def test_any_text_is_read_as_itself(text: str) -> None:
    rendered = _Rendered(f"x{escaped(text)}x")
    if text.isprintable():
        assert rendered.text.strip() == f"x{text}x"
    assert rendered.tags <= {"p"}


@example("?a&lt;b")
@given(st.text(st.characters(min_codepoint=33), max_size=60))
def test_a_link_leads_where_it_says(path: str) -> None:
    url = f"https://a.example/{path}"
    [link] = _Rendered(linked(url)).links
    if path.isprintable() and "%" not in path:
        assert unquote(link) == url
