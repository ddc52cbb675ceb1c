"""The guarded proxy with a real browser behind it: nothing goes past it."""

from __future__ import annotations

import asyncio
import json
import select
import socket
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from playwright.async_api import async_playwright

from sitecrawl.render.browser import find_browser
from sitecrawl.render.guardproxy import GuardProxy
from sitecrawl.safety.policy import AddressPolicy
from tests.site import Reply, SiteServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from playwright.async_api import Page

_SECONDS = 30
BROWSER = find_browser()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser")

# Every way that a page has to reach another address, or so one hopes.
_ATTACK = """
const {http, https, udp} = TARGETS;
const done = [];
const settled = (name, promise) => done.push(
    promise.then(() => `${name} got through`, () => `${name} failed`));
const loaded = (name, element, property, url) => settled(name, new Promise((yes, no) => {
    element.onload = yes; element.onerror = no; element[property] = url;
    document.body.append(element);
}));
for (const [name, url] of [["http", http], ["https", https]]) {
    settled(`${name} fetch`, fetch(url + "/fetch", {mode: "no-cors"}).then(async r => {
        if (r.type === "opaque" && name === "http") throw new Error("the refusal of the proxy");
    }));
    loaded(`${name} image`, new Image(), "src", url + "/image");
    loaded(`${name} script`, document.createElement("script"), "src", url + "/script");
    settled(`${name} socket`, new Promise((yes, no) => {
        const socket = new WebSocket(url.replace("http", "ws") + "/socket");
        socket.onopen = yes; socket.onerror = no;
    }));
    const frame = document.createElement("iframe");
    frame.src = url + "/frame"; document.body.append(frame);
    navigator.sendBeacon(url + "/beacon", "x");
    for (const rel of ["preconnect", "prefetch", "preload", "dns-prefetch", "modulepreload"]) {
        const link = document.createElement("link");
        link.rel = rel; link.as = "script"; link.href = url + "/" + rel;
        document.head.append(link);
    }
    settled(`${name} stream`, new Promise((yes, no) => {
        const stream = new EventSource(url + "/stream");
        stream.onopen = yes; stream.onerror = () => { stream.close(); no(); };
    }));
    const worker = new Worker(URL.createObjectURL(new Blob([
        `fetch("${url}/worker", {mode: "no-cors"}).finally(() => postMessage(1))`])));
    done.push(new Promise(yes => { worker.onmessage = worker.onerror = () => yes("worker"); }));
}
settled("redirect", fetch("/redirect", {mode: "cors"}));
settled("transport", new Promise((yes, no) => {
    try { new WebTransport(`https://${udp}/transport`).ready.then(yes, no); } catch (e) { no(); }
}));
done.push(new Promise(yes => {
    const peer = new RTCPeerConnection({iceServers: [
        {urls: `stun:${udp}`},
        {urls: `turn:${udp}?transport=tcp`, username: "a", credential: "b"},
        {urls: `turn:${http.slice(7)}?transport=tcp`, username: "a", credential: "b"}]});
    peer.createDataChannel("x");
    peer.onicegatheringstatechange = () => {
        if (peer.iceGatheringState === "complete") yes("peer failed");
    };
    peer.createOffer().then(offer => peer.setLocalDescription(offer));
    setTimeout(() => yes("peer failed"), 3000);
}));
Promise.all(done).then(words => { window.result = words; });
"""


class Port:
    """Whoever comes is seen, and gets no answer."""

    def __init__(self, address: str, kind: socket.SocketKind) -> None:
        self.socket = socket.socket(socket.AF_INET, kind)
        self.socket.bind((address, 0))
        self.socket.setblocking(False)
        if kind is socket.SOCK_STREAM:
            self.socket.listen()
        self.place = f"{address}:{self.socket.getsockname()[1]}"

    async def first(self) -> None:
        """Wait until somebody comes."""
        loop = asyncio.get_running_loop()
        if self.socket.type is socket.SOCK_STREAM:
            (await loop.sock_accept(self.socket))[0].close()
        else:
            await loop.sock_recv(self.socket, 2048)

    def is_untouched(self) -> bool:
        readable, _, _ = select.select([self.socket], [], [], 0)
        return not readable


class Ports(NamedTuple):
    """Of an address that is refused."""

    http: Port
    https: Port
    udp: Port


@pytest.fixture
def refused() -> Iterator[Ports]:
    kinds = (socket.SOCK_STREAM, socket.SOCK_STREAM, socket.SOCK_DGRAM)
    ports = Ports(*(Port("127.0.0.2", kind) for kind in kinds))
    yield ports
    for port in ports:
        port.socket.close()


def browse(
    use: Callable[[Page], Awaitable[object]], policy: AddressPolicy | None
) -> tuple[Any, GuardProxy]:
    """Use a page of a browser behind a proxy with this policy, or of one that nobody guards."""

    async def run() -> tuple[Any, GuardProxy]:
        assert BROWSER is not None
        options = BROWSER.launch_options()
        async with GuardProxy(policy or AddressPolicy()) as proxy, async_playwright() as playwright:
            if policy is None:
                options["args"] = []
            else:
                options["args"] += GuardProxy.BROWSER_ARGUMENTS
                options["proxy"] = proxy.as_playwright()
            async with await playwright.chromium.launch(**options) as browser:
                context = await browser.new_context(ignore_https_errors=True)
                async with asyncio.timeout(_SECONDS):
                    return await use(await context.new_page()), proxy

    return asyncio.run(run())


async def result(page: Page, url: str) -> Any:
    """What a page leaves for us when it is done."""
    await page.goto(url)
    handle = await page.wait_for_function("window.result")
    return await handle.json_value()


def attack(ports: Ports) -> Reply:
    targets = {
        "http": f"http://{ports.http.place}",
        "https": f"https://{ports.https.place}",
        "udp": ports.udp.place,
    }
    script = _ATTACK.replace("TARGETS", json.dumps(targets))
    return Reply(f"<body><script>{script}</script></body>", content_type="text/html")


def test_a_page_reaches_nothing_but_what_is_allowed(site: SiteServer, refused: Ports) -> None:
    site.routes["/"] = attack(refused)
    elsewhere = f"http://{refused.http.place}/redirected"
    site.routes["/redirect"] = Reply(status=302, headers={"Location": elsewhere})
    policy = AddressPolicy(allow=[f"127.0.0.1:{site.port}"])
    results, proxy = browse(lambda page: result(page, site.at("/")), policy)
    assert [each for each in results if "got through" in each] == []
    assert [port.is_untouched() for port in refused] == [True, True, True]
    # It was the proxy that stopped them, and not the page that never asked.
    assert sum(proxy.refusals.values()) > 10
    for port in (refused.http, refused.https):
        assert any(port.place in words for words in proxy.refusals)


def test_without_a_guard_the_same_page_reaches_them(site: SiteServer, refused: Ports) -> None:
    site.routes["/"] = attack(refused)

    async def use(page: Page) -> None:
        await page.goto(site.at("/"), wait_until="commit")
        await asyncio.gather(*(port.first() for port in refused))

    browse(use, None)


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_an_allowed_site_works(make_site: Callable[..., SiteServer], tls: bool) -> None:
    html = """<body><script>
        const image = new Promise(yes => { const i = new Image(); i.onload = () => yes(i.width);
            i.src = "/dot.svg"; document.body.append(i); });
        Promise.all([fetch("/data.json").then(r => r.json()), image])
            .then(([data, width]) => { window.result = [data.name, width]; });
    </script></body>"""
    dot = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"></svg>'
    routes = {
        "/": html,
        "/data.json": '{"name": "Acme"}',
        "/dot.svg": Reply(dot, content_type="image/svg+xml"),
    }
    site = make_site(routes, tls=tls)
    policy = AddressPolicy(allow=[f"127.0.0.1:{site.port}"])
    results, proxy = browse(lambda page: result(page, site.at("/")), policy)
    assert results == ["Acme", 7]
    assert not proxy.refusals
    assert proxy.counts.requests >= 1
