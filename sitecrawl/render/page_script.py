"""The script that runs in every page before the page's own: its source, calls and answers.

Answers are read with distrust, because a page may have tampered with them.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeGuard

from sitecrawl.html.text import storable
from sitecrawl.render.actions import Clickable

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import CDPSession, Page

# In this order: each uses what those before it define.
_PARTS = ("builtins", "guard", "work", "elements", "descriptions", "styles", "routers", "explorer")

KEY = "__sitecrawl"
"""The property of the window through which the driver calls."""

_MAX_ENTRIES = 2_000
_MAX_CHARACTERS = 2_000
_MAX_NAMES = 60
_FRAGMENT_ORIGINS = frozenset({"document", "shadow", "frame", "revealed"})


class AnswerError(ValueError):
    """The page did not answer as its script would."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An element that may be clicked."""

    number: int
    path: str
    kind: str
    """The same for all rows of a list."""
    clickable: Clickable

    @property
    def label(self) -> str:
        return self.clickable.label

    @property
    def identity(self) -> tuple[str, str, str]:
        """The same after the page was loaded anew."""
        return self.kind, self.path, self.label


@dataclass(frozen=True, slots=True)
class RenderedFragment:
    """Markup of a page after its scripts have run."""

    html: str
    base: str
    """The address that its links are relative to."""
    where: str
    """``document``, ``shadow``, ``frame``, or ``revealed`` by a click."""
    label: str = ""
    """Of the element whose click revealed it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Reads the parts of one answer; a part of a wrong type is an error, a long one is cut."""

    values: dict[str, object]

    @classmethod
    def parse(cls, text: object) -> Answer:
        if not isinstance(text, str):
            raise AnswerError(f"expected text, got {type(text).__name__}")
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise AnswerError(str(error)) from None
        return cls(_as_dict(values))

    def number(self, name: str) -> int:
        value = self.values.get(name)
        if not isinstance(value, int) or not 0 <= value <= 10**9:
            raise AnswerError(f"{name}: expected a number, got {value!r:.80}")
        return value

    def flag(self, name: str) -> bool:
        return self.values.get(name) is True

    def text(self, name: str, limit: int = _MAX_CHARACTERS) -> str:
        value = self.values.get(name)
        if not isinstance(value, str):
            raise AnswerError(f"{name}: expected text, got {value!r:.80}")
        return storable([value[:limit]])[0]

    def texts(self, name: str) -> tuple[str, ...]:
        values = self._list(name)[:_MAX_ENTRIES]
        return tuple(storable([value[:_MAX_CHARACTERS] for value in values if _is_text(value)]))

    def parts(self, name: str) -> list[Answer]:
        return [Answer(_as_dict(value)) for value in self._list(name)[:_MAX_ENTRIES]]

    def noted(self) -> list[tuple[str, int]]:
        """Where the page wanted to go, with the number of the click; 0 is none."""
        return [(part.text("url"), part.number("click")) for part in self.parts("noted")]

    def candidates(self) -> list[Candidate]:
        return [_candidate(part) for part in self.parts("candidates")]

    def fragments(self, max_characters: int, label: str = "") -> list[RenderedFragment]:
        return [
            RenderedFragment(
                html=part.text("html", max_characters),
                base=part.text("base"),
                where=_fragment_origin(part.text("where")),
                label=label,
            )
            for part in self.parts("fragments")
        ]

    def _list(self, name: str) -> list[object]:
        value = self.values.get(name)
        if not isinstance(value, list):
            raise AnswerError(f"{name}: expected a list, got {value!r:.80}")
        return value


def _candidate(part: Answer) -> Candidate:
    return Candidate(
        number=part.number("id"),
        path=part.text("path"),
        kind=part.text("kind"),
        clickable=Clickable(
            tag=part.text("tag"),
            type=part.text("type"),
            text=part.text("text"),
            titles=part.texts("titles")[:_MAX_NAMES],
            names=part.texts("names")[:_MAX_NAMES],
            classes=part.texts("classes")[:_MAX_NAMES],
            handlers=part.texts("handlers")[:_MAX_NAMES],
            in_form=part.flag("inForm"),
            is_download=part.flag("isDownload"),
        ),
    )


def _fragment_origin(where: str) -> str:
    if where not in _FRAGMENT_ORIGINS:
        raise AnswerError(f"where: expected the origin of a fragment, got {where!r:.80}")
    return where


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _as_dict(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise AnswerError(f"expected an object, got {value!r:.80}")
    return value


class PageScript:
    """The script in one page.

    Playwright's own ``evaluate()`` uses functions that a page can replace; the browser's debugging
    protocol does not.
    """

    def __init__(
        self, session: CDPSession, patience_seconds: float, is_waiting: Callable[[], bool]
    ) -> None:
        self._session = session
        self._patience_seconds = patience_seconds
        self._is_waiting = is_waiting

    @classmethod
    async def of(
        cls, page: Page, patience_seconds: float, is_waiting: Callable[[], bool]
    ) -> PageScript:
        """*is_waiting*: whether the page waits for answers; a synchronous request blocks it."""
        session = await page.context.new_cdp_session(page)
        return cls(session, patience_seconds, is_waiting)

    async def call(self, name: str, *args: str | int, seconds: float = 0.0) -> Answer:
        """Call a function of the script, which may wait for *seconds*; TimeoutError if it hangs."""
        arguments = ", ".join(map(json.dumps, args))
        request = {
            "expression": f'window["{KEY}"].{name}({arguments})',
            "awaitPromise": True,
            "returnByValue": True,
        }
        reply = await self._reply(request, seconds + self._patience_seconds)
        if details := reply.get("exceptionDetails"):
            thrown = details.get("exception", {}).get("description", details.get("text"))
            raise AnswerError(f"{name}: {thrown!s:.200}")
        return Answer.parse(reply["result"].get("value"))

    async def close(self) -> None:
        await self._session.detach()

    async def _reply(self, request: dict[str, object], seconds: float) -> dict[str, Any]:
        sending = asyncio.ensure_future(self._session.send("Runtime.evaluate", request))
        try:
            while not (await asyncio.wait({sending}, timeout=seconds))[0]:
                if not self._is_waiting():
                    raise TimeoutError
            return sending.result()
        finally:
            sending.cancel()


def _assembled() -> str:
    folder = files("sitecrawl.render") / "inpage"
    parts = [(folder / f"{part}.js").read_text(encoding="utf-8") for part in _PARTS]
    # Once per window: a document that is written anew keeps its own.
    head = f'(() => {{\n"use strict";\nconst KEY = "{KEY}";\nif (KEY in window) return;'
    return "\n".join((head, *parts, "})();"))


INIT_SCRIPT = _assembled()
