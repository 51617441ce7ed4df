"""The providers' languages, one file each."""

from tests.upstream.values import Wire
from tests.upstream.wires.anthropic import Anthropic
from tests.upstream.wires.chat import Chat
from tests.upstream.wires.gemini import Gemini
from tests.upstream.wires.responses import Responses

__all__ = ["WIRES", "Anthropic", "Chat", "Gemini", "Responses"]

ALL: tuple[Wire, ...] = (Anthropic(), Chat(), Responses(), Gemini())
WIRES = {wire.format: wire for wire in ALL}
