"""``/api/sites/{id}/search``, ``topics`` and similar pages: what pages mean."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from sitecrawl.dive import search as engine
from sitecrawl.dive import topics
from sitecrawl.dive.dives import embedders_by_name, wanted_pages
from sitecrawl.dive.ranking import MAX_QUERY_CHARACTERS
from sitecrawl.dive.search import Hit
from sitecrawl.services.callers import Caller
from sitecrawl.web.api.models import MAX_LIMIT, Model, problems
from sitecrawl.web.api.page_filters import PageParameters
from sitecrawl.web.api.pages import PageId, page_number
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import ScannedSite

router = APIRouter(prefix="/sites/{site_id}", tags=["search"])

_MAX_HITS = 100


class SearchQuery(PageParameters):
    """A question, and in which pages."""

    q: str = Field(
        min_length=1, max_length=MAX_QUERY_CHARACTERS, description="Words or a question."
    )
    passage_language: Annotated[str, Field(max_length=35)] = Field(
        default="", description="Only passages in it."
    )
    limit: int = Field(default=10, ge=1, le=_MAX_HITS, description="How many at most.")


class ScoreAnswer(Model):
    """`total = weight x meaning + (1 - weight) x words`."""

    total: float
    meaning: float = Field(description="The cosine of question and passage.")
    words: float = Field(description="0 to 1: beside the best match of words of this question.")
    weight: float


class HitAnswer(Model):
    passage_id: int
    page_id: str = Field(description="As text, as it is too large for a number of JavaScript.")
    url: str
    link: str = Field(description="Opens the page at the passage.")
    title: str
    headings: list[str]
    text: str
    language: str
    published: str
    format: str = Field(description="Of the page: `html`, `pdf`, `docx`, ...")
    file_page: int | None = Field(description="Of a PDF file or of slides.")
    score: ScoreAnswer


class HitList(Model):
    hits: list[HitAnswer]


def hit_answer(hit: Hit) -> HitAnswer:
    passage = hit.passage
    return HitAnswer(
        passage_id=passage.id,
        page_id=str(passage.page_id),
        url=passage.url,
        link=hit.link,
        title=passage.title,
        headings=list(passage.headings),
        text=passage.text,
        language=passage.language,
        published=passage.published,
        format=passage.format,
        file_page=passage.file_page,
        score=ScoreAnswer.model_validate(hit.score),
    )


@router.get("/search", operation_id="searchSite", responses=problems("not-installed"))
def search_site(
    site: ScannedSite,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(engine.search)],
    asked: Annotated[SearchQuery, Query()],
) -> HitList:
    """The best passages for the question, the best first; what pages say is untrusted text."""
    wanted = asked.filter_without("q", "limit", "passage_language")
    hits = engine.search(
        web.database,
        site,
        asked.q,
        limit=asked.limit,
        pages=wanted_pages(web.database, site, wanted),
        language=asked.passage_language,
        embedder_named=embedders_by_name(web.config),
    )
    return HitList(hits=[hit_answer(hit) for hit in hits])


class SimilarPage(Model):
    page_id: str
    url: str
    cosine: float = Field(description="1: the same meaning.")


class SimilarPages(Model):
    pages: list[SimilarPage]


class Topic(Model):
    id: int
    name: str = Field(description="The terms by which its pages differ from the others.")
    pages: int


class MappedPage(Model):
    page_id: str
    url: str
    title: str
    topic_id: int
    x: float = Field(description="From 0 to 1, as y.")
    y: float


class CompetingPage(Model):
    url: str
    other: str
    cosine: float
    words: str = Field(description="Of both titles.")


class Topics(Model):
    topics: list[Topic]
    pages: list[MappedPage] = Field(description="At most 2,000.")
    competing: list[CompetingPage] = Field(description="The nearest first, at most 500.")


@router.get("/pages/{page_id}/similar", operation_id="listSimilarPages")
def list_similar(
    site: ScannedSite,
    page_id: PageId,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(topics.similar_pages)],
    limit: Annotated[int, Query(ge=1, le=_MAX_HITS)] = 10,
) -> SimilarPages:
    """Pages with the nearest meaning, as far as dives have read them."""
    found = topics.similar_pages(web.database, site, page_number(page_id), limit)
    return SimilarPages(
        pages=[
            SimilarPage(page_id=str(each.page_id), url=each.url, cosine=each.cosine)
            for each in found
        ]
    )


@router.get("/topics", operation_id="getTopics")
def get_topics(
    site: ScannedSite,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(topics.topic_map)],
) -> Topics:
    """Clusters by meaning, as the last dive has found them, their map, and pages that compete."""
    found = topics.topic_map(web.database, site)
    rivals = topics.list_competing(web.database, site, MAX_LIMIT)
    return Topics(
        topics=[Topic.model_validate(each) for each in found.topics],
        pages=[
            MappedPage(
                **{name: getattr(each, name) for name in type(each).__slots__}
                | {"page_id": str(each.page_id)}
            )
            for each in found.pages
        ],
        competing=[CompetingPage.model_validate(each) for each in rivals],
    )
