"""What traces cost: the CPU time of a scan without them, with the default, and of every request.

python -m benchmarks.traces --pages 1000 --rounds 3
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_KINDS = {"off": None, "one of 100 requests": 100, "every request": 1}


class _Handler(BaseHTTPRequestHandler):
    """A sitemap and its pages, and a collector that drops what it gets."""

    pages: int

    def do_GET(self) -> None:
        if self.path == "/sitemap.xml":
            places = (f"<url><loc>{self._root}/p{each}</loc></url>" for each in range(self.pages))
            self._answer(200, f"<urlset>{''.join(places)}</urlset>".encode())
        elif self.path == "/robots.txt":
            self._answer(200, f"Sitemap: {self._root}/sitemap.xml".encode())
        else:
            self._answer(200, f"<title>Page {self.path}</title><p>{self.path}".encode())

    @property
    def _root(self) -> str:
        return f"http://{self.headers['Host']}"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=[*_KINDS], help="measure only this")
    given = parser.parse_args()
    _Handler.pages = given.pages
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    print(f"load {os.getloadavg()[0]:.1f}")
    for words in [given.only] if given.only else _KINDS:
        one_of = _KINDS[words]
        times = sorted(_crawl(url, one_of) for _ in range(given.rounds))
        print(f"{words:<20} CPU {times[0]:.2f} to {times[-1]:.2f} s")
    print(f"load {os.getloadavg()[0]:.1f}")


def _crawl(url: str, one_of: int | None) -> float:
    command = [sys.executable, "-m", "sitecrawl", "discover", url, "--profile", "fast"]
    command += ["-s", f"SITECRAWL_CHECK_PAGES={_Handler.pages}", "-s", "SITECRAWL_CRAWL=never"]
    if one_of is not None:
        command += [
            "-s",
            f"SITECRAWL_TRACES_URL={url}",
            "-s",
            f"SITECRAWL_TRACES_REQUESTS={one_of}",
        ]
    before = _child_seconds()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return _child_seconds() - before


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
