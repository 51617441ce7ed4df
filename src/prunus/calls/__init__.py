"""What the tools of agents mean."""

from prunus.calls.call_outcome import CallOutcome, outcome
from prunus.calls.meaning import Kind, Meaning, Tool
from prunus.calls.results import body_of, comparable, is_cut, is_stub, process_of
from prunus.calls.toolbox import Toolbox
from prunus.touches import FULL, Span, Touch

__all__ = [
    "FULL",
    "CallOutcome",
    "Kind",
    "Meaning",
    "Span",
    "Tool",
    "Toolbox",
    "Touch",
    "body_of",
    "comparable",
    "is_cut",
    "is_stub",
    "outcome",
    "process_of",
]
