"""A whole application from a seed: its files, its data, and what is true of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from random import Random

from tests.render.apps.generated.furnishing import Furnisher
from tests.render.apps.generated.markup import Workshop, quoted
from tests.render.apps.generated.modules import PageModule, app_files
from tests.render.apps.generated.plan import Plan, PlannedPage, plan
from tests.render.apps.generated.routers import ROUTERS, Router
from tests.render.apps.hosting import HTML, HostedApp
from tests.render.apps.truth import RouteTruth, Truth
from tests.site import Reply

_DATA_SECONDS = 0.12
_QUERY = quoted(json.dumps({"query": "query { items { id title } }"}))


@dataclass(frozen=True, slots=True)
class GeneratedApp:
    truth: Truth
    hosted: HostedApp


@cache
def generated_app(seed: int) -> GeneratedApp:
    """Always the same for the same seed; five seeds in a row have every router."""
    router = ROUTERS[seed % len(ROUTERS)]
    make = Workshop(Random(seed))
    planned = plan(make, router)
    furnisher = Furnisher(make, router)
    frame = furnisher.furnish(planned.frame)
    pages = _page_modules(furnisher, planned)
    everything = (*planned.pages, *planned.hidden)
    files = app_files(
        make,
        planned.pages[0].title,
        router.module({page.key: page.path for page in everything}),
        furnisher.dispatchers,
        frame,
        pages,
    )
    scripts = {
        path: Reply(body, content_type="text/javascript") for path, body in files.scripts.items()
    }
    embeds = {path: Reply(body, content_type=HTML) for path, body in make.embeds.items()}
    hosted = HostedApp(
        base="/",
        files=scripts | embeds,
        api={path: _data(body) for path, body in make.data.items()},
        pages={"/": Reply(files.shell, content_type=HTML)},
    )
    return GeneratedApp(_truth(seed, router, planned, furnisher), hosted)


def _page_modules(furnisher: Furnisher, planned: Plan) -> list[PageModule]:
    make = furnisher.make
    pages = [*planned.pages, *planned.hidden]
    asking, telling = make.random.sample(planned.pages, 2)
    modules = []
    for page in pages:
        inner = furnisher.furnish(page)
        before = _before(furnisher, page, is_asking=page is asking, is_telling=page is telling)
        is_lazy = make.random.random() < 0.7
        modules.append(PageModule(page.path, page.title, inner, before, is_lazy))
    return modules


def _before(furnisher: Furnisher, page: PlannedPage, *, is_asking: bool, is_telling: bool) -> str:
    """What happens before a page is complete, whether or not it succeeds."""
    make = furnisher.make
    sent = f"/api/{make.name()}"
    if is_asking:
        furnisher.sends_at_load(page, f"POST {sent}")
        # The pages come from elsewhere if this fails, as with a cache.
        return f'await fetch("{sent}", {{ method: "POST", body: {_QUERY} }}).catch(() => null);'
    if is_telling:
        furnisher.sends_at_load(page, f"POST {sent}")
        return f'navigator.sendBeacon("{sent}", {quoted(page.key)});'
    if make.random.random() < 0.3:
        return f"await fetch({quoted(make.answer({'title': page.title}))});"
    return ""


def _truth(seed: int, router: Router, planned: Plan, furnisher: Furnisher) -> Truth:
    start = planned.pages[0]
    first = RouteTruth(start.path, start.title, "the start", start.path, (), frozenset())
    needs = {to.path: way for page in planned.pages for way, to in page.hidden.items()}
    return Truth(
        title=f"{start.title}: generated from {seed}, routed by {router.name}",
        start=start.path,
        routes={start.path: first} | furnisher.routes,
        # The start, as some say it.
        patterns=(router.prefix,) if router.needs else (),
        beyond=needs,
        dangers=furnisher.dangers,
    )


def _data(body: object) -> Reply:
    return Reply(json.dumps(body), content_type="application/json", delay_seconds=_DATA_SECONDS)
