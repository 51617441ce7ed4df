"""Aider takes its base URL from the usual variables."""

from prunus.clients.launcher import AnyProgram

LAUNCHER = AnyProgram("aider", "pip install aider-chat")
