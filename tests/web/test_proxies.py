"""The configurations of docs/running.md, run by real proxies where they are installed."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.site.project import ROOT
from tests.web.serving import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.web.serving import Serving

_NAME = "monitor.example.com"
_TEXT = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
_START_SECONDS = 30
_END_SECONDS = 3
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def _documented(start: str) -> str:
    [found] = re.findall(rf"^```\w*\n({start}.*?)^```", _TEXT, re.MULTILINE | re.DOTALL)
    return str(found)


def _nginx(folder: Path, port: int, upstream: str) -> list[str]:
    server = (
        _documented("server {")
        .replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        .replace("/etc/ssl/monitor.pem", str(folder / "cert.pem"))
        .replace("/etc/ssl/monitor.key", str(folder / "key.pem"))
        .replace("http://127.0.0.1:8400", upstream)
    )
    paths = "".join(f"{name}_temp_path {folder / name};" for name in _TEMPORARY)
    own = f"daemon off; pid {folder / 'nginx.pid'}; error_log stderr; events {{}}"
    http = f"http {{ access_log off; {paths}\n{server} }}"
    (folder / "nginx.conf").write_text(f"{own}\n{http}\n", encoding="utf-8")
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def _caddy(folder: Path, port: int, upstream: str) -> list[str]:
    site = _documented(f"{_NAME} {{").replace("127.0.0.1:8400", upstream.removeprefix("http://"))
    tls = f"tls {folder / 'cert.pem'} {folder / 'key.pem'}\n    bind 127.0.0.1"
    site = site.replace(f"{_NAME} {{", f"{_NAME}:{port} {{\n    {tls}", 1)
    file = folder / "Caddyfile"
    own = (
        f"{{\n    admin off\n    auto_https disable_redirects\n    storage file_system {folder}\n}}"
    )
    file.write_text(f"{own}\n{site}", encoding="utf-8")
    return ["caddy", "run", "--config", str(file), "--adapter", "caddyfile"]


@contextmanager
def _proxy(
    make: Callable[[Path, int, str], list[str]], folder: Path, upstream: str
) -> Iterator[int]:
    """The port of a proxy in front of *upstream*."""
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"), "-days", "2"]
    subject = ["-subj", f"/CN={_NAME}", "-addext", f"subjectAltName=DNS:{_NAME}"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *subject],
        check=True,
        capture_output=True,
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(make(folder, port, upstream), stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # Caddy waits for streams
            process.kill()
            process.wait()


def _wait_for(port: int) -> None:
    ends_at = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > ends_at:
                raise
            time.sleep(0.05)
        else:
            return


@pytest.mark.parametrize("make", [_nginx, _caddy])
def test_the_documented_proxy_works(
    serve: Callable[..., Serving], tmp_path: Path, make: Callable[[Path, int, str], list[str]]
) -> None:
    program = make.__name__.removeprefix("_")
    if shutil.which(program) is None or shutil.which("openssl") is None:
        pytest.skip(f"needs {program} and openssl")
    server = serve(web_public_url=f"https://{_NAME}", web_trusted_proxies=("127.0.0.1",))
    email = server.add_user()
    folder = tmp_path / program
    folder.mkdir()
    with _proxy(make, folder, server.url) as port:
        name = f"{_NAME}:{port}"
        client = httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            headers={"Host": name},
            verify=ssl.create_default_context(cafile=str(folder / "cert.pem")),
            timeout=30,
            trust_env=False,
        )
        asked = {"sni_hostname": _NAME}
        with client:
            given = {"email": email, "password": PASSWORD}
            answer = client.post("/api/session", json=given, extensions=asked)
            assert answer.status_code == 204, answer.text
            # The proxy has told that it speaks https.
            assert answer.headers["set-cookie"].startswith("__Host-sitecrawl=")
            assert "strict-transport-security" in answer.headers
            cookie = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
            for origin, status in ((f"https://{name}", 201), ("https://evil.example", 403)):
                made = client.post(
                    "/api/groups",
                    json={"name": origin},
                    headers={"Origin": origin, **cookie},
                    extensions=asked,
                )
                assert made.status_code == status, made.text
            # Events come while the stream is open.
            with client.stream(
                "GET", "/api/live/events", headers=cookie, extensions=asked
            ) as stream:
                assert next(stream.iter_lines()).startswith("event:")
