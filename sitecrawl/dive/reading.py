"""Splits the stored bodies of pages into passages, and embeds the passages.

Both steps can be stopped at any point and go on later: a page whose body has not changed is not
read again, and a passage that has a vector is not embedded again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.language import text_detector
from sitecrawl.dive.extraction import Article, extract_article
from sitecrawl.dive.files.formats import (
    FileFormat,
    FileProblem,
    UnreadableFileError,
    is_file,
    is_pdf,
    is_pdf_readable,
    name_of,
)
from sitecrawl.dive.models import ModelFailedError
from sitecrawl.dive.passages import split_passages
from sitecrawl.dive.vectors import pack_vectors
from sitecrawl.errors import ExtraMissingError
from sitecrawl.html.decoding import looks_like_html, page_as_utf8
from sitecrawl.html.text import hash_text
from sitecrawl.parsing.findings import Findings
from sitecrawl.store.compression import unpack_body
from sitecrawl.store.queries.passages import (
    ensure_words_indexed,
    kept_page_bodies,
    known_contents,
    passage_languages,
    unembedded,
)
from sitecrawl.store.queries.vectors import index_vectors
from sitecrawl.store.writers.dives import (
    NewContent,
    NewPassage,
    known_model,
    put_content,
    put_vectors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.dive.embeddings import Embedder
    from sitecrawl.dive.files.reader import FileProcess
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.passages import UnembeddedPassage
    from sitecrawl.store.queries.scans import Site
    from sitecrawl.store.queries.vectors import EmbeddingModel

logger = logging.getLogger(__name__)

# Raised when passages are split in another way, so that all pages are read again.
_PASSAGE_RULES: Final = 1
# Raised when files are read in another way.
_FILE_RULES: Final = 1
_PAGES_AT_ONCE: Final = 20
_PASSAGES_AT_ONCE: Final = 64
_BODY_TYPE: Final = "text/html"


@dataclass(slots=True)
class DiveCounts:
    """What a dive has done so far."""

    pages: int = 0
    """Wanted pages."""
    to_fetch: int = 0
    """Pages whose body is not kept, or is too old."""
    fetched: int = 0
    read: int = 0
    unchanged: int = 0
    without_body: int = 0
    """No body was kept, so there is nothing to read."""
    without_text: int = 0
    other_language: int = 0
    files: int = 0
    """Wanted files of the types that scans skip."""
    files_left_out: int = 0
    """PDF files that the extra ``files`` is needed for."""
    files_encrypted: int = 0
    files_damaged: int = 0
    files_too_large: int = 0
    files_too_slow: int = 0
    passages: int = 0
    """New ones."""
    embedded: int = 0
    removed: int = 0
    """Pages that are no longer listed, whose passages went."""


def file_notices(counts: Mapping[str, int]) -> list[str]:
    """Which files a dive could not read, and what would help.

    >>> file_notices({"files_left_out": 2, "files_encrypted": 1})
    ["2 PDF files left out; to read them: pip install 'sitecrawl[files]'",
     '1 file needs a password']
    """
    found = []
    for name, one, several in (
        ("files_left_out", "PDF file left out; to read it", "PDF files left out; to read them"),
        ("files_encrypted", "file needs a password", "files need a password"),
        ("files_damaged", "file is damaged", "files are damaged"),
        (
            "files_too_large",
            "file is too large to be unpacked",
            "files are too large to be unpacked",
        ),
        ("files_too_slow", "file took too long to read", "files took too long to read"),
    ):
        if number := counts.get(name, 0):
            how = ": pip install 'sitecrawl[files]'" if name == "files_left_out" else ""
            found.append(f"{number:,} {one if number == 1 else several}{how}")
    return found


def reader_name(file_format: str = FileFormat.HTML, languages: Sequence[str] = ()) -> str:
    """The name of the reader with its version: pages read by another one are read again."""
    match file_format:
        case FileFormat.HTML:
            reader = f"trafilatura {_version('trafilatura')}"
        case FileFormat.PDF if is_pdf_readable():
            reader = f"pypdf {_version('pypdf')}, files {_FILE_RULES}"
        case _:
            reader = f"files {_FILE_RULES}"
    name = f"{reader}, passages {_PASSAGE_RULES}"
    return f"{name}, {','.join(sorted(languages))} only" if languages else name


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise ExtraMissingError(
            f"reading pages for a dive needs the package {package}; install what it needs with:"
            " pip install 'sitecrawl[dive]'"
        ) from error


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads pages of a site for a dive."""

    database: Database
    site: Site
    dive_id: int
    counts: DiveCounts
    files: FileProcess
    languages: Sequence[str] = ()
    """Primary codes of the wanted languages; empty: all."""
    tell: Callable[[DiveCounts], None] | None = None
    _detect: Callable[[str], str] | None = field(default_factory=text_detector)

    def read(self, page_ids: Sequence[int], at_once: int = _PAGES_AT_ONCE) -> None:
        """Read the newest stored body of each page, unless it was read before."""
        with self.database.reading() as connection:
            known = known_contents(connection, self.site.id)
        for start in range(0, len(page_ids), at_once):
            ids = page_ids[start : start + at_once]
            with self.database.reading() as connection:
                bodies = list(kept_page_bodies(connection, ids))
            self.counts.without_body += len(ids) - len(bodies)
            contents = []
            for page_id, url, sha256, encoding, packed in bodies:
                before, file_format, reader = known.get(page_id, ("", "", ""))
                if before == sha256 and reader == reader_name(file_format, self.languages):
                    self.counts.unchanged += 1
                    continue
                body = unpack_body(encoding, packed)
                if is_pdf(body) and not is_pdf_readable():
                    self.counts.files_left_out += 1
                    continue
                contents.append(self._content(page_id, url, sha256, body))
            self._write(contents)

    def _content(self, page_id: int, url: str, sha256: str, body: bytes) -> NewContent:
        file_format, problem = FileFormat.HTML, None
        if is_file(body, url):
            file_format, article, problem = self._file(body, url)
        else:
            article = _page_article(body, url)
        detected = self._detect(article.text) if self._detect is not None else ""
        language = detected or article.language.lower()
        cut = split_passages(article)
        if self.languages and language.partition("-")[0] not in {*self.languages, ""}:
            self.counts.other_language += 1
            cut = []
        elif not cut and problem is None:
            self.counts.without_text += 1
        return NewContent(
            page_id=page_id,
            body_sha256=sha256,
            reader=reader_name(file_format, self.languages),
            format=file_format,
            problem=problem,
            title=article.title,
            author=article.author,
            published=article.published,
            language=language,
            passages=[
                NewPassage(
                    passage.position,
                    passage.headings,
                    passage.text,
                    passage.tokens,
                    language,
                    hash_text(passage.text),
                    passage.file_page,
                )
                for passage in cut
            ],
        )

    def _file(self, body: bytes, url: str) -> tuple[FileFormat, Article, FileProblem | None]:
        try:
            read = self.files.read(body, url)
        except UnreadableFileError as error:
            logger.warning("%s is not read: %s (%s)", url, error.problem, error)
            name = f"files_{error.problem}"
            setattr(self.counts, name, getattr(self.counts, name) + 1)
            file_format = FileFormat.PDF if is_pdf(body) else FileFormat.UNKNOWN
            return file_format, Article(title=name_of(url)), error.problem
        return read.format, read.article, None

    def _write(self, contents: Sequence[NewContent]) -> None:
        if contents:
            with self.database.writing() as connection:
                for content in contents:
                    put_content(connection, self.site.id, self.dive_id, content)
        self.counts.read += len(contents)
        self.counts.passages += sum(len(content.passages) for content in contents)
        if self.tell is not None:
            self.tell(self.counts)


def _page_article(body: bytes, url: str) -> Article:
    html = ""
    if looks_like_html(body, _BODY_TYPE):
        html = page_as_utf8(body, _BODY_TYPE, Findings()).decode("utf-8", "replace")
    return extract_article(html, url)


def embed_passages(
    database: Database,
    site: Site,
    embedder_for: Callable[[str], Embedder],
    counts: DiveCounts,
    tell: Callable[[DiveCounts], None] | None = None,
) -> None:
    """Embed every passage that has no vector of the model for its language."""
    with database.writing() as connection:
        languages = list(passage_languages(connection, site.id))
        ensure_words_indexed(connection, languages)
        models = {language: _model(connection, embedder_for(language)) for language in languages}
    for model in sorted(set(models.values())):
        own = [language for language in languages if models[language] == model]
        with database.reading() as connection:
            waiting = unembedded(connection, site.id, model.id, own)
        for start in range(0, len(waiting), _PASSAGES_AT_ONCE):
            block = waiting[start : start + _PASSAGES_AT_ONCE]
            vectors = embedder_for(own[0]).encode([embedded_text(each) for each in block])
            packed = pack_vectors(vectors)
            numbers = [each.id for each in block]
            with database.writing() as connection:
                put_vectors(
                    connection,
                    site.id,
                    [(model.id, number, row) for number, row in zip(numbers, packed, strict=True)],
                )
            counts.embedded += len(block)
            if tell is not None:
                tell(counts)
        with database.writing() as connection:
            index_vectors(connection, model)


def _model(connection: Connection, embedder: Embedder) -> EmbeddingModel:
    model = known_model(connection, embedder.name, embedder.dimensions)
    if model.dimensions != embedder.dimensions:
        raise ModelFailedError(
            f"{embedder.name} gives vectors of {embedder.dimensions} numbers, and those that are"
            f" stored have {model.dimensions}: it is another model; give it another name"
            " (SITECRAWL_EMBEDDING_NAME)"
        )
    return model


def embedded_text(passage: UnembeddedPassage) -> str:
    """The text of the passage, below its title and headings."""
    headings = [heading for heading in passage.headings if heading != passage.title]
    return "\n".join([passage.title, *headings, passage.text])
