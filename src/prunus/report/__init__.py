"""What was done, in words: the status line, the effectiveness box, the reports of one request."""

from prunus.report.effectiveness import effectiveness
from prunus.report.explanation import Row, in_json, rows, summary
from prunus.report.numbers import short
from prunus.report.record import record
from prunus.report.status import status_line
from prunus.report.text import text_report
from prunus.report.tool_names import tool_names

__all__ = [
    "Row",
    "effectiveness",
    "in_json",
    "record",
    "rows",
    "short",
    "status_line",
    "summary",
    "text_report",
    "tool_names",
]
