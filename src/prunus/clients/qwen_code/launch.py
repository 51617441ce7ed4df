"""Qwen Code takes its base URL from the usual variables."""

from prunus.clients.launcher import AnyProgram

LAUNCHER = AnyProgram("qwen", "npm install -g @qwen-code/qwen-code")
