"""Every default of sitecrawl, and the way of the data on one screen.

A profile in ``settings_profiles/`` imports this module and overrides what differs. Every
``SITECRAWL_*`` setting can be given with ``-s``, in the environment or in a profile;
``sitecrawl settings`` shows the effective values, docs/settings.md explains them, and
:mod:`sitecrawl.config` is the only place that reads them.
"""

from sitecrawl import __version__
from sitecrawl.urls.skip import DEFAULT_SKIP_EXTENSIONS, DEFAULT_SKIP_PATHS
from sitecrawl.urls.traps import DEFAULT_SESSION_NAMES

BOT_NAME = "sitecrawl"
SPIDER_MODULES = ["sitecrawl.spiders"]
NEWSPIDER_MODULE = "sitecrawl.spiders"
COMMANDS_MODULE = "sitecrawl.commands"
USER_AGENT = f"sitecrawl/{__version__} (+https://sitecrawl.example/bot)"

# --- The way of the data -------------------------------------------------------------------
# Scrapy's own lists are emptied, so that these are complete: what is not here does not run, and is
# not even imported, which shortens the way to the first request.
DOWNLOADER_MIDDLEWARES_BASE: dict[str, int] = {}
SPIDER_MIDDLEWARES_BASE: dict[str, int] = {}
EXTENSIONS_BASE: dict[str, int] = {}

# requests, from the engine (low numbers) to the site
DOWNLOADER_MIDDLEWARES = {
    "sitecrawl.downloadermiddlewares.politeness.PolitenessMiddleware": 150,
    "sitecrawl.downloadermiddlewares.robots.RobotsMiddleware": 200,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
    "sitecrawl.downloadermiddlewares.browserlike.BrowserlikeUserAgentMiddleware": 450,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
    "sitecrawl.downloadermiddlewares.backoff.BackoffRetryMiddleware": 550,
    "sitecrawl.downloadermiddlewares.conditional.ConditionalRequestMiddleware": 585,
    "sitecrawl.downloadermiddlewares.compression.BoundedCompressionMiddleware": 590,
    "sitecrawl.downloadermiddlewares.redirect.CleanRedirectMiddleware": 600,
    "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": 750,
}
# responses, on their way to the stages: every status reaches them, because a 404 or a 304 is an
# answer, too, and they choose scope, length and depth of requests themselves. No referrer is sent.
SPIDER_MIDDLEWARES: dict[str, int] = {}
# items: what one document said, on its way into the inventory
ITEM_PIPELINES = {
    "sitecrawl.pipelines.repeats.RepeatedLinksPipeline": 50,
    "sitecrawl.pipelines.canonicalize.CanonicalizePipeline": 100,
    "sitecrawl.pipelines.scope.ScopePipeline": 200,
    "sitecrawl.pipelines.dedupe.DedupePipeline": 300,
    "sitecrawl.pipelines.robots.RobotsPipeline": 350,
    "sitecrawl.pipelines.classify.ClassifyPipeline": 400,
    "sitecrawl.pipelines.tally.TallyPipeline": 500,
    "sitecrawl.pipelines.frontier.FrontierPipeline": 600,
    "sitecrawl.pipelines.store.StorePipeline": 800,
}
EXTENSIONS = {
    "sitecrawl.extensions.timestats.TimeStats": 0,
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "scrapy.extensions.throttle.AutoThrottle": 0,
    "sitecrawl.register.RobotsRegister": 50,
    "sitecrawl.extensions.bodylimit.BodyLimit": 100,
    "sitecrawl.extensions.collector.CollectorTuning": 110,
    "sitecrawl.extensions.rendering.BrowserRendering": 150,
    "sitecrawl.extensions.feeds.PageFeeds": 200,
    "sitecrawl.extensions.progress.Progress": 500,
    "sitecrawl.extensions.report.EndReport": 900,
}
# feeds: one row per page, written from the inventory when the scan has ended
FEED_EXPORTERS = {
    "json": "sitecrawl.exporters.pages.JsonPageExporter",
    "jsonlines": "sitecrawl.exporters.pages.JsonLinesPageExporter",
    "jsonl": "sitecrawl.exporters.pages.JsonLinesPageExporter",
    "jl": "sitecrawl.exporters.pages.JsonLinesPageExporter",
    "csv": "sitecrawl.exporters.pages.CsvPageExporter",
    "xlsx": "sitecrawl.exporters.tables.XlsxPageExporter",
    "parquet": "sitecrawl.exporters.tables.ParquetPageExporter",
}
# local feeds are whole or not there
FEED_STORAGES = {
    "": "sitecrawl.extensions.feeds.LocalFeedStorage",
    "file": "sitecrawl.extensions.feeds.LocalFeedStorage",
}
DOWNLOADER = "sitecrawl.downloader.polite.PoliteDownloader"
REQUEST_FINGERPRINTER_CLASS = "sitecrawl.fingerprint.CanonicalFingerprinter"
LOG_FORMATTER = "sitecrawl.logformatter.QuietLogFormatter"
STATS_CLASS = "sitecrawl.stats.PlainStats"

# --- What is asked for ---------------------------------------------------------------------
SITECRAWL_PROFILE = "default"
SITECRAWL_DATABASE_URL = "sqlite:///sitecrawl.db"
SITECRAWL_STRICT_PATHS = True
SITECRAWL_SUBDOMAINS = False
SITECRAWL_FEED_REFUSED = False

# --- Sitemaps ------------------------------------------------------------------------------
SITECRAWL_MAX_SITEMAP_URLS = 0
SITECRAWL_MAX_SITEMAP_DEPTH = 5
SITECRAWL_MAX_SITEMAPS = 10_000
SITECRAWL_MIN_SITEMAP_URLS = 10
SITECRAWL_MAX_SITEMAP_BYTES = 52_428_800
SITECRAWL_SITEMAP_BATCH_ENTRIES = 2_500
SITECRAWL_SITEMAP_PLACES = [
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemaps.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",  # WordPress core; its plugins use sitemap_index.xml
    "/sitemap.xml.gz",
    "/sitemap_index.xml.gz",
    "/sitemap.txt",
    "/sitemap/sitemap.xml",
    "/sitemap/index.xml",
    "/sitemap/sitemap-index.xml",
    "/sitemap1.xml",  # Shopify and Drupal's xmlsitemap list theirs in sitemap.xml
    "/sitemap.php",
]
SITECRAWL_CONDITIONAL_REQUESTS = True
SITECRAWL_KEEP_BODIES = True
SITECRAWL_KEEP_BODIES_MAX_BYTES = 10_485_760

# --- The crawl -------------------------------------------------------------------------------
SITECRAWL_CRAWL = "auto"
SITECRAWL_CRAWL_LISTED_PAGES = False
SITECRAWL_MAX_CRAWL_DEPTH = 2
SITECRAWL_MAX_CRAWL_PAGES = 200
SITECRAWL_MAX_EXTERNAL_HOPS = 0
SITECRAWL_MAX_PAGE_BYTES = 10_485_760
SITECRAWL_MAX_PAGE_LINKS = 50_000
SITECRAWL_OBEY_NOFOLLOW = False
SITECRAWL_SOFT_404 = True
SITECRAWL_CANONICAL_IS_IDENTITY = False

# --- Traps: docs/traps.md --------------------------------------------------------------------
SITECRAWL_TRAP_MAX_SEGMENTS = 20
SITECRAWL_TRAP_MAX_PATH_LENGTH = 1_000
SITECRAWL_TRAP_MAX_REPEATS = 3
SITECRAWL_TRAP_MAX_PARAMETERS = 12
SITECRAWL_TRAP_FUTURE_YEARS = 5
SITECRAWL_TRAP_PAST_YEARS = 200
SITECRAWL_TRAP_SESSION_NAMES = list(DEFAULT_SESSION_NAMES)
SITECRAWL_TRAP_PATTERN_PAGES = 40
SITECRAWL_TRAP_SUSPECT_PAGES = 20
SITECRAWL_TRAP_GROWTH = 4
SITECRAWL_TRAP_TEXT_DISTANCE = 3
SITECRAWL_TRAP_MAX_PATTERNS = 20_000
SITECRAWL_TRAP_MAX_TEXTS = 100_000

# --- Rendering: docs/rendering.md ------------------------------------------------------------
SITECRAWL_RENDER = "auto"
SITECRAWL_BROWSER = ""
SITECRAWL_RENDER_TABS = 2
SITECRAWL_RENDER_TAB_MEMORY_MB = 512
SITECRAWL_RENDER_SECONDS = 15
SITECRAWL_RENDER_MAX_CLICKS = 50
SITECRAWL_RENDER_MAX_SCROLLS = 10

# --- robots.txt ------------------------------------------------------------------------------
SITECRAWL_ROBOTS_AGENT = "sitecrawl"
SITECRAWL_ROBOTS_AGENT_MATCHING = "rfc"
SITECRAWL_ROBOTS_FAIL_OPEN = False
SITECRAWL_ROBOTS_CACHE_SECONDS = 3_600
SITECRAWL_MAX_ROBOTS_FILES = 50

# --- Time and budget -------------------------------------------------------------------------
SITECRAWL_PAGE_TIMEOUT_SECONDS = 10
SITECRAWL_ROBOTS_TIMEOUT_SECONDS = 30
SITECRAWL_SITEMAP_TIMEOUT_SECONDS = 30
SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS = 30
SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS = 0
SITECRAWL_MAX_PAGES = 0
SITECRAWL_MAX_SCAN_MINUTES = 0

# --- URLs ----------------------------------------------------------------------------------
SITECRAWL_QUERY_STRINGS = "clean"
SITECRAWL_TRACKING_PARAMETERS: list[str] = []
SITECRAWL_KEEP_HASH_ROUTES = False
SITECRAWL_MAX_URL_LENGTH = 2_083
SITECRAWL_KEY_FOLD_SCHEME = True
SITECRAWL_KEY_FOLD_WWW = True
SITECRAWL_KEY_FOLD_TRAILING_SLASH = True
SITECRAWL_KEY_FOLD_PATH_CASE = False
SITECRAWL_SKIP_PATHS = list(DEFAULT_SKIP_PATHS)
SITECRAWL_SKIP_EXTENSIONS = list(DEFAULT_SKIP_EXTENSIONS)

# --- Classification: docs/classification.md --------------------------------------------------
SITECRAWL_LANGUAGES: list[str] = []
SITECRAWL_SKIP_OTHER_LANGUAGES = False
SITECRAWL_LANGUAGE_DETECTION = "auto"

# --- Safety: what is connected to, and how ---------------------------------------------------
SITECRAWL_ADDRESS_ALLOW: list[str] = []
SITECRAWL_VERIFY_CERTIFICATES = True
SITECRAWL_USE_PROXIES = False
TWISTED_DNS_RESOLVER = "sitecrawl.resolver.BothKindsResolver"

# --- Retries ---------------------------------------------------------------------------------
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
SITECRAWL_RETRY_BACKOFF_SECONDS = 0.2

# --- What is shown -------------------------------------------------------------------------
SITECRAWL_PROGRESS = "auto"
SITECRAWL_PROGRESS_INTERVAL_SECONDS = 10
LOG_LEVEL = "INFO"
STATS_DUMP = False

# --- Politeness: 2 at once per host, 200-500 ms apart, slower when the site is slow ----------
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 2
DOWNLOAD_DELAY = 0.35
DOWNLOAD_DELAY_JITTER = 0.15 / 0.35
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.35
AUTOTHROTTLE_MAX_DELAY = 30.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
SITECRAWL_MAX_CRAWL_DELAY_SECONDS = 30
SITECRAWL_MAX_RETRY_AFTER_SECONDS = 3_600
SITECRAWL_BUSY_BACKOFF_SECONDS = 1.0
SITECRAWL_MAX_ERRORS_IN_A_ROW = 5
SITECRAWL_SLOT_WAIT_SECONDS = 1_200
REDIRECT_MAX_TIMES = 10
SITECRAWL_BROWSER_USER_AGENTS = False
# scrapy-fake-useragent cannot do without one.
FAKEUSERAGENT_FALLBACK = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

# --- Scrapy's own switches -------------------------------------------------------------------
# Off: each of these runs code, opens a port or reads what a site must not make us read.
REMOTE_CONTROL_ENABLED = False
TELNETCONSOLE_ENABLED = False
DOWNLOAD_VERIFY_CERTIFICATES = True  # SITECRAWL_VERIFY_CERTIFICATES sets it
DOWNLOAD_HANDLERS = {
    "http": "sitecrawl.downloadhandlers.stoppable.StoppableDownloadHandler",
    "https": "sitecrawl.downloadhandlers.stoppable.StoppableDownloadHandler",
    "file": None,
    "ftp": None,
    "s3": None,
    "data": None,
}
# Documents are fetched in the order in which they were named.
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
COOKIES_ENABLED = False
HTTPPROXY_ENABLED = False  # SITECRAWL_USE_PROXIES sets it
# Ours are asynchronous and return nothing; looking into each costs more than calling it.
WARN_ON_GENERATOR_RETURN_VALUE = False
# One batch at a time per document keeps its batches in order; the store is the bottleneck anyway.
CONCURRENT_ITEMS = 1
DOWNLOAD_WARNSIZE = 0
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 20_000_000
MEMUSAGE_ENABLED = False
FEED_EXPORT_ENCODING = "utf-8"
