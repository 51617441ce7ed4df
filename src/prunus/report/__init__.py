"""Reports for people and programs: the status line, the boxes, the report of one request."""

from prunus.report.explanation import PartRow, in_json, rows, summary
from prunus.report.funnel import effectiveness
from prunus.report.request_report import record, text_report, tool_names
from prunus.report.status import status_line
from prunus.text.numbers import percent, short

__all__ = [
    "PartRow",
    "effectiveness",
    "in_json",
    "percent",
    "record",
    "rows",
    "short",
    "status_line",
    "summary",
    "text_report",
    "tool_names",
]
