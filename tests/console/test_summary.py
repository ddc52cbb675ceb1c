from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest

from sitecrawl.console.progress import ProgressFigures
from sitecrawl.console.styled import progress_line
from sitecrawl.console.summary import _OUTCOMES, _REASONS, print_summary
from sitecrawl.console.terminal import command_name
from sitecrawl.items import FetchOutcome
from sitecrawl.scan.summary import Summary
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.refusal import Reason
from tests.site.project import ROOT

_RICH = Summary(
    asked="example.com",
    root_url="https://www.example.com/",
    scan_id=12,
    status=ScanStatus.PARTIAL,
    reason="the time was up (SITECRAWL_MAX_SCAN_MINUTES)",
    pages=1_234_567,
    pages_unchanged=4_567,
    mentions=2_000_000,
    example="https://www.example.com/a",
    by_source={"sitemap": 1_229_000, "feed": 1_000},
    refused={"skipped_path": 1_500, "offsite": 20, "not_found": 7, "brand_new_reason": 1},
    visited=321,
    cut_patterns=[
        {
            "pattern": f"/calendar/{number}",
            "kind": "calendar" if number != 1 else "pattern",
            "reason": "trap_calendar" if number != 1 else None,
            "visited": 40,
            "broken": 0 if number else 3,
            "left_out": 1_000,
        }
        for number in range(10)
    ],
    unvisited=1_234_246,
    probes=14,
    documents={"ok": 21, "not_modified": 2, "http_error": 1, "brand_new": 1},
    findings={"not_a_sitemap": 1, "truncated": 1_001},
    truncated=[
        {"what": "URLs of sitemaps", "setting": "SITECRAWL_MAX_SITEMAP_URLS", "limit": 1_000_000},
        {"what": "time", "setting": "SITECRAWL_MAX_SCAN_MINUTES", "limit": 0.5},
    ],
    stages=[
        {"stage": "entry", "has_run": True, "ended": "nothing left to fetch", "truncated": []},
        {"stage": "crawl", "has_run": False, "ended": "SITECRAWL_CRAWL is never", "truncated": []},
    ],
    requests=1_024,
    received_bytes=12_345_678,
    seconds=13.37,
    politeness={
        "hosts": 1,
        "requests": 1_024,
        "received_bytes": 12_000_000,
        "by_host": [
            {
                "host": "example.com",
                "requests": 1_024,
                "smallest_gap_seconds": 0.2012,
                "median_gap_seconds": 0.351,
                "most_in_flight": 2,
                "longest_pause_seconds": 60.5,
                "received_bytes": 12_000_000,
            }
        ],
        "left_alone": [],
    },
)
_PACE = (
    "1,024 requests to 1 host, at most 2 at once, 0.201 s apart at least (median 0.351 s), 12.0 MB"
)
_PROBES = "robots.txt, usual places of sitemaps, an error page"
_SQLITE = "sqlite:///sitecrawl.db"


def printed(
    summary: Summary = _RICH,
    database: str = _SQLITE,
    feeds: tuple[str, ...] = (),
    database_option: str = "",
    can_resume: bool = True,
) -> str:
    file = io.StringIO()
    print_summary(
        summary,
        database=database,
        feeds=feeds,
        file=file,
        database_option=database_option,
        can_resume=can_resume,
    )
    return file.getvalue()


def rows(text: str) -> list[tuple[str, str]]:
    """Label and value of each line, without the padding between them."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    found = [re.fullmatch(r"(\S+(?: \S+)*)? {2,}(\S.*)", line) for line in lines[1:]]
    return [(match[1] or "", match[2]) for match in found if match]


def test_a_rich_summary() -> None:
    text = printed(feeds=("urls.csv", "urls.jsonl"))
    first = next(line for line in text.splitlines() if line.strip())
    reason = "the time was up (SITECRAWL_MAX_SCAN_MINUTES)"
    assert first.rstrip() == f"https://www.example.com/  partial: {reason}"
    assert rows(text) == [
        ("found", "1,234,567 URLs"),
        ("", "1,229,000 from sitemap"),
        ("", "1,000 from feed"),
        ("", "4,567 in documents that have not changed"),
        ("broken", "7 URLs, off the list"),
        ("", "7 not found (404)"),
        ("refused", "1,521 URLs, kept with their reason"),
        ("", "1,500 skip rule for paths"),
        ("", "20 on another host"),
        ("", "1 brand_new_reason"),
        ("not run", "crawl: SITECRAWL_CRAWL is never"),
        ("visited", "321 pages to follow their links"),
        ("unvisited", "1,234,246 of 1,234,567 URLs on the list"),
        (
            "given up",
            "/calendar/0 (calendar): 40 visited (3 broken), 1,000 not checked, refused",
        ),
        ("", "/calendar/1 (pattern): 40 visited, 1,000 not checked, listed"),
        *(
            ("", f"/calendar/{number} (calendar): 40 visited, 1,000 not checked, refused")
            for number in range(2, 8)
        ),
        ("", "2 more patterns"),
        ("documents", "21 read, 2 unchanged, 1 HTTP error, 1 brand_new"),
        ("probed", f"14 addresses that nothing names ({_PROBES})"),
        ("findings", "not a sitemap (1), truncated (1,001)"),
        ("limit hit", "URLs of sitemaps: SITECRAWL_MAX_SITEMAP_URLS=1000000 can be raised"),
        ("limit hit", "time: SITECRAWL_MAX_SCAN_MINUTES=0.5 can be raised"),
        ("cost", "1,024 requests, 12.3 MB, 13.4 s"),
        ("pace", _PACE),
        ("", "example.com asked to wait; the longest pause was 60.5 s"),
        ("stored", "scan 12 in sqlite:///sitecrawl.db"),
        ("feed", "urls.csv"),
        ("feed", "urls.jsonl"),
        ("next", f"{command_name()} urls example.com"),
        ("", f"{command_name()} urls example.com --status broken"),
        ("", f"{command_name()} why https://www.example.com/a"),
        ("", f"{command_name()} report example.com"),
        ("go on", f"{command_name()} resume 12 -s SITECRAWL_MAX_SITEMAP_URLS=10000000"),
    ]


def test_one_is_not_many() -> None:
    found = rows(printed(replace(_RICH, pages=1, refused={"not_found": 1, "offsite": 1})))
    assert ("found", "1 URL") in found
    assert ("broken", "1 URL, off the list") in found
    assert ("refused", "1 URL, kept with their reason") in found


@pytest.mark.parametrize("limit", [999_999, 10_000_000, 52_428_800])
def test_a_limit_is_shown_as_it_would_be_written(limit: int) -> None:
    cut = {"what": "bytes", "setting": "SITECRAWL_MAX_SITEMAP_BYTES", "limit": limit}
    assert f"SITECRAWL_MAX_SITEMAP_BYTES={limit} " in printed(replace(_RICH, truncated=[cut]))


def test_a_scan_that_found_nothing_does_not_say_what_to_do_with_it() -> None:
    nothing = replace(
        _RICH,
        status=ScanStatus.FAILED,
        scan_id=None,
        pages=0,
        pages_unchanged=0,
        example="",
        by_source={},
        refused={},
        visited=1,
        cut_patterns=[],
        documents={},
        findings={},
        unvisited=0,
        probes=0,
        stages=[],
        truncated=[],
        received_bytes=999,
        politeness={},
    )
    assert [label for label, _ in rows(printed(nothing))] == ["found", "cost"]
    assert "999 bytes" in printed(nothing)


def test_without_an_example_there_is_no_hint_about_why() -> None:
    # As when every document is unchanged: its pages are counted, and none was looked at.
    text = printed(replace(_RICH, example=""))
    assert "sitecrawl urls example.com" in text
    assert "sitecrawl why" not in text


def test_what_was_asked_is_shown_when_the_site_answers_elsewhere() -> None:
    assert ("asked for", "example.org") in rows(printed(replace(_RICH, asked="example.org")))
    assert "asked for" not in printed()


def test_commands_to_go_on_with_can_be_pasted() -> None:
    text = printed(replace(_RICH, asked="https://example.com/?a=1&b=2", example="https://e/?a&b"))
    commands = [shlex.split(value) for _, value in rows(text) if value.startswith(command_name())]
    assert commands == [
        [command_name(), "urls", "https://example.com/?a=1&b=2"],
        [command_name(), "urls", "https://example.com/?a=1&b=2", "--status", "broken"],
        [command_name(), "why", "https://e/?a&b"],
        [command_name(), "report", "https://example.com/?a=1&b=2"],
        [command_name(), "resume", "12", "-s", "SITECRAWL_MAX_SITEMAP_URLS=10000000"],
    ]


def test_a_crawl_that_came_to_its_limit_names_what_is_left_and_how_to_get_it() -> None:
    cut = {"what": "pages left", "setting": "SITECRAWL_MAX_CRAWL_PAGES", "limit": 200}
    summary = replace(_RICH, truncated=[cut], not_visited=9_937, unvisited=9_990, known=2_000_000)
    found = rows(printed(summary, database_option=" --database sqlite:///x.db"))
    assert ("unvisited", "9,990 of 1,234,567 URLs on the list") in found
    known = "2,000,000 URLs with 765,433 of earlier scans that this one has not read"
    assert ("known", known) in found
    command = (
        f"{command_name()} resume 12 -s SITECRAWL_MAX_CRAWL_PAGES=2000 --database sqlite:///x.db"
    )
    assert ("go on", command) in found
    command = f"{command_name()} discover example.com --profile docs --database sqlite:///x.db"
    assert ("all pages", command) in found


def test_commands_to_go_on_with_name_a_database_that_nothing_else_tells() -> None:
    text = printed(database_option=" --database 'sqlite:///my files.db'")
    commands = [shlex.split(value) for _, value in rows(text) if value.startswith(command_name())]
    assert commands == [
        [command_name(), "urls", "example.com", "--database", "sqlite:///my files.db"],
        [
            *(command_name(), "urls", "example.com", "--status", "broken"),
            *("--database", "sqlite:///my files.db"),
        ],
        [command_name(), "why", "https://www.example.com/a", "--database", "sqlite:///my files.db"],
        [command_name(), "report", "example.com", "--database", "sqlite:///my files.db"],
        [
            *(command_name(), "resume", "12", "-s", "SITECRAWL_MAX_SITEMAP_URLS=10000000"),
            *("--database", "sqlite:///my files.db"),
        ],
    ]
    assert "--database" not in printed()


def test_long_values_are_neither_cut_nor_broken() -> None:
    url, path = "https://example.com/" + "x" * 300, "sqlite:////" + "a folder/" * 30 + "s.db"
    text = printed(replace(_RICH, asked=url, example=url), path, feeds=(path,))
    assert ("", f"{command_name()} why {url}") in rows(text)
    assert ("stored", f"scan 12 in {path}") in rows(text)
    assert ("feed", path) in rows(text)


def test_lines_have_no_blanks_at_their_end() -> None:
    assert [line for line in printed().splitlines() if line != line.rstrip()] == []


_HOSTILE = ("[red]x[/red]", "[/]", "[link=https://evil.example]x[/link]", ":warning:")


@pytest.mark.parametrize("text", _HOSTILE)
def test_markup_from_a_site_is_text(text: str) -> None:
    hostile = replace(
        _RICH,
        root_url=f"https://e/{text}",
        asked=text,
        reason=text,
        example=text,
        by_source={text: 1},
        refused={text: 2},
        documents={text: 3},
        truncated=[{"what": text, "setting": "SITECRAWL_MAX_SITEMAPS", "limit": 1}],
    )
    assert printed(hostile, feeds=(text,)).count(text) >= 9


@pytest.mark.parametrize(
    "text", ["\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "\rover", "\b\b", "a\nb", "\u202egpj"]
)
def test_control_characters_from_a_site_do_not_reach_the_terminal(text: str) -> None:
    hostile = replace(
        _RICH,
        root_url=f"https://e/{text}",
        asked=text,
        reason=text,
        example=text,
        by_source={text: 1},
        refused={text: 2},
        truncated=[{"what": text, "setting": "SITECRAWL_MAX_SITEMAPS", "limit": 1}],
    )
    harmless = replace(
        hostile,
        root_url="https://e/x",
        asked="x",
        reason="z",
        example="x",
        by_source={"sitemap": 1},
        refused={"offsite": 2},
        truncated=[{"what": "x", "setting": "SITECRAWL_MAX_SITEMAPS", "limit": 1}],
    )
    output = printed(hostile, text, feeds=(text,), database_option=text)
    assert output.count("\n") == printed(harmless, feeds=("x",)).count("\n")
    assert not [char for char in output if char != "\n" and not char.isprintable()]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "text", ["https://example.com/gr\u00f6\u00dfe", "\x1b[31mred\t", *_HOSTILE]
)
def test_a_terminal_shows_the_same_words_in_colours(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    summary = replace(_RICH, asked=text, reason=text, by_source={text: 1})
    terminal = Terminal()
    print_summary(summary, database=_SQLITE, feeds=(text,), file=terminal, can_resume=True)
    assert "\x1b[1;33mpartial\x1b[0m" in terminal.getvalue()
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert shown == printed(summary, feeds=(text,))


def test_colours_can_be_asked_for_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in printed()
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    assert "\x1b[" not in printed()


def test_without_a_terminal_rich_is_not_imported() -> None:
    program = """
import sys
import sitecrawl.extensions.summary, sitecrawl.extensions.progress
from sitecrawl.console.summary import _is_plain
print(_is_plain(sys.stdout), "rich" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env={},
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert done.stdout.split() == ["True", "False"]


def test_every_reason_and_outcome_has_words() -> None:
    assert _REASONS.keys() == set(Reason)
    # Those that are missing are words as they are.
    assert set(FetchOutcome) - _OUTCOMES.keys() == {"unreachable", "incomplete", "stopped"}
    assert _OUTCOMES.keys() <= set(FetchOutcome)


def test_the_live_line_of_the_crawl() -> None:
    figures = ProgressFigures("crawl", 5_256, 320, 80, 4.0, seconds=76.0, stage_seconds=70.0)
    assert progress_line(figures).plain == (
        " crawl   5,256 pages found  320 visited  80 waiting  4.0/s  1:16, about 0:20 left"
    )


def test_the_live_line_before_the_crawl_promises_nothing() -> None:
    figures = ProgressFigures("sitemaps", 5_000_000, 1, None, 41_000.2, seconds=3_700)
    assert progress_line(figures).plain == " sitemaps   5,000,000 pages found  41,000/s  1:01:40"
