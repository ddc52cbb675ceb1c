"""Watching sitemaps over time: everything they list, never a crawl, short time-outs."""

from sitecrawl.settings import *  # noqa: F403

SITECRAWL_PROFILE = "monitor"
SITECRAWL_MAX_SITEMAPS = 500
SITECRAWL_MIN_SITEMAP_URLS = 0
SITECRAWL_CRAWL = "never"
SITECRAWL_CHECK_PAGES = 50
SITECRAWL_QUERY_STRINGS = "keep"
SITECRAWL_SITEMAP_TIMEOUT_SECONDS = 12
SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS = 12
SITECRAWL_ROBOTS_TIMEOUT_SECONDS = 8
SITECRAWL_ROBOTS_CACHE_SECONDS = 0  # every scan looks whether it has changed
