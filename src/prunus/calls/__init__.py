"""What the tools of agents mean."""

from prunus.calls.identity import body_of, comparable
from prunus.calls.meaning import Kind, Meaning, Tool
from prunus.calls.outcome import Outcome, outcome
from prunus.calls.process import process_of
from prunus.calls.stub import is_cut, is_stub
from prunus.calls.toolbox import Toolbox
from prunus.touches import FULL, Span, Touch

__all__ = [
    "FULL",
    "Kind",
    "Meaning",
    "Outcome",
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
