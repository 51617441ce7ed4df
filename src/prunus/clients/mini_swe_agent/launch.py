"""mini-swe-agent takes its base URL from the usual variables."""

from prunus.clients.launcher import AnyProgram

LAUNCHER = AnyProgram("mini", "pip install mini-swe-agent")
