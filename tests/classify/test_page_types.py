from __future__ import annotations

import pytest

from sitecrawl.classify.page_types import declared_type
from sitecrawl.classify.pages import PageType


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Product"], PageType.PRODUCT),
        (["https://schema.org/NewsArticle"], PageType.ARTICLE),
        (["BreadcrumbList", "Organization", "Product", "VideoObject"], PageType.PRODUCT),
        (["WebPage", "BlogPosting", "Person"], PageType.ARTICLE),
        (["Product"] * 3, PageType.LISTING),
        (["og:article"], PageType.ARTICLE),
        (["og:article", "JobPosting"], PageType.JOB),
        (["og:website"], None),
        (["WebSite", "Organization"], None),
        ([], None),
        (["", "/"], None),
    ],
)
def test_types_of_structured_data(names: list[str], expected: PageType | None) -> None:
    assert declared_type(names) is expected
