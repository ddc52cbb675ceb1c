"""``sitecrawl serve``: the whole monitor by one command, as somebody new to it uses it."""

from __future__ import annotations

import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import httpx

from sitecrawl.client import Client
from tests.site.build import page, robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site import SiteServer
    from tests.site.project import Project

_END_SECONDS = 120


@contextmanager
def serving(project: Project, *arguments: str) -> Iterator[tuple[str, str]]:
    """The process, its address and the link of the first set-up."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sitecrawl", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=project.folder,
        env={**project.environment, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        [url] = re.findall(r"ready at (http://\S+)", process.stdout.readline())
        process.stdout.readline()
        yield url, process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_END_SECONDS)
        process.stdout.close()
    assert process.returncode == 0


def metrics(text: str) -> dict[str, float]:
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_a_newcomer_sets_up_watches_a_site_and_sees_its_pages(
    project: Project, site: SiteServer
) -> None:
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml")),
        "/sitemap.xml": sitemap(site.at("/a"), site.at("/b")),
        "/": page("Home", "/a"),
    }
    allow = f"SITECRAWL_ADDRESS_ALLOW={site.url.removeprefix('http://').rstrip('/')}"
    with (
        serving(project, "-s", allow, "-s", "SITECRAWL_LOG_FORMAT=json") as (url, link),
        httpx.Client(base_url=url, timeout=60) as browser,
    ):
        given = {"email": "ada@example.com", "password": "a long password"}
        assert browser.post(link.removeprefix(url), data=given).status_code == 303
        scopes = {"name": "test", "scopes": ["read", "edit", "scan"]}
        token = browser.post("/api/tokens", json=scopes).json()["token"]
        with Client(url, token) as client:
            made = client.create_site(
                {"rootUrl": site.url, "profile": "fast", "settings": {"SITECRAWL_CRAWL": "never"}}
            )
            assert made["activeJobId"] is not None
            *_, (_, name, last) = client.stream_job(made["activeJobId"])
            assert (name, last["job"]["status"]) == ("ended", "success"), last
            pages = client.list_pages(made["id"], sort="url")["pages"]
            assert [each["url"] for each in pages][-2:] == [site.at("/a"), site.at("/b")]
            figures = metrics(client.get_metrics().decode())
            assert figures['sitecrawl_ended_scans{status="finished"}'] == 1
            assert figures['sitecrawl_scan_documents{outcome="ok"}'] == 3
            assert figures["sitecrawl_scan_requests"] == len(site.requests())
            assert figures["sitecrawl_scan_received_bytes"] > 0
            assert figures["sitecrawl_scan_smallest_gap_seconds"] > 0
            assert (
                figures["sitecrawl_running_scans"] == figures["sitecrawl_queue_oldest_seconds"] == 0
            )
            [worker] = client.get_monitor()["workers"]
            assert worker["isScheduler"] is True
    with closing(sqlite3.connect(project.database)) as database:
        indexed = "SELECT url FROM page_index WHERE EXISTS (SELECT finished_at FROM indexed_sites)"
        assert len(database.execute(indexed).fetchall()) == 2
        [(log,)] = database.execute("SELECT log_tail FROM jobs").fetchall()
    # What was set for the server holds for its scans, which are processes of their own.
    lines = [json.loads(line) for line in log.splitlines()]
    [closed] = [line for line in lines if line["message"] == "Spider closed (finished)"]
    assert (closed["job"], closed["scan"], closed["worker"]) == (1, 1, worker["name"])


def test_an_address_that_is_taken_is_said(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = project.run(
            *(sys.executable, "-m", "sitecrawl", "serve", "--no-workers", "--port", port)
        )
    assert done.returncode == 2
    assert "address already in use" in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"sitecrawl: cannot listen at 127.0.0.1, port {port}; choose others")
    assert "Traceback" not in done.stderr


def test_the_server_answers_while_the_demo_site_is_scanned(project: Project) -> None:
    """The first line says that it is ready; only then the history is made."""
    with serving(project, "--demo", "--no-workers") as (_url, link):
        assert httpx.get(link).status_code == 200
