"""What a fetcher has read from a page, as bytes that the scan's own process reads.

They lie in the database for a moment. Pickle is the one format that takes these objects as they
are; it is read back by classes of a short list, so whoever can write into the database still cannot
have code executed.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy.http import Response

from sitecrawl.items import Document, VisitedPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.urls.scope import Scope

_CLASSES: Final = {
    "builtins": {"range", "set"},
    "copyreg": {"__newobj__"},
    "datetime": {"datetime", "timezone", "timedelta"},
    "sitecrawl.html.audit": {"PageAudit"},
    "sitecrawl.html.links": {"LinkSource", "Region"},
    "sitecrawl.items": {
        *("Document", "DocumentKind", "DocumentRead", "FetchOutcome", "MentionBatch", "MenuItem"),
        *("NamedDocument", "PackedBody", "PageFacts", "PageFormat", "RenderOutcome", "Source"),
        *("Visit", "VisitedPage"),
    },
    "sitecrawl.sitemaps.entries": {"Alternate", "EntryDetails", "SitemapKind"},
    "sitecrawl.parsing.findings": {"Finding", "FindingKind"},
    "sitecrawl.urls.refusal": {"Reason", "Refusal"},
}


class FetchedPage(NamedTuple):
    """A visited page, and what comes with it."""

    page: VisitedPage
    documents: Sequence[Document]
    """Others that were fetched because of it."""
    shown: Response | None = None
    """What a browser has to show, as long as the page may have to be rendered."""


def pack_answer(fetched: FetchedPage) -> bytes:
    page, documents, shown = fetched
    visit = replace(page.visit, known=None)  # it has served its purpose, and is large
    for batch in page.batches:
        batch.visit = visit
        del batch.scope  # the scan's own process has it
    page.visit = visit
    content = io.BytesIO()
    answer = shown and (shown.url, shown.status, dict(shown.headers.items()), shown.body)
    _AnswerWriter(content, protocol=5).dump((page, list(documents), answer))
    return content.getvalue()


def unpack_answer(content: bytes, scope: Scope) -> FetchedPage:
    """``pickle.UnpicklingError`` for what no fetcher has written."""
    match _AnswerReader(io.BytesIO(content)).load():
        case VisitedPage() as page, list(documents), answer if all(
            isinstance(each, Document) for each in documents
        ):
            for batch in page.batches:
                batch.scope = scope
            return FetchedPage(page, documents, Response(*answer) if answer else None)
    raise pickle.UnpicklingError("this is no visited page")


class _AnswerWriter(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Members of enumerations by their value: before Python 3.11.4 they are written as a call.

        That would be a call of ``getattr``, which a reader must not allow.
        """
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


class _AnswerReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name not in _CLASSES.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of what a fetcher reads")
        return super().find_class(module, name)
