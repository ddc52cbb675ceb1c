"""How pages are cut into passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dive.extraction import Article, Block, BlockKind
from sitecrawl.dive.passages import MAX_TOKENS, count_tokens, fragment_link, split_passages

SENTENCE = "Every visitor gets a map of the house at the desk beside the door. "


def heading(text: str, level: int = 2) -> Block:
    return Block(BlockKind.HEADING, text, level)


def paragraph(sentences: int) -> Block:
    return Block(BlockKind.PARAGRAPH, (SENTENCE * sentences).strip())


def test_sections_are_passages() -> None:
    blocks = [heading("House", 1), heading("Hours"), paragraph(8), heading("Prices"), paragraph(8)]
    first, second = split_passages(Article(blocks=blocks))
    assert (first.headings, second.headings) == (("House", "Hours"), ("House", "Prices"))
    assert "Hours" not in first.text


def test_short_sections_are_one_passage() -> None:
    blocks = [heading("House", 1), heading("Hours"), paragraph(1), heading("Prices"), paragraph(2)]
    [passage] = split_passages(Article(blocks=blocks))
    assert passage.headings == ("House",)
    # The headings that it holds are part of what it says.
    assert passage.text.startswith("Hours\n")
    assert "\nPrices\n" in passage.text


def test_long_sections_are_cut_between_blocks() -> None:
    blocks = [heading("Rules"), *(paragraph(6) for _ in range(8))]
    passages = split_passages(Article(blocks=blocks))
    assert len(passages) > 1
    assert {passage.headings for passage in passages} == {("Rules",)}
    assert all(passage.text.endswith("door.") for passage in passages)


BLOCKS = st.lists(
    st.one_of(
        st.builds(
            Block,
            st.just(BlockKind.HEADING),
            st.text(alphabet="abc", min_size=1, max_size=9),
            st.integers(1, 6),
        ),
        st.builds(
            Block,
            st.sampled_from([BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.CODE, BlockKind.ROW]),
            st.lists(st.sampled_from(["word", "End.", "日本語", "x" * 50]), min_size=1).map(
                lambda words: " ".join(words * 40)
            ),
        ),
    ),
    max_size=12,
)


@given(BLOCKS)
def test_no_word_is_lost_and_none_is_too_long(blocks: list[Block]) -> None:
    passages = split_passages(Article(blocks=blocks))
    said = " ".join([block.text for block in blocks if block.kind is not BlockKind.HEADING])
    kept = " ".join(
        line
        for passage in passages
        for line in passage.text.split("\n")
        if line not in {block.text for block in blocks if block.kind is BlockKind.HEADING}
    )
    assert "".join(kept.split()) == "".join(said.split())
    assert [passage.position for passage in passages] == list(range(len(passages)))
    assert all(passage.tokens <= MAX_TOKENS + 30 for passage in passages)


def test_a_block_without_any_space_is_cut() -> None:
    passages = split_passages(Article(blocks=[Block(BlockKind.PARAGRAPH, "漢" * 2_000)]))
    assert len(passages) > 3
    assert "".join(passage.text for passage in passages) == "漢" * 2_000


def test_tokens_of_other_scripts() -> None:
    assert count_tokens("漢字かな") >= 4


def test_links_open_the_page_at_the_text() -> None:
    link = fragment_link("https://example.com/a?b=1#c", "one-two, three four five six seven eight")
    assert link == (
        "https://example.com/a?b=1#:~:text=one%2Dtwo%2C%20three%20four%20five%20six%20seven%20eight"
    )
