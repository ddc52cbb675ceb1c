"""The proxy that holds the browser to addresses that may be connected to."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import ssl
import threading
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from sitecrawl.render.guardproxy import GuardProxy
from sitecrawl.render.proxyrelay import ProxyLimits
from sitecrawl.safety.policy import AddressPolicy, Endpoint
from tests.site import Reply, SiteServer
from tests.site.tls import self_signed_certificate

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_SECONDS = 60


class Client:
    """Speaks to the proxy as a browser would, or worse."""

    def __init__(self, proxy: GuardProxy):
        settings = proxy.as_playwright()
        self._port = int(settings["server"].rpartition(":")[2])
        pair = f"{settings['username']}:{settings['password']}".encode()
        self.credential = f"Proxy-Authorization: Basic {base64.b64encode(pair).decode()}"

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port)

    async def say(self, data: bytes) -> bytes:
        """Everything that comes back until the proxy closes."""
        reader, writer = await self.open()
        try:
            writer.write(data)
            async with asyncio.timeout(_SECONDS):
                return await reader.read(-1)
        finally:
            await closed(writer)

    def head(self, first: str, *fields: str) -> bytes:
        return "\r\n".join([first, self.credential, *fields, "", ""]).encode()

    async def get(self, url: str, *fields: str) -> bytes:
        return await self.say(self.head(f"GET {url} HTTP/1.1", *fields))


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(_SECONDS):
        while not condition():  # noqa: ASYNC110  nobody tells: it is the proxy's own state
            await asyncio.sleep(0)


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    try:
        await writer.wait_closed()
    except OSError:
        writer.transport.abort()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def body(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def through(
    policy: AddressPolicy,
    use: Callable[[GuardProxy, Client], Awaitable[None]],
    limits: ProxyLimits | None = None,
) -> GuardProxy:
    """Run *use* with a proxy, and give the proxy, closed, for its counts."""

    async def run() -> GuardProxy:
        async with GuardProxy(policy, limits) as proxy:
            await use(proxy, Client(proxy))
        return proxy

    return asyncio.run(run())


def allowing(*sites: SiteServer) -> AddressPolicy:
    return AddressPolicy(allow=[f"{site.address}:{site.port}" for site in sites])


def answering(table: dict[str, list[list[str]]]) -> Any:
    """Names stand for these addresses, one answer after another; the last one for ever."""

    async def getaddrinfo(
        self: object, host: str, port: int, **_: object
    ) -> list[tuple[Any, Any, int, str, tuple[str, int]]]:
        answers = table.get(host, [[host]])
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    return mock.patch("asyncio.base_events.BaseEventLoop.getaddrinfo", getaddrinfo)


# --- what goes through ------------------------------------------------------------------------


def test_a_page_is_fetched(site: SiteServer) -> None:
    site.routes["/a"] = Reply(b"<h1>Hello</h1>", headers={"X-Own": "yes"})

    async def use(_: GuardProxy, client: Client) -> None:
        answer = await client.get(site.at("/a?b=c"), "Accept: */*", "Host: other.example")
        assert status(answer) == 200
        assert body(answer) == b"<h1>Hello</h1>"
        assert b"X-Own: yes\r\n" in answer

    counts = through(allowing(site), use).counts
    (request,) = site.requests()
    assert request.target == "/a?b=c"
    assert request.host == f"127.0.0.1:{site.port}"
    assert request.header("Accept") == "*/*"
    assert request.header("Proxy-Authorization") == ""
    assert counts.requests == 1
    assert counts.received_bytes > len(b"<h1>Hello</h1>")


def test_a_body_is_sent_and_nothing_after_it(site: SiteServer) -> None:
    site.routes["/form"] = lambda request: Reply(request.body[::-1])
    smuggled = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    async def use(_: GuardProxy, client: Client) -> None:
        head = client.head(f"POST {site.at('/form')} HTTP/1.1", "Content-Length: 5")
        assert body(await client.say(head + b"12345" + smuggled)) == b"54321"

    assert through(allowing(site), use).counts.sent_bytes == 5
    assert site.paths() == ["/form"]


def test_a_large_answer_arrives_whole(site: SiteServer) -> None:
    pieces = [bytes([number]) * 100_000 for number in range(50)]
    site.routes["/large"] = lambda _: Reply(iter(pieces), close=True)

    async def use(_: GuardProxy, client: Client) -> None:
        assert body(await client.get(site.at("/large"))) == b"".join(pieces)

    through(allowing(site), use)


def test_a_tunnel_carries_tls(make_site: Callable[..., SiteServer]) -> None:
    site = make_site({"/": "secret", "/again": "and again"}, tls=True)
    context = ssl.create_default_context(cadata=self_signed_certificate().pem)

    async def use(_: GuardProxy, client: Client) -> None:
        reader, writer = await client.open()
        writer.write(client.head(f"CONNECT 127.0.0.1:{site.port} HTTP/1.1"))
        assert status(await reader.readuntil(b"\r\n\r\n")) == 200
        await writer.start_tls(context, server_hostname="127.0.0.1")
        for path, text in (("/", b"secret"), ("/again", b"and again")):
            writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(text)) == text
        await closed(writer)

    proxy = through(allowing(site), use)
    assert proxy.counts.requests == 1
    assert len({request.connection for request in site.requests()}) == 1


def test_many_at_once(site: SiteServer) -> None:
    site.routes["/*"] = lambda request: Reply(request.target)

    async def use(_: GuardProxy, client: Client) -> None:
        answers = await asyncio.gather(*(client.get(site.at(f"/{n}")) for n in range(100)))
        assert [body(answer) for answer in answers] == [f"/{n}".encode() for n in range(100)]

    assert through(allowing(site), use).counts.requests == 100


# --- what does not ----------------------------------------------------------------------------


def test_an_address_that_is_not_allowed(
    site: SiteServer, make_site: Callable[..., SiteServer]
) -> None:
    site.routes["/"] = "public"
    private = make_site({"/": "private"}, address="127.0.0.2")

    async def use(_: GuardProxy, client: Client) -> None:
        assert status(await client.get(site.at("/"))) == 200
        for _time in range(2):
            refused = await client.get(private.at("/"))
            assert status(refused) == 403
            assert b"127.0.0.2" not in refused
        tunnel = await client.say(client.head(f"CONNECT 127.0.0.2:{private.port} HTTP/1.1"))
        assert status(tunnel) == 403

    proxy = through(allowing(site), use)
    assert private.log.requests() == []
    ((words, times),) = proxy.refusals.items()
    assert times == 3
    assert f"SITECRAWL_ADDRESS_ALLOW=127.0.0.2:{private.port}" in words


@pytest.mark.parametrize(
    "host", ["0x7f000001", "2130706433", "0177.1", "127.1", "[::ffff:7f00:1]", "localhost"]
)
def test_other_ways_to_write_an_address_are_no_way_round(site: SiteServer, host: str) -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        assert status(await client.get(f"http://{host}:{site.port}/")) == 403
        tunnel = await client.say(client.head(f"CONNECT {host}:{site.port} HTTP/1.1"))
        assert status(tunnel) in {400, 403}

    through(AddressPolicy(), use)
    assert site.requests() == []


def test_a_name_that_turns_into_a_private_address(site: SiteServer) -> None:
    site.routes["/"] = "the site"
    table = {"site.example": [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "127.0.0.2"]]}

    async def use(_: GuardProxy, client: Client) -> None:
        url = f"http://site.example:{site.port}/"
        assert [status(await client.get(url)) for _ in range(3)] == [200, 403, 200]

    with answering(table):
        through(allowing(site), use)
    assert len(site.requests()) == 2


def test_a_public_site_that_was_named_stays_public(site: SiteServer) -> None:
    table = {"site.example": [["93.184.216.34", "127.0.0.1"], ["127.0.0.1"]]}
    policy = AddressPolicy(named=[Endpoint("site.example", site.port)])
    policy.permitted("site.example", site.port, ["93.184.216.34"])

    async def use(_: GuardProxy, client: Client) -> None:
        table["site.example"].pop(0)
        assert status(await client.get(f"http://site.example:{site.port}/")) == 403

    with answering(table):
        through(policy, use)
    assert site.requests() == []


def test_a_redirect_is_judged_like_any_request(
    site: SiteServer, make_site: Callable[..., SiteServer]
) -> None:
    private = make_site({"/": "private"}, address="127.0.0.2")
    site.routes["/"] = Reply(status=302, headers={"Location": private.at("/")})

    async def use(_: GuardProxy, client: Client) -> None:
        answer = await client.get(site.at("/"))
        assert status(answer) == 302
        assert status(await client.get(private.at("/"))) == 403

    through(allowing(site), use)
    assert private.requests() == []


def test_the_proxy_is_no_server_for_pages() -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        assert status(await client.get(f"http://127.0.0.1:{client._port}/")) == 403

    (words,) = through(AddressPolicy(allow=["127.0.0.1"]), use).refusals
    assert "the proxy itself" in words


def test_refusals_are_kept_within_a_limit() -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        for last in (1, 2, 3, 4, 3, 1):
            assert status(await client.get(f"http://10.0.0.{last}/")) == 403

    refusals = through(AddressPolicy(), use, ProxyLimits(max_refusals=2)).refusals
    assert sorted(refusals.values()) == [1, 2, 3]
    assert refusals["others"] == 3


def test_a_name_that_nobody_knows() -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        assert status(await client.get("http://nowhere.example/")) == 502
        assert status(await client.get(f"http://{'a' * 70}.example/")) == 502

    with answering({"nowhere.example": [[]], f"{'a' * 70}.example": [[]]}):
        through(AddressPolicy(), use)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        port = unheard.getsockname()[1]

        async def use(_: GuardProxy, client: Client) -> None:
            assert status(await client.get(f"http://127.0.0.1:{port}/")) == 502

        through(AddressPolicy(allow=["127.0.0.1"]), use)


def test_the_next_address_of_a_name_is_tried(site: SiteServer) -> None:
    site.routes["/"] = "found"
    policy = AddressPolicy(allow=["127.0.0.0/8"])

    async def use(_: GuardProxy, client: Client) -> None:
        assert body(await client.get(f"http://site.example:{site.port}/")) == b"found"

    with answering({"site.example": [["127.0.0.9", "127.0.0.1"]]}):
        through(policy, use)


# --- strangers and bad company ----------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ["Proxy-Authorization: Basic c2l0ZWNyYXdsOg=="],
        ["Proxy-Authorization: x\xff"],
        ["Authorization: {}"],
    ],
)
def test_strangers_need_a_password(site: SiteServer, fields: list[str]) -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        own = client.credential.partition(": ")[2]
        lines = [f"GET {site.at('/')} HTTP/1.1", *(each.format(own) for each in fields), "", ""]
        answer = await client.say("\r\n".join(lines).encode("latin-1"))
        assert status(answer) == 407
        assert b"Proxy-Authenticate: Basic" in answer

    assert through(allowing(site), use).counts.requests == 0
    assert site.requests() == []


def test_each_proxy_has_its_own_password() -> None:
    first, second = GuardProxy(AddressPolicy()), GuardProxy(AddressPolicy())
    assert first.as_playwright()["password"] != second.as_playwright()["password"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\n\n", 400),
        (b"GET http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET http://a.example/ HTTP/1.1\r\nA: " + b"x" * 200_000, 431),
    ],
)
def test_nonsense_is_answered(data: bytes, expected: int) -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        try:
            assert status(await client.say(data)) == expected
        except ConnectionError:
            # The proxy closed before it had read everything, which resets the connection.
            assert len(data) > 65_536

    through(AddressPolicy(), use)


def test_a_head_may_come_byte_by_byte(site: SiteServer) -> None:
    site.routes["/"] = "slow but fine"

    async def use(_: GuardProxy, client: Client) -> None:
        reader, writer = await client.open()
        for byte in client.head(f"GET {site.at('/')} HTTP/1.1"):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert body(await reader.read(-1)) == b"slow but fine"
        await closed(writer)

    through(allowing(site), use)


def test_whoever_says_nothing_is_let_go() -> None:
    async def use(_: GuardProxy, client: Client) -> None:
        assert await client.say(b"") == b""
        assert await client.say(b"GET http://a.ex") == b""

    through(AddressPolicy(), use, ProxyLimits(head_seconds=0.05))


def test_whoever_leaves_is_forgotten() -> None:
    async def use(proxy: GuardProxy, client: Client) -> None:
        _, writer = await client.open()
        writer.write(b"GET http://a.ex")
        await closed(writer)
        await until(lambda: not proxy._connections)

    through(AddressPolicy(), use)


def test_a_silent_server_is_let_go(site: SiteServer) -> None:
    site.routes["/"] = Reply(b"never", hold=threading.Event())

    async def use(_: GuardProxy, client: Client) -> None:
        assert await client.get(site.at("/")) == b""
        assert (await client.say(client.head(f"CONNECT 127.0.0.1:{site.port} HTTP/1.1"))).endswith(
            b"established\r\n\r\n"
        )

    through(allowing(site), use, ProxyLimits(idle_seconds=0.1))


def test_a_slow_server_is_waited_for(site: SiteServer) -> None:
    site.routes["/"] = Reply(b"x" * 150, drip_bytes_per_second=100, close=True)

    async def use(_: GuardProxy, client: Client) -> None:
        assert body(await client.get(site.at("/"))) == b"x" * 150

    through(allowing(site), use, ProxyLimits(idle_seconds=1.0))


def test_only_so_many_at_once(site: SiteServer) -> None:
    hold = threading.Event()
    site.routes["/"] = Reply(b"", hold=hold)
    site.routes["/free"] = "free"

    async def use(proxy: GuardProxy, client: Client) -> None:
        waiting = [asyncio.create_task(client.get(site.at("/"))) for _ in range(2)]
        await until(lambda: proxy.counts.requests == 2)
        assert status(await client.get(site.at("/free"))) == 503
        hold.set()
        assert [status(answer) for answer in await asyncio.gather(*waiting)] == [200, 200]
        await until(lambda: not proxy._connections)
        assert status(await client.get(site.at("/free"))) == 200

    through(allowing(site), use, ProxyLimits(max_connections=2))


@pytest.mark.parametrize("is_tunnel", [False, True])
def test_only_so_many_bytes(site: SiteServer, is_tunnel: bool) -> None:
    endless = b"x" * 100_000
    site.routes["/"] = lambda _: Reply((endless for _ in range(1_000)), close=True)

    async def use(_: GuardProxy, client: Client) -> None:
        if is_tunnel:
            head = client.head(f"CONNECT 127.0.0.1:{site.port} HTTP/1.1")
            answer = await client.say(head + b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        else:
            answer = await client.get(site.at("/"))
        assert 100_000 < len(answer) < 2_000_000

    through(allowing(site), use, ProxyLimits(max_connection_bytes=500_000))


def test_a_sender_is_held_to_the_bytes_as_well(site: SiteServer) -> None:
    async def use(proxy: GuardProxy, client: Client) -> None:
        head = client.head(f"POST {site.at('/')} HTTP/1.1", "Content-Length: 4000000")
        _, writer = await client.open()
        writer.write(head + b"x" * 1_000_000)
        await until(lambda: proxy.counts.requests and not proxy._connections)
        await closed(writer)

    counts = through(allowing(site), use, ProxyLimits(max_connection_bytes=500_000)).counts
    assert 500_000 < counts.sent_bytes < 700_000


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"", 502),
        (b"<html>no head at all</html>\n\n", 502),
        (b"HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\n\r\n", 502),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000 + b"\r\n\r\n", 502),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 50, 502),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 No\r\n\r\n", 204),
        (b"HTTP/1.0 200 OK\nServer: old\n\nhello", 200),
    ],
    ids=["nothing", "no head", "407", "long head", "hints", "hints and answer", "old"],
)
def test_servers_of_all_kinds(sent: bytes, expected: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        await closed(writer)

    async def use(_: GuardProxy, client: Client) -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            answer = await client.get(f"http://127.0.0.1:{port}/")
            assert status(answer) == expected
            assert answer.count(b"\r\nConnection: close\r\n") == 1

    through(AddressPolicy(allow=["127.0.0.1"]), use)


def test_a_server_that_resets(site: SiteServer) -> None:
    site.routes["/"] = Reply(b"x" * 10, reset=True)

    async def use(_: GuardProxy, client: Client) -> None:
        assert status(await client.get(site.at("/"))) == 502

    through(allowing(site), use)


def test_closing_ends_what_is_open(site: SiteServer) -> None:
    site.routes["/"] = Reply(b"", hold=threading.Event())

    async def use(proxy: GuardProxy, client: Client) -> None:
        waiting = asyncio.create_task(client.get(site.at("/")))
        await until(lambda: proxy.counts.requests)
        await proxy.close()
        await proxy.close()
        with contextlib.suppress(ConnectionError):
            assert await waiting == b""
        with pytest.raises(ConnectionRefusedError):
            await client.open()

    through(allowing(site), use)
