"""The mentions of a page, in the words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.html.links import LinkSource
from sitecrawl.items import DocumentKind, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.store.queries.explain import MentionCount, MentionFact, Why

_VERBS: dict[str, str] = {
    Source.START: "a start of the crawl of",
    LinkSource.REDIRECT: "the target of a redirect of",
    LinkSource.CANONICAL: "named as the canonical page by",
}


def mention_words(answer: Why) -> Iterator[str]:
    """Each mention, those that still hold first; then how many there are besides."""
    for mention in answer.mentions:
        yield from _sentence(mention)
    if more := answer.mentions_left_out:
        yield f"and {more:,} more; --all shows them ({_kinds(answer.mention_counts)})"


def _sentence(mention: MentionFact) -> Iterator[str]:
    entry = f", {_entry(mention)}" if mention.source != Source.START else ""
    yield f"{_verb(mention)} {mention.document_url}{entry}"
    details = [
        f"at {mention.path}" if mention.path else "",
        f"rel {mention.rel}" if mention.rel else "",
        f"which was found by {mention.found_by}" if not mention.path else "",
        f"read {mention.fetched_at:%Y-%m-%d %H:%M} UTC" if mention.fetched_at else "",
    ]
    if said := ", ".join(detail for detail in details if detail):
        yield f"    {said}"


def _verb(mention: MentionFact) -> str:
    is_page = mention.document_kind == DocumentKind.PAGE
    verb = _VERBS.get(mention.source, "linked by" if is_page else "listed by")
    return verb if mention.is_current else f"was {verb}"


def _entry(mention: MentionFact) -> str:
    where = f" in {mention.region}" if mention.region else ""
    anchor = f': "{mention.anchor}"' if mention.anchor else ""
    lastmod = f", lastmod {mention.lastmod}" if mention.lastmod else ""
    return f"entry {mention.position} ({mention.source}{where}){anchor}{lastmod}"


def _kinds(counts: Sequence[MentionCount]) -> str:
    return ", ".join(
        f"{each.mentions:,} {each.source}"
        + (f" in {each.region}" if each.region else "")
        + ("" if each.is_current else " that do not hold any more")
        for each in counts
    )
