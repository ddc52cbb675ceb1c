"""Answers questions about a site from its passages, with citations that can be checked."""

from __future__ import annotations

import re
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from sitecrawl.dive.citations import (
    NOT_FOUND,
    AnswerCheck,
    Citation,
    UnsupportedSentence,
    build_messages,
    cite,
    label_sources,
)
from sitecrawl.dive.embeddings import local_embedder, local_embedder_named
from sitecrawl.dive.models import ModelFailedError, ServedChatModel, chat_server
from sitecrawl.dive.passages import count_tokens
from sitecrawl.dive.plain_text import is_plain
from sitecrawl.dive.ranking import query_words
from sitecrawl.dive.search import search, speaks_of
from sitecrawl.dive.sentences import split_sentences, words_of
from sitecrawl.errors import NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.dives import (
    content_gaps_of,
    conversations_of,
    past_turns,
    tokens_since,
)
from sitecrawl.store.writers.dives import NewTurn, add_gap, add_turn, begin_conversation

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence

    from sitecrawl.config import Config
    from sitecrawl.dive.citations import Source
    from sitecrawl.dive.embeddings import Embedder
    from sitecrawl.dive.search import EmbedderNamed, Hit
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.dives import ContentGap, Conversation, Turn
    from sitecrawl.store.queries.scans import Site

NOT_FOUND_WORDS: Final = "Not found on this site."
_SOURCES: Final = 6
_SHORT_QUESTION_WORDS: Final = 4
_WORD: Final = re.compile(r"[^\W_]+")
# Of answers without a model.
_MAX_SENTENCES: Final = 4
_FROM_PASSAGES: Final = 3
_CANDIDATES: Final = 40
_SHORTEST_CHARACTERS: Final = 25
_LONGEST_CHARACTERS: Final = 400
# A sentence counts more the better the passage is that it stands in.
_PASSAGE_SHARE: Final = 0.3
_WORD_SHARE: Final = 0.1
# Further sentences must be nearly as good as the best.
_NEARLY: Final = 0.75


class AnswerKind(StrEnum):
    """Where an answer comes from."""

    EXTRACTIVE = "extractive"
    """Sentences of the site itself."""
    MODEL = "model"
    NOT_FOUND = "not_found"


class ChatModel(Protocol):
    """A model that answers messages with text, piece by piece."""

    @property
    def name(self) -> str: ...

    def stream(self, messages: Sequence[dict[str, str]]) -> Iterator[str]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, as a person gets it."""

    kind: AnswerKind
    text: str
    citations: tuple[Citation, ...]
    conversation_id: int
    turn_id: int
    model: str = ""
    notice: str = ""
    """Why the configured model did not answer."""
    unsupported: tuple[UnsupportedSentence, ...] = ()
    """Sentences of the model whose words are not in the sources that they cite."""


@dataclass(frozen=True, slots=True)
class _Draft:
    kind: AnswerKind
    text: str
    citations: tuple[Citation, ...] = ()
    model: str = ""
    notice: str = ""
    prompt_tokens: int = 0
    """Tokens that the model was given, and tokens that it sent, shown or not."""
    answer_tokens: int = 0
    unsupported: tuple[UnsupportedSentence, ...] = ()


@requires(Permission.READ)
def ask(  # noqa: PLR0913  all that an answer depends on
    database: Database,
    site: Site,
    question: str,
    *,
    model: ChatModel | None = None,
    conversation_id: int | None = None,
    user_id: int | None = None,
    pages: Collection[int] | None = None,
    embedder_named: EmbedderNamed = local_embedder_named,
    drops_unsupported: bool = False,
) -> Answer:
    """Answer the question, and keep it in the conversation; see :func:`ask_stream`."""
    answer: Answer | None = None
    for part in ask_stream(
        database,
        site,
        question,
        model=model,
        conversation_id=conversation_id,
        user_id=user_id,
        pages=pages,
        embedder_named=embedder_named,
        drops_unsupported=drops_unsupported,
    ):
        if isinstance(part, Answer):
            answer = part
    assert answer is not None
    return answer


@requires(Permission.READ)
def ask_stream(  # noqa: PLR0913  all that an answer depends on
    database: Database,
    site: Site,
    question: str,
    *,
    model: ChatModel | None = None,
    conversation_id: int | None = None,
    user_id: int | None = None,
    pages: Collection[int] | None = None,
    embedder_named: EmbedderNamed = local_embedder_named,
    drops_unsupported: bool = False,
) -> Generator[str | Answer]:
    """Pieces of the answer as they come, each of them checked, then the whole answer.

    What the site does not say is answered by :data:`NOT_FOUND_WORDS` and kept as a gap in its
    content. Without a model, or when it fails, the answer consists of the site's own sentences.
    *drops_unsupported*: sentences of a model that their sources do not support are not shown.
    """
    history: list[tuple[str, str]] = []
    if conversation_id is not None:
        turns = conversation_turns(database, site, conversation_id, user_id)
        history = [(turn.question, turn.answer) for turn in turns]
    asked = _with_context(question, history)
    hits = search(
        database,
        site,
        asked,
        limit=_SOURCES,
        pages=pages,
        embedder_named=embedder_named,
    )
    if not speaks_of(asked, hits):
        draft = _Draft(AnswerKind.NOT_FOUND, NOT_FOUND_WORDS)
        yield draft.text
    elif model is None:
        draft = _extract(question, hits)
        yield draft.text
    else:
        stream = _ModelAnswer(question, hits, model, drops_unsupported=drops_unsupported)
        try:
            yield from stream.pieces(history)
        except GeneratorExit:
            # The tokens are used also when the reader leaves before the end.
            _keep(database, site, question, stream.draft("broken off"), conversation_id, user_id)
            raise
        draft = stream.draft()
        if not stream.shown:
            yield draft.text
    yield _keep(database, site, question, draft, conversation_id, user_id)


@requires(Permission.READ)
def list_conversations(
    database: Database, site: Site, user_id: int | None, limit: int = 50
) -> list[Conversation]:
    """The conversations of the person, the newest first."""
    with database.reading() as connection:
        return conversations_of(connection, site.id, user_id, limit)


@requires(Permission.READ)
def conversation_turns(
    database: Database, site: Site, conversation_id: int, user_id: int | None
) -> list[Turn]:
    """Questions and answers; ``NotFoundError`` if the person has no such conversation."""
    with database.reading() as connection:
        turns = past_turns(connection, site.id, conversation_id, user_id)
    if turns is None:
        raise NotFoundError(f"there is no conversation {conversation_id} about {site.key}")
    return turns


@requires(Permission.READ)
def list_gaps(database: Database, site: Site, limit: int = 100) -> list[ContentGap]:
    """Questions that the site does not answer, the most frequent first."""
    with database.reading() as connection:
        return content_gaps_of(connection, site.id, limit)


def configured_model(database: Database, site: Site, config: Config) -> ChatModel | None:
    """The model of the settings; None: none is set, or its tokens of the day are used up."""
    server = chat_server(config)
    if server is None:
        return None
    if config.model_daily_tokens:
        with database.reading() as connection:
            used = tokens_since(connection, site.id, datetime.now(UTC) - timedelta(days=1))
        if used >= config.model_daily_tokens:
            return None
    return ServedChatModel(server)


class _ModelAnswer:
    """The answer of a model, as far as it may be shown."""

    def __init__(
        self, question: str, hits: Sequence[Hit], model: ChatModel, *, drops_unsupported: bool
    ):
        self._question = question
        self._hits = hits
        self._model = model
        self._said = ""
        self._notice = ""
        self._prompt_tokens = 0
        sources = label_sources([hit.passage for hit in hits])
        self._check = AnswerCheck(sources, drops_unsupported)
        self.shown = ""

    def pieces(self, history: Sequence[tuple[str, str]]) -> Iterator[str]:
        """The checked pieces of the answer."""
        messages = build_messages(
            self._question, self._check.sources, history, secrets.token_hex(12)
        )
        self._prompt_tokens = sum(count_tokens(message["content"]) for message in messages)
        try:
            for piece in self._model.stream(messages):
                self._said += piece
                yield from self._show(self._check.feed(piece))
        except ModelFailedError as error:
            self._notice = str(error)
        yield from self._show(self._check.close())

    def _show(self, part: str) -> Iterator[str]:
        if part:
            self.shown += part
            yield part

    def draft(self, notice: str = "") -> _Draft:
        """The answer to store: sentences of the site, if the model sent nothing to show."""
        notice = notice or self._notice
        used = (self._prompt_tokens, count_tokens(self._said))
        if text := self.shown.strip():
            # A label may have gone with a sentence that was dropped.
            citations = self._check.citations.values()
            cited = tuple(each for each in citations if f"[{each.label}]" in text)
            doubted = tuple(self._check.unsupported)
            return _Draft(AnswerKind.MODEL, text, cited, self._model.name, notice, *used, doubted)
        if NOT_FOUND in self._said and not notice:
            name = self._model.name
            return _Draft(AnswerKind.NOT_FOUND, NOT_FOUND_WORDS, (), name, "", *used)
        if not notice:
            why = "said what its sources do not say" if self._check.dropped else "named no source"
            notice = f"the model {why}, so these are the site's own sentences"
        own = _extract(self._question, self._hits)
        return _Draft(own.kind, own.text, own.citations, "", notice, *used)


def _extract(question: str, hits: Sequence[Hit]) -> _Draft:
    sources = label_sources([hit.passage for hit in hits])
    text, citations = _extractive_answer(
        question,
        sources,
        [hit.score.total for hit in hits],
        local_embedder(hits[0].passage.language),
    )
    if not citations:
        return _Draft(AnswerKind.NOT_FOUND, NOT_FOUND_WORDS)
    return _Draft(AnswerKind.EXTRACTIVE, text, tuple(citations))


def _extractive_answer(
    question: str, sources: Sequence[Source], scores: Sequence[float], embedder: Embedder
) -> tuple[str, list[Citation]]:
    """The best sentences with their labels, in the order of the passages, and the citations."""
    candidates = [
        (place, sentence)
        for place, source in enumerate(sources[:_FROM_PASSAGES])
        for sentence in split_sentences(source.passage.text)
        if _SHORTEST_CHARACTERS <= len(sentence) <= _LONGEST_CHARACTERS
        # A sentence that would not be shown as it stands in the page is not quoted.
        and is_plain(sentence)
    ][:_CANDIDATES]
    if not candidates:
        return "", []
    [asked] = embedder.encode([question])
    cosines = embedder.encode([sentence for _place, sentence in candidates]) @ asked
    wanted = set(query_words(question))
    ranked = sorted(
        (
            (
                float(cosine)
                + _PASSAGE_SHARE * scores[place]
                + _WORD_SHARE * len(words_of(sentence) & wanted) / max(len(wanted), 1),
                number,
            )
            for number, ((place, sentence), cosine) in enumerate(
                zip(candidates, cosines, strict=True)
            )
        ),
        reverse=True,
    )
    best = ranked[0][0]
    chosen = sorted(number for score, number in ranked[:_MAX_SENTENCES] if score >= _NEARLY * best)
    parts: list[str] = []
    citations: dict[str, Citation] = {}
    for number in chosen:
        place, sentence = candidates[number]
        source = sources[place]
        citations.setdefault(source.label, cite(source, question, sentence))
        parts.append(f"{sentence} [{source.label}]")
    return " ".join(parts), list(citations.values())


def _with_context(question: str, history: Sequence[tuple[str, str]]) -> str:
    """What to search for: a short question ("and on Sunday?") needs the one before."""
    if history and len(question.split()) <= _SHORT_QUESTION_WORDS:
        return f"{history[-1][0]} {question}"
    return question


def _keep(
    database: Database,
    site: Site,
    question: str,
    draft: _Draft,
    conversation_id: int | None,
    user_id: int | None,
) -> Answer:
    with database.writing() as connection:
        if conversation_id is None:
            conversation_id = begin_conversation(connection, site.id, user_id, question)
        turn_id = add_turn(
            connection,
            conversation_id,
            NewTurn(
                question=question,
                answer=draft.text,
                kind=draft.kind,
                model=draft.model or None,
                citations=[asdict(citation) for citation in draft.citations],
                unsupported=[asdict(sentence) for sentence in draft.unsupported],
                prompt_tokens=draft.prompt_tokens,
                answer_tokens=draft.answer_tokens,
            ),
        )
        if draft.kind is AnswerKind.NOT_FOUND:
            add_gap(connection, site.id, question, " ".join(_WORD.findall(question.lower())))
    return Answer(
        draft.kind,
        draft.text,
        draft.citations,
        conversation_id,
        turn_id,
        draft.model,
        draft.notice,
        draft.unsupported,
    )
