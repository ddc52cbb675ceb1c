"""Scrapy's own commands, as this project wants them.

Scrapy imports every command to find one, so what they need is imported when they run.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse

    from scrapy import Spider
    from scrapy.commands import BaseRunSpiderCommand, ScrapyCommand
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    _Command = ScrapyCommand
    _RunSpiderCommand = BaseRunSpiderCommand
else:
    _Command = _RunSpiderCommand = object

logger = logging.getLogger(__name__)


class NamedAddressMixin(_Command):
    """Lets a command fetch the URL that the user names, wherever it is.

    The guard on addresses holds for everything else, such as redirects of that URL. A wrong setting
    is one line and exit code 2. Whatever spider is used, nothing is stored in the inventory.
    """

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.config import ConfigError
        from sitecrawl.spiders.site import SiteSpider

        SiteSpider.is_stored = False
        if opts.spider and not hasattr(opts, "spargs"):
            assert self.crawler_process is not None
            spider_class = self.crawler_process.spider_loader.load(opts.spider)
            if issubclass(spider_class, SiteSpider):
                raise UsageError(
                    f"--spider {opts.spider}: it needs the argument domain, which this command"
                    " does not take; leave --spider out",
                    print_help=False,
                )
        try:
            super().run(args, opts)  # type: ignore[safe-super]  # it is mixed into a command
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from error

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        from sitecrawl.config import ConfigError
        from sitecrawl.config.environment import apply_environment
        from sitecrawl.safety.policy import endpoint_of

        assert self.settings is not None
        try:
            apply_environment(self.settings)
            check_settings(self.settings)
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from error
        for url in args[:1]:
            try:
                host, port = endpoint_of(url if "://" in url else f"http://{url}")
            except ValueError:
                continue  # Scrapy says what is wrong with it
            shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            allowed = [*self.settings.getlist("SITECRAWL_ADDRESS_ALLOW"), shown]
            self.settings.set("SITECRAWL_ADDRESS_ALLOW", allowed, "cmdline")


class CheckedSpiderMixin(_RunSpiderCommand):
    """Runs a spider; a wrong setting or argument is one line and exit code 2, not a traceback."""

    _crawler: Crawler

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        from sitecrawl.config import ConfigError
        from sitecrawl.logs import use_log_format

        assert self.settings is not None
        try:
            use_log_format(self.settings)
        except ConfigError as error:
            raise _refused(self.settings, error) from error

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.config import ConfigError
        from sitecrawl.scan.lifecycle import exit_code
        from sitecrawl.store.errors import StoreError

        self._spider_arguments = opts.spargs
        try:
            super().run(args, opts)  # type: ignore[safe-super]  # it is mixed into a command
        except (ConfigError, StoreError) as error:
            assert self.settings is not None
            raise _refused(self.settings, error) from error
        if not self.exitcode:
            self.exitcode = exit_code(self._crawler)

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        """Also find what would stop the spider, before anything is started."""
        from sitecrawl.scan.arguments import check_arguments
        from sitecrawl.spiders.site import SiteSpider

        self._crawler = crawler = super()._create_crawler(spidercls)
        check_settings(crawler.settings)
        if issubclass(crawler.spidercls, SiteSpider):
            check_arguments(self._spider_arguments, crawler.settings, crawler.spidercls.name)
        return crawler


def _refused(settings: BaseSettings, error: Exception) -> UsageError:
    """Also in the log file, if there is one: of a job of Scrapyd its user sees nothing else."""
    if settings.get("LOG_FILE"):
        from scrapy.utils.log import configure_logging

        configure_logging(settings.copy_to_dict())  # with a wrong setting nobody has done it yet
        logger.error("%s", error)
    return UsageError(str(error), print_help=False)


def check_settings(settings: BaseSettings) -> None:
    """Raise ConfigError if a spider cannot run under these settings and the environment.

    A name on the command line that is nearly that of a setting is logged.
    """
    from sitecrawl.config import COMMAND_LINE_PRIORITY, Config
    from sitecrawl.config.environment import apply_environment
    from sitecrawl.config.known_settings import misspelling
    from sitecrawl.downloader import check_download_components

    settings = settings.copy()
    apply_environment(settings)
    Config.from_settings(settings)
    check_download_components(settings)
    for name in settings:
        given = settings.getpriority(name) or 0
        if given >= COMMAND_LINE_PRIORITY and (hint := misspelling(name)):
            logger.warning("-s %s: %s", name, hint)
