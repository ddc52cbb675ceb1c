"""Measures how much of the content of pages is extracted, and how much other text.

    python -m benchmarks.extraction

- 20 pages of our own making, of many kinds, with the content marked by hand
  (``tests/dive/extraction_pages.py``), and 20 pages of documentation from Debian packages, whose
  content and menus are named by hand (``benchmarks/extraction_truth.json``).
- F1: of the words of the content, each as often as it occurs.
- Clean: nothing of menus, footers and the like is in the text.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

from selectolax.lexbor import LexborHTMLParser

from benchmarks.trial.packages import debian_package
from sitecrawl.dive.extraction import extract_article
from tests.dive.extraction_pages import PAGES, TruePage

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRUTH: Final = Path(__file__).with_name("extraction_truth.json")
_WORD: Final = re.compile(r"\w+")


def main() -> None:
    scores, clean = [], 0
    for page in [*PAGES, *debian_pages()]:
        f1, others = score(page)
        scores.append(f1)
        clean += not others
        note = f"  also: {others[0][:60]!r}" if others else ""
        sys.stdout.write(f"{page.name:45} {f1:.3f}{note}\n")
    sys.stdout.write(
        f"{len(scores)} pages: F1 {fmean(scores):.3f}, nothing of menus and footers in {clean}\n"
    )


def score(page: TruePage) -> tuple[float, list[str]]:
    """F1 of the words, and the texts of the page that are no content and were taken for it."""
    text = extract_article(page.html, "https://example.com/").text
    found, wanted = (Counter(_WORD.findall(each.lower())) for each in (text, page.content))
    both = sum((found & wanted).values())
    f1 = 2 * both / (found.total() + wanted.total()) if both else 0.0
    read, truth = _line(text), _line(page.content)
    return f1, [each for each in page.others if _line(each) in read and _line(each) not in truth]


def _line(text: str) -> str:
    return " ".join(text.split())


def debian_pages() -> Iterator[TruePage]:
    for group in json.loads(_TRUTH.read_text(encoding="utf-8")):
        folder = debian_package(group["package"]) / group["folder"]
        for name in group["pages"]:
            html = (folder / name).read_text(encoding="utf-8", errors="replace")
            yield _true_page(f"{group['package']} {name}", html, group)


def _true_page(name: str, html: str, group: dict[str, list[str]]) -> TruePage:
    tree = LexborHTMLParser(html)
    others = []
    for selector in group["menus"]:
        for element in tree.css(selector):
            others += [_line(each) for each in element.text(separator="\n").split("\n")]
            element.decompose()
    for selector in group["signs"]:
        for element in tree.css(selector):
            element.decompose()
    content = "\n".join(each.text() for each in tree.css(",".join(group["content"])))
    return TruePage(name, html, content, tuple(each for each in others if " " in each))


if __name__ == "__main__":
    main()
