"""Logs as JSON: what a line says, and what it never says."""

from __future__ import annotations

import json
import logging
import threading
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl import logs
from sitecrawl.logs import JsonFormatter, identified, identify
from tests.site.build import robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import ProcessResult, Project


@pytest.fixture(autouse=True)
def _own_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_process_ids", {})


def _line(message: str, *args: object, secrets: tuple[str, ...] = (), **more: Any) -> str:
    record = logging.LogRecord(
        "sitecrawl.x", logging.WARNING, "x.py", 1, message, args, more.get("exc_info")
    )
    record.created = 1_700_000_000.25
    return JsonFormatter(secrets).format(record)


def test_a_record_is_one_line() -> None:
    line = _line("two\nlines of %s \u2028 \ud800", "a <page>")
    assert line.splitlines() == [line]
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "WARNING",
        "logger": "sitecrawl.x",
        "message": "two\nlines of a <page> \u2028 \ud800",
    }


def test_the_ids_are_those_of_the_process_and_of_the_thread() -> None:
    identify(worker="w1", scan=None)
    seen: list[Any] = []
    with identified(job=7), identified(scan=3):
        seen.append(json.loads(_line("x")))
        other = threading.Thread(target=lambda: seen.append(json.loads(_line("x"))))
        other.start()
        other.join()
    seen.append(json.loads(_line("x")))
    assert [{name: each.get(name) for name in ("worker", "job", "scan")} for each in seen] == [
        {"worker": "w1", "job": 7, "scan": 3},
        {"worker": "w1", "job": None, "scan": None},
        {"worker": "w1", "job": None, "scan": None},
    ]


@pytest.mark.parametrize(
    ("said", "logged"),
    [
        ("postgresql://me:hunter2@db/x is away", "postgresql://me:***@db/x is away"),
        ("redis://:hunter2@db", "redis://:***@db"),
        ("http://example.com:80/@a", "http://example.com:80/@a"),
        ("token s3cr3t-token-1 and s3cr3t-token", "token *** and ***"),
        ("ab", "ab"),
    ],
)
def test_no_secret_is_logged(said: str, logged: str) -> None:
    secrets = ("s3cr3t-token", "s3cr3t-token-1", "ab", "")
    assert json.loads(_line("%s", said, secrets=secrets))["message"] == logged
    error = ValueError(said)
    line = _line("x", secrets=secrets, exc_info=(ValueError, error, None))
    assert json.loads(line)["exception"].endswith(f"ValueError: {logged}")


def test_all_that_a_scan_logs_is_json_with_its_number(
    site: SiteServer, project: Project, run_scrapy: Callable[..., ProcessResult]
) -> None:
    site.routes |= {
        "/robots.txt": robots("/sitemap.xml"),
        "/sitemap.xml": sitemap(*(site.at(f"/{number}") for number in range(12))),
    }
    result = run_scrapy(
        *("crawl", "discover", "-a", f"domain={site.url}", "-s", "SITECRAWL_LOG_FORMAT=json")
    ).succeeded()
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    [ended] = [each for each in lines if each["message"] == "Spider closed (finished)"]
    assert (ended["scan"], ended["level"], ended["logger"]) == (1, "INFO", "scrapy.core.engine")
    assert "12 from sitemap" in lines[-1]["message"]
    assert lines[0]["message"].startswith("Scrapy")


def test_a_wrong_format_is_refused(run_scrapy: Callable[..., ProcessResult]) -> None:
    result = run_scrapy(
        *("crawl", "discover", "-a", "domain=example.com", "-s", "SITECRAWL_LOG_FORMAT=xml")
    )
    assert result.returncode == 2
    assert "SITECRAWL_LOG_FORMAT" in result.output
    assert "json" in result.output
