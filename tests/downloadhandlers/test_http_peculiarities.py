"""Answers that are not as the RFC has them: each is read, or has a clear reason, in one scan.

Whatever curl or stock Scrapy reads is read.
"""

from __future__ import annotations

import contextlib
import gzip
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]
import pytest
from backports import zstd

from tests.site.project import Project, crawl_command, profile_environment
from tests.site.raw import KEEP, RESET, RawServer
from tests.stages.stored import fetches, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site import SiteServer
    from tests.site.project import CrawlResult
    from tests.stages.stored import StoredFetch

_MAX_PAGE_BYTES = 300_000
_TIMEOUT_SECONDS = 5
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def html(name: str) -> bytes:
    """A page with a link, by which the test sees that it was read."""
    return b"<title>x</title><p>text</p><a href='/found/%s'>link</a>" % name.encode()


def sized(body: bytes, *headers: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = b"".join(header + b"\r\n" for header in headers)
    return _OK + lines + b"Content-Length: %d\r\n\r\n" % size + body


def chunked(body: bytes, trailers: bytes = b"", extension: bytes = b"") -> bytes:
    head = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + b"%x%s\r\n%s\r\n0\r\n%s\r\n" % (len(body), extension, body, trailers)


def encoded(name: str, encoding: bytes, body: bytes | None = None) -> bytes:
    return sized(html(name) if body is None else body, b"Content-Encoding: " + encoding)


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def redirect(location: bytes | None, status: int = 302) -> bytes:
    line = b"" if location is None else b"Location: " + location + b"\r\n"
    return b"HTTP/1.1 %d Found\r\n%sContent-Length: 0\r\n\r\n" % (status, line)


def large(name: str) -> bytes:
    """Longer than a page may be; the link is before the limit."""
    return html(name) + b"<p>word</p>" * (2 * _MAX_PAGE_BYTES // 10)


def endless(start: bytes, piece: bytes, seconds: float = 20) -> object:
    def pieces() -> Iterator[bytes]:
        yield start
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield piece

    return pieces


def drip() -> Iterator[bytes]:
    yield _OK + b"Content-Length: 1000\r\n\r\n"
    for _ in range(40):
        time.sleep(0.25)
        yield b"x"


def hints() -> Iterator[bytes]:
    """For 20 seconds, with pauses: the rest of the scan needs the processor as well."""
    for _ in range(400):
        time.sleep(0.05)
        yield b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 1_000


# The name of a case is its path; a page that is read has a link to /found/<name>.
READ: dict[str, object] = {
    "plain": sized(html("plain")),
    "lf-only": [
        _OK.replace(b"\r\n", b"\n")
        + b"Content-Length: %d\n\n" % len(html("lf-only"))
        + html("lf-only"),
        KEEP,
    ],
    "folded": sized(html("folded"), b"X-Folded: one\r\n two\r\n\tthree"),
    "continue-first": b"HTTP/1.1 100 Continue\r\n\r\n" + sized(html("continue-first")),
    "early-hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 3
    + sized(html("early-hints")),
    "chunked": chunked(html("chunked")),
    "chunk-extension": chunked(html("chunk-extension"), extension=b";name=value;x"),
    "trailers": chunked(html("trailers"), trailers=b"X-Checksum: 1\r\n"),
    "until-close": _OK + b"\r\n" + html("until-close"),
    "http10": sized(html("http10")).replace(b"HTTP/1.1", b"HTTP/1.0"),
    "http10-until-close": (_OK + b"\r\n" + html("http10-until-close")).replace(b"1.1", b"1.0"),
    "length-too-short": sized(
        html("length-too-short") + b"<p>rest</p>", length=len(html("length-too-short"))
    ),
    "length-and-chunks": chunked(html("length-and-chunks")).replace(
        b"Transfer", b"Content-Length: 5\r\nTransfer"
    ),
    "unknown-transfer-encoding": (
        _OK + b"Transfer-Encoding: klingon\r\n\r\n" + html("unknown-transfer-encoding")
    ),
    "no-reason": sized(html("no-reason")).replace(b"200 OK", b"200"),
    "spaces-in-headers": sized(html("spaces-in-headers"), b"X-Spaces:    a  b   "),
    "odd-header-name": sized(html("odd-header-name"), b"X Odd Name: 1"),
    "empty-header": sized(html("empty-header"), b"X-Empty:"),
    "non-ascii-header": sized(html("non-ascii-header"), b"X-Latin: caf\xe9", b"X-Utf: \xc3\xa9"),
    "large-header-line": sized(html("large-header-line"), b"CSP: " + b"x" * 17_000),
    "many-headers": sized(html("many-headers"), *(b"X-%d: y" % n for n in range(200))),
    "twice-the-type": sized(html("twice-the-type"), b"Content-Type: text/html"),
    "unknown-encoding": encoded("unknown-encoding", b"klingon"),
    "identity": encoded("identity", b"identity"),
    "charset-as-encoding": encoded("charset-as-encoding", b"utf-8"),
    "gzip": encoded("gzip", b"gzip", gzip.compress(html("gzip"))),
    "x-gzip": encoded("x-gzip", b"x-gzip", gzip.compress(html("x-gzip"))),
    "gzip-members": encoded(
        "gzip-members", b"gzip", gzip.compress(b"<p>") + gzip.compress(html("gzip-members"))
    ),
    "gzip-cut": encoded("gzip-cut", b"gzip", gzip.compress(html("gzip-cut"), mtime=0)[:-6]),
    "deflate": encoded("deflate", b"deflate", zlib.compress(html("deflate"))),
    "deflate-raw": encoded("deflate-raw", b"deflate", raw_deflate(html("deflate-raw"))),
    "br": encoded("br", b"br", brotli.compress(html("br"))),
    "zstd": encoded("zstd", b"zstd", zstd.compress(html("zstd"))),
    "gzip-gzip": encoded(
        "gzip-gzip", b"gzip, gzip", gzip.compress(gzip.compress(html("gzip-gzip")))
    ),
    "br-over-gzip": encoded(
        "br-over-gzip", b"gzip, br", brotli.compress(gzip.compress(html("br-over-gzip")))
    ),
    "gzip-that-is-none": encoded("gzip-that-is-none", b"gzip"),
    "deflate-that-is-none": encoded("deflate-that-is-none", b"deflate"),
    "br-that-is-none": encoded("br-that-is-none", b"br"),
    "zstd-that-is-none": encoded("zstd-that-is-none", b"zstd"),
    "gzip-file": sized(gzip.compress(html("gzip-file"))).replace(
        b"text/html", b"application/x-gzip"
    ),
    "gzip-file-encoded": encoded(
        "gzip-file-encoded", b"gzip", gzip.compress(html("gzip-file-encoded"))
    ),
    "refresh-header": sized(html("refresh-header"), b"Refresh: 0; url=/plain"),
    "meta-refresh": sized(
        b"<meta http-equiv=refresh content='0; url=/plain'>" + html("meta-refresh")
    ),
}
CUT: dict[str, object] = {
    "large": sized(large("large")),
    "large-gzip": encoded("large-gzip", b"gzip", gzip.compress(large("large-gzip"))),
    "large-br": encoded("large-br", b"br", brotli.compress(large("large-br"), quality=1)),
    "large-zstd": encoded("large-zstd", b"zstd", zstd.compress(large("large-zstd"))),
    "large-deflate": encoded("large-deflate", b"deflate", zlib.compress(large("large-deflate"))),
    "endless-body": endless(_OK + b"\r\n" + html("endless-body"), b"<p>x</p>" * 8_000),
}
_HEADERS = "the headers are too large (SITECRAWL_MAX_HEADER_BYTES)"
_NO_HTTP = "the answer is no valid HTTP"
_RESET = "the connection was reset"
_CUT_OFF = "the answer was cut off"
FAILED: dict[str, tuple[object, str, str]] = {
    "length-too-long": (sized(html("x"), length=1_000), "incomplete", _CUT_OFF),
    "chunk-cut": (chunked(html("x"))[:-20], "incomplete", _CUT_OFF),
    "reset-in-body": ([sized(html("x"), length=1_000), RESET], "incomplete", _CUT_OFF),
    "reset-in-head": ([_OK, RESET], "incomplete", _RESET),
    "closed-at-once": ([], "incomplete", _RESET),
    "drip": (drip, "timeout", "no complete answer in time"),
    "huge-head": (sized(html("x"), b"X: " + b"x" * 70_000), "incomplete", _HEADERS),
    "huge-head-of-lines": (
        sized(html("x"), *(b"X-%d: " % n + b"y" * 1_000 for n in range(100))),
        "incomplete",
        _HEADERS,
    ),
    "endless-header-line": (endless(_OK + b"X: ", b"x" * 65_536), "incomplete", _HEADERS),
    "endless-headers": (endless(_OK, b"X-Name: value\r\n" * 4_000), "incomplete", _HEADERS),
    "endless-hints": (
        hints,
        "timeout",
        "no complete answer in time",
    ),
    "garbage": (b"\x00\x01garbage" * 100, "incomplete", _NO_HTTP),
    "redirect-without-location": (redirect(None), "http_error", "HTTP 302 without a Location"),
    "redirect-to-file": (
        redirect(b"file:///etc/passwd"),
        "http_error",
        "HTTP 302 to file:///etc/passwd, which is no http address",
    ),
    "redirect-to-javascript": (
        redirect(b"javascript:alert(1)"),
        "http_error",
        "HTTP 302 to javascript:alert(1), which is no http address",
    ),
}
# Path of the target, which is a page of its own.
REDIRECTED: dict[str, tuple[bytes, str]] = {
    "relative": (b"target/relative", "/target/relative"),
    "no-scheme": (b"//{host}/target/no-scheme", "/target/no-scheme"),
    "spaces": (b"/target/with spaces", "/target/with%20spaces"),
    "utf-8": ("/target/größe".encode(), "/target/gr%C3%B6%C3%9Fe"),
    "around": (b"  /target/around  ", "/target/around"),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RawServer, CrawlResult]]:
    """One scan of a site that has all of them."""
    routes: dict[str, object] = {"/robots.txt": sized(b"").replace(b"text/html", b"text/plain")}
    with RawServer(routes) as server:
        host = server.url.removeprefix("http://").encode()
        for name, answer in (READ | CUT).items():
            routes[f"/{name}"] = answer
        for name, (answer, _, _) in FAILED.items():
            routes[f"/{name}"] = answer
        for name, (location, target) in REDIRECTED.items():
            routes[f"/{name}"] = redirect(location.replace(b"{host}", host))
            routes[target] = sized(html(name))
        routes["/no-content"] = [
            sized(html("no-content")).replace(b"200 OK", b"204 No Content"),
            KEEP,
        ]
        routes["/loop"] = redirect(b"/loop/")
        routes["/loop/"] = redirect(b"/loop")
        routes["/loop-of-two-a"] = redirect(b"/loop-of-two-b")
        routes["/loop-of-two-b"] = redirect(b"/loop-of-two-a")
        links = "".join(f"<a href='{path}'>x</a>" for path in routes if path != "/robots.txt")
        routes["/"] = sized(f"<title>Home</title>{links}".encode())
        project = Project.in_folder(tmp_path_factory.mktemp("peculiarities"))
        settings = {
            "SITECRAWL_CRAWL": "always",
            "SITECRAWL_MAX_CRAWL_DEPTH": 1,
            "SITECRAWL_SITEMAP_PLACES": "/none.xml",
            "SITECRAWL_MAX_PAGE_BYTES": _MAX_PAGE_BYTES,
            "SITECRAWL_PAGE_TIMEOUT_SECONDS": _TIMEOUT_SECONDS,
            "SITECRAWL_RENDER": "never",
            "SITECRAWL_FEED_REFUSED": True,
            "RETRY_TIMES": 1,
            "SITECRAWL_RETRY_BACKOFF_SECONDS": 0,
        }
        yield server, project.crawl(server.url, settings=settings, timeout_seconds=120)


def fetched(crawled: tuple[RawServer, CrawlResult], path: str) -> StoredFetch:
    server, done = crawled
    return fetches(done)[server.url + path]


def urls(crawled: tuple[RawServer, CrawlResult]) -> set[str]:
    server, done = crawled
    return {url.removeprefix(server.url) for url in done.urls}


@pytest.mark.parametrize("name", READ)
def test_is_read(crawled: tuple[RawServer, CrawlResult], name: str) -> None:
    fetch = fetched(crawled, f"/{name}")
    assert (fetch.outcome, fetch.error or "", fetch.truncated) == ("ok", "", False)
    assert f"/found/{name}" in urls(crawled)


@pytest.mark.parametrize("name", CUT)
def test_is_cut_and_read(crawled: tuple[RawServer, CrawlResult], name: str) -> None:
    fetch = fetched(crawled, f"/{name}")
    assert (fetch.outcome, fetch.error or "", fetch.truncated) == ("ok", "", True)
    assert f"/found/{name}" in urls(crawled)


@pytest.mark.parametrize("name", FAILED)
def test_has_a_reason(crawled: tuple[RawServer, CrawlResult], name: str) -> None:
    _, outcome, words = FAILED[name]
    fetch = fetched(crawled, f"/{name}")
    assert fetch.outcome == outcome
    error = fetch.error or ""
    assert error.startswith(words)
    assert error, "there is always a reason"
    assert not any(sign in error for sign in ("b'", 'b"', "<class", "Error", "0x"))


@pytest.mark.parametrize("name", REDIRECTED)
def test_leads_elsewhere(crawled: tuple[RawServer, CrawlResult], name: str) -> None:
    _, target = REDIRECTED[name]
    assert fetched(crawled, target).outcome == "ok"
    assert f"/found/{name}" in urls(crawled)


def test_an_answer_without_content_may_have_some(crawled: tuple[RawServer, CrawlResult]) -> None:
    fetch = fetched(crawled, "/no-content")
    assert (fetch.outcome, fetch.status) == ("ok", 204)
    assert "/found/no-content" not in urls(crawled)


def test_loops_end(crawled: tuple[RawServer, CrawlResult]) -> None:
    server, _ = crawled
    for path in ("/loop", "/loop/", "/loop-of-two-a", "/loop-of-two-b"):
        assert server.paths.count(path) <= 2


def test_the_scan_went_on(crawled: tuple[RawServer, CrawlResult]) -> None:
    server, done = crawled
    asked = {f"/{name}" for name in (*READ, *CUT, *FAILED, *REDIRECTED)}
    assert asked <= set(server.paths), "no page was left out because of another"
    assert done.returncode in {0, 3}
    status, reason = scan(done)
    assert "left alone" not in reason, (status, reason)
    assert "Traceback" not in done.output


def test_what_is_no_tls_has_a_reason(
    make_site: Callable[..., SiteServer], crawl: Callable[..., CrawlResult]
) -> None:
    plain, secure = make_site({"/a": b"x"}), make_site({"/a": b"x"}, tls=True)
    pages = [f"https://127.0.0.1:{plain.port}/a", secure.at("/a")]
    pages += [f"http://127.0.0.1:{secure.port}/a", plain.at("/a")]
    settings = {
        "SPIDER_MODULES": "tests.site.spiders",
        "TEST_PAGES": " ".join(pages),
        "SITECRAWL_ADDRESS_ALLOW": "127.0.0.1",
        "RETRY_TIMES": 0,
    }
    done = crawl(plain.url, spider="pages", settings=settings)
    no_tls, no_certificate, no_http, good = (fetches(done)[url] for url in pages)
    assert good.outcome == "ok"
    assert (no_tls.outcome, no_tls.error) == (
        "unreachable",
        "there is no TLS that both sides understand",
    )
    assert (no_certificate.outcome, no_certificate.error) == (
        "unreachable",
        "the certificate could not be verified (SITECRAWL_VERIFY_CERTIFICATES)",
    )
    assert (no_http.outcome, no_http.error) in {("incomplete", _RESET), ("incomplete", _NO_HTTP)}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_endless_headers_take_no_memory(project: Project) -> None:
    """For robots.txt, which is read first, and for a page."""
    lines = endless(_OK, b"X-Name: value\r\n" * 4_000)
    with RawServer({"/robots.txt": lines, "/": lines}) as server:
        settings = {"SITECRAWL_ROBOTS_FAIL_OPEN": True, "SITECRAWL_SITEMAP_PLACES": "/none.xml"}
        command = crawl_command(server.url, settings=settings)
        process = project.start(*command, environment=profile_environment("fast"))
        peak_kilobytes = 0
        while process.poll() is None:
            with contextlib.suppress(OSError, StopIteration):
                status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
                line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
                peak_kilobytes = max(peak_kilobytes, int(line.split()[1]))
            time.sleep(0.05)
        output, _ = process.communicate()
    assert server.paths[:2] == ["/robots.txt", "/robots.txt"], "with one retry"
    assert 10_000 < peak_kilobytes < 300_000
    assert _HEADERS in output
