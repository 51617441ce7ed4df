"""The errors of Prunus, divided by who caused them.

PrunusError
├── SettingsError     the user: a setting is invalid
├── FormatError       the client: the body is not a request that Prunus knows
├── InvariantError    Prunus: the provider would refuse the pruned request
└── TooLate           nobody: the request was sent before Prunus had looked at it
"""

from __future__ import annotations


class PrunusError(Exception):
    """The base class of all errors that Prunus raises on purpose."""


class SettingsError(PrunusError):
    """The settings are invalid; the message lists every problem."""


class FormatError(PrunusError):
    """Prunus cannot read a body; the message says what is wrong, and where."""


class InvariantError(PrunusError):
    """A provider would refuse the pruned request."""


class Overtaken(PrunusError):
    """Another request of the same conversation was remembered first."""


class TooLate(PrunusError):
    """The request was sent with its earlier edits before the pruner was done; the pruner keeps nothing of it."""
