"""When a request arrived, by the kernel's clock.

The thread that serves a connection may wake up late on a busy machine, and gaps between requests
would then look shorter than they were. The kernel notes the time of every segment.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time

# Linux's; the socket module does not have it.
_SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("qq")
_NANOSECOND = 1e-9


def note_arrivals(listener: socket.socket) -> None:
    """For all connections that the listener will accept; elsewhere than on Linux, nothing."""
    if sys.platform == "linux":
        listener.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


def wait_for_arrival(connection: socket.socket) -> float:
    """Monotonic time when the next byte to be read arrived; waits for it, and leaves it there."""
    # Below TLS: an SSLSocket has no ancillary data.
    with socket.socket(fileno=os.dup(connection.fileno())) as raw:
        raw.settimeout(connection.gettimeout())
        _, ancillary, *_ = raw.recvmsg(1, socket.CMSG_SPACE(_TIMESPEC.size), socket.MSG_PEEK)
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
            seconds, nanoseconds = _TIMESPEC.unpack(data)
            return float(seconds + nanoseconds * _NANOSECOND - _seconds_from_monotonic())
    return time.monotonic()


def _seconds_from_monotonic() -> float:
    """The wall clock's lead; of several readings the one that was interrupted least."""
    readings = []
    for _ in range(3):
        before, wall, after = time.monotonic(), time.time(), time.monotonic()
        readings.append((after - before, wall - (before + after) / 2))
    return min(readings)[1]
