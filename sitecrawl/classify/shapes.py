"""The shape of a page's name: what is left of it when letters do not count.

Most pages of a large site are called like a headline, many with a number at its end. Their shape
says so, and the shapes of many names are found at once for a fraction of what it costs to look at
each of them.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS: Final = ascii_letters.encode()
_ALIKE: Final = bytes.maketrans(digits.encode(), b"0" * len(digits))
# Most pages with an ending have this one; the byte is in no UTF-8, and letters are left out anyway.
_HTML: Final = b".html\n"
_HTML_MARK: Final = b"\xffhtml\n"

# Several words, perhaps with a number in the last of them alone, and an ending. No name of such a
# shape is a number, a date, a hash or the UUID of any RFC, whatever letters and digits it has. None
# with a number is a word of the rules, unless nobody would write it so (``--404``, ``r-s-s2``).
HEADLINE = re.compile(rb"--+(?P<number>0*)(?:\xff|\.\.[^.]*)?")
"""The shape of a headline; an ending that is not ``.html`` stands behind it as it is."""


def shapes_of(names: Sequence[str]) -> list[bytes]:
    r"""The shapes, in which all digits are alike and ``\xff`` stands for ``.html``.

    >>> shapes_of(["ten-nice-tips-2026", "Ten-Tips.html", "a1.php"])
    [b'---0000', b'-\xff', b'0.']
    """
    shapes = _shapes("\n".join(names)) if names else []
    if len(shapes) != len(names):
        # No address has a name of several lines, but any text may be asked for.
        shapes = _shapes("\n".join(name.replace("\n", " ") for name in names))
    return shapes


def _shapes(lines: str) -> list[bytes]:
    text = lines.encode("utf-8", "surrogatepass") + b"\n"
    return text.replace(_HTML, _HTML_MARK).translate(_ALIKE, _LETTERS).split(b"\n")[:-1]
