"""OpenCode's own messages, as its plugins see them: a list of `{info, parts}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from prunus.history import Message
from prunus.providers.opencode.messages import read_message
from prunus.providers.provider import Provider

_COPIED_ANEW: Final = ("id", "sessionID", "messageID", "parentID")
"""What OpenCode writes anew when it copies a message into a fork."""


class OpenCode(Provider):
    """The messages of an OpenCode session."""

    name: ClassVar[str] = "opencode"
    field: ClassVar[str] = "messages"
    bare_list: ClassVar[bool] = True

    def claims_message(self, message: Mapping[str, Any]) -> bool:
        return "info" in message and "parts" in message

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        return read_message(message, raw)

    def identity(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"info": _own(message["info"]), "parts": [_own(part) for part in message["parts"]]}


def _own(record: Any) -> Any:
    if not isinstance(record, dict):
        return record
    return {key: value for key, value in record.items() if key not in _COPIED_ANEW}
