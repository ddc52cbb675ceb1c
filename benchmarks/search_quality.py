"""How well passages are found: real headings as questions, on documentation from Debian packages.

    python -m benchmarks.search_quality              English and German
    python -m benchmarks.search_quality --set english
    python -m benchmarks.search_quality --postgres   the same on PostgreSQL

- The questions are headings of the Python FAQ and the Debian FAQ that end with a question mark, and
  headings of the German Debian handbook. The headings are taken out of the text before it is cut
  into passages, so only the answer itself can be found.
- Right is a passage that holds a block of the text below the heading. recall@5: one of the first
  five is right. nDCG@10: how far up the right ones stand.
- Questions with even numbers are the half that weights were tuned on; the others are reported.
- Off-topic questions (``off_topic.py``) must not be answered, those of the set should be.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import insert

from benchmarks.off_topic import (
    ENGLISH_REPORTED,
    ENGLISH_TUNED,
    GERMAN_REPORTED,
    GERMAN_TUNED,
)
from benchmarks.trial.packages import debian_package
from sitecrawl.dive.embeddings import local_embedder
from sitecrawl.dive.extraction import Article, Block, BlockKind, extract_article
from sitecrawl.dive.passages import split_passages
from sitecrawl.dive.reading import DiveCounts, embed_passages
from sitecrawl.dive.search import search, speaks_of
from sitecrawl.html.text import hash_text
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.scans import sites
from sitecrawl.store.writers.dives import NewContent, NewPassage, add_dive, put_content
from tests.site.postgres import running_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Site

_RECALL_AT: Final = 5
_GAIN_AT: Final = 10
_NUMBERING: Final = re.compile(r"^(?:\d+\.)*\d*\s*")
_BLOCK_START: Final = 200
_SHORTEST_ANSWER: Final = 60
OFF_TOPIC: Final = {
    "english": (ENGLISH_TUNED, ENGLISH_REPORTED),
    "german": (GERMAN_TUNED, GERMAN_REPORTED),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A heading, and how each block of the text below it begins."""

    text: str
    page: str
    answer: tuple[str, ...]
    right: int = 0
    """How many passages hold a part of the answer."""

    def is_right(self, text: str) -> bool:
        return any(start in text for start in self.answer)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Pages with a language, and which of their headings are questions."""

    name: str
    language: str
    package: str
    pattern: str
    is_question: re.Pattern[str]


SETS: Final = {
    "english": (
        QuestionSet(
            *("python-faq", "en", "python3.11-doc"),
            "usr/share/doc/python3.11/html/faq/*.html",
            re.compile(r"\?\W*$"),
        ),
        QuestionSet(
            *("debian-faq", "en", "debian-faq"),
            "usr/share/doc/debian/FAQ/*.en.html",
            re.compile(r"\?\W*$"),
        ),
    ),
    "german": (
        QuestionSet(
            *("debian-handbook", "de", "debian-handbook"),
            "usr/share/doc/debian-handbook/html/de-DE/*.html",
            re.compile(r"\w{4}.*\s.*\w{4}"),
        ),
    ),
}


def read_set(wanted: QuestionSet) -> Iterator[tuple[str, Article, list[Question]]]:
    """Each page without its headings, and the questions that these were."""
    root = debian_package(wanted.package)
    for path in sorted(root.glob(wanted.pattern)):
        article = extract_article(path.read_text(encoding="utf-8", errors="replace"))
        blocks, questions = _without_headings(article.blocks, path.stem, wanted.is_question)
        yield path.stem, Article(title=article.title, blocks=blocks), questions


def _without_headings(
    blocks: Sequence[Block], page: str, is_question: re.Pattern[str]
) -> tuple[list[Block], list[Question]]:
    kept: list[Block] = []
    found: list[tuple[str, list[str]]] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            found.append((_NUMBERING.sub("", block.text), []))
            # An empty heading keeps the border between sections.
            kept.append(Block(BlockKind.HEADING, "", block.level))
            continue
        kept.append(block)
        if found:
            found[-1][1].append(block.text)
    questions = [
        Question(text, page, tuple(each[:_BLOCK_START] for each in answer))
        for text, answer in found
        if is_question.search(text) and len("".join(answer)) >= _SHORTEST_ANSWER
    ]
    return kept, questions


def store_sets(database: Database, wanted: Sequence[QuestionSet]) -> tuple[Site, list[Question]]:
    """Make the pages searchable."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        site_id = connection.execute(
            insert(t.sites)
            .values(
                workspace_id=1,
                key="docs.example",
                root_url="https://docs.example/",
                seed=1,
                key_rules={},
                created_at=now,
            )
            .returning(t.sites.c.id)
        ).scalar_one()
        dive = add_dive(connection, site_id, {})
        questions: list[Question] = []
        number = 0
        for each in wanted:
            for name, article, asked in read_set(each):
                number += 1
                connection.execute(
                    insert(t.pages).values(
                        id=number,
                        site_id=site_id,
                        document_id=0,
                        seen_scan_id=1,
                        first_scan_id=1,
                        position=number,
                        source="sitemap",
                        url=f"https://docs.example/{name}",
                    )
                )
                passages = [
                    NewPassage(
                        passage.position,
                        (),
                        passage.text.strip(),
                        passage.tokens,
                        each.language,
                        hash_text(passage.text),
                    )
                    for passage in split_passages(article)
                ]
                put_content(
                    connection,
                    site_id,
                    dive,
                    NewContent(
                        number, name, "bench", article.title, "", "", each.language, passages
                    ),
                )
                questions += [
                    replace(question, right=right)
                    for question in asked
                    if (right := sum(question.is_right(each.text) for each in passages))
                ]
    [site] = sites(database)
    return site, questions


@dataclass(frozen=True, slots=True)
class Quality:
    """Of one half of the questions."""

    questions: int
    recall: float
    gain: float
    refused: float


def measure(database: Database, site: Site, questions: Sequence[Question]) -> Quality:
    recalls, gains, refused = [], [], []
    for question in questions:
        hits = search(database, site, question.text, limit=_GAIN_AT, per_page=_GAIN_AT)
        right = [
            question.is_right(hit.passage.text) and hit.passage.url.endswith(f"/{question.page}")
            for hit in hits
        ]
        recalls.append(any(right[:_RECALL_AT]))
        best = _gain([True] * min(_GAIN_AT, question.right))
        gains.append(_gain(right) / best)
        refused.append(not speaks_of(question.text, hits))
    count = len(questions)
    return Quality(count, sum(recalls) / count, sum(gains) / count, sum(refused) / count)


def _gain(right: Sequence[bool]) -> float:
    """Each right one counts less the further down it stands."""
    return sum(1 / math.log2(place + 2) for place, is_right in enumerate(right) if is_right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--set", choices=sorted(SETS), action="append")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL with pgvector")
    given = parser.parse_args()
    for name in given.set or sorted(SETS):
        with postgres() if given.postgres else sqlite() as database:
            measure_set(name, database)


@contextmanager
def sqlite() -> Iterator[Database]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(f"sqlite:///{Path(folder) / 'search.db'}") as database,
    ):
        yield database


@contextmanager
def postgres() -> Iterator[Database]:
    with running_postgres() as server, server.fresh() as url, open_database(url) as database:
        yield database


def measure_set(name: str, database: Database) -> None:
    started = time.process_time()
    site, questions = store_sets(database, SETS[name])
    counts = DiveCounts()
    embed_passages(database, site, local_embedder, counts)
    seconds = time.process_time() - started
    tuned, reported = (measure(database, site, questions[half::2]) for half in (0, 1))
    sys.stdout.write(
        f"{name}: {counts.embedded} passages in {seconds:.0f} CPU s\n"
        f"  half              questions  recall@5  nDCG@10  refused\n"
        f"  tuned on          {tuned.questions:>9}  {tuned.recall:>8.3f}"
        f"  {tuned.gain:>7.3f}  {tuned.refused:>7.1%}\n"
        f"  reported          {reported.questions:>9}  {reported.recall:>8.3f}"
        f"  {reported.gain:>7.3f}  {reported.refused:>7.1%}\n"
    )
    for half, asked in zip(("tuned on", "reported"), OFF_TOPIC[name], strict=True):
        answered = [each for each in asked if speaks_of(each, search(database, site, each))]
        sys.stdout.write(f"  off topic, {half}: {len(answered)} of {len(asked)} answered")
        sys.stdout.write("".join(f"; {each}" for each in answered) + "\n")


if __name__ == "__main__":
    main()
