"""``sitecrawl robots`` and ``plan``: a look at a site without a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.inventory import DATABASE_OPTION
from sitecrawl.cli.workplace import PROFILE_OPTION, SETTING_OPTION, apply_assignments
from sitecrawl.errors import SiteUnreachableError

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from sitecrawl.spiders.preview import RobotsSpider, Survey


_DOMAIN = typer.Argument(help="A domain (example.com) or a URL (http://127.0.0.1:8000).")


def robots(
    domain: Annotated[str, _DOMAIN],
    urls: Annotated[
        list[str] | None, typer.Argument(help="URLs or paths of the site to judge.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Judge for this bot instead of ours.")] = "",
    diff: Annotated[
        bool, typer.Option("--diff", help="List which known URLs have changed their verdict.")
    ] = False,
    scan: Annotated[
        int | None, typer.Option(help="With --diff: against the copy of this scan.")
    ] = None,
    profile: Annotated[str, PROFILE_OPTION] = "default",
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Show the robots.txt of a site: what holds for us, and which line decides on a URL.

    \b
    sitecrawl robots example.com
    sitecrawl robots example.com /cart https://example.com/blog/ --agent Googlebot
    sitecrawl robots example.com --diff
    """
    from sitecrawl.cli.robotsview import RobotsView
    from sitecrawl.cli.robotswords import describe
    from sitecrawl.config import ConfigError
    from sitecrawl.spiders.preview import RobotsSpider

    if scan is not None and not diff:
        raise ConfigError("--scan goes with --diff only")
    settings = _settings(profile, setting or [])
    view = RobotsView.of(agent, settings)
    robots = view.seen(_survey(RobotsSpider, settings, domain).robots)
    for line in describe(robots, view.token, urls or []):
        typer.echo(line)
    if diff:
        from sitecrawl.cli.database import reading
        from sitecrawl.cli.robotsdiff import changed_verdicts

        with reading(database) as store:
            for line in changed_verdicts(store, robots, view, domain, scan):
                typer.echo(line)


def plan(
    domain: Annotated[str, _DOMAIN],
    profile: Annotated[str, PROFILE_OPTION] = "default",
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
) -> None:
    """Say what a scan would cost: robots.txt and the first sitemaps are fetched, nothing is stored.

    \b
    sitecrawl plan example.com
    sitecrawl plan example.com --profile audit
    """
    from sitecrawl.cli.planwords import describe
    from sitecrawl.spiders.preview import PlanSpider

    settings = _settings(profile, setting or [])
    for line in describe(_survey(PlanSpider, settings, domain), settings):
        typer.echo(line)


def _settings(profile: str, assignments: list[str]) -> Settings:
    from sitecrawl.config import apply_environment
    from sitecrawl.config.profiles import load_settings

    settings = load_settings(profile)
    settings.set("LOG_LEVEL", "ERROR", "cmdline")
    settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    apply_assignments(assignments, settings)
    apply_environment(settings)
    return settings


def _survey(spider_class: type[RobotsSpider], settings: Settings, domain: str) -> Survey:
    from sitecrawl.cli.runner import run_survey
    from sitecrawl.items import FetchOutcome
    from sitecrawl.urls.address import origin_of

    survey = run_survey(spider_class, settings, {"domain": domain})
    document = survey.robots.document
    # Who redirects it to a place that cannot be reached can be reached.
    is_own = origin_of(document.final_url) == origin_of(document.url)
    failures = {FetchOutcome.UNREACHABLE, FetchOutcome.ADDRESS_NOT_ALLOWED}
    if is_own and document.outcome in failures:
        raise SiteUnreachableError(f"{document.url} cannot be reached: {document.error}")
    return survey
