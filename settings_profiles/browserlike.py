"""User agents of browsers, for a site of your own that answers nobody else."""

from sitecrawl.settings import *  # noqa: F403
from sitecrawl.settings import DOWNLOADER_MIDDLEWARES as _DOWNLOADER_MIDDLEWARES

SITECRAWL_PROFILE = "browserlike"
DOWNLOADER_MIDDLEWARES = {
    **_DOWNLOADER_MIDDLEWARES,
    "sitecrawl.downloadermiddlewares.browserlike.BrowserlikeUserAgentMiddleware": 450,
}
FAKEUSERAGENT_PROVIDERS = ["scrapy_fake_useragent.providers.FakeUserAgentProvider"]
# Without one the provider cannot be made.
FAKEUSERAGENT_FALLBACK = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
