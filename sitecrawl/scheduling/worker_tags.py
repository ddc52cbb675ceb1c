"""Tags of workers: which a worker has, which the scans of a site need, and which workers fit.

A worker that has all tags that a site needs may run its scans. Workers with the same tags that run
as many scans at once are of one kind, and share a queue.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable

BROWSER: Final = "browser"
"""A worker that can render pages has it by itself; a site that always renders needs it."""
_MAX_TAGS: Final = 10
_TAG: Final = re.compile(r"[a-z0-9][a-z0-9._:=-]{0,49}")


def checked_worker_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags in lower case, sorted, without duplicates; InvalidInputError for a wrong one.

    >>> checked_worker_tags(["region=eu", "Browser", "region=eu"])
    ('browser', 'region=eu')
    """
    found = sorted({tag.strip().lower() for tag in tags})
    for tag in found:
        if not _TAG.fullmatch(tag):
            raise InvalidInputError(
                "worker_tags",
                f"{tag[:60]!r} is not a tag of workers: expected up to 50 letters, digits and"
                " . _ : = -, such as eu or region=eu",
            )
    if len(found) > _MAX_TAGS:
        raise InvalidInputError("worker_tags", f"{len(found)} are given; at most {_MAX_TAGS}")
    return tuple(found)


def joined(tags: Iterable[str]) -> str:
    """The tags as they are stored: equal sets of tags are equal texts.

    >>> joined(("browser", "eu")), split("browser,eu"), split("")
    ('browser,eu', ('browser', 'eu'), ())
    """
    return ",".join(sorted(tags))


def split(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


class WorkerKind(NamedTuple):
    """Workers that share a queue."""

    scans_at_once: int
    tags: tuple[str, ...] = ()

    def can_run(self, needed: Iterable[str]) -> bool:
        return set(needed) <= set(self.tags)

    def __str__(self) -> str:
        """
        >>> str(WorkerKind(4)), str(WorkerKind(2, ("browser", "eu-west")))
        ('4', '2+browser+eu-west')
        """
        return "+".join((str(self.scans_at_once), *self.tags))

    @classmethod
    def parse(cls, text: str) -> WorkerKind:
        """
        >>> WorkerKind.parse("2+browser+eu-west")
        WorkerKind(scans_at_once=2, tags=('browser', 'eu-west'))
        """
        number, *tags = text.split("+")
        return cls(int(number), tuple(tags))


def missing_words(needed: Iterable[str], workers: Iterable[Iterable[str]]) -> str:
    """Why no worker runs what needs these tags; *workers* are the tags of each.

    >>> missing_words(["eu"], [["browser"], ["browser"], []])
    'no worker has the tag eu; workers: 1 without tags, 2 with browser'
    >>> missing_words(["browser", "eu"], [["eu"]])
    'no worker has the tags browser and eu; workers: 1 with eu'
    """
    *others, last = sorted(needed)
    wanted = f"tags {', '.join(others)} and {last}" if others else f"tag {last}"
    counts = sorted(Counter(tuple(sorted(tags)) for tags in workers).items())
    known = [
        f"{number} with {', '.join(tags)}" if tags else f"{number} without tags"
        for tags, number in counts[:_MAX_TAGS]
    ]
    return f"no worker has the {wanted}; workers: {', '.join(known) or 'none'}"
