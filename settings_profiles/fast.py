"""No delays: only for a site of your own, such as one on loopback."""

from sitecrawl.settings import *  # noqa: F403

SITECRAWL_PROFILE = "fast"
CONCURRENT_REQUESTS_PER_DOMAIN = 8
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
