from __future__ import annotations

import os
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.safety.text import printable

_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@pytest.mark.parametrize("char", _BIDI, ids=lambda char: f"U+{ord(char):04X}")
def test_bidi_controls_are_escaped(char: str) -> None:
    assert printable(f"a{char}b") == f"a\\u{ord(char):04x}b"


def test_text_of_right_to_left_scripts_is_kept() -> None:
    for text in ("שלום", "مرحبا", "größe", "日本語", "naïve café"):
        assert printable(text) == text


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = printable(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Zl", "Zp"}
    assert printable(shown) == shown


def test_output_goes_on_without_a_reader() -> None:
    program = """
import sys
from sitecrawl.console.terminal import discard_output
try:
    while True:
        sys.stdout.write("x" * 100_000)
except BrokenPipeError:
    discard_output(sys.stdout)
sys.stdout.write("more")
sys.stderr.write("done")
"""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"done")
