from __future__ import annotations

import pytest

from sitecrawl.urls.credentials import without_credentials


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://me:secret@a.example/b", "https://a.example/b"),
        ("https://secret@a.example/b", "https://a.example/b"),
        ("HTTP://me:sec@ret@a.example:99999/", "HTTP://a.example:99999/"),
        ("ftp://me:secret@a.example/b@c", "ftp://a.example/b@c"),
        ("sftp://me:secret@a.example/", "sftp://a.example/"),
        ("//me:secret@a.example/", "//a.example/"),
        # What browsers take for the same.
        (r"http:\\me:secret@a.example\b", r"http:\\a.example\b"),
        ("http:me:secret@a.example", "http:a.example"),
        ("http:///me:secret@a.example", "http:///a.example"),
        (
            "see http://me:secret@a.example and ftp://x:y@b.example",
            "see http://a.example and ftp://b.example",
        ),
        # No credentials.
        ("https://a.example/@me?to=you@b.example#@", "https://a.example/@me?to=you@b.example#@"),
        ("mailto:me@a.example", "mailto:me@a.example"),
        ("", ""),
    ],
)
def test_only_what_logs_in_is_taken_out(text: str, expected: str) -> None:
    assert without_credentials(text) == expected
    assert without_credentials(expected) == expected
