"""What a session did to each file, and why: one line per purpose."""

from prunus.changelog.generate import generate_changelog
from prunus.changelog.text import as_json, as_markdown
from prunus.changelog.values import Changelog, FileLog, Line, Origin

__all__ = ["Changelog", "FileLog", "Line", "Origin", "as_json", "as_markdown", "generate_changelog"]
