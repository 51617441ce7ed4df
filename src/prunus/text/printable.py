"""Make untrusted text (model and tool names, paths, reasons) safe for terminals and log files.

Such text may contain newlines, which forge log lines, and escape sequences, which a terminal obeys.
"""

from __future__ import annotations

import logging


def printable(text: str, keep: str = "") -> str:
    """Replace every control character with a visible mark, except the characters in `keep`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text)


def whole_text(text: str) -> str:
    """Replace with escapes what UTF-8 cannot hold, such as the bytes of a file name in another encoding."""
    return text.encode(errors="backslashreplace").decode()


def printable_logger(name: str) -> logging.Logger:
    """Return the logger of that name, with a filter that makes every message one printable line."""
    logger = logging.getLogger(name)
    if not any(isinstance(one, _Printable) for one in logger.filters):
        logger.addFilter(_Printable())
    return logger


class _Printable(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(record.getMessage()), ()
        return True
