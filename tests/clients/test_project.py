"""The folder that an agent works in, as its requests name it."""

from __future__ import annotations

import json

import pytest

from prunus.clients.dialect import project_of


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("Environment:\nWorking directory: /home/user/app\nPlatform: linux", "/home/user/app"),
        (" - Primary working directory: /home/user/app\n - Is a git repository: true", "/home/user/app"),
        ("<environment_context>\n  <cwd>/home/user/app</cwd>\n", "/home/user/app"),
        ("I'm currently working in the directory: /home/user/app\nHere is", "/home/user/app"),
        ("Working directory: C:\\Users\\me\\app\nPlatform: win32", "C:\\Users\\me\\app"),
        ("Working directory: ~/app.", "~/app"),
        ("The working directory to run the command in.", ""),
        ("", ""),
    ],
)
def test_the_working_folder_is_found_in_a_request(text: str, project: str) -> None:
    assert project_of(json.dumps({"text": text}).encode()) == project


def test_the_first_text_that_names_a_project_counts() -> None:
    assert project_of(b"", b"<cwd>/one</cwd>", b"<cwd>/two</cwd>") == "/one"
