"""Read the history of a conversation from a request, a list of messages or a recorded session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from prunus.calls.toolbox import Toolbox
from prunus.errors import FormatError
from prunus.files.at import FileHistory
from prunus.history import History
from prunus.providers import encode, read


@runtime_checkable
class Recorded(Protocol):
    """A recorded session, as `prunus.clients.sessions` loads it."""

    @property
    def format(self) -> str: ...
    @property
    def messages(self) -> tuple[dict[str, Any], ...]: ...


def history_of(given: Any, *, toolbox: Toolbox | None = None) -> FileHistory:
    """Return the file history of a conversation: `history_of(body).file_state_at("src/app.py", turn=3)`.

    `given` is a request (a dict, JSON text or bytes), a list of messages, or a loaded session. Raises FormatError
    if Prunus cannot read it.
    """
    messages = (message for history in histories(given) for message in history.messages)
    return FileHistory(tuple(messages), toolbox or Toolbox())


def histories(given: Any) -> Iterator[History]:
    """Yield the histories in `given`, in order; a list of sessions yields one history per session."""
    match given:
        case History():
            yield given
        case FileHistory():
            yield History("", given.messages)
        case Recorded():
            yield read(encode(list(given.messages)), given.format)
        case bytes():
            yield read(given)
        case str():
            yield read(given.encode("utf-8", "replace"))
        case Mapping():
            yield read(encode(given))
        case Sequence() if given and all(isinstance(one, Recorded | History) for one in given):
            for one in given:
                yield from histories(one)
        case Sequence():
            yield read(encode(list(given)))
        case _:
            raise FormatError(f"no history: {type(given).__name__}; expected a request, messages or a session")
