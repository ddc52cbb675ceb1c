"""A bounded look at a site for an audit: small caps, no query strings, one hour at most."""

from sitecrawl.settings import *  # noqa: F403

SITECRAWL_PROFILE = "audit"
SITECRAWL_MAX_SITEMAP_URLS = 1_000
SITECRAWL_QUERY_STRINGS = "skip"
SITECRAWL_MAX_PAGES = 200
SITECRAWL_MAX_SCAN_MINUTES = 60
SITECRAWL_ROBOTS_FAIL_OPEN = True
