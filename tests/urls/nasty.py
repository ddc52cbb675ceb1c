"""Strategies for URLs that are put together from what goes wrong in URLs."""

from hypothesis import strategies as st

_SCHEMES = [
    "https://",
    "http://",
    "HTTPS://",
    "https:/",
    "//",
    "",
    "https:\\\\",
    "ftp://",
    "a:",
    " http://",
]
_HOSTS = [
    *(
        "example.com",
        "www.example.com",
        "EXAMPLE.com.",
        "a.example..",
        ".",
        "a..b.example",
        "localhost",
    ),
    *(
        "127.0.0.1",
        "127.1",
        "0177.0.0.1..",
        "1.2.3.4.",
        "foo.0x1",
        "[::1]",
        "[::ffff:1.2.3.4]",
        "[::1",
    ),
    *(
        "bücher.example",
        "faß.example",
        "xn--bcher-kva.example",
        "xn--a",
        "xn--",
        "例え。テスト",
        "a_b.example",
    ),
    *(
        "exa mple.com",
        "ex%41mple.com",
        "a%2eexample",
        "u:p@example.com",
        "a@b@example.com",
        "\u00ad.example",
    ),
    *(
        "-a.example",
        "a--b.example",
        "evil.example\\@example.com",
        "",
        "0x7f.1",
        "a.b1",
        "4294967295",
    ),
]
_PORTS = [
    "",
    "",
    "",
    ":80",
    ":443",
    ":8080",
    ":",
    ":0",
    ":00443",
    ":65536",
    ":8a",
    ":64999",
    ":65000",
]
_PIECES = [
    *(
        "/",
        "/",
        "//",
        ".",
        "..",
        "/.",
        "/..",
        "/../",
        "%2e",
        "%2E%2e",
        "%2F",
        "%2f",
        "\\",
        "a",
        "Bc",
        "index.html",
    ),
    *(
        "%",
        "%%",
        "%2",
        "%4",
        "%41",
        "%7e",
        "%zz",
        "%C3%B6",
        "%c3%9f",
        "%E9",
        "%00",
        "%25",
        "%2525",
        "%31",
    ),
    *(
        ";",
        ";jsessionid=",
        ";JSESSIONID=AB12",
        "(S(lit3py55t21z5v55vlm25s55))",
        "(",
        ")",
        ":",
        "@",
        "~",
        "_",
        "-",
    ),
    *(
        "+",
        "'",
        '"',
        "<",
        "{",
        "|",
        "^",
        "`",
        "[",
        "]",
        "!",
        "$",
        ",",
        "*",
        " ",
        "\t",
        "\n",
        "\x00",
        "\x7f",
    ),
    *("ö", "日本", "\u202e", "\ufeff", "\ud800", "é", "e\u0301", "😀", "e", "5", "0"),
]
_QUERY_PIECES = [
    *(
        "&",
        "&",
        "=",
        "a=1",
        "b=2",
        "b=1",
        "utm_source=x",
        "UTM_x",
        "utm%5Fid=1",
        "gclid=1",
        "sid=1",
        "?",
        "/",
        "#",
    ),
    *("sid=0123456789abcdef01", "PHPSESSID=1", "%26", "%3D", "%2B", "+"),
]
_FRAGMENTS = ["", "", "#", "#top", "#/route", "#!", "#!/x%41", "#!%2e", "##", "#/a?b#c"]


def _text(pieces: list[str], max_size: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=max_size).map("".join)


def nasty_urls() -> st.SearchStrategy[str]:
    query = _text(_QUERY_PIECES + _PIECES, 6).map(lambda text: f"?{text}" if text else "")
    parts = st.tuples(
        st.sampled_from(_SCHEMES),
        st.sampled_from(_HOSTS),
        st.sampled_from(_PORTS),
        st.sampled_from(["/", ""]),
        _text(_PIECES, 8),
        query,
        st.sampled_from(_FRAGMENTS),
    )
    return parts.map("".join)


def likely_urls() -> st.SearchStrategy[str]:
    """URLs of one origin, most of them as in a good sitemap: what the fast paths are for."""
    path = _text(["a", "B2", "-", "_", "/", ".html", "x.y", "%C3%B6", "~", "!", "é", "/."], 6)
    query = st.sampled_from(["", "", "", "?id=1", "?b=1&a=2", "?utm_id=1", "?sid=2", "?"])
    return st.tuples(st.just("https://www.example.com/"), path, query).map("".join)
