"""Which pages are rendered: clear cases, and doubtful kinds of pages for which it paid off."""

from __future__ import annotations

from enum import StrEnum

from sitecrawl.render.need import Verdict
from sitecrawl.urls.patterns import url_pattern

_MAX_KINDS = 20_000


class RenderMode(StrEnum):
    """The values of ``SITECRAWL_RENDER``."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Decision(StrEnum):
    RENDER = "render"
    LEAVE = "leave"
    TRY = "try"
    """No page of its kind has been rendered: this one shows whether the others are worth it."""


class RenderTrials:
    """Decides page by page, and learns from what rendering brought.

    What is decided as RENDER or LEAVE for a kind with a gain stays so; what was tried without a
    gain may turn when a page of the same kind that had to be rendered brings something. So a page's
    decision depends only on the pages concluded before it.

    >>> trials = RenderTrials(RenderMode.AUTO)
    >>> trials.decide("https://a.example/shop/1", Verdict.MAYBE)
    <Decision.TRY: 'try'>
    >>> trials.conclude("https://a.example/shop/1", gained=0)
    >>> trials.decide("https://a.example/shop/2", Verdict.MAYBE)
    <Decision.LEAVE: 'leave'>
    """

    def __init__(self, mode: RenderMode) -> None:
        self._mode = mode
        self._brought_something: dict[str, bool] = {}

    def decide(self, url: str, need: Verdict) -> Decision:
        if self._mode is RenderMode.NEVER:
            return Decision.LEAVE
        if self._mode is RenderMode.ALWAYS or need is Verdict.YES:
            return Decision.RENDER
        if need is Verdict.NO:
            return Decision.LEAVE
        brought_something = self._brought_something.get(_kind(url))
        if brought_something is None:
            return Decision.TRY if len(self._brought_something) < _MAX_KINDS else Decision.LEAVE
        return Decision.RENDER if brought_something else Decision.LEAVE

    def conclude(self, url: str, *, gained: int) -> None:
        """A page was rendered, and so many pages are known only for that."""
        if self._mode is RenderMode.AUTO:
            kind = _kind(url)
            self._brought_something[kind] = gained > 0 or self._brought_something.get(kind, False)


def _kind(url: str) -> str:
    """Pages beside each other are of one kind, whatever their last segment says.

    >>> _kind("https://a.example/blog/2024/a-day"), _kind("https://a.example/about")
    ('/blog/{n}/*', '/*')
    """
    path = url_pattern(url).partition("?")[0].rstrip("/")
    return f"{path.rpartition('/')[0]}/*" if path else "/"
