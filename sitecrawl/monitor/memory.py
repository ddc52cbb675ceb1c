"""How much memory a worker may still use; jobs wait for it.

That is the least of what the machine has left (``MemAvailable`` of ``/proc/meminfo``) and of what
the limits of the control groups leave, such as those of a container or a systemd unit (versions 1
and 2). Files in the page cache that the kernel can drop at once count as free.
"""

from __future__ import annotations

import contextlib
import logging
import re
import threading
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logger = logging.getLogger(__name__)

_MIB: Final = 1 << 20
# A scan that has just begun does not have its memory yet.
_SETTLE_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 1.0
_WARN_SECONDS: Final = 60.0
_MEMORY_FILES: Final = (
    ("memory.max", "memory.current"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes"),
)


def machine_bytes(meminfo: str) -> int | None:
    """The available memory by ``/proc/meminfo``; None: it does not say."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", meminfo, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def limit_bytes(limit: str, usage: str, stat: str) -> int | None:
    """What the limit of a control group leaves; None: it has none."""
    if not limit.strip().isdigit():
        return None  # "max"
    # In version 1 the plain value leaves out the groups below.
    found = re.search(r"^total_inactive_file (\d+)$", stat, re.MULTILINE) or re.search(
        r"^inactive_file (\d+)$", stat, re.MULTILINE
    )
    droppable = int(found[1]) if found else 0
    return max(0, int(limit) - int(usage) + droppable)


def group_folders(cgroup: str) -> list[str]:
    """The folders whose limits hold for a process, from its ``/proc/self/cgroup``.

    >>> group_folders("4:memory:/a\\n0::/b/c\\n")
    ['memory/a', 'memory', '.', 'b/c', 'b']
    """
    found: list[str] = []
    for line in cgroup.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        own = PurePosixPath("memory" if controllers else ".", path.lstrip("/"))
        found += [str(each) for each in (own, *own.parents)]
    return [each for each in dict.fromkeys(found) if each != "." or "0::" in cgroup]


def available_bytes(root: Path = Path("/")) -> int | None:
    """What this process may still use; None: this system does not say."""
    found = [machine_bytes(_text(root / "proc/meminfo"))]
    for folder in group_folders(_text(root / "proc/self/cgroup")):
        found += _limits(root / "sys/fs/cgroup" / folder)
    return min((each for each in found if each is not None), default=None)


def _limits(folder: Path) -> Iterator[int | None]:
    for limit, usage in _MEMORY_FILES:
        with contextlib.suppress(ValueError):  # a file that is absent is empty
            stat = _text(folder / "memory.stat")
            yield limit_bytes(_text(folder / limit), _text(folder / usage), stat)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


class MemoryGate:
    """Lets jobs begin one by one, each when enough memory is free; 0: all at once."""

    def __init__(
        self,
        min_free_mb: int,
        available: Callable[[], int | None] = available_bytes,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._min_free = min_free_mb * _MIB
        self._available = available
        self._clock = clock
        self._turn = threading.Lock()
        self._next_at = clock()

    def wait(self, stopping: threading.Event) -> bool:
        """Wait for the turn of the caller; False: the worker stops first."""
        if not self._min_free:
            return True
        with self._turn:
            warn_at = self._clock()
            while not stopping.is_set():
                now, free = self._clock(), self._available()
                if now >= self._next_at and (free is None or free >= self._min_free):
                    self._next_at = now + _SETTLE_SECONDS
                    return True
                if free is not None and free < self._min_free and now >= warn_at:
                    warn_at = now + _WARN_SECONDS
                    words = "no job is begun: %d MB are free, SITECRAWL_MONITOR_MIN_FREE_MB is %d"
                    logger.warning(words, free // _MIB, self._min_free // _MIB)
                stopping.wait(_POLL_SECONDS)
        return False
