"""How large a report is, what it costs to write, and how long a browser takes to open it.

    python -m benchmarks.reportopening [--rounds 5]

Opening is measured in the page itself, from the start of the navigation: until the reader sees the
summary, and until all pages can be searched. The browser is new for each opening; the lowest of
the rounds is printed, because others may use the machine.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Playwright, sync_playwright

from benchmarks.measure import BenchmarkError
from sitecrawl.render.browser import find_browser
from sitecrawl.report.html import html_report
from tests.report.sample import sample_report

_SIZES = (1_000, 10_000, 100_000)
_WATCH = """
new MutationObserver(() => {
  const now = performance.now()
  if ("ready" in document.documentElement.dataset) window.seenAt ??= now
  if (document.querySelector(".pages tbody tr")) window.searchableAt ??= now
}).observe(document, { attributes: true, childList: true, subtree: true })
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print("pages     size MB   write s (CPU)   summary s   all pages s")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        for pages in _SIZES:
            path = Path(folder) / f"{pages}.html"
            written = _write(path, pages)
            seen, searchable = zip(
                *(_open(playwright, path.as_uri()) for _ in range(rounds)), strict=True
            )
            size = path.stat().st_size / 1e6
            print(
                f"{pages:>7,}   {size:>7.2f}   {written:>13.2f}   {min(seen):>9.2f}"
                f"   {min(searchable):>11.2f}"
            )


def _write(path: Path, pages: int) -> float:
    report = sample_report(pages)
    start = time.process_time()
    path.write_text(html_report(report), encoding="utf-8")
    return time.process_time() - start


def _open(playwright: Playwright, url: str) -> tuple[float, float]:
    """Seconds until the summary is drawn, and until the table of pages is."""
    found = find_browser()
    if found is None:
        raise BenchmarkError("there is no browser: sitecrawl doctor --install-browser")
    browser = playwright.chromium.launch(**found.launch_options())
    try:
        page = browser.new_page()
        page.add_init_script(_WATCH)
        page.goto(url)
        page.wait_for_selector(".pages tbody tr")
        seen, searchable = page.evaluate("[window.seenAt, window.searchableAt]")
        return seen / 1000, searchable / 1000
    finally:
        browser.close()


if __name__ == "__main__":
    main()
