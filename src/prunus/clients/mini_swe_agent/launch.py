"""mini-swe-agent takes its base URL from the usual variables."""

from typing import Final

from prunus.clients.launcher import Launcher

LAUNCHER: Final = Launcher("mini", "pip install mini-swe-agent")
