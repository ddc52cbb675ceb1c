"""A second opinion: protego, over generated files, where it reads them as RFC 9309 does.

Left out, because protego differs there on purpose or by mistake:

- characters that it escapes before it counts (``?``, ``&``, ``%``, non-ASCII): it takes the longest
  rule by its escaped length;
- ``$`` in a URL: a rule that ends with ``$`` also is a literal ``$`` for it;
- names that are a part of ours, or go on after it: it matches the former and not the latter;
- a group with a delay but without a rule, and unknown lines: they end a list of names for it;
- ``/index.html`` followed by something, which Google's parser takes for the directory as well;
- more than one delay for a name: it takes the last one, and not the longest.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import policy_for

ORIGIN = "https://shop.example"

NAME = st.sampled_from(["sitecrawl", "SiteCrawl", "*", "otherbot", "Mozilla"])
TEXT = st.text(st.sampled_from("ab/*/.=-"), max_size=7)
PATTERN = st.builds(
    "{}{}{}".format,
    st.sampled_from(["/", "/", "/", "*", "", "/a/index.html", "https://shop.example/"]),
    TEXT,
    st.sampled_from(["", "", "$"]),
).filter(lambda text: "index.html" not in text or text == "/a/index.html")
RULE = st.builds(
    "{}{}{}".format,
    st.sampled_from(["Allow: ", "Disallow: ", "allow:", "DISALLOW : ", "dissallow: "]),
    PATTERN | st.just(""),
    st.sampled_from(["", "", " # why", "\t"]),
)
BETWEEN = st.lists(st.sampled_from(["", "# a comment", "Sitemap: /sitemap.xml"]), max_size=2)
GROUP = st.builds(
    lambda names, between, rules: [*(f"User-agent: {name}" for name in names), *between, *rules],
    st.lists(NAME, min_size=1, max_size=3),
    BETWEEN,
    st.lists(RULE, min_size=1, max_size=5),
)
PATH = st.text(st.sampled_from("ab/.=-*"), max_size=8).map("/{}".format) | st.sampled_from(
    ["/a/", "/a/index.html", "/robots.txt"]
)


@settings(max_examples=300)
@given(
    st.lists(GROUP, max_size=5),
    st.lists(RULE, max_size=1),
    st.lists(PATH, min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.none() | st.integers(0, 4),
)
def test_protego_agrees(
    groups: list[list[str]],
    before: list[str],
    paths: list[str],
    line_end: str,
    delayed_group: int | None,
) -> None:
    if delayed_group is not None and delayed_group < len(groups):
        groups[delayed_group] = [*groups[delayed_group], "Crawl-delay: 2.5"]
    text = line_end.join([*before, *(line for group in groups for line in group)])
    protego = Protego.parse(text)
    policy = policy_for(read_answer("ok", 200), text.encode(), token="sitecrawl")
    for path in paths:
        verdict = policy.decide(ORIGIN + path)
        assert verdict.allowed == protego.can_fetch(ORIGIN + path, "sitecrawl"), (text, verdict)
        assert verdict.crawl_delay == protego.crawl_delay("sitecrawl")
