"""The rules of a ``CrawlSpider``: which links are followed, and who gets the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse
from scrapy.utils.spider import iterate_spider_output

from sitecrawl.config import ConfigError
from sitecrawl.html.links import LinkSource
from sitecrawl.items import MentionBatch
from sitecrawl.urls.canonical import page_key
from sitecrawl.urls.columns import canonicalize_all

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from scrapy import Spider
    from scrapy.http import Response
    from scrapy.spiders import Rule

    from sitecrawl.config import Config
    from sitecrawl.items import Visit, VisitedPage


class LinkRules:
    """Applies Scrapy's ``Rule`` objects to the pages of a scan.

    * All links of a page are listed; those that a rule's extractor gives are followed.
    * The first rule that gives a link counts for the page behind it: its ``callback`` gets the
      answer, and ``follow`` says whether the links of that page are followed.
    * After an interruption the rule of a page is found by its URL (``LinkExtractor.matches``).
    """

    def __init__(self, spider: Spider, rules: Sequence[Rule], config: Config):
        self._spider = spider
        self._rules = rules
        self._canonical_rules = config.canonical_rules()
        self._key_rules = config.key_rules()
        self._rule_of: dict[str, Rule] = {}  # by the key of the page
        for rule in rules:
            for name in ("callback", "process_links"):
                value = getattr(rule, name)
                if isinstance(value, str) and not hasattr(spider, value):
                    raise ConfigError(f"rules: the spider has no method {value} ({name})")

    def choose(self, response: Response, page: VisitedPage) -> None:
        """Mark the links of a page that are followed; add those that only a rule finds."""
        followed = self._followed(response, page.visit)
        for batch in page.batches:
            if batch.source == LinkSource.LINK or batch.sources is not None:
                urls = canonicalize_all(batch.locs, batch.base, self._canonical_rules)
                batch.followed = {
                    row for row, url in enumerate(urls) if url and self._key(url) in followed
                }
                for row in batch.followed:
                    followed.pop(self._key(urls[row] or ""), None)
        if followed and page.batches:
            first = max(batch.positions[-1] for batch in page.batches) + 1
            page.batches.append(_extra_batch(page, list(followed.values()), first))

    async def results(self, response: Response, visit: Visit) -> AsyncIterator[Any]:
        """What the callback of the page's rule gives: items and requests of the spider."""
        rule = self._rule(visit)
        if rule is None or rule.callback is None:
            return
        given: Any = self._method(rule.callback)(response, **rule.cb_kwargs)
        if hasattr(given, "__aiter__"):
            async for each in given:
                yield each
            return
        if hasattr(given, "__await__"):
            given = await given
        for each in iterate_spider_output(given):
            yield each

    def _followed(self, response: Response, visit: Visit) -> dict[str, str]:
        """The links that rules give, by the key of the page behind them."""
        rule = self._rule(visit)
        if not isinstance(response, HtmlResponse) or (rule is not None and not rule.follow):
            return {}
        found: dict[str, str] = {}
        for rule in self._rules:
            process = self._method(rule.process_links)
            for link in process(rule.link_extractor.extract_links(response)) or ():
                (url,) = canonicalize_all([link.url], response.url, self._canonical_rules)
                if url is not None and (key := self._key(url)) not in found:
                    found[key] = url
                    self._rule_of.setdefault(key, rule)
        return found

    def _rule(self, visit: Visit) -> Rule | None:
        """The rule that led to the page; None: it is where the crawl starts."""
        if not visit.clicks:
            return None
        known = self._rule_of.get(self._key(visit.url))
        by_url = (rule for rule in self._rules if rule.link_extractor.matches(visit.url))
        return known or next(by_url, None)

    def _method(self, name: Any) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._spider, name) if isinstance(name, str) else name
        return method

    def _key(self, url: str) -> str:
        return page_key(url, self._key_rules)


def _extra_batch(page: VisitedPage, urls: list[str], first: int) -> MentionBatch:
    """Links that only the extractor of a rule finds."""
    return MentionBatch(
        document=page.document.url,
        base=page.document.final_url,
        source=LinkSource.LINK,
        scope=page.batches[0].scope,
        positions=range(first, first + len(urls)),
        locs=urls,
        visit=page.visit,
    )
