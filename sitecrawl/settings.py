"""Every default of sitecrawl, and the whole data flow on one screen.

A profile in ``settings_profiles/`` imports this module and overrides what differs. Every
``SITECRAWL_*`` setting can be given with ``-s``, in the environment or in a profile;
``sitecrawl settings`` shows the effective values, docs/settings.md explains them, and
:mod:`sitecrawl.config` is the only place that reads them.
"""

from sitecrawl import __version__
from sitecrawl.urls.rules import (
    DEFAULT_SESSION_NAMES,
    DEFAULT_SKIP_EXTENSIONS,
    DEFAULT_SKIP_PATHS,
    READABLE_FILES,
)

BOT_NAME = "sitecrawl"
SPIDER_MODULES = ["sitecrawl.spiders"]
NEWSPIDER_MODULE = "sitecrawl.spiders"
COMMANDS_MODULE = "sitecrawl.commands"
USER_AGENT = f"sitecrawl/{__version__} (+https://sitecrawl.example/bot)"

# --- The data flow -------------------------------------------------------------------------
# Scrapy's own lists (*_BASE) hold; what is replaced is set to None by its name.
# Requests, from the engine (low numbers) to the site. The others of Scrapy's list stay as they are:
# offsite 50, http auth 300, time-out 350, headers 400, user agent 500, meta refresh 580,
# cookies 700, proxies 750, stats 850, cache 900; their settings turn them on and off.
DOWNLOADER_MIDDLEWARES = {
    "sitecrawl.downloadermiddlewares.inventory.InventoryMiddleware": 10,
    "sitecrawl.downloadermiddlewares.politeness.PolitenessMiddleware": 150,
    "sitecrawl.downloadermiddlewares.skip.SkipRulesMiddleware": 170,
    "sitecrawl.downloadermiddlewares.robots.RobotsMiddleware": 200,
    # fetches pages when robots.txt fails, obeys the body of a 404, shares http and https
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "sitecrawl.downloadermiddlewares.useragent.BrowserlikeUserAgentMiddleware": 450,
    "sitecrawl.downloadermiddlewares.retry.BackoffRetryMiddleware": 550,
    # retries at once
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "sitecrawl.downloadermiddlewares.conditional.ConditionalRequestMiddleware": 585,
    "sitecrawl.downloadermiddlewares.compression.BoundedCompressionMiddleware": 590,
    # drops what unpacks to more than the limit, instead of cutting it
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "sitecrawl.downloadermiddlewares.redirect.CleanRedirectMiddleware": 600,
    # sends credentials that a target contains, and parses targets differently from browsers
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
}
# Items: what one document said, for the inventory. Every other item (PageItem, items of your own
# spiders) passes these pipelines unchanged, and your own pipelines see only those.
ITEM_PIPELINES = {
    "sitecrawl.pipelines.canonicalize.CanonicalizePipeline": 100,
    "sitecrawl.pipelines.scope.ScopePipeline": 200,
    "sitecrawl.pipelines.dedupe.DedupePipeline": 300,
    "sitecrawl.pipelines.robots.RobotsPipeline": 350,
    "sitecrawl.pipelines.classify.ClassifyPipeline": 400,
    "sitecrawl.pipelines.count.CountPipeline": 500,
    "sitecrawl.pipelines.frontier.FrontierPipeline": 600,
    "sitecrawl.pipelines.store.StorePipeline": 800,
}
EXTENSIONS = {
    "sitecrawl.scan.lifecycle.ScanLifecycle": 50,
    "sitecrawl.extensions.bodylimit.BodyLimit": 100,
    "sitecrawl.extensions.rendering.BrowserRendering": 150,
    # Ours writes pages of the inventory, and items of other spiders as Scrapy's does.
    "scrapy.extensions.feedexport.FeedExporter": None,
    "sitecrawl.extensions.feeds.PageFeeds": 200,
    "sitecrawl.extensions.tracing.ScanTraces": 400,
    "sitecrawl.extensions.progress.Progress": 500,
    "sitecrawl.extensions.summary.PrintSummary": 900,
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
# Scrapy starts this many tasks for every response; its 100 take as long as reading a page.
CONCURRENT_ITEMS = 8
DOWNLOADER = "sitecrawl.downloader.PoliteDownloader"
# The frontier is a table of the store; behind it works Scrapy's scheduler.
SCHEDULER = "sitecrawl.scheduler.FrontierScheduler"

# --- What is asked for ---------------------------------------------------------------------
SITECRAWL_PROFILE = "default"
SITECRAWL_DATABASE_URL = "sqlite:///sitecrawl.db"
SITECRAWL_DATABASE_WAIT_SECONDS = 30  # for a lock that another process holds
SITECRAWL_WORKSPACE = 1  # whose inventory it is; the monitor sets it
SITECRAWL_STRICT_PATHS = True
SITECRAWL_SUBDOMAINS = False
SITECRAWL_FEED_REFUSED = False
SITECRAWL_PAGE_ITEMS = False

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
SITECRAWL_KEEP_BODIES = "documents"
SITECRAWL_KEEP_BODIES_MAX_BYTES = 10_485_760
# What "sitecrawl prune" keeps; 0: everything.
SITECRAWL_KEEP_BODIES_SCANS = 0
SITECRAWL_KEEP_BODIES_TOTAL_BYTES = 0
SITECRAWL_KEEP_SCANS = 0

# --- The crawl -------------------------------------------------------------------------------
SITECRAWL_CRAWL = "auto"
SITECRAWL_CRAWL_LISTED_PAGES = False
SITECRAWL_MAX_CRAWL_DEPTH = 2
SITECRAWL_MAX_CRAWL_PAGES = 200
SITECRAWL_FETCHERS = 0
SITECRAWL_SHARDS = 1
SITECRAWL_MAX_EXTERNAL_HOPS = 0
SITECRAWL_CHECK_PAGES = 0
SITECRAWL_MAX_PAGE_BYTES = 10_485_760
SITECRAWL_MAX_PAGE_LINKS = 50_000
SITECRAWL_KEEP_TEXTS = True
SITECRAWL_KEEP_TEXTS_MAX_PAGES = 50_000
SITECRAWL_OBEY_NOFOLLOW = False
SITECRAWL_SOFT_404 = True
SITECRAWL_CANONICAL_IS_IDENTITY = False

# --- Changes: docs/changes.md ----------------------------------------------------------------
SITECRAWL_COLLAPSE_PERCENT = 10
SITECRAWL_COLLAPSE_PAGES = 50

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
SITECRAWL_TRAP_PARAMETER_COPIES = 5
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
SITECRAWL_RENDER_DATA = "same-site"
SITECRAWL_RENDER_MAX_REQUESTS = 200
SITECRAWL_RENDER_WAIT_SECONDS = 120
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
SITECRAWL_ALLOW_PRIVATE_SITE = True
SITECRAWL_VERIFY_CERTIFICATES = True
SITECRAWL_USE_PROXIES = False
SITECRAWL_MAX_HEADER_BYTES = 65_536
SITECRAWL_ALLOW_UNGUARDED_HANDLERS = False

# --- Notifications: docs/notifications.md ----------------------------------------------------
SITECRAWL_EMAIL_SMTP_HOST = ""
SITECRAWL_EMAIL_SMTP_PORT = 587
SITECRAWL_EMAIL_SMTP_USER = ""
SITECRAWL_EMAIL_SMTP_PASS = ""
SITECRAWL_EMAIL_SMTP_TLS = "auto"
SITECRAWL_EMAIL_FROM = ""
SITECRAWL_APPRISE_SCHEMES: list[str] = []
SITECRAWL_SECRET_KEY: list[str] = []
SITECRAWL_SECRET_KEY_FILE = ""

# --- Retries ---------------------------------------------------------------------------------
RETRY_TIMES = 2
# Scrapy's list without TunnelError, which only its Twisted handler raises and which would import
# that handler at every start.
RETRY_EXCEPTIONS = [
    "scrapy.exceptions.CannotResolveHostError",
    "scrapy.exceptions.DownloadConnectionRefusedError",
    "scrapy.exceptions.DownloadFailedError",
    "scrapy.exceptions.DownloadTimeoutError",
    "scrapy.exceptions.ResponseDataLossError",
    "twisted.internet.error.ConnectionDone",
    "twisted.internet.error.ConnectError",
    "twisted.internet.error.ConnectionLost",
    OSError,
]
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
SITECRAWL_RETRY_BACKOFF_SECONDS = 0.2

# --- What is shown -------------------------------------------------------------------------
SITECRAWL_PROGRESS = "auto"
SITECRAWL_PROGRESS_INTERVAL_SECONDS = 10
SITECRAWL_LOG_FORMAT = "text"
SITECRAWL_TRACES_URL = ""
SITECRAWL_TRACES_REQUESTS = 100
SITECRAWL_TRACES_PARENT = ""
LOG_LEVEL = "INFO"
STATS_DUMP = False

# --- The monitor -----------------------------------------------------------------------------
SITECRAWL_MONITOR_DATABASE_URL = ""
SITECRAWL_MONITOR_SCANS = 4
SITECRAWL_MONITOR_TAGS: list[str] = []
SITECRAWL_MONITOR_MIN_FREE_MB = 0
SITECRAWL_MONITOR_RETRIES = 2
SITECRAWL_MONITOR_RETRY_MINUTES = 5
SITECRAWL_MONITOR_KEEP_DAYS = 90
SITECRAWL_MONITOR_DRAIN_SECONDS = 600

# --- The API and the dashboard -----------------------------------------------------------------
SITECRAWL_WEB_HOST = "127.0.0.1"
SITECRAWL_WEB_PORT = 8400
SITECRAWL_WEB_PUBLIC_URL = ""
SITECRAWL_WEB_TRUSTED_PROXIES: list[str] = []
SITECRAWL_WEB_SESSION_IDLE_MINUTES = 720
SITECRAWL_WEB_SESSION_DAYS = 14
SITECRAWL_WEB_REQUESTS_PER_MINUTE = 600
SITECRAWL_WEB_MAX_BODY_BYTES = 10 * 1024 * 1024
SITECRAWL_WEB_CRON_TOKEN = ""
SITECRAWL_WEB_CRON_TOKEN_IN_QUERY = False
SITECRAWL_WEB_OIDC_ISSUER = ""
SITECRAWL_WEB_OIDC_CLIENT_ID = ""
SITECRAWL_WEB_OIDC_CLIENT_SECRET = ""

# --- Dives: nothing of a site's text leaves the machine unless an endpoint is set ---------------
SITECRAWL_DIVE_MAX_AGE_HOURS = 24
SITECRAWL_DIVE_FILES = list(READABLE_FILES)
SITECRAWL_MODEL_URL = ""
SITECRAWL_MODEL_NAME = ""
SITECRAWL_MODEL_KEY = ""
SITECRAWL_MODEL_TIMEOUT_SECONDS = 60
SITECRAWL_MODEL_MAX_TOKENS = 600
SITECRAWL_MODEL_DAILY_TOKENS = 200_000
SITECRAWL_MODEL_UNSUPPORTED = "mark"
SITECRAWL_EMBEDDING_URL = ""
SITECRAWL_EMBEDDING_NAME = ""
SITECRAWL_EMBEDDING_KEY = ""

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
# Off: each of these runs code, opens a port, or reads what no site may make us read.
REMOTE_CONTROL_ENABLED = False
TELNETCONSOLE_ENABLED = False
DOWNLOAD_VERIFY_CERTIFICATES = True  # SITECRAWL_VERIFY_CERTIFICATES sets it
DOWNLOAD_HANDLERS = {
    "http": "sitecrawl.downloadhandlers.guarded.GuardedDownloadHandler",
    "https": "sitecrawl.downloadhandlers.guarded.GuardedDownloadHandler",
    "file": None,
    "ftp": None,
    "s3": None,
    "data": None,
}
# Documents are fetched in the order in which they were named.
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
COOKIES_ENABLED = False
# A page with a meta refresh is a page of the site; the target is one of its links.
METAREFRESH_ENABLED = False
HTTPPROXY_ENABLED = False  # SITECRAWL_USE_PROXIES sets it
REFERER_ENABLED = False  # a site need not know how its pages were found
DOWNLOAD_WARNSIZE = 0  # our own limits cut what is too long, and say so
FEED_EXPORT_ENCODING = "utf-8"
