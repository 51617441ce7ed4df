"""The client's side of one exchange: its body as it arrives, and whether it is still connected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

AsgiMessage = dict[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]


_LARGE: Final = 1 << 20


class ClientGone(Exception):
    """The client has hung up."""


async def _joined(chunks: list[bytes], size: int) -> bytes:
    if len(chunks) == 1:
        return chunks[0]
    # Python lets other threads run while it copies megabytes, but the event loop would stand.
    return b"".join(chunks) if size < _LARGE else await asyncio.to_thread(b"".join, chunks)


class Peer:
    """Reads the request of a client, then cancels the exchange as soon as the client hangs up.

    The exchange runs in a `with` block, which ends quietly if the client has hung up: nobody waits for an answer.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._task = asyncio.current_task()
        self._watcher: asyncio.Task[None] | None = None
        self._begun: list[bytes] = []
        """Chunks of a request that turned out to be too long to be held."""
        self._complete = False
        self._over = False
        self.gone = False

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        self.close()
        task = asyncio.current_task()
        if self.gone and isinstance(error, asyncio.CancelledError) and task is not None:
            task.uncancel()
            return True
        return isinstance(error, ClientGone)

    async def body(self) -> AsyncIterator[bytes]:
        """The chunks of the request, as they come; those that `read` did not return come first."""
        begun, self._begun = self._begun, []
        for chunk in begun:
            yield chunk
        while not self._complete:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._lose()
                raise ClientGone
            self._complete = not message.get("more_body", False)
            if message.get("body"):
                yield message["body"]
        if not self._over and self._watcher is None:
            self._watcher = asyncio.create_task(self._watch())

    async def read(self, limit: int, announced: int | None = None) -> bytes | None:
        """The whole request; None if it has, or is `announced` to have, more than `limit` bytes."""
        if announced is not None and announced > limit:
            return None
        chunks = []
        size = 0
        async for chunk in self.body():
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                self._begun = chunks
                return None
        return await _joined(chunks, size)

    def close(self) -> None:
        """The exchange is over: a client may hang up from now on."""
        self._over = True
        if self._watcher is not None:
            self._watcher.cancel()
        # A task keeps the error that ended it, and the error leads back to this object and to the whole request.
        self._task = self._watcher = None

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._lose()

    def _lose(self) -> None:
        if not self._over:
            self.gone = True
            if self._task is not None and asyncio.current_task() is not self._task:
                self._task.cancel()
