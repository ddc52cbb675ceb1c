"""Visit every page of a site with trafilatura: `trafilatura_spider.py ROOT_URL FEED`.

Its focused crawler visits one page at a time; robots.txt is obeyed, which is its default.
"""

import json
import re
import sys
from copy import deepcopy
from pathlib import Path

from courlan import core, filters, urlutils
from trafilatura.settings import DEFAULT_CONFIG
from trafilatura.spider import focused_crawler

# courlan 1.4 knows no IPv4 host with a port, so trafilatura would drop every link of this site. The
# same tests with an optional port cost it what a public host name would.
urlutils.DOMAIN_REGEX = re.compile(
    urlutils.DOMAIN_REGEX.pattern.replace("(?:/|$)", r"(?::\d+)?(?:/|$)")
)
core.domain_filter = lambda host: filters.domain_filter(host.partition(":")[0])


def main() -> None:
    root_url, feed = sys.argv[1:]
    config = deepcopy(DEFAULT_CONFIG)
    config["DEFAULT"]["SSRF_PROTECTION"] = "off"  # the site is on loopback
    config["DEFAULT"]["SLEEP_TIME"] = "0"
    left, known = focused_crawler(root_url, max_seen_urls=1_000_000, config=config)
    with Path(feed).open("w", encoding="utf-8") as rows:
        rows.writelines(json.dumps({"url": url}) + "\n" for url in set(known) - set(left))


if __name__ == "__main__":
    main()
