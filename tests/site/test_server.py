from __future__ import annotations

import gzip
import http.client
import socket
import ssl
import sys
import threading
import time
import zlib
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]
import pytest

from tests.site import Reply, Request, SiteServer, redirect, redirect_chain, too_many
from tests.site.bodies import gzip_bomb, repeated
from tests.site.tls import self_signed_certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site.reply import Encoding

TIMEOUT_SECONDS = 60


@pytest.fixture
def client(site: SiteServer) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(site.address, site.port, timeout=TIMEOUT_SECONDS)
    yield connection
    connection.close()


def get(
    client: http.client.HTTPConnection, path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    client.request(method, path, headers=names)
    response = client.getresponse()
    return response, response.read()


class TestAnswers:
    def test_bytes_get_a_content_type_by_path(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes.update({"/": b"hello", "/robots.txt": "User-agent: *\n"})
        page, body = get(client, "/")
        robots, _ = get(client, "/robots.txt")
        assert body == b"hello"
        assert page.getheader("Content-Type") == "text/html; charset=utf-8"
        assert robots.getheader("Content-Type") == "text/plain; charset=utf-8"

    def test_unknown_paths_are_404(self, client: http.client.HTTPConnection) -> None:
        assert get(client, "/nowhere")[0].status == http.client.NOT_FOUND

    def test_query_goes_before_path_goes_before_prefix(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes.update({"/a?b=1": b"query", "/a": b"path", "/a*": b"short", "/ab*": b"long"})
        found = [get(client, path)[1] for path in ("/a?b=1", "/a?b=2", "/ax", "/abc")]
        assert found == [b"query", b"path", b"short", b"long"]

    def test_a_callable_sees_the_request(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        def echo(request: Request) -> str:
            return f"{request.method} {request.path} {request.query} {request.body.decode()}"

        site.routes["/echo"] = echo
        client.request("POST", "/echo?x=1", body=b"data")
        assert client.getresponse().read() == b"POST /echo x=1 data"

    def test_successive_requests_get_successive_answers(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/"] = [Reply(status=500), too_many("1"), b"fine"]
        statuses = [get(client, "/")[0].status for _ in range(4)]
        assert statuses == [500, 429, 200, 200]

    def test_head_has_the_length_and_no_body(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/"] = b"hello"
        response, body = get(client, "/", "HEAD")
        assert (response.getheader("Content-Length"), body) == ("5", b"")

    def test_a_header_can_be_sent_twice(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/"] = Reply(headers={"Link": ["</a>", "</b>"]})
        assert get(client, "/")[0].msg.get_all("Link") == ["</a>", "</b>"]

    def test_a_matching_validator_gives_304(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        date = "Thu, 01 Jan 2026 00:00:00 GMT"
        site.routes["/"] = Reply(b"body", etag='"v1"', last_modified=date)
        assert get(client, "/")[0].getheader("ETag") == '"v1"'
        for headers, status in (
            ({"If_None_Match": '"v0", "v1"'}, 304),
            ({"If_None_Match": '"v0"', "If_Modified_Since": date}, 200),
            ({"If_Modified_Since": date}, 304),
        ):
            assert get(client, "/", **headers)[0].status == status

    def test_retry_after(self, site: SiteServer, client: http.client.HTTPConnection) -> None:
        site.routes["/"] = too_many("120", status=503)
        response, _ = get(client, "/")
        assert (response.status, response.getheader("Retry-After")) == (503, "120")

    def test_redirects_and_chains(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes.update({"/home": redirect("/", 301), **redirect_chain("/r", 3, "/end")})
        assert get(client, "/home")[0].getheader("Location") == "/"
        steps = [get(client, path)[0].getheader("Location") for path in ("/r", "/r-1", "/r-2")]
        assert steps == ["/r-1", "/r-2", "/end"]


class TestTransfer:
    @pytest.mark.parametrize(
        ("encoding", "decode"),
        [("gzip", gzip.decompress), ("deflate", zlib.decompress), ("br", brotli.decompress)],
    )
    def test_content_encodings(
        self,
        site: SiteServer,
        client: http.client.HTTPConnection,
        encoding: Encoding,
        decode: Callable[[bytes], bytes],
    ) -> None:
        site.routes["/"] = Reply(b"text " * 100, encoding=encoding)
        response, body = get(client, "/")
        assert response.getheader("Content-Encoding") == encoding
        assert decode(body) == b"text " * 100

    def test_chunked(self, site: SiteServer, client: http.client.HTTPConnection) -> None:
        site.routes["/"] = Reply(lambda _: [b"one", b"", b"two"])
        response, body = get(client, "/")
        assert response.getheader("Transfer-Encoding") == "chunked"
        assert body == b"onetwo"
        assert get(client, "/")[1] == b"onetwo", "the connection is still in step"

    def test_a_body_can_end_with_the_connection(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/"] = Reply([b"one", b"two"], close=True)
        response, body = get(client, "/")
        assert response.getheader("Content-Length") is None
        assert body == b"onetwo"

    def test_huge_bodies_are_made_while_they_are_sent(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/"] = Reply(repeated(b"<url/>", 100_000_000))
        client.request("GET", "/")
        with client.getresponse() as response:
            assert response.read(6) == b"<url/>"
        client.close()
        site.log.wait_for(lambda entries: entries[0].is_aborted)
        assert site.requests()[0].body_bytes < 100_000_000

    def test_gzip_bombs_are_small_on_the_wire(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/"] = Reply(gzip_bomb(20_000_000, start=b"<urlset>"))
        _, body = get(client, "/")
        unpacked = gzip.decompress(body)
        assert (len(unpacked), unpacked[:9]) == (20_000_000, b"<urlset> ")
        assert len(body) < 100_000


class TestMisbehaviour:
    def test_delay(self, site: SiteServer, client: http.client.HTTPConnection) -> None:
        site.routes["/"] = Reply(b"late", delay_seconds=0.1)
        begun = time.monotonic()
        assert get(client, "/")[1] == b"late"
        assert time.monotonic() - begun >= 0.1

    def test_drip(self, site: SiteServer, client: http.client.HTTPConnection) -> None:
        site.routes["/"] = Reply(b"x" * 30, drip_bytes_per_second=200)
        begun = time.monotonic()
        assert get(client, "/")[1] == b"x" * 30
        assert 0.1 <= time.monotonic() - begun < 1

    def test_hold_until_released(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        release = threading.Event()
        site.routes["/"] = Reply(b"now", hold=release)
        client.request("GET", "/")
        site.wait_for("/")
        assert site.requests()[0].ended > time.monotonic()
        release.set()
        assert client.getresponse().read() == b"now"

    @pytest.mark.parametrize("chunked", [False, True])
    def test_cut(self, site: SiteServer, client: http.client.HTTPConnection, chunked: bool) -> None:
        site.routes["/"] = Reply(b"0123456789", cut_after_bytes=4, chunked=chunked)
        client.request("GET", "/")
        with pytest.raises(http.client.IncompleteRead) as caught:
            client.getresponse().read()
        assert caught.value.partial == b"0123"
        assert site.requests()[0].is_aborted

    @pytest.mark.parametrize("cut_after_bytes", [None, 4])
    def test_reset(
        self, site: SiteServer, client: http.client.HTTPConnection, cut_after_bytes: int | None
    ) -> None:
        site.routes["/"] = Reply(b"0123456789", reset=True, cut_after_bytes=cut_after_bytes)
        client.request("GET", "/")
        with pytest.raises(ConnectionResetError):
            client.getresponse().read()

    def test_stop_ends_open_answers_at_once(self) -> None:
        site = SiteServer({"/": Reply(delay_seconds=60)})
        with socket.create_connection((site.address, site.port), TIMEOUT_SECONDS) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            site.wait_for("/")
            begun = time.monotonic()
            site.stop()
            assert time.monotonic() - begun < 1
            assert connection.recv(1) == b""

    def test_stop_raises_what_a_route_raised(self) -> None:
        def broken(_request: Request) -> bytes:
            raise LookupError("broken route")

        site = SiteServer({"/": broken})
        client = http.client.HTTPConnection(site.address, site.port, timeout=TIMEOUT_SECONDS)
        client.request("GET", "/")
        with pytest.raises(http.client.RemoteDisconnected):
            client.getresponse()
        client.close()
        with pytest.raises(LookupError, match="broken route"):
            site.stop()
        site.stop()


class TestLog:
    def test_requests_are_logged_in_order(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        site.routes["/a"] = b"hello"
        get(client, "/a?x=1", User_Agent="probe")
        get(client, "/b", "HEAD")
        first, second = site.requests()
        assert site.paths() == ["/a?x=1", "/b"]
        assert (first.method, first.path, first.status, first.body_bytes) == ("GET", "/a", 200, 5)
        assert (second.method, second.status, second.body_bytes) == ("HEAD", 404, 0)
        assert first.host == f"127.0.0.1:{site.port}"
        assert first.header("user-agent") == "probe"
        assert first.started <= first.ended <= second.started <= second.ended
        assert first.connection == second.connection, "kept alive"
        assert site.max_in_flight() == 1
        assert site.gaps() == [second.started - first.started]

    def test_parallel_requests_are_in_flight_together(self, site: SiteServer) -> None:
        release = threading.Event()
        site.routes["/"] = Reply(hold=release)
        clients = [
            http.client.HTTPConnection(site.address, site.port, timeout=TIMEOUT_SECONDS)
            for _ in range(3)
        ]
        for client in clients:
            client.request("GET", "/")
        site.wait_for("/", count=3)
        release.set()
        for client in clients:
            client.getresponse().read()
            client.close()
        assert site.max_in_flight() == len(clients)

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux notes the time of arrivals")
    def test_a_request_starts_when_it_arrives_however_late_it_is_served(
        self, site: SiteServer, client: http.client.HTTPConnection
    ) -> None:
        get(client, "/first")
        for path in [f"/{number}" for number in range(20)]:
            before = time.monotonic()
            client.request("GET", path)
            after = time.monotonic()
            client.getresponse().read()
            assert before - 0.001 <= site.requests(path)[0].started <= after + 0.001

    def test_waiting_in_vain_tells_what_was_seen(self, site: SiteServer) -> None:
        with pytest.raises(AssertionError, match="seen: \\[\\]"):
            site.wait_for("/", timeout_seconds=0.01)


class TestAddresses:
    def test_another_loopback_address_is_another_host(self, site: SiteServer) -> None:
        with SiteServer({"/": b"other"}, address="127.0.0.2") as other:
            client = http.client.HTTPConnection("127.0.0.2", other.port, timeout=TIMEOUT_SECONDS)
            assert get(client, "/")[1] == b"other"
            client.close()
            assert other.url == f"http://127.0.0.2:{other.port}"
        assert site.paths() == []

    def test_tls_for_a_client_that_trusts_the_certificate(self) -> None:
        trusting = ssl.create_default_context(cadata=self_signed_certificate().pem)
        with SiteServer({"/": b"secret"}, tls=True) as site:
            for context, expectation in ((trusting, True), (ssl.create_default_context(), False)):
                client = http.client.HTTPSConnection(
                    site.address, site.port, context=context, timeout=TIMEOUT_SECONDS
                )
                if expectation:
                    assert get(client, "/")[1] == b"secret"
                else:
                    with pytest.raises(ssl.SSLCertVerificationError):
                        get(client, "/")
                client.close()
            assert site.url.startswith("https://127.0.0.1:")

    def test_start_and_stop_are_fast(self) -> None:
        begun = time.monotonic()
        for _ in range(10):
            SiteServer().stop()
        assert time.monotonic() - begun < 1
