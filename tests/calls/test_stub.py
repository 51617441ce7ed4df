"""Results that stand for others."""

from __future__ import annotations

import pytest

from prunus.calls.results import is_cut, is_stub


@pytest.mark.parametrize(
    "text",
    [
        "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
        "File unchanged since last read. The content from the earlier Read tool_result is still current.",
        "[File a.py unchanged since last read in this session — the full content was provided earlier.]",
        "The file has not been modified since your previous read.",
        "Wasted call — file unchanged since your last Read. Refer to it.\n\n"
        "<system-reminder>\n<total_tokens>9 tokens left</total_tokens>\n</system-reminder>",
    ],
)
def test_a_result_that_points_back_is_a_stub(text: str) -> None:
    assert is_stub(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1\tdef unchanged():\n2\t    return last_read",
        "# Changes\n\nThe file format is unchanged.",
        "x = 1\n" * 200 + "file unchanged since your last Read",
        "The file a.py has been updated successfully. (file state is current in your context)",
    ],
)
def test_ordinary_text_is_no_stub(text: str) -> None:
    assert not is_stub(text)


@pytest.mark.parametrize(
    "text",
    [
        "<persisted-output>\nOutput too large (172.5KB). Full output saved to: /x.txt\n\nPreview (first 2KB):\na",
        "...output truncated...\n\nFull output saved to: /x\n\na",
        "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /x",
        "Tool output was too large and has been truncated.\nThe full output has been saved to: /x",
        "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n"
        "Warning: truncated output (original token count: 44168)\nTotal output lines: 3000\n\na",
        '{\n  "returncode": 0,\n  "output_head": "a"}',
        "1: a\n\n(File has more lines. Use 'offset' parameter to read beyond line 2000)",
        "a\n\n[Showing lines 1-2000 of 2400. Use offset=2001 to continue.]",
        "a\n…300 tokens truncated…\nb",
    ],
)
def test_a_shortened_result_is_cut(text: str) -> None:
    assert is_cut(text)


@pytest.mark.parametrize("text", ["", "1: a\n\n(End of file - total 5 lines)", "the output was truncated once"])
def test_a_whole_result_is_not_cut(text: str) -> None:
    assert not is_cut(text)
