"""Classes of pages, as far as a report looks at them."""

from __future__ import annotations

from sitecrawl.classify.pages import Category, PageType
from sitecrawl.store.queries.classification import StoredClass


def page_class(*clusters: str) -> StoredClass:
    return StoredClass(
        category=Category.PRIMARY,
        page_type=PageType.PAGE,
        template="",
        depth=1,
        language="",
        language_source=None,
        priority=0.5,
        clusters=clusters,
    )
