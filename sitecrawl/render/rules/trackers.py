"""Parts of the addresses and sources of scripts that add no content to a page."""

from __future__ import annotations

from typing import Final

# Scripts that watch visitors, ask for their consent, or help old browsers.
TRACKERS: Final = (
    *(b"googletagmanager", b"google-analytics", b"googlesyndication", b"gtag(", b"gtm.start"),
    *(b"fbq(", b"connect.facebook", b"matomo", b"piwik", b"_paq", b"plausible", b"hotjar"),
    *(b"clarity.ms", b"cloudflareinsights", b"/cdn-cgi/", b"segment.com", b"statcounter"),
    *(b"quantserve", b"scorecardresearch", b"umami", b"simpleanalytics", b"cookiebot"),
    *(b"onetrust", b"cookieconsent", b"cookielaw", b"usercentrics", b"recaptcha", b"hcaptcha"),
    *(b"newrelic", b"nr-data", b"sentry", b"datadoghq", b"cdn.ampproject.org", b"html5shiv"),
    *(b"livereload", b"respond.min.js"),
)
