"""Pages that a skip rule refuses are not fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

from sitecrawl.config import Config
from sitecrawl.urls.canonical import canonicalize

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.urls.refusal import Refusal


class SkippedError(IgnoreRequest):
    """A skip rule refuses the URL of this request."""

    def __init__(self, refusal: Refusal):
        super().__init__(f"skipped by the rule {refusal.rule} ({refusal.reason})")
        self.refusal = refusal


class SkipRulesMiddleware:
    """Refuse pages by their URL: path patterns, file types, query strings.

    For spiders without the project's pipelines, which judge every URL by the same rules before it
    is requested. What the user asked for (start requests) is not skipped. See :meth:`refusal` to
    use another policy.

    Settings: ``SITECRAWL_SKIP_PATHS``, ``SITECRAWL_SKIP_EXTENSIONS``, ``SITECRAWL_QUERY_STRINGS``.
    Meta: ``sitecrawl_dont_skip``, Scrapy's ``is_start_request``.
    Stats: ``sitecrawl/requests/skipped``.
    """

    def __init__(self, crawler: Crawler):
        config = Config.from_settings(crawler.settings)
        self._rules = config.skip_rules()
        self._canonical_rules = config.canonical_rules()
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        refusal = self.refusal(request)
        if refusal is not None:
            self._stats.inc_value("sitecrawl/requests/skipped")
            raise SkippedError(refusal)

    def refusal(self, request: Request) -> Refusal | None:
        """The rule that refuses the request, if any; override it to use another policy."""
        if request.meta.get("is_start_request") or request.meta.get("sitecrawl_dont_skip"):
            return None
        url = canonicalize(request.url, rules=self._canonical_rules)
        return self._rules.refusal(url) if url else None
