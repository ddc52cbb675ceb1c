"""Pages as the store gives them to the exporters."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import strategies as st

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.model import SiteModel
from sitecrawl.classify.priority import SiteScale
from sitecrawl.exporters.rows import RowMaker
from sitecrawl.store.pagechunks import PageChunk
from sitecrawl.store.queries.pages import EXPORT_COLUMNS
from sitecrawl.store.queries.scans import VisitFields
from sitecrawl.store.references import PageReferences
from sitecrawl.urls.canonical import KeyRules
from tests.urls.nasty import nasty_urls

DOCUMENTS = {1: "https://a.example/sitemap.xml", 2: 'https://a.example/"map".xml?ü=\\'}
REFERENCES = PageReferences(
    documents=DOCUMENTS,
    scans={1: "2026-11-16T04:02:29Z"},
    verdicts={1: (True, None), 2: (False, 'Disallow: /"\\ü')},
    further_sources={3: ("feed",), 4: ("feed", "sitemap-alternate")},
    visits={
        4: VisitFields(2, 200, "text/html", "00ff", 'https://a.example/"\\ü', None),
        5: VisitFields(0, None, None, None, None, "=https://a.example/"),
    },
)

# With all that makes classes differ.
MODEL = SiteModel(
    scale=SiteScale(most_inlinks=100, newest_month="2026-01", has_menu=True, has_priorities=True),
    cluster_keys=frozenset({"type:article", "lang:pt-br", "type:product"}),
)


PageTuple: TypeAlias = tuple[Any, ...]


def chunk_of(*pages: PageTuple) -> PageChunk:
    return PageChunk.from_rows(EXPORT_COLUMNS, pages)


def page(number: int = 1, url: str = "https://a.example/blog/x", **facts: Any) -> PageTuple:
    """The columns of a page, in the order of EXPORT_COLUMNS."""
    values = {
        "lastmod": "2026-01-02",
        "document_id": 1,
        "source": "sitemap",
        "verdict_id": None,
        "first_scan_id": 1,
        "reason": None,
        "rule": None,
        "title": None,
        "changefreq": None,
        "sitemap_priority": None,
        "category": None,
        "language": None,
        "importance": None,
        "region": None,
        "anchor": None,
        "inlinks": None,
        "link_region": None,
        "own_language": None,
        "text_language": None,
        "declared_type": None,
    }
    assert facts.keys() <= values.keys()
    return (number, url, *(values | facts).values())


def maker(key_rules: KeyRules | None = None) -> RowMaker:
    return RowMaker(key_rules or KeyRules(), REFERENCES, PageClassifier(MODEL), ["en"])


def _rare(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def pages(text: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[PageTuple]:
    """Any page; *text* is what its texts are made of."""
    written = st.text(min_size=1) if text is None else text
    figures = st.integers(0, 100).map(lambda percent: percent / 100)
    common = st.fixed_dictionaries(
        {
            "lastmod": _rare(written),
            "document_id": st.sampled_from(sorted(DOCUMENTS)),
            "source": st.sampled_from(["sitemap", "feed"]),
            "verdict_id": st.sampled_from([None, 1, 2]),
        }
    )
    rare = st.fixed_dictionaries(
        {},
        optional={
            "reason": _rare(st.just("offsite")),
            "rule": _rare(written),
            "title": _rare(written),
            "changefreq": _rare(st.just("daily")),
            "sitemap_priority": _rare(figures),
            "category": _rare(st.sampled_from(["document", "image"]) | written),
            "language": _rare(st.just("pt-br")),
            "importance": _rare(figures),
            "region": _rare(st.just("navigation")),
            "anchor": _rare(written),
            "inlinks": _rare(st.integers(0, 1_000)),
            "link_region": _rare(st.just("footer")),
            "own_language": _rare(st.just("de")),
            "text_language": _rare(st.just("fr")),
            "declared_type": _rare(st.just("product")),
        },
    )
    likely = st.sampled_from(["https://a.example/", "https://www.a.example/b/c?d=/e"])
    # The store holds no lone surrogates: it could not write them.
    nasty = nasty_urls().map(lambda url: url.encode("utf-8", "replace").decode())
    urls = likely | (st.text() | nasty if text is None else text)
    return st.builds(
        lambda number, url, some, more: page(number, url, **some, **more),
        st.integers(1, 6),
        urls,
        common,
        rare,
    )
