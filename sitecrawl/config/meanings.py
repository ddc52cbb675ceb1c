"""What each setting means, in one line; docs/settings.md has the same words, which a test compares.

Words in backquotes and links are as in Markdown; a link is to a page of docs/.
"""

from __future__ import annotations

MEANINGS: dict[str, str] = {
    "SITECRAWL_PROFILE": (
        "the profile, or several as `docs,fast`, recorded with the scan; in the environment it"
        " counts unless a profile is named otherwise"
    ),
    "SITECRAWL_DATABASE_URL": "where everything is kept ([database](database.md))",
    "SITECRAWL_STRICT_PATHS": (
        "base path `/docs` takes `/docs` and `/docs/x`; false: also `/docs-old`"
    ),
    "SITECRAWL_SUBDOMAINS": "hosts below the site's host are in scope, too",
    "SITECRAWL_FEED_REFUSED": "write refused and broken URLs into the feeds as well",
    "SITECRAWL_PAGE_ITEMS": (
        "emit one `PageItem` per page when a scan has ended ([spiders](spiders.md#items-"
        "one-per-page))"
    ),
    "SITECRAWL_MAX_SITEMAP_URLS": "distinct URLs taken from all sitemaps of a scan",
    "SITECRAWL_MAX_SITEMAP_DEPTH": "how deep indexes may be nested; the first map is depth 0",
    "SITECRAWL_MAX_SITEMAPS": "sitemap files fetched in a scan",
    "SITECRAWL_MIN_SITEMAP_URLS": (
        "with fewer, the next common place is tried, and later stages go on"
    ),
    "SITECRAWL_MAX_SITEMAP_BYTES": (
        "bytes of one sitemap, unpacked; what comes before the limit counts"
    ),
    "SITECRAWL_SITEMAP_BATCH_ENTRIES": "entries handled at a time; larger is not faster",
    "SITECRAWL_SITEMAP_PLACES": (
        "common places, tried in this order as far as needed ([sitemaps](sitemaps.md))"
    ),
    "SITECRAWL_CONDITIONAL_REQUESTS": (
        "ask for sitemaps and [crawled pages](crawl.md#the-second-crawl) with `If-None-Match` and"
        " `If-Modified-Since`, do not read what has not changed"
    ),
    "SITECRAWL_KEEP_BODIES": (
        "whose raw bytes are kept: `documents` (robots.txt, sitemaps, feeds), `pages` (these and"
        " visited pages) or `none` (then robots.txt is fetched in every scan); true and false mean"
        " `documents` and `none`"
    ),
    "SITECRAWL_KEEP_BODIES_MAX_BYTES": "documents and pages larger than this are not kept",
    "SITECRAWL_KEEP_BODIES_SCANS": (
        "of how many of the newest scans of a site [`sitecrawl prune`](database.md#retention) keeps"
        " the bodies; what the site shows today stays"
    ),
    "SITECRAWL_KEEP_BODIES_TOTAL_BYTES": (
        "bytes of all bodies in the database, compressed, above which `sitecrawl prune` removes the"
        " oldest"
    ),
    "SITECRAWL_KEEP_SCANS": (
        "how many scans of each site `sitecrawl prune` and, every day, the monitor keep"
    ),
    "SITECRAWL_KEEP_TEXTS": (
        "keep the main text of visited pages, compressed: without it no near duplicates are found,"
        " and no differences are shown"
    ),
    "SITECRAWL_COLLAPSE_PERCENT": (
        "a scan that loses more than so many of a hundred pages, and at least"
        " `SITECRAWL_COLLAPSE_PAGES`, removes none until the next scan or a person confirms it"
    ),
    "SITECRAWL_COLLAPSE_PAGES": "fewer lost pages are no collapse, however small the site is",
    "SITECRAWL_KEEP_TEXTS_MAX_PAGES": "of how many of the first visited pages the text is kept",
    "SITECRAWL_TRAP_PARAMETER_COPIES": (
        "pages with the same text, until a parameter is known not to change the page"
    ),
    "SITECRAWL_DATABASE_WAIT_SECONDS": (
        "how long a scan waits for a lock of another process on the database"
    ),
    "SITECRAWL_WORKSPACE": (
        "the number of the workspace whose inventory the scan writes; the monitor sets that of"
        " the site"
    ),
    "SITECRAWL_CRAWL": (
        "`auto`: when sitemaps list fewer than `SITECRAWL_MIN_SITEMAP_URLS`; `always`; "
        "`never`: no link is read"
    ),
    "SITECRAWL_CRAWL_LISTED_PAGES": "visit the pages that sitemaps list, too",
    "SITECRAWL_MAX_CRAWL_DEPTH": "clicks from the root",
    "SITECRAWL_MAX_CRAWL_PAGES": (
        "pages that the crawl visits; if more are known, the scan is [partial](resume.md#limits)"
    ),
    "SITECRAWL_FETCHERS": (
        "processes that fetch and read the pages of the crawl, each for [some of the"
        " hosts](scale.md#one-large-site), with PostgreSQL; 0: the scan's own process"
    ),
    "SITECRAWL_SHARDS": (
        "shares that the pages of one host are split into, for as many fetchers; more than 1 only"
        " if the host's owner allows a pace that one process cannot reach"
    ),
    "SITECRAWL_MAX_EXTERNAL_HOPS": (
        "how far the crawl may leave the site ([scope](scope.md#leaving-the-site)); here "
        "0 means not at all"
    ),
    "SITECRAWL_CHECK_PAGES": (
        "listed pages that a scan visits only to see how they answer ([checks](checks.md)); here 0"
        " means none"
    ),
    "SITECRAWL_MAX_PAGE_BYTES": "bytes of one page; what comes before the limit counts",
    "SITECRAWL_MAX_PAGE_LINKS": "links of one page",
    "SITECRAWL_OBEY_NOFOLLOW": (
        "do not visit what is linked with `rel=nofollow`, or from a page that says `nofollow`"
    ),
    "SITECRAWL_SOFT_404": "recognise error pages that answer with 200",
    "SITECRAWL_CANONICAL_IS_IDENTITY": "refuse a page that names another one as its canonical",
    "SITECRAWL_TRAP_MAX_SEGMENTS": "segments of a path",
    "SITECRAWL_TRAP_MAX_PATH_LENGTH": "characters of a path",
    "SITECRAWL_TRAP_MAX_REPEATS": "times that one segment, not a number, may be in a path",
    "SITECRAWL_TRAP_MAX_PARAMETERS": "parameters of a query",
    "SITECRAWL_TRAP_FUTURE_YEARS": "how far ahead a date in a URL may be",
    "SITECRAWL_TRAP_PAST_YEARS": "how far back",
    "SITECRAWL_TRAP_SESSION_NAMES": (
        "parameters that name a visitor when their value looks generated"
    ),
    "SITECRAWL_TRAP_PATTERN_PAGES": "visits that bring nothing, until a pattern is given up",
    "SITECRAWL_TRAP_SUSPECT_PAGES": (
        "the same for paths that go round, for copies of pages and for the parts of a list"
    ),
    "SITECRAWL_TRAP_GROWTH": (
        "how many visits that bring nothing one that brings something makes up for"
    ),
    "SITECRAWL_TRAP_TEXT_DISTANCE": (
        "in how many of 64 bits the fingerprints of texts differ that count as the same; 32 at most"
    ),
    "SITECRAWL_TRAP_MAX_PATTERNS": "patterns with a budget of their own; what is beyond shares one",
    "SITECRAWL_TRAP_MAX_TEXTS": "texts that new ones are compared with",
    "SITECRAWL_RENDER": "show pages to a browser: where it is needed, `always` or `never`",
    "SITECRAWL_BROWSER": "the path of a Chromium or Chrome; without it one is looked for",
    "SITECRAWL_RENDER_TABS": "pages that are rendered at once",
    "SITECRAWL_RENDER_TAB_MEMORY_MB": (
        "memory for the scripts of one page; one that needs more is given up"
    ),
    "SITECRAWL_RENDER_SECONDS": (
        "for exploring one page, once it has loaded; waiting for answers does not count"
    ),
    "SITECRAWL_RENDER_DATA": (
        "data that pages may load: `same-site` (with subdomains), `all` or `none`, see "
        "[rendering](rendering.md#what-a-page-may-load)"
    ),
    "SITECRAWL_RENDER_MAX_REQUESTS": "requests of one page; 0: no limit",
    "SITECRAWL_RENDER_WAIT_SECONDS": (
        "how long one page may wait for its scripts and data, from the start of its rendering on"
    ),
    "SITECRAWL_RENDER_MAX_CLICKS": "clicks on one page; 0: none",
    "SITECRAWL_RENDER_MAX_SCROLLS": (
        "screens that a page is scrolled down, for lists that load more"
    ),
    "SITECRAWL_BROWSER_USER_AGENTS": (
        "user agents of browsers for everything but robots.txt, see "
        "[browserlike](profiles.md#browserlike)"
    ),
    "SITECRAWL_ROBOTS_AGENT": (
        "our product token: letters, `-` and `_`; groups of robots.txt are matched with "
        "it, whatever `USER_AGENT` is"
    ),
    "SITECRAWL_ROBOTS_FAIL_OPEN": (
        "fetch pages although robots.txt cannot be fetched and there is no copy; their "
        "verdicts have a low confidence"
    ),
    "SITECRAWL_ROBOTS_CACHE_SECONDS": (
        "for how long a robots.txt that an earlier scan fetched is used again, at most "
        "86,400 (a day); the server's `max-age` counts when it is shorter; 0: fetch it in"
        " every scan"
    ),
    "SITECRAWL_MAX_ROBOTS_FILES": (
        "of how many authorities (scheme, host, port) robots.txt is fetched to judge "
        "pages that are only listed; 0: no limit. Pages that are fetched are judged in "
        "any case"
    ),
    "SITECRAWL_ROBOTS_AGENT_MATCHING": (
        "`rfc`: a group names the token or `*`; `partial`: also a part of it, or "
        "something that contains it"
    ),
    "SITECRAWL_PAGE_TIMEOUT_SECONDS": "for one page",
    "SITECRAWL_ROBOTS_TIMEOUT_SECONDS": "for robots.txt",
    "SITECRAWL_SITEMAP_TIMEOUT_SECONDS": "for a sitemap named by robots.txt or at a common place",
    "SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS": "for a sitemap named by another",
    "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS": (
        "for all sitemaps together; what is left then is said in the summary"
    ),
    "SITECRAWL_MAX_PAGES": (
        "requests for pages in a scan, which then ends as `partial` "
        "([politeness](politeness.md#budget))"
    ),
    "SITECRAWL_MAX_SCAN_MINUTES": "for the whole scan, which then ends as `partial`",
    "SITECRAWL_QUERY_STRINGS": (
        "`clean` removes tracking parameters, `keep` keeps them, `skip` refuses URLs with a query"
    ),
    "SITECRAWL_TRACKING_PARAMETERS": "further parameters to remove, by exact name",
    "SITECRAWL_KEEP_HASH_ROUTES": (
        "`#/route` and `#!route` are pages of their own, wherever they are named; on "
        "rendered pages they always are"
    ),
    "SITECRAWL_MAX_URL_LENGTH": "longer URLs are refused",
    "SITECRAWL_KEY_FOLD_SCHEME": "http and https are one page",
    "SITECRAWL_KEY_FOLD_WWW": "with and without `www.` is one page",
    "SITECRAWL_KEY_FOLD_TRAILING_SLASH": "`/a` and `/a/` are one page",
    "SITECRAWL_KEY_FOLD_PATH_CASE": "`/A` and `/a` are one page",
    "SITECRAWL_SKIP_PATHS": "path patterns to refuse; `-a skip=` adds to them",
    "SITECRAWL_SKIP_EXTENSIONS": "endings to refuse: documents, archives, media, data",
    "SITECRAWL_LANGUAGES": (
        "codes such as `en,pt-br`; pages in other languages are marked "
        "([language](classification.md#language))"
    ),
    "SITECRAWL_SKIP_OTHER_LANGUAGES": (
        "links to pages in other languages are not followed, and dives leave them out"
    ),
    "SITECRAWL_LANGUAGE_DETECTION": (
        "tell the language of visited pages by their text: `auto` if they do not say it, "
        "`always`, `never`; needs the `language` extra"
    ),
    "SITECRAWL_ADDRESS_ALLOW": (
        "addresses, networks and hosts (with a port or without) that may be fetched "
        "although they are not public"
    ),
    "SITECRAWL_ALLOW_PRIVATE_SITE": (
        "the site that was named may be at a private address "
        "([safety](safety.md#the-site-that-you-named)); the monitor sets it for each watched site"
    ),
    "SITECRAWL_VERIFY_CERTIFICATES": "false: take any certificate; recorded as evidence",
    "SITECRAWL_USE_PROXIES": (
        "use the proxies of the environment (`http_proxy`, `https_proxy`, `no_proxy`)"
    ),
    "SITECRAWL_MAX_HEADER_BYTES": (
        "headers of one answer in all; with more it fails ([safety](safety.md#limits))"
    ),
    "SITECRAWL_ALLOW_UNGUARDED_HANDLERS": (
        "`DOWNLOAD_HANDLERS` may name handlers that do not check which addresses they "
        "connect to ([safety](safety.md#other-download-handlers))"
    ),
    "SITECRAWL_RETRY_BACKOFF_SECONDS": (
        "pause before the first retry; each further one is twice as long"
    ),
    "SITECRAWL_MAX_CRAWL_DELAY_SECONDS": (
        "longest pause between two requests that a robots.txt is granted"
    ),
    "SITECRAWL_MAX_RETRY_AFTER_SECONDS": "longest pause after 429 or 503",
    "SITECRAWL_BUSY_BACKOFF_SECONDS": (
        "first pause of a host after 429 or 503 without `Retry-After`; each further one "
        "is twice as long"
    ),
    "SITECRAWL_MAX_ERRORS_IN_A_ROW": (
        "different URLs that fail in a row before a server is [left "
        "alone](politeness.md#when-a-host-is-left-alone)"
    ),
    "SITECRAWL_SLOT_WAIT_SECONDS": "how long a request waits for its turn at its host",
    "SITECRAWL_PROGRESS": "`live` line, `log` lines, `off`; `auto`: live on a terminal",
    "SITECRAWL_PROGRESS_INTERVAL_SECONDS": "between two log lines",
    "SITECRAWL_LOG_FORMAT": (
        "`text`, or `json`: one object per line, with the ids of worker, job and scan ([running"
        " it](running.md#logs))"
    ),
    "SITECRAWL_TRACES_URL": (
        "where spans of scans and jobs are sent by OTLP over HTTP, such as"
        " `http://127.0.0.1:4318/v1/traces` ([running it](running.md#traces)); empty: nowhere"
    ),
    "SITECRAWL_TRACES_REQUESTS": "one of so many requests of a scan has a span; 0: none",
    "SITECRAWL_TRACES_PARENT": (
        "`traceparent` (W3C Trace Context) of what has started the scan; the monitor gives it"
    ),
    "SITECRAWL_MONITOR_DATABASE_URL": (
        "where the job engine keeps its queue; empty: a file beside a SQLite database, the"
        " same PostgreSQL database"
    ),
    "SITECRAWL_MONITOR_SCANS": (
        "scans that a worker runs at once; each worker may have another number"
    ),
    "SITECRAWL_MONITOR_TAGS": (
        "tags of this worker, such as `eu`: it may run the scans of sites that"
        " [need them](monitoring.md#tags-of-workers)"
    ),
    "SITECRAWL_MONITOR_MIN_FREE_MB": (
        "a worker begins no job while less memory than that is available on its machine or under"
        " the limit of its container or unit, and one every five seconds; 0: no limit"
    ),
    "SITECRAWL_MONITOR_RETRIES": "how often a failed scan is tried again",
    "SITECRAWL_MONITOR_RETRY_MINUTES": (
        "before the first retry; twice as long before each further one"
    ),
    "SITECRAWL_MONITOR_KEEP_DAYS": (
        "how long ended jobs, but for the newest of each site, and deliveries are kept; 0: forever"
    ),
    "SITECRAWL_MONITOR_DRAIN_SECONDS": (
        "how long a worker that is asked to stop waits for its scans"
    ),
    "SITECRAWL_WEB_HOST": ("the address that `sitecrawl serve` listens on"),
    "SITECRAWL_WEB_PORT": ("its port"),
    "SITECRAWL_WEB_PUBLIC_URL": (
        "how people reach the server, such as `https://monitor.example.com`; other names are"
        " refused then ([running it](running.md))"
    ),
    "SITECRAWL_WEB_TRUSTED_PROXIES": (
        "addresses and networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are"
        " believed ([running it](running.md))"
    ),
    "SITECRAWL_WEB_SESSION_IDLE_MINUTES": ("a session that was not used for so long is over"),
    "SITECRAWL_WEB_SESSION_DAYS": ("how long a session lasts at most, however often it is used"),
    "SITECRAWL_WEB_REQUESTS_PER_MINUTE": (
        "requests to the API per user or token, and from an address that nobody is signed in at"
    ),
    "SITECRAWL_WEB_MAX_BODY_BYTES": ("bytes of one request, such as an import"),
    "SITECRAWL_WEB_CRON_TOKEN": (
        "lets `POST /api/cron/scan` start all scans that are due; empty: it is off"
        " ([API](api.md#cron))"
    ),
    "SITECRAWL_WEB_CRON_TOKEN_IN_QUERY": (
        "take that token as `?token=` as well, although it ends in the logs of proxies"
    ),
    "SITECRAWL_WEB_OIDC_ISSUER": (
        "the OpenID provider that people can sign in by ([users](users.md#openid-connect))"
    ),
    "SITECRAWL_WEB_OIDC_CLIENT_ID": ("what the provider knows this server as"),
    "SITECRAWL_WEB_OIDC_CLIENT_SECRET": ("the secret that the provider gave it"),
    "SITECRAWL_DIVE_MAX_AGE_HOURS": "a dive does not fetch pages again that were kept since then",
    "SITECRAWL_DIVE_FILES": (
        "endings of files that dives read, although scans skip them ([files](search.md#files));"
        " empty: none"
    ),
    "SITECRAWL_MODEL_URL": (
        "the base URL of an OpenAI-compatible server that answers questions, such as"
        " `http://127.0.0.1:11434/v1`; without it answers are sentences of the site"
        " ([answers](answers.md#models)). One at a private address needs `SITECRAWL_ADDRESS_ALLOW`"
    ),
    "SITECRAWL_MODEL_NAME": "the model that the server is asked for",
    "SITECRAWL_MODEL_KEY": "sent as a bearer token; never shown",
    "SITECRAWL_MODEL_TIMEOUT_SECONDS": "an answer takes at most so long",
    "SITECRAWL_MODEL_MAX_TOKENS": "an answer has at most so many tokens",
    "SITECRAWL_MODEL_DAILY_TOKENS": (
        "questions and answers about a site may take so many tokens in 24 hours; then answers are"
        " sentences of the site"
    ),
    "SITECRAWL_MODEL_UNSUPPORTED": (
        "`mark` or `drop` sentences of a model whose words do not stand in the sources that they"
        " name ([answers](answers.md#checks))"
    ),
    "SITECRAWL_EMBEDDING_URL": (
        "the base URL of an OpenAI-compatible server that embeds passages; without it the installed"
        " models do ([search](search.md#models))"
    ),
    "SITECRAWL_EMBEDDING_NAME": "the model that the server is asked for",
    "SITECRAWL_EMBEDDING_KEY": "sent as a bearer token; never shown",
    "SITECRAWL_EMAIL_SMTP_HOST": (
        "the mail server; without it no email is sent ([notifications](notifications.md#email))"
    ),
    "SITECRAWL_EMAIL_SMTP_PORT": "its port",
    "SITECRAWL_EMAIL_SMTP_USER": "the name to log in with; without it there is no login",
    "SITECRAWL_EMAIL_SMTP_PASS": "the password to log in with; never shown",
    "SITECRAWL_EMAIL_SMTP_TLS": (
        "`starttls`, `implicit` (TLS from the start), `off`; `auto`: implicit at port 465,"
        " else starttls"
    ),
    "SITECRAWL_EMAIL_FROM": "the sender, such as `sitecrawl <watch@example.com>`",
    "SITECRAWL_APPRISE_SCHEMES": (
        "services that channels may reach through Apprise, such as `ntfys,tgram`; without it"
        " Apprise is off"
    ),
    "SITECRAWL_SECRET_KEY": (
        "the key that encrypts secrets in the database; several: the first encrypts, all"
        " decrypt; never shown ([notifications](notifications.md#secrets))"
    ),
    "SITECRAWL_SECRET_KEY_FILE": (
        "where that key is kept if `SITECRAWL_SECRET_KEY` is not set; created when it is"
        " first needed"
    ),
}
