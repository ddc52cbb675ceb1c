"""List a site's sitemap URLs with trafilatura: `trafilatura_search.py ROOT_URL`."""

import re
import sys
from copy import deepcopy

from courlan import urlutils
from trafilatura.settings import DEFAULT_CONFIG
from trafilatura.sitemaps import sitemap_search

# courlan 1.4 knows no IPv4 host with a port, so trafilatura would drop every link of this site. The
# same expression with an optional port costs it what a public host name would.
urlutils.DOMAIN_REGEX = re.compile(
    urlutils.DOMAIN_REGEX.pattern.replace("(?:/|$)", r"(?::\d+)?(?:/|$)")
)

config = deepcopy(DEFAULT_CONFIG)
config["DEFAULT"]["SSRF_PROTECTION"] = "off"  # the site is on loopback
print(len(sitemap_search(sys.argv[1], sleep_time=0.0, config=config)))
