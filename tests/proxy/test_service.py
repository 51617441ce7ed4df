"""The files that make a system start the proxy."""

import plistlib
from pathlib import Path

import pytest

from prunus.errors import SettingsError
from prunus.proxy.service import service_file

HOME = Path("/home/me")
COMMAND = ["/opt/my tools/100%/prunus", "proxy", "--preset", "$HOME"]


def test_a_unit_quotes_its_command_and_takes_the_variables_of_the_network() -> None:
    network = {"HTTPS_PROXY": "http://me:pa$s@p:1", "no_proxy": "intra.example", "SECRET": "s"}
    file = service_file("linux", HOME, COMMAND, network)
    assert file.path == HOME / ".config/systemd/user/prunus.service"
    assert 'ExecStart="/opt/my tools/100%%/prunus" proxy --preset $$HOME\n' in file.text
    assert "ExecReload=/bin/kill -HUP $MAINPID\n" in file.text
    assert "Environment=HTTPS_PROXY=http://me:pa$s@p:1\n" in file.text and "SECRET" not in file.text
    assert "Environment=no_proxy=intra.example\n" in file.text


def test_a_launch_agent_is_a_property_list() -> None:
    file = service_file("darwin", HOME, COMMAND, {})
    assert file.path == HOME / "Library/LaunchAgents/prunus.proxy.plist"
    keys = plistlib.loads(file.text.encode())
    assert (keys["ProgramArguments"], keys["RunAtLoad"]) == (COMMAND, True)
    assert file.start == ("launchctl load -w /home/me/Library/LaunchAgents/prunus.proxy.plist",)


def test_a_system_without_service_files_gets_instructions() -> None:
    with pytest.raises(SettingsError, match="task scheduler"):
        service_file("win32", HOME, COMMAND, {})
