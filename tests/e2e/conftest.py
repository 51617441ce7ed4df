"""End-to-end tests run only when asked for with `-m e2e`, and say at the end which clients did not run.

`PRUNUS_E2E_CLIENTS=claude,codex` names the clients to run.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.clients import CLIENTS, asked_for
from tests.on_request import is_requested, leave_out

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "e2e: real clients, installed on first use; `make e2e` runs them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in leave_out(config, items, HERE, "e2e"):
        # The tests of one client share its sessions, so they stay in one process: -n 2 --dist loadgroup.
        item.add_marker(pytest.mark.xdist_group(item.name.partition("[")[2]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not is_requested(config, "e2e"):
        return
    reports = terminalreporter.getreports("skipped")
    reasons = {report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple)}
    left_out = [name for name in CLIENTS if name not in asked_for()]
    terminalreporter.write_line(f"clients asked for: {', '.join(asked_for())}")
    if left_out:
        terminalreporter.write_line(f"clients not asked for by PRUNUS_E2E_CLIENTS: {', '.join(left_out)}")
    for reason in sorted(reasons):
        terminalreporter.write_line(reason)
