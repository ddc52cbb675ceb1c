"""Documentation sites: a base path, query strings kept, sitemaps only as a quick start."""

from sitecrawl.settings import *  # noqa: F403

SITECRAWL_PROFILE = "docs"
SITECRAWL_MAX_SITEMAP_DEPTH = 2
SITECRAWL_MIN_SITEMAP_URLS = 1
SITECRAWL_CRAWL = "always"
SITECRAWL_CRAWL_LISTED_PAGES = True
SITECRAWL_MAX_CRAWL_DEPTH = 0
SITECRAWL_MAX_CRAWL_PAGES = 0
SITECRAWL_QUERY_STRINGS = "keep"
# Elsewhere it is an interface for programs, in documentation the reference.
SITECRAWL_SKIP_PATHS = [path for path in SITECRAWL_SKIP_PATHS if path != "/api/*"]
SITECRAWL_PAGE_TIMEOUT_SECONDS = 30
SITECRAWL_SITEMAP_TIMEOUT_SECONDS = 10
SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS = 5
SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS = 30
