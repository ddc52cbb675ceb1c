from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.cli.robots import describe
from sitecrawl.config import ConfigError
from sitecrawl.items import Document, DocumentKind, FetchOutcome
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import policy_for
from sitecrawl.scan.robots import AuthorityRobots
from sitecrawl.services.robots import RobotsView
from sitecrawl.services.scans import ScanRequest

if TYPE_CHECKING:
    from sitecrawl.robots.answers import RobotsAnswer

ORIGIN = "https://shop.example"
OK = read_answer("ok", 200)


def seen(
    body: bytes, answer: RobotsAnswer = OK, *, agent: str = "", final_url: str = ""
) -> AuthorityRobots:
    url = f"{ORIGIN}/robots.txt"
    outcome = FetchOutcome.OK if answer is OK else FetchOutcome.HTTP_ERROR
    document = Document(
        url,
        DocumentKind.ROBOTS_TXT,
        "a test",
        outcome,
        status=answer.status,
        error=answer.cause,
        body=body,
        final_url=final_url or url,
    )
    robots = AuthorityRobots(document, answer, policy_for(answer, body, token="sitecrawl"))
    return RobotsView.of(agent, ScanRequest().config()).seen(robots)


def words(robots: AuthorityRobots, *urls: str, token: str = "sitecrawl") -> list[str]:
    return list(describe(robots, token, urls))


def test_everything_that_concerns_us() -> None:
    body = (
        b"# the shop\nUser-agent: *\nDisallow: /cart\nCrawl-delay: 2\nRequest-rate: 1/10m 0600-0845"
        b"\nRequest-rate: 1/5\nNoindex: /x\nNoindex: /y\nSitemap: /map.xml # all\n"
    )
    assert words(seen(body)) == [
        f"{ORIGIN}/robots.txt  HTTP 200, {len(body)} bytes",
        "  line 2: User-agent: *  is the group for sitecrawl",
        "  1 rule",
        "  line 4: Crawl-delay: 2 s",
        "  line 5: Request-rate: 1 in 600 s, 06:00 to 08:45 UTC",
        "  line 6: Request-rate: 1 in 5 s",
        "  line 9: Sitemap: /map.xml # all",
        "  unknown line: line 7: Noindex: /x (2 times)",
    ]


def test_the_deciding_line_stands_in_its_place() -> None:
    body = (
        b"User-agent: a\nDisallow: /\n\nUser-agent: *\nAllow: /\n# aside\nDisallow: /b\n"
        b"Disallow: /cart # no\nDisallow: /c\n"
    )
    assert words(seen(body), "/cart/1")[3:] == [
        "",
        f"{ORIGIN}/cart/1  not allowed",
        "       4 | User-agent: *",
        "      ...",
        "       7 | Disallow: /b",
        "  >    8 | Disallow: /cart # no",
        "       9 | Disallow: /c",
        "  protego agrees",
    ]


@pytest.mark.parametrize(
    ("url", "line"),
    [
        (f"{ORIGIN}/a", f"{ORIGIN}/a  allowed"),
        ("a", f"{ORIGIN}/a  allowed"),
        ("/robots.txt", f"{ORIGIN}/robots.txt  allowed"),
        ("ftp://shop.example/a", "ftp://shop.example/a: not an http or https URL"),
        (
            "http://shop.example/a",
            "http://shop.example/a: on another origin, whose own robots.txt decides",
        ),
    ],
)
def test_urls_may_be_given_in_any_way(url: str, line: str) -> None:
    assert line in words(seen(b"User-agent: *\nDisallow: /b"), url)


def test_a_verdict_without_a_line_is_explained() -> None:
    assert words(seen(b"User-agent: *\nDisallow: /b"), "/a")[-2] == (
        "  no rule of robots.txt for * matches"
    )


class TestProtego:
    @pytest.mark.parametrize(
        ("body", "url", "expected"),
        [
            (b"User-agent: *\nDisallow: /a", "/a", "  protego agrees"),
            (b"User-agent: *\nDisallow: /a", "/b", "  protego agrees"),
            # It counts "?" as "%3F", so that another rule is the longest one.
            (
                b"User-agent: *\nDisallow: /a?\nAllow: /*bc\n",
                "/a?bc",
                "  protego differs: it would disallow it",
            ),
            (
                b"User-agent: *\nDisallow: /*bc\nAllow: /a?\n",
                "/a?bc",
                "  protego differs: it would allow it",
            ),
        ],
    )
    def test_a_second_opinion(self, body: bytes, url: str, expected: str) -> None:
        assert words(seen(body), url)[-1] == expected

    def test_it_judges_for_the_same_bot(self) -> None:
        body = b"User-agent: otherbot\nDisallow: /a\n"
        assert words(seen(body, agent="otherbot"), "/a", token="otherbot")[-1] == "  protego agrees"

    @pytest.mark.parametrize(
        ("body", "answer"),
        [
            (b"", read_answer("not_found", 404)),
            (b"", read_answer("timeout", error="no complete answer in time")),
            (b"<html>Disallow: /</html>", OK),
        ],
    )
    def test_without_rules_it_is_not_asked(self, body: bytes, answer: RobotsAnswer) -> None:
        assert not any("protego" in line for line in words(seen(body, answer), "/a"))

    def test_a_file_that_would_fill_the_memory_is_not_given_to_it(self) -> None:
        body = b"".join(b"User-agent: %d\n" % number for number in range(10_000))
        body += b"User-agent: *\n" + b"Disallow: /a\n" * 10_000
        shown = words(seen(body), "/a")
        assert f"{ORIGIN}/a  not allowed" in shown
        assert not any("protego" in line for line in shown)


@pytest.mark.parametrize(
    ("body", "answer", "line"),
    [
        (b"", OK, "  robots.txt has no rules for this crawler"),
        (b"User-agent: x\nDisallow: /", OK, "  robots.txt has no rules for this crawler"),
        (b"<html>no</html>", OK, "  what is in the place of robots.txt is HTML"),
        (b"", read_answer("not_found", 404), "  there is no robots.txt (HTTP 404)"),
        (
            b"",
            read_answer("timeout", error="no complete answer in time"),
            (
                "  robots.txt could not be fetched (no complete answer in time),"
                " so nothing may be fetched"
            ),
        ),
    ],
)
def test_an_answer_without_rules_is_explained(body: bytes, answer: RobotsAnswer, line: str) -> None:
    assert line in words(seen(body, answer))


def test_where_redirects_led_is_said() -> None:
    (first, *_) = words(seen(b"", final_url="https://cdn.example/r.txt"))
    assert first.endswith(", after redirects to https://cdn.example/r.txt")


class TestHostileFiles:
    def test_nothing_steers_the_terminal(self) -> None:
        nasty = b"\x1b]0;owned\x07\x1b[2J\x9b\xe2\x80\xae"
        body = b"User-agent: *\nDisallow: /%b # %b\nSitemap: /%b\nCrawl-delay: %b\n%b: x\n" % (
            (nasty,) * 5
        )
        shown = words(seen(body), "/\x1b", "\x1b[31m:x", f"{ORIGIN}/{nasty.decode('latin-1')}")
        assert all(line.isprintable() for line in shown)
        assert any("\\x1b]0;owned" in line for line in shown)

    def test_nothing_floods_it(self) -> None:
        many = 5_000
        body = b"User-agent: *\n" * many + b"Request-rate: 1/5\n" * many
        body += b"Sitemap: /map.xml\n" * many + b"Disallow: /" + b"a" * 15_000
        shown = words(seen(body), "/" + "a" * 16_000)
        assert sum("User-agent" in line for line in shown[:-4]) == 20
        assert shown.count(f"  and {many - 20:,} more like this") == 3
        assert len(shown) < 80
        urls = [line for line in shown if line.startswith(ORIGIN)]
        assert max(map(len, set(shown) - set(urls))) < 330


class TestAgents:
    BODY = (
        b"User-agent: MJ12bot\nDisallow: /a\n\nUser-agent: sitecrawl\nDisallow: /b\n\n"
        b"User-agent: *\nDisallow: /c\n"
    )

    @pytest.mark.parametrize(
        ("agent", "refused"),
        [
            ("", "/b"),
            ("sitecrawl", "/b"),
            ("mj12bot", "/a"),
            ("MJ12bot/v1.4.8 (http://mj12bot.example/)", "/a"),
            ("Somebody", "/c"),
        ],
    )
    def test_the_file_is_read_for_this_bot(self, agent: str, refused: str) -> None:
        robots = seen(self.BODY, agent=agent)
        paths = ("/a", "/b", "/c")
        assert [path for path in paths if not robots.policy.decide(path).allowed] == [refused]

    @pytest.mark.parametrize("agent", ["*", " ", "/1.0"])
    def test_what_is_no_name_is_refused(self, agent: str) -> None:
        with pytest.raises(ConfigError, match=r"--agent .*: expected the name of a bot"):
            RobotsView.of(agent, ScanRequest().config())
