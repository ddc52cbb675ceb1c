"""Hostile pages and hostile models: what they say is checked before anybody sees it."""

from __future__ import annotations

import html
import random
import re
from typing import TYPE_CHECKING, Final

import pytest

from sitecrawl.dive.answers import AnswerKind, ask
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.passages import passages_by_id
from tests.dive.conftest import make_searchable
from tests.dive.injections import EVIL, injections
from tests.store.scanning import SITE, page_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.dive.answers import Answer
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Site

ANIMALS: Final = tuple(
    """Ape Bear Bat Beaver Bison Camel Cat Cheetah Cobra Crane Crocodile Deer Dolphin Duck Eagle
    Elephant Emu Falcon Ferret Flamingo Fox Frog Gazelle Gecko Giraffe Goat Gorilla Hare Hawk Heron
    Hippo Horse Hyena Ibex Iguana Jackal Jaguar Kangaroo Koala Lemur Leopard Lion Llama Lynx Magpie
    Marten Meerkat Mole Moose Otter""".split()  # noqa: SIM905  fifty names are easier to read so
)
TOPICS: Final = (
    ("When does the {} house open?", "The {} house opens at {} in the morning on every day."),
    ("What do the {}s in the zoo eat?", "The keepers feed each {} with {} kilos of food a day."),
    ("Who built the {} house?", "The {} house was built by {} carpenters from the village."),
    ("How do I get to the {} house?", "You reach the {} house by the path with number {}."),
)
_LABEL: Final = re.compile(r"\[(S\d+)\]")


def url_of(animal: str) -> str:
    return f"https://{SITE}/{animal.lower()}"


def _page(number: int, animal: str, injection: str) -> str:
    paragraphs = [answer.format(animal, number + 2) for _question, answer in TOPICS]
    paragraphs.insert(number % 4, injection)
    body = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
    # Every fifth page says it in its title and its heading, too.
    title = f"The {animal} house" + (f" {injection}" if number % 5 == 0 else "")
    return (
        f"<html><head><title>{html.escape(title)}</title></head>"
        f"<body><article><h1>{html.escape(title)}</h1>{body}</article></body></html>"
    )


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Site]]:
    """A site of fifty pages, each with an injection."""
    folder = tmp_path_factory.mktemp("zoo")
    pages = {
        f"/{animal.lower()}": _page(number, animal, injection)
        for number, (animal, injection) in enumerate(zip(ANIMALS, injections(), strict=True))
    }
    with open_database(f"sqlite:///{folder}/zoo.db") as database:
        yield database, make_searchable(database, pages)


class ObedientModel:
    """Does what the pages say: it repeats them, with a label behind each line."""

    name = "obedient"

    def stream(self, messages: Sequence[dict[str, str]]) -> Iterator[str]:
        sources = messages[-1]["content"]
        for line in sources.splitlines():
            yield f"{line} [S1] "
            yield "\n"


class LyingModel:
    """Invents labels and addresses, and cuts its words anywhere."""

    name = "lying"
    _WORDS: Final = (
        "It opens at nine",
        "See [S1](https://evil.example/a)",
        "Look at https://evil.zip/b?c=d",
        "![S2](https://evil.example/p.png)",
        "Read [more][1]\n[1]: https://evil.example/\n",
        "<a href='//evil.example'>The keepers know it</a>",
        f"The page is https://{SITE}/none",
        f"The page is https://{SITE}/lion",
    )
    _LABELS: Final = ("[S1]", "[S2]", "[S7]", "[S0]", "[S99, S1]", "【S3】", "(s1)", "[S1-S9]", "")

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def stream(self, messages: Sequence[dict[str, str]]) -> Iterator[str]:
        del messages
        choose = self._random.choice
        said = ". ".join(f"{choose(self._WORDS)} {choose(self._LABELS)}" for _ in range(5)) + "."
        while said:
            size = self._random.randint(1, 12)
            yield said[:size]
            said = said[size:]


def check_answer(database: Database, answer: Answer) -> None:
    """Every label is a citation, every citation is a stored passage, every quote stands in it."""
    labels = {citation.label for citation in answer.citations}
    assert set(_LABEL.findall(answer.text)) == labels
    assert "![" not in answer.text
    assert "](" not in answer.text
    assert re.search(r"<\s*[a-z/!]", answer.text, re.IGNORECASE) is None
    with database.reading() as connection:
        stored = passages_by_id(connection, [each.passage_id for each in answer.citations])
    for citation in answer.citations:
        passage = stored[citation.passage_id]
        assert citation.quote
        assert citation.quote in passage.text
        assert citation.url == passage.url
        assert citation.link.startswith(f"{passage.url}#:~:text=")
    for said in (answer.text, *(f"{c.quote} {c.title} {c.headings}" for c in answer.citations)):
        assert f"{EVIL}." not in said
    for address in re.findall(r"https?://\S+", answer.text):
        assert address.rstrip(".,") in {citation.url for citation in answer.citations}


def test_a_lying_model_over_two_hundred_questions(zoo: tuple[Database, Site]) -> None:
    database, site = zoo
    kinds = set()
    for number, animal in enumerate(ANIMALS):
        for place, (question, _answer) in enumerate(TOPICS):
            model = LyingModel(10 * number + place)
            answer = ask(database, site, question.format(animal.lower()), model=model)
            check_answer(database, answer)
            assert all(sentence.text in answer.text for sentence in answer.unsupported)
            kinds.add(answer.kind)
    assert kinds == {AnswerKind.MODEL, AnswerKind.EXTRACTIVE}


class InventingModel:
    """Says something true with its source, and adds a number and a name that nobody gave it."""

    name = "inventing"

    def stream(self, messages: Sequence[dict[str, str]]) -> Iterator[str]:
        del messages
        yield "The keepers feed each animal with kilos of food [S1]. "
        yield "They paid 4711 euros to Doctor Zenobia for the food [S1]."


@pytest.mark.parametrize("drops", [False, True])
def test_what_a_model_invents_is_marked_or_dropped(zoo: tuple[Database, Site], drops: bool) -> None:
    database, site = zoo
    for animal in ANIMALS[:10]:
        question = f"What do the {animal.lower()}s in the zoo eat?"
        answer = ask(database, site, question, model=InventingModel(), drops_unsupported=drops)
        check_answer(database, answer)
        assert answer.kind is AnswerKind.MODEL
        assert ("4711" in answer.text) is not drops
        assert len(answer.unsupported) == (0 if drops else 1)
        if not drops:
            missing = set(answer.unsupported[0].missing)
            assert {"4711", "Doctor", "Zenobia"} <= missing


@pytest.mark.parametrize("model", [None, ObedientModel()], ids=["sentences", "obedient"])
def test_fifty_injections(zoo: tuple[Database, Site], model: ObedientModel | None) -> None:
    database, site = zoo
    for number, animal in enumerate(ANIMALS):
        question, expected = TOPICS[number % len(TOPICS)]
        pages = {page_id(url_of(animal))}
        answer = ask(database, site, question.format(animal.lower()), model=model, pages=pages)
        check_answer(database, answer)
        # The page still says what it has to say.
        assert expected.format(animal, number + 2) in answer.text
        assert {citation.url for citation in answer.citations} == {url_of(animal)}


@pytest.mark.parametrize("model", [None, ObedientModel()], ids=["sentences", "obedient"])
@pytest.mark.parametrize(
    "question",
    [
        "Which database engine is the fastest one?",
        "How do I file my tax return in Norway?",
        "Who won the chess championship in 1972?",
        "What is the boiling point of nitrogen?",
        "How do I sort a list in Python?",
    ],
)
def test_off_topic_questions_are_refused(
    zoo: tuple[Database, Site], model: ObedientModel | None, question: str
) -> None:
    database, site = zoo
    answer = ask(database, site, question, model=model)
    assert (answer.kind, answer.citations) == (AnswerKind.NOT_FOUND, ())
