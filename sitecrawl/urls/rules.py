"""Tables of words and names that the rules on URLs use; all in lower case.

A tracking parameter belongs here only if sites do not choose content by it: ``ref``, ``source``,
``cid`` and ``campaign`` are left out on purpose.
"""

from __future__ import annotations

TRACKING_PREFIXES = ("utm_", "mtm_", "matomo_", "piwik_", "hsa_")

TRACKING_NAMES = frozenset(
    {
        # Google, also the names of campaigns before utm_
        *("gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad", "gad_source", "gad_campaignid"),
        *("_ga", "_gl", "_gac", "srsltid"),
        *("ga_source", "ga_medium", "ga_term", "ga_content", "ga_campaign", "ga_place"),
        # Meta, Microsoft, Yandex, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit, Nextdoor
        *("fbclid", "fb_action_ids", "fb_action_types", "fb_source", "fb_ref", "mibextid"),
        *("action_object_map", "action_type_map", "action_ref_map", "igshid", "igsh"),
        *("msclkid", "yclid", "ysclid", "ymclid", "_openstat", "twclid", "ttclid", "li_fat_id"),
        *("epik", "sccid", "rdt_cid", "ndclid"),
        # Mailchimp, HubSpot, Marketo, Omeda, Vero, Klaviyo, Drip, MailerLite, Listrak, Dotdigital,
        # Blueshift, Bronto, ActiveCampaign
        *("mc_cid", "mc_eid", "mc_tc", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp"),
        *("hsctatracking", "mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id", "vero_conv"),
        *("_ke", "_kx", "__s", "ml_subscriber", "ml_subscriber_hash", "trk_contact", "trk_msg"),
        *("trk_module", "trk_sid", "dm_i", "bsft_clkid", "bsft_uid", "_bta_tid", "_bta_c"),
        "vgo_ee",
        # Matomo, Piano
        *("pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid"),
        *("at_medium", "at_campaign", "xtor"),
        # Adobe, Wicked Reports, Branch, Impact, Awin, Webtrekk, Zanox, Yahoo, Commission Junction,
        # Taboola, Outbrain
        *("s_cid", "s_kwcid", "ef_id", "wickedid", "_branch_match_id", "_branch_referrer"),
        *("irclickid", "irgwc", "awc", "wt_mc", "wt_zmc", "zanpid", "cjevent"),
        *("guccounter", "guce_referrer", "guce_referrer_sig", "tblci", "dicbo", "oborigurl"),
        *("rb_clickid", "unicorn_click_id"),
    }
)

# Removed whatever their value: the frameworks' own names.
SESSION_NAMES = frozenset(
    {"phpsessid", "jsessionid", "asp.net_sessionid", "cfid", "cftoken", "oscsid", "zenid"}
)
SESSION_PREFIXES = ("aspsessionid",)

# Elsewhere the names of content ("sid" is a story, a shop): removed if the value looks generated.
POSSIBLE_SESSION_NAMES = frozenset({"sid", "sessid", "sessionid", "session_id"})

# Canonicalisation removes most of these when the value looks generated; what is left here names
# a visitor all the same.
DEFAULT_SESSION_NAMES = (
    *("phpsessid", "jsessionid", "sid", "sessid", "sessionid", "session_id", "session-id"),
    *("session", "sess", "ses", "sessionhash", "visitorid", "visitor_id"),
)

# Parameters, and words in paths, that say which part of a list is shown.
PAGE_NAMES = frozenset(
    {
        *("page", "pages", "pg", "paged", "pagenum", "pageno", "page_no", "pageindex", "cpage"),
        *("pagenumber", "currentpage", "start", "offset", "limitstart", "skip", "cursor"),
        *("seite", "pagina", "strona", "sivu"),
    }
)
# Those that say how a list is shown, never what is in it.
DISPLAY_NAMES = frozenset(
    {
        *("sort", "sortby", "sort_by", "order", "orderby", "order_by", "dir", "direction"),
        *("view", "layout", "display", "limit", "per_page", "perpage", "page_size", "pagesize"),
        *("print", "printable", "theme"),
    }
)
DATE_NAMES = frozenset(
    {
        *("date", "day", "month", "year", "week", "yr", "mon", "cal", "calendar"),
        *("jahr", "monat", "tag", "woche", "fecha", "mes", "dia", "annee", "mois", "jour"),
    }
)

DEFAULT_SKIP_PATHS = (
    *("/admin", "/api/*", "/cart", "/checkout"),
    *("/account", "/login", "/logout", "/register", "/signin", "/signup"),
    *("/_next/*", "/static/*"),
)

FILE_KINDS = {
    "document": (
        *("pdf", "doc", "docx", "xls", "xlsx", "xlsm", "ppt", "pptx"),
        *("odt", "ods", "odp", "rtf", "epub"),
    ),
    # and installers
    "archive": (
        *("zip", "tar", "gz", "tgz", "bz2", "xz", "rar", "7z"),
        *("exe", "msi", "dmg", "pkg", "apk", "deb", "rpm", "iso"),
    ),
    "image": (
        *("jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "ico", "bmp", "tif", "tiff", "psd"),
    ),
    # audio and video
    "media": (
        *("mp3", "wav", "ogg", "m4a", "flac"),
        *("mp4", "m4v", "avi", "mov", "mkv", "webm", "wmv", "flv", "mpg", "mpeg"),
    ),
    # what pages are made of
    "asset": ("css", "js", "mjs", "map", "woff", "woff2", "ttf", "otf", "eot"),
    "data": ("csv", "xml", "json", "sql"),
}
# Endings of files whose text a dive can read.
READABLE_FILES = ("pdf", "docx", "pptx", "xlsx", "odt", "odp", "ods", "epub")
# The first part of a content type, or a word in it -> the same kinds.
CONTENT_TYPE_KINDS = {
    "image/": "image",
    "audio/": "media",
    "video/": "media",
    "font/": "asset",
    "pdf": "document",
    "msword": "document",
    "officedocument": "document",
    "opendocument": "document",
    "ms-excel": "document",
    "ms-powerpoint": "document",
    "epub": "document",
    "zip": "archive",
    "x-tar": "archive",
    "compressed": "archive",
    "octet-stream": "archive",
    "csv": "data",
    "json": "data",
    "xml": "data",
    "javascript": "asset",
    "css": "asset",
    # Source code and plain text. HTML is no file, whatever its address ends with.
    "text/": "text",
    "x-sh": "text",
    "x-python": "text",
}
DEFAULT_SKIP_EXTENSIONS = tuple(
    extension for extensions in FILE_KINDS.values() for extension in extensions
)
