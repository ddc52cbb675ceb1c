"""Classes of pages, as far as a report looks at them."""

from __future__ import annotations

from sitecrawl.classify.pages import Category, PageClass, PageType


def page_class(*clusters: str) -> PageClass:
    return PageClass(
        category=Category.PRIMARY,
        page_type=PageType.PAGE,
        reason="",
        template="",
        depth=1,
        sections=(),
        topics=(),
        language="",
        language_source=None,
        priority=0.5,
        clusters=clusters,
    )
