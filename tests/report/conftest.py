"""The small request that the commands are tested with."""

from tests.cli.conftest import session

__all__ = ["session"]
