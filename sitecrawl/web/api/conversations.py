"""``/api/sites/{id}/ask``, ``conversations`` and ``gaps``: questions about what a site says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from sitecrawl.dive import answers
from sitecrawl.dive.answers import Answer, AnswerKind
from sitecrawl.dive.citations import Citation
from sitecrawl.dive.dives import embedders_by_name
from sitecrawl.dive.ranking import MAX_QUERY_CHARACTERS
from sitecrawl.dive.search import check_searchable
from sitecrawl.errors import SitecrawlError
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.scans import Site
from sitecrawl.web.api.models import STREAM, Body, Limit, Model, Moment, problems
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import BodyId, Id, ScannedSite
from sitecrawl.web.state import Web

router = APIRouter(prefix="/sites/{site_id}", tags=["answers"])


class Question(Body):
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
    conversation_id: BodyId | None = Field(default=None, description="Go on with this one.")


class CitationAnswer(Model):
    label: str = Field(description="As it stands in the answer, such as S1 for [S1].")
    passage_id: int
    page_id: str
    url: str
    link: str = Field(description="Opens the page at the quoted words.")
    title: str
    headings: list[str]
    quote: str = Field(description="Verbatim in the stored passage.")
    file_page: int | None = Field(default=None, description="Of a PDF file or of slides.")


class UnsupportedAnswer(Model):
    """A sentence of a model whose words do not stand in the sources that it names."""

    text: str = Field(description="Verbatim in the answer.")
    missing: list[str] = Field(description="What stands in none of them.")


class TurnAnswer(Model):
    """A question with its answer."""

    id: int
    question: str
    answer: str
    kind: AnswerKind
    model: str | None
    citations: list[CitationAnswer]
    unsupported: list[UnsupportedAnswer]
    asked_at: Moment


class AnswerAnswer(Model):
    kind: AnswerKind
    text: str
    citations: list[CitationAnswer]
    conversation_id: int
    turn_id: int
    model: str = Field(description="Empty: the answer consists of sentences of the site.")
    notice: str = Field(description="Why a model that was asked did not answer.")
    unsupported: list[UnsupportedAnswer]


class ConversationAnswer(Model):
    id: int
    title: str
    created_at: Moment
    turns: int


class ConversationList(Model):
    conversations: list[ConversationAnswer]


class ConversationDetail(Model):
    id: int
    turns: list[TurnAnswer]


class Gap(Model):
    question: str
    asked: int = Field(description="How often.")
    last_asked_at: Moment


class GapList(Model):
    gaps: list[Gap]


def _citation(given: Citation | dict[str, Any]) -> CitationAnswer:
    values = (
        given
        if isinstance(given, dict)
        else {name: getattr(given, name) for name in Citation.__slots__}
    )
    return CitationAnswer(**{**values, "page_id": str(values["page_id"])})


def _answer(answer: Answer) -> AnswerAnswer:
    values = {name: getattr(answer, name) for name in Answer.__slots__}
    values["citations"] = [_citation(each) for each in answer.citations]
    values["unsupported"] = [UnsupportedAnswer.model_validate(each) for each in answer.unsupported]
    return AnswerAnswer(**values)


def parts_of_answer(
    web: Web, site: Site, user_id: int, question: str, conversation_id: int | None
) -> Generator[str | Answer]:
    """What is shown piece by piece, then the whole answer."""
    return answers.ask_stream(
        web.database,
        site,
        question,
        model=answers.configured_model(web.database, site, web.config),
        conversation_id=conversation_id,
        user_id=user_id,
        embedder_named=embedders_by_name(web.config),
        drops_unsupported=web.config.drops_unsupported,
    )


@router.post("/ask", operation_id="askSite", responses=problems("not-installed"))
def ask_site(
    site: ScannedSite,
    asked: Question,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.ask)],
) -> AnswerAnswer:
    """An answer from what the site says, with citations, which is kept in a conversation."""
    *_, answer = parts_of_answer(web, site, caller.user_id, asked.question, asked.conversation_id)
    assert isinstance(answer, Answer)
    return _answer(answer)


def _checked_question(
    site: ScannedSite,
    asked: Question,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.ask_stream)],
) -> Generator[str | Answer]:
    """What is wrong with the question is told before the stream begins."""
    check_searchable(web.database, site)
    if asked.conversation_id is not None:
        answers.conversation_turns(web.database, site, asked.conversation_id, caller.user_id)
    return parts_of_answer(web, site, caller.user_id, asked.question, asked.conversation_id)


@router.post(
    "/ask/stream",
    operation_id="streamAnswer",
    response_class=EventSourceResponse,
    responses=STREAM,
)
async def stream_answer(
    parts: Annotated[Generator[str | Answer], Depends(_checked_question)],
) -> AsyncIterator[ServerSentEvent]:
    """The same as events: `piece` with some text, as it comes, then `answer`, or `problem`."""
    try:
        while (part := await run_in_threadpool(next, parts, None)) is not None:
            if isinstance(part, Answer):
                text = _answer(part).model_dump_json(by_alias=True)
                yield ServerSentEvent(raw_data=text, event="answer")
            else:
                yield ServerSentEvent(data={"text": part}, event="piece")
    except SitecrawlError as error:
        yield ServerSentEvent(data={"detail": str(error)}, event="problem")
    finally:
        # What a model does for somebody who has gone is ended, and not by the event loop.
        with anyio.CancelScope(shield=True):
            await run_in_threadpool(parts.close)


@router.get("/conversations", operation_id="listConversations")
def list_conversations(
    site: ScannedSite,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.list_conversations)],
    limit: Limit = 50,
) -> ConversationList:
    """The caller's own, the newest first."""
    found = answers.list_conversations(web.database, site, caller.user_id, limit)
    return ConversationList(
        conversations=[ConversationAnswer.model_validate(each) for each in found]
    )


@router.get("/conversations/{conversation_id}", operation_id="getConversation")
def get_conversation(
    site: ScannedSite,
    conversation_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.conversation_turns)],
) -> ConversationDetail:
    """One of the caller's own, with its questions and answers."""
    turns = answers.conversation_turns(web.database, site, conversation_id, caller.user_id)
    shown = [
        TurnAnswer(
            **{name: getattr(turn, name) for name in type(turn).__slots__}
            | {"citations": [_citation(each) for each in turn.citations]}
        )
        for turn in turns
    ]
    return ConversationDetail(id=conversation_id, turns=shown)


@router.get("/gaps", operation_id="listGaps")
def list_gaps(
    site: ScannedSite,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(answers.list_gaps)],
    limit: Limit = 100,
) -> GapList:
    """Questions that the site does not answer, the most frequent first."""
    found = answers.list_gaps(web.database, site, limit)
    return GapList(gaps=[Gap.model_validate(each) for each in found])
