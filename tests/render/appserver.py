"""The test applications on a real server, which counts whatever would do harm."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tests.render.apps.build import FOLDER, FRAMEWORKS
from tests.render.apps.generated import generated_app
from tests.render.apps.half import half_site, half_truth
from tests.render.apps.hosting import (
    ACTIONS_BY_GET,
    CLICKED,
    HTML,
    SAFE_METHODS,
    hosted_app,
    report_script,
)
from tests.render.apps.truth import read_truth
from tests.site import Reply, SiteServer

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from tests.render.apps.truth import Truth
    from tests.site.log import LoggedRequest
    from tests.site.reply import Route


APPS = (*FRAMEWORKS, "half")
_REPORT_SCRIPT = "/report.js"


class AppServer:
    """Serves one of ``APPS``, or by ``generated:7`` the one of seed 7, and counts.

    - ``mutations``: every request that is neither GET, HEAD nor OPTIONS.
    - ``destructive_requests``: these, and every GET that is an action, such as ``/logout``.
    - ``destructive_clicks``: names of ``truth.dangers`` whose handler ran, also where the request
      behind it was blocked; ``disguised_clicks`` apart, as nothing could have told them before.
    - ``documents``: how often each path answered with a page.
    - ``rendered``: how often each path was opened in something that runs scripts.
    """

    def __init__(self, name: str) -> None:
        self.truth, routes = _served(name)
        noted = Reply(b"noted", content_type="text/plain")
        self.site = SiteServer({**routes, _REPORT_SCRIPT: report_script(), CLICKED: noted})
        self.url = self.site.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.site.stop()

    def at(self, path: str) -> str:
        """The absolute URL of a path."""
        return self.site.at(path)

    @property
    def mutations(self) -> list[str]:
        return [_named(each) for each in self.site.requests() if each.method not in SAFE_METHODS]

    @property
    def destructive_requests(self) -> list[str]:
        return [_named(each) for each in self.site.requests() if _is_destructive(each)]

    @property
    def destructive_clicks(self) -> list[str]:
        return [name for name in self._clicks() if not self.truth.dangers[name].is_disguised]

    @property
    def disguised_clicks(self) -> list[str]:
        return [name for name in self._clicks() if self.truth.dangers[name].is_disguised]

    @property
    def documents(self) -> Counter[str]:
        gets = (each for each in self.site.requests() if each.method == "GET")
        # Answers depend on nothing but the request, so asking once more tells what was sent.
        return Counter(
            each.path for each in gets if self.site.reply_to(each.request).content_type == HTML
        )

    @property
    def rendered(self) -> Counter[str]:
        """Every page loads report.js, uncached; an iframe does not."""
        pages = (each.header("Referer") for each in self.site.requests(_REPORT_SCRIPT))
        return Counter(urlsplit(page).path for page in pages)

    def _clicks(self) -> list[str]:
        """Each click once, in the order in which the server heard of them; see report.js."""
        cookie = re.compile(rf"\bdanger-{self.site.port}=([^;]*)")
        ids: dict[str, None] = {}
        for entry in self.site.requests():
            if entry.path == CLICKED:
                ids.update(dict.fromkeys(parse_qs(entry.request.query)["id"]))
            for noted in cookie.findall(entry.header("Cookie")):
                ids.update(dict.fromkeys(noted.split("~")))
        return [each.partition(".")[0] for each in ids]


def _served(name: str) -> tuple[Truth, dict[str, Route]]:
    kind, _, seed = name.partition(":")
    if kind == "generated":
        app = generated_app(int(seed))
        return app.truth, {"/*": app.hosted.answer}
    if name == "half":
        return half_truth(), half_site()
    return read_truth(FOLDER / name / "truth.json"), {"/*": hosted_app(name).answer}


def _named(entry: LoggedRequest) -> str:
    return f"{entry.method} {entry.path}"


def _is_destructive(entry: LoggedRequest) -> bool:
    is_action = any(entry.path.endswith(path) for path in ACTIONS_BY_GET)
    return entry.method not in SAFE_METHODS or is_action
