"""Messages that are given as objects: those of a provider's SDK can be read, those of a framework cannot."""

from __future__ import annotations

from typing import Any, Final

from prunus.errors import FormatError
from prunus.providers.recognition import FIELDS

__all__ = ["require_messages"]

_TOLD: Final = ("role", "type")
"""What a message of every format has at least one of."""


def require_messages(body: Any, start: int = 0) -> None:
    """Raise FormatError for an object from `start` on that is no message of any format, and say what is expected.

    Dicts pass: what a format does not know of them is left alone.
    """
    listed = next((body[key] for key in FIELDS if key in body), ()) if isinstance(body, dict) else body
    for index, message in enumerate(listed[start:] if isinstance(listed, list | tuple) else (), start):
        dump = getattr(message, "model_dump", None)
        if not isinstance(message, dict) and not (callable(dump) and set(_TOLD) & dump(exclude_unset=True).keys()):
            raise FormatError(
                f"message {index} is a {type(message).__name__}; expected a dict with a role, or an object of the "
                "provider's SDK, as it is sent to the provider (from langchain: convert_to_openai_messages)"
            )
