"""What each file of a conversation contains, followed through reads, edits, patches and commands."""

from prunus.files.at import FileHistory, NoSuchFile, NoSuchTurn, file_state_at
from prunus.files.render import render, style_source
from prunus.files.state import FileState
from prunus.files.timeline import Followed, Mention, Timeline

__all__ = [
    "FileHistory",
    "FileState",
    "Followed",
    "Mention",
    "NoSuchFile",
    "NoSuchTurn",
    "Timeline",
    "file_state_at",
    "render",
    "style_source",
]
