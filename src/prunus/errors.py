"""Whose fault it was.

PrunusError
├── SettingsError     yours: a setting that cannot be used
├── FormatError       the peer's: a body that is not a request we know
├── InvariantError    ours: a result that the provider would refuse
└── TooLate           nobody's: the request was sent before it was pruned
"""

from __future__ import annotations


class PrunusError(Exception):
    """Anything Prunus raises on purpose."""


class SettingsError(PrunusError):
    """Settings that cannot be used; the message lists every problem."""


class FormatError(PrunusError):
    """A body that cannot be read: what is wrong, and where."""


class InvariantError(PrunusError):
    """A pruned request that its provider would refuse."""


class TooLate(PrunusError):
    """A request that was sent as its ledger says before it was looked at; nothing was remembered of the look."""
