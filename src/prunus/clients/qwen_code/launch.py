"""Qwen Code takes its base URL from the usual variables."""

from typing import Final

from prunus.clients.launcher import Launcher

LAUNCHER: Final = Launcher("qwen", "npm install -g @qwen-code/qwen-code")
