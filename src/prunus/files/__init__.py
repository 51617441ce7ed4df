"""The contents of each file of a conversation, followed through reads, edits, patches and commands."""

from prunus.files.at import FileHistory, NoSuchFile, NoSuchTurn, file_state_at
from prunus.files.state import FileState
from prunus.files.timeline import Timeline
from prunus.files.tracked import Mention, TrackedFile

__all__ = [
    "FileHistory",
    "FileState",
    "Mention",
    "NoSuchFile",
    "NoSuchTurn",
    "Timeline",
    "TrackedFile",
    "file_state_at",
]
