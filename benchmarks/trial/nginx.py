"""Serves a folder with nginx on loopback, and counts its answers by its access log."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmarks.measure import BenchmarkError
from benchmarks.trial.packages import debian_package

if TYPE_CHECKING:
    from types import TracebackType

_START_TIMEOUT_SECONDS = 10.0
# gzip and the types are as in Debian's own configuration. One process: nothing else to end, and it
# reads the files as the user who started it.
_CONFIGURATION = """
daemon off;
master_process off;
pid {work}/nginx.pid;
error_log {work}/error.log;
events {{ worker_connections 256; }}
http {{
    include {types};
    default_type application/octet-stream;
    sendfile on;
    gzip on;
    log_format status "$status";
    access_log {work}/access.log status;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        index index.html;
        {location}
    }}
}}
"""
_HISTORY_FALLBACK = "location / { try_files $uri /index.html; }"


class Nginx:
    """nginx as a process of its own, for the length of a `with` block."""

    def __init__(self, root: Path, port: int, work: Path, *, history_fallback: bool) -> None:
        self._program, types = _find_nginx()
        self._port = port
        self._work = work
        self._counted = 0
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        (work / "nginx.conf").write_text(
            _CONFIGURATION.format(
                work=work,
                types=types,
                port=port,
                root=root,
                location=_HISTORY_FALLBACK if history_fallback else "",
            )
        )

    @property
    def root_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/"

    def __enter__(self) -> Self:
        command = [self._program, "-p", str(self._work), "-c", str(self._work / "nginx.conf")]
        with (self._work / "output.txt").open("wb") as output:
            # Its own session: Ctrl-C reaches the trial alone, which then ends the server itself.
            self._process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        try:
            self._wait_for_port()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def statuses(self) -> Counter[int]:
        """Count the answers by status, since the last time this was asked."""
        lines = (self._work / "access.log").read_text().split()
        counts = Counter(int(status) for status in lines[self._counted :])
        self._counted = len(lines)
        return counts

    def _wait_for_port(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                said = (self._work / "output.txt").read_text().strip()
                raise BenchmarkError(
                    f"nginx did not start: {said}\n"
                    f"If port {self._port} is in use, choose another one with --port."
                )
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)
        raise BenchmarkError("nginx did not open its port in time")

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _find_nginx() -> tuple[str, Path]:
    """Return the program and its table of media types; from Debian's packages if need be."""
    types = Path("etc/nginx/mime.types")
    installed = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if installed and (Path("/") / types).is_file():
        return installed, Path("/") / types
    program = debian_package("nginx") / "usr/sbin/nginx"
    return str(program), debian_package("nginx-common") / types
