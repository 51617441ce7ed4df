"""What a session did to each file, and why: one line per purpose."""

from prunus.changelog.generate import generate_changelog
from prunus.changelog.values import Changelog, FileLog, Origin, PurposeLine, as_json, as_markdown

__all__ = ["Changelog", "FileLog", "Origin", "PurposeLine", "as_json", "as_markdown", "generate_changelog"]
