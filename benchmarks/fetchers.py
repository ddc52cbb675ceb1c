"""Crawls one site of several hosts at no delay, by the scan's own process and with fetchers.

    python -m benchmarks.fetchers --pages 4000 --fetchers 0,1,2,4
    python -m benchmarks.fetchers --pages 100k --small

Prints CPU seconds of the scan's own process and of its fetchers, and the memory of the largest
process and of all together, on a PostgreSQL of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.built_sites import parse_size
from benchmarks.process_tree import watch
from benchmarks.server import Answer, Counts, SiteProtocol, prepare_answer
from tests.site.names import names
from tests.site.postgres import running_postgres
from tests.site.project import Project, crawl_command, profile_environment

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

HOSTS = ("example.test", *(f"h{number}.example.test" for number in range(1, 8)))
_WORDS = ("copper", "winter", "harbour", "lantern", "meadow", "signal", "timber", "velvet")


def path_of(number: int) -> str:
    return f"/{_WORDS[number % 8]}/{_WORDS[number // 8 % 8]}-{_WORDS[number // 64 % 8]}-{number}"


def build_pages(pages: int, port: int, *, are_small: bool) -> dict[bytes, Answer]:
    """The pages of a host, the same on all: a tree, in which each links to every host."""
    paragraphs, others = (2, 2) if are_small else (40, 20)
    answers = {}
    for number in range(pages):
        below = [path_of(n) for n in range(4 * number + 1, 4 * number + 5) if n < pages]
        links = below + [f"http://{host}:{port}{path_of(number)}" for host in HOSTS]
        links += [path_of(number * step % pages) for step in range(2, 2 + others)]
        anchors = "".join(f'<li><a href="{url}">{url[-20:]}</a></li>' for url in links)
        text = f"<p>{' '.join(_WORDS)} {number} of this page. </p>" * paragraphs
        body = f"<title>Page {number}</title><main>{text}</main><ul>{anchors}</ul>".encode()
        answers[path_of(number).encode()] = prepare_answer(body, "text/html; charset=utf-8")
    answers[b"/"] = answers[path_of(0).encode()]
    return answers


def serve(pages: int, told: Connection, are_small: bool) -> None:
    async def run() -> None:
        answers: dict[bytes, Answer] = {}
        loop, counts = asyncio.get_running_loop(), Counts()
        server = await loop.create_server(lambda: SiteProtocol(answers, counts), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        answers |= build_pages(pages, port, are_small=are_small)
        told.send(port)
        await server.serve_forever()

    asyncio.run(run())


def measure(project: Project, port: int, fetchers: int) -> str:
    settings = {
        "SITECRAWL_CRAWL": "always",
        "SITECRAWL_SUBDOMAINS": True,
        "SITECRAWL_RENDER": "never",
        "SITECRAWL_MAX_CRAWL_DEPTH": 0,
        "SITECRAWL_MAX_CRAWL_PAGES": 0,
        "SITECRAWL_TRAP_PATTERN_PAGES": 0,
        "SITECRAWL_TRAP_SUSPECT_PAGES": 0,
        "SITECRAWL_ADDRESS_ALLOW": "127.0.0.0/8",
        "SITECRAWL_FETCHERS": fetchers,
        **names({host: [["127.0.0.1"]] for host in HOSTS}),
    }
    command = crawl_command(f"http://{HOSTS[0]}:{port}/", settings=settings)
    before = os.times()
    process = subprocess.Popen(
        command,
        cwd=project.folder,
        env={**project.environment, **profile_environment("fast")},
        stderr=subprocess.DEVNULL,
    )
    used, after = watch(process), os.times()
    own = used.own_cpu_seconds
    every = after.children_user + after.children_system
    every -= before.children_user + before.children_system
    found = sum(1 for _ in (project.folder / "urls.jsonl").open("rb"))
    return (
        f"{fetchers:8} | {used.exit_code:4} | {found:9,} | {used.seconds:6.1f} |"
        f" {own:7.1f} | {every - own:13.1f} | {used.largest_mb:7.0f} | {used.sum_mb:6.0f} |"
        f" {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=parse_size, default=4_000, help="of all hosts together")
    parser.add_argument("--small", action="store_true", help="pages of 2 KB with few links")
    parser.add_argument("--fetchers", default="0,1,2,4")
    options = parser.parse_args()
    told, telling = multiprocessing.Pipe(duplex=False)
    each = max(options.pages // len(HOSTS), 1)
    server = multiprocessing.Process(target=serve, args=(each, telling, options.small), daemon=True)
    server.start()
    port = told.recv()
    print(
        "fetchers | exit |     pages | wall s | own CPU | fetchers' CPU | most MB | sum MB | load"
    )
    with contextlib.ExitStack() as stack:
        stack.callback(server.terminate)
        databases = stack.enter_context(running_postgres())
        for fetchers in map(int, options.fetchers.split(",")):
            with databases.fresh_with_tables() as url, tempfile.TemporaryDirectory() as folder:
                project = Project.in_folder(Path(folder), url)
                print(measure(project, port, fetchers), flush=True)


if __name__ == "__main__":
    main()
