"""The sealed browser: whatever a page tries, no connection leaves it."""

from __future__ import annotations

import asyncio
import json
import select
import socket
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright
from scrapy import Request

from tests.render.browser import (
    BROWSER,
    document,
    fetch_nothing,
    needs_browser,
    playwright_handler,
    rendering,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, Page, Route

_SECONDS = 30
# It is only shown, never connected to.
_PAGE_URL = "http://127.0.0.1:9/page"
pytestmark = needs_browser

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
    settled(`${name} fetch`, fetch(url + "/fetch", {mode: "no-cors"}));
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
        self.address = f"{address}:{self.socket.getsockname()[1]}"

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
def ports() -> Iterator[Ports]:
    kinds = (socket.SOCK_STREAM, socket.SOCK_STREAM, socket.SOCK_DGRAM)
    ports = Ports(*(Port("127.0.0.2", kind) for kind in kinds))
    yield ports
    for port in ports:
        port.socket.close()


async def results(browser: Browser, ports: Ports) -> Any:
    """Open the attacking page; only its document is answered by a route."""
    page = await browser.new_page(ignore_https_errors=True)

    async def fulfill(route: Route) -> None:
        await route.fulfill(content_type="text/html", body=attack(ports))

    await page.route(_PAGE_URL, fulfill)
    await page.goto(_PAGE_URL, wait_until="commit")
    handle = await page.wait_for_function("window.result", timeout=_SECONDS * 1000)
    return await handle.json_value()


def attack(ports: Ports) -> str:
    targets = {
        "http": f"http://{ports.http.address}",
        "https": f"https://{ports.https.address}",
        "udp": ports.udp.address,
    }
    script = _ATTACK.replace("TARGETS", json.dumps(targets))
    return f"<body><script>{script}</script></body>"


def test_a_sealed_browser_reaches_nothing(ports: Ports) -> None:
    """Without any route: it is not the interception of requests that keeps it from connecting."""

    async def run() -> Any:
        handler = playwright_handler()
        try:
            return await results(await handler.browser_provider.launch_browser(), ports)
        finally:
            await handler.close()

    said = asyncio.run(run())
    assert len(said) > 10
    assert [each for each in said if "got through" in each] == []
    assert [port.is_untouched() for port in ports] == [True, True, True]


def test_a_rendered_page_reaches_nothing(ports: Ports) -> None:
    async def run() -> None:
        async with rendering(fetch_nothing) as renderer:
            page = document(_PAGE_URL, attack(ports))
            rendered = await renderer.render(page, page.url)
            assert rendered.exploration is not None

    asyncio.run(run())
    assert [port.is_untouched() for port in ports] == [True, True, True]


def test_without_the_seal_the_same_page_reaches_them(ports: Ports) -> None:
    async def run() -> None:
        assert BROWSER is not None
        options = {**BROWSER.launch_options(), "args": []}
        async with (
            async_playwright() as playwright,
            await playwright.chromium.launch(**options) as browser,
            asyncio.timeout(_SECONDS),
        ):
            loading = asyncio.ensure_future(results(browser, ports))
            await asyncio.gather(*(port.first() for port in ports))
            loading.cancel()

    asyncio.run(run())


def test_a_page_without_our_routes_is_not_loaded(ports: Ports) -> None:
    """scrapy-playwright goes on when its page init callback fails, and would connect."""

    async def fails(_page: Page, _request: Request) -> None:
        raise RuntimeError

    async def run() -> None:
        handler = playwright_handler()
        url = f"http://{ports.http.address}/"
        meta = {"playwright": True, "playwright_page_init_callback": fails}
        try:
            with pytest.raises(PlaywrightError):
                await handler.download_request(Request(url, meta=meta))
            assert handler.stats.get_value("playwright/request_count/aborted") == 1
        finally:
            await handler.close()

    asyncio.run(run())
    assert ports.http.is_untouched()
