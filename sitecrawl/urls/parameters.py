"""Query parameters that say how a visitor came, never which page it is; in lower case.

A name belongs here only if sites do not choose content by it: ``ref``, ``source``, ``cid`` and
``campaign`` are left out on purpose.
"""

TRACKING_PREFIXES = ("utm_", "mtm_", "matomo_", "piwik_", "hsa_")

TRACKING_NAMES = frozenset(
    {
        # Google
        *("gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid"),
        *("_ga", "_gl", "_gac", "srsltid"),
        # Meta, Microsoft, Yandex, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit
        *("fbclid", "fb_action_ids", "fb_action_types", "fb_source", "igshid", "igsh"),
        *("msclkid", "yclid", "ysclid", "_openstat", "twclid", "ttclid", "li_fat_id", "epik"),
        *("sccid", "rdt_cid"),
        # Mailchimp, HubSpot, Marketo, Omeda, Vero, Klaviyo, Drip, MailerLite, Listrak
        *("mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking"),
        *("mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id", "vero_conv", "_ke", "_kx", "__s"),
        *("ml_subscriber", "ml_subscriber_hash", "trk_contact", "trk_msg", "trk_module", "trk_sid"),
        # Matomo, Adobe, Wicked Reports, Branch, Impact, Awin, Webtrekk, Zanox, Yahoo
        *("pk_campaign", "pk_kwd", "s_cid", "s_kwcid", "ef_id", "wickedid", "_branch_match_id"),
        *("irclickid", "irgwc", "awc", "wt_mc", "wt_zmc", "zanpid"),
        *("guccounter", "guce_referrer", "guce_referrer_sig"),
    }
)

# Removed whatever their value: the frameworks' own names.
SESSION_NAMES = frozenset(
    {"phpsessid", "jsessionid", "asp.net_sessionid", "cfid", "cftoken", "oscsid", "zenid"}
)
SESSION_PREFIXES = ("aspsessionid",)

# Elsewhere the names of content ("sid" is a story, a shop): removed if the value looks generated.
POSSIBLE_SESSION_NAMES = frozenset({"sid", "sessid", "sessionid", "session_id"})
