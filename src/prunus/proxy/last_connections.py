"""Accepts the connections that still wait at a port when it closes, which the kernel would otherwise reset."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from socket import SOL_SOCKET, socket
from typing import Final

_ATTACH_FILTER: Final = 26
"""SO_ATTACH_FILTER of Linux."""
_REFUSE_ALL: Final = struct.pack("HBBI", 6, 0, 0, 0)
"""A socket filter that lets no packet pass."""


def last_connections(listener: socket) -> Iterator[socket]:
    """Let no more clients connect, and take the connections that the event loop has not seen.

    On Linux, a client that comes now asks again a second later and finds the port closed. Elsewhere, one that comes
    between the last connection taken and the closing of the port is reset.
    """
    if sys.platform == "linux":
        program = ctypes.create_string_buffer(_REFUSE_ALL)
        with suppress(OSError):
            listener.setsockopt(SOL_SOCKET, _ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(program)))
    listener.setblocking(False)
    with suppress(OSError):
        while True:
            yield listener.accept()[0]
