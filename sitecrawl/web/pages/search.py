"""What the pages of a site say: searching it, asking about it, gaps, and the dives that read it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from sitecrawl.dive import answers, dive_jobs, topics
from sitecrawl.dive.answers import NOT_FOUND_WORDS, configured_model
from sitecrawl.dive.dives import embedders_by_name, wanted_pages
from sitecrawl.dive.ranking import MAX_QUERY_CHARACTERS
from sitecrawl.dive.reading import file_notices
from sitecrawl.dive.search import search
from sitecrawl.dive.support import quoted_words
from sitecrawl.errors import ExtraMissingError, InvalidInputError, NotFoundError
from sitecrawl.services import inventory_lists, sites
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import QueryId
from sitecrawl.web.flash import redirect, redirect_after
from sitecrawl.web.pages.forms import NumberText, number_or_none
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

router = APIRouter(prefix="/sites/{site_id}")

_HITS: Final = 10
_GAPS: Final = 200
_COMPETING: Final = 100
_DIVES: Final = 20
_CONVERSATIONS: Final = 20
_LABEL: Final = re.compile(r"\[(S\d+)\]")
_REFUSED: Final = (NotFoundError, InvalidInputError, ExtraMissingError)
Asked = Annotated[str, Query(max_length=MAX_QUERY_CHARACTERS)]
ClusterKey = Annotated[str, Query(max_length=500)]


def labelled_parts(text: str) -> list[tuple[str, bool]]:
    """An answer in parts, and whether each of them is the label of a source.

    >>> labelled_parts("It opens at nine [S1].")
    [('It opens at nine ', False), ('S1', True), ('.', False)]
    """
    parts = enumerate(_LABEL.split(text))
    return [(part, number % 2 == 1) for number, part in parts if part]


def answer_parts(
    text: str, unsupported: Sequence[Mapping[str, Any]]
) -> list[tuple[list[tuple[str, bool]], str]]:
    """An answer cut at the sentences that are doubted: labelled parts, and what is missing.

    >>> answer_parts("Yes [S1]. At 8.", [{"text": "At 8.", "missing": ["8"]}])
    [([('Yes ', False), ('S1', True), ('. ', False)], ''), ([('At 8.', False)], '"8"')]
    """
    found = []
    for sentence in unsupported:
        before, own, after = text.partition(sentence["text"])
        if own:
            found += [(labelled_parts(before), "")] if before else []
            found.append((labelled_parts(own), quoted_words(sentence["missing"])))
            text = after
    return [*found, (labelled_parts(text), "")] if text else found


def _clusters(web: Web, caller: Caller, site_id: int) -> list[tuple[str, int]]:
    """The clusters of the newest scan with the numbers of their pages."""
    asked = sites.asked_scan(web.database, caller.workspace_id, site_id)
    found = inventory_lists.page_facets(asked, PageFilter()).values.get("cluster", ())
    return [(str(each.value), each.pages) for each in found if each.value]


@router.get("/search")
def search_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(search)],
    q: Asked = "",
    cluster: ClusterKey = "",
) -> Response:
    values: dict[str, Any] = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "q": q,
        "cluster": cluster,
        "clusters": [],
        "known": None,
        "hits": [],
        "problem": "",
    }
    try:
        inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
        values["clusters"] = _clusters(web, caller, site_id)
        values["known"] = dive_jobs.searchable(web.database, inventory)
        if q.strip():
            values["hits"] = search(
                web.database,
                inventory,
                q,
                limit=_HITS,
                pages=wanted_pages(web.database, inventory, PageFilter(cluster=cluster)),
                embedder_named=embedders_by_name(web.config),
            )
    except _REFUSED as error:
        values["problem"] = str(error)
    return render(request, "search.html", values)


@router.get("/ask")
def ask_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.conversation_turns)],
    conversation: QueryId = None,
    q: Asked = "",
) -> Response:
    """A conversation, with the sources beside each answer; *q* is put into the form."""
    inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
    turns = []
    if conversation is not None:
        turns = answers.conversation_turns(web.database, inventory, conversation, caller.user_id)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "known": dive_jobs.searchable(web.database, inventory),
        "conversation": conversation,
        "turns": [(turn, answer_parts(turn.answer, turn.unsupported)) for turn in turns],
        "conversations": answers.list_conversations(
            web.database, inventory, caller.user_id, _CONVERSATIONS
        ),
        "model": web.config.model_name if web.config.model_url else "",
        "not_found_words": NOT_FOUND_WORDS,
        "q": q,
    }
    return render(request, "ask.html", values)


@router.post("/ask")
def ask(
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.ask)],
    question: Annotated[str, Form(max_length=MAX_QUERY_CHARACTERS)],
    conversation: Annotated[NumberText, Form()] = "",
) -> Response:
    """Without JavaScript: the whole answer at once."""
    inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
    try:
        answer = answers.ask(
            web.database,
            inventory,
            question,
            model=configured_model(web.database, inventory, web.config),
            conversation_id=number_or_none(conversation),
            user_id=caller.user_id,
            embedder_named=embedders_by_name(web.config),
            drops_unsupported=web.config.drops_unsupported,
        )
    except _REFUSED as error:
        return redirect(f"/sites/{site_id}/ask", str(error), is_error=True)
    return redirect(f"/sites/{site_id}/ask?conversation={answer.conversation_id}")


@router.get("/gaps")
def gaps_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(answers.list_gaps)],
) -> Response:
    inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "gaps": answers.list_gaps(web.database, inventory, _GAPS),
    }
    return render(request, "gaps.html", values)


@router.get("/topics")
def topics_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(topics.topic_map)],
) -> Response:
    inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "map": topics.topic_map(web.database, inventory),
        "competing": topics.list_competing(web.database, inventory, _COMPETING),
    }
    return render(request, "topics.html", values)


@router.get("/dives")
def dives_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(dive_jobs.list_dives)],
    cluster: ClusterKey = "",
) -> Response:
    inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
    page = dive_jobs.list_dives(web.database, inventory, limit=_DIVES)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "known": dive_jobs.searchable(web.database, inventory),
        "running": next((each for each in page.rows if each.is_active and each.job_id), None),
        "dives": page.rows,
        "clusters": _clusters(web, caller, site_id),
        "cluster": cluster,
        "file_notices": file_notices,
    }
    return render(request, "dives.html", values)


@router.post("/dives")
def start_dive(
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(dive_jobs.start_dive)],
    cluster: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    def work() -> str:
        wanted = PageFilter(cluster=cluster)
        dive = dive_jobs.start_dive(web.database, caller.workspace_id, site_id, wanted)
        return f"Dive {dive.id} is queued as task {dive.job_id}"

    return redirect_after(f"/sites/{site_id}/dives", work)
