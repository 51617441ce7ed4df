"""The errors of Prunus, divided by who caused them.

PrunusError
├── SettingsError     the user: a setting is invalid
├── FormatError       the client: the body is not a request that Prunus knows
├── InvariantError    Prunus: the provider would refuse the pruned request
├── Overtaken         another process: it has saved a newer state of the same conversation
├── NotKept           the memory: it did not save a state, and its own state is still the newest
├── OutOfReach        the memory: it does not answer, so another process may know a newer state
│   └── MayBeKept     the memory: its connection broke while it saved a state
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
    """Another process has saved a newer state of the same conversation."""


class NotKept(PrunusError):
    """A memory that processes share did not save a state; other processes continue from the state before."""


class OutOfReach(PrunusError):
    """A memory that processes share does not answer, so nobody knows which state is the newest."""


class MayBeKept(OutOfReach):
    """The connection to the memory broke while it saved a state, so nobody knows whether it did."""


class TooLate(PrunusError):
    """The request was sent with its earlier edits before the pruner was done; the pruner keeps nothing of it."""
