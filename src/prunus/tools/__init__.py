"""What the tools of agents mean."""

from prunus.tools.identity import body_of, comparable
from prunus.tools.meaning import FULL, Kind, Meaning, Span, Tool, Touch
from prunus.tools.outcome import Outcome, outcome
from prunus.tools.process import process_of
from prunus.tools.stub import is_cut, is_stub
from prunus.tools.toolbox import Toolbox

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
