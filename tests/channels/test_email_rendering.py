"""The HTML of an email in a browser as wide as a phone, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright

from sitecrawl.changes.kinds import Severity
from sitecrawl.channels.messages import digest_message
from sitecrawl.channels.rendering import render
from sitecrawl.channels.rules import Phase
from sitecrawl.channels.targets import ChannelKind
from sitecrawl.render.browser import find_browser
from tests.channels.test_messages import NOW, event, site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

# For every element with text of its own: its contrast against the nearest background (WCAG 2).
_CONTRASTS = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).slice(0, 3).map((value) => {
      value /= 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if ((numbers(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  return [...document.body.querySelectorAll("*")]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((each) => {
      const [a, b] = [luminance(getComputedStyle(each).color), luminance(background(each))];
      return [each.textContent.slice(0, 40), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
    });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = find_browser()
    if found is None:
        pytest.skip("there is no browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**found.launch_options())
        yield browser
        browser.close()


def sample() -> str:
    """Every label, a long URL and a long word."""
    long = "https://example.com/" + "very-long-name-of-a-page" * 8
    events = [
        event(number, severity=severity, title=f"Of {severity} matter", examples=(long,))
        for number, severity in enumerate(Severity, 1)
    ]
    events += [
        event(7, incident_id=1, phase=Phase.OPENED, title="W" * 300, severity="critical"),
        event(8, incident_id=2, phase=Phase.CLOSED),
    ]
    html: str = render(ChannelKind.EMAIL, digest_message([site(*events, name="N" * 90)], NOW))[
        "html"
    ]
    return html.replace("<!--footer-->", '<a href="https://watch.example.com/u">Unsubscribe</a>')


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_email_can_be_read_on_a_phone(browser: Browser, scheme: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_content(sample())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    contrasts = page.evaluate(_CONTRASTS)
    assert len(contrasts) > 20
    assert [pair for pair in contrasts if pair[1] < 4.5] == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(243, 245, 247)", "dark": "rgb(18, 20, 23)"}[scheme]
    assert requests == []  # nothing tells the sender that it was opened
    page.close()
