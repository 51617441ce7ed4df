import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus import Pruner, Settings
from prunus.store import open_store
from tests.store.samples import exchange, receipt

Run = Callable[..., Result]
TEXT = "first\r\n\x1b[31mgrüße\tand no newline at the end"


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    store.record("", exchange("11aa"), [receipt("abc111", 2, TEXT), receipt("abd222", 4, "another")])
    store.record("", exchange("22bb", 2), [receipt("abc111", 2, TEXT)])
    store.close()
    return url


@pytest.mark.parametrize("id", ["abc111", "abc", "ABC1"])
def test_a_pipe_gets_every_byte(run: Run, url: str, id: str) -> None:
    result = run("restore", id, "--store", url)
    assert result.exit_code == 0
    assert result.stdout_bytes == TEXT.encode()


def test_json_has_the_receipt_too(run: Run, url: str) -> None:
    found = json.loads(run("restore", "abd2", "--store", url, "--json").stdout)
    assert (found["id"], found["original"], found["strategy"]) == ("abd222", "another", "repeated_reads")


def test_an_unknown_id_suggests_similar_ids(run: Run, url: str) -> None:
    result = run("restore", "abc112", "--store", url)
    assert result.exit_code == 2
    assert "no receipt abc112; near it are abc111" in result.stderr
    assert result.stdout == ""
    assert "`prunus receipts` lists them" in run("restore", "777", "--store", url).stderr


def test_an_ambiguous_id_lists_the_receipts(run: Run, url: str) -> None:
    result = run("restore", "ab", "--store", url)
    assert result.exit_code == 2
    assert "3 receipts are meant by ab" in result.stderr
    assert "abc111  session 22bb, request 2, Read: read again" in result.stderr
    assert "abd222" in result.stderr


def test_a_session_tells_two_receipts_of_one_id_apart(run: Run, url: str) -> None:
    store = open_store(url)
    store.record("", exchange("33cc", 3), [receipt("abc111", 9, "of the third")])
    store.close()
    assert "are meant by abc111" in run("restore", "abc111", "--store", url).stderr
    assert run("restore", "abc111", "--session", "33", "--store", url).stdout == "of the third"


def test_restore_says_that_an_original_is_not_kept(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/bare.db"
    store = open_store(url, Settings(store={"originals": False}))
    store.record("", exchange(), [receipt("abc111")])
    store.close()
    result = run("restore", "abc", "--store", url)
    assert result.exit_code == 2
    assert "not kept" in result.stderr


def test_a_masked_image_comes_back_byte_for_byte(run: Run, tmp_path: Path) -> None:
    image = b'{"type": "image", "source": {"type":"base64", "media_type": "image/png", "data": "%b"}}' % (
        b"iVBORw0K" * 500
    )
    turns = [
        b'{"role": "assistant", "content": "Seen."}, {"role": "user", "content": "And number %d?"}' % n
        for n in range(8)
    ]
    body = b'{"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": [%b]}, %b]}'
    out = Pruner(Settings(preset="acp")).prune(body % (image, b", ".join(turns)))
    url = f"sqlite:///{tmp_path}/images.db"
    store = open_store(url)
    store.record("", exchange(), out.receipts)
    store.close()
    [masked] = [one for one in out.receipts if one.edit.strategy == "old_attachments"]
    result = run("restore", masked.id, "--store", url)
    assert (result.exit_code, result.stdout_bytes) == (0, image)


def test_restoring_an_empty_original_is_an_error(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/empty.db"
    store = open_store(url)
    store.record("", exchange(), [receipt("abc111", 2, "")])
    store.close()
    result = run("restore", "abc", "--store", url)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be restored" in result.stderr


def test_an_empty_store_says_what_to_do(run: Run, tmp_path: Path) -> None:
    result = run("restore", "abc", "--store", f"sqlite:///{tmp_path}/none.db")
    assert result.exit_code == 2
    assert "prunus run claude" in result.stderr


EDITS = [
    (
        "Take prices that are missing out",
        "    return sum(prices)",
        "    kept = [p for p in prices if p]\n    return sum(kept)",
    ),
    ("Nothing to pay is zero", "    return sum(kept)", "    return sum(kept) if kept else 0"),
    ("", "def total(prices):", "def total(prices: list[float]):"),
]


def edited() -> bytes:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Make it robust."}]
    for n, (intent, old, new) in enumerate(EDITS):
        given = {
            "file_path": "/w/app.py",
            "old_string": old,
            "new_string": new,
            **({"intent": intent} if intent else {}),
        }
        use = {"type": "tool_use", "id": f"t{n}", "name": "Edit", "input": given}
        done = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "The file /w/app.py has been updated."}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [done]}]
    look = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "make test"}}
    seen = {"type": "tool_result", "tool_use_id": "t9", "content": "passed"}
    messages += [{"role": "assistant", "content": [look]}, {"role": "user", "content": [seen]}]
    for n in range(4):
        messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"And {n}?"}]
    return json.dumps({"model": "claude-sonnet-4-5", "messages": messages}).encode()


FULL = """\
@@ turn 1, edit: Take prices that are missing out @@
-    return sum(prices)
+    kept = [p for p in prices if p]
+    return sum(kept)
@@ turn 2, edit: Nothing to pay is zero @@
-    return sum(kept)
+    return sum(kept) if kept else 0
"""


def test_the_full_diff_of_compressed_edits_is_in_the_store(run: Run, tmp_path: Path) -> None:
    old_edits = {"enabled": True, "turns": 2}
    out = Pruner(Settings(preset="smart", strategies={"old_edits": old_edits})).prune(edited())
    text = out.body.decode()
    assert "[Edits to /w/app.py: 3 changes between turns 1-3]" in text
    assert "[Full diff available in ground truth]" in text
    assert Pruner(Settings(preset="smart", strategies={"old_edits": old_edits})).prune(out.body).body == out.body
    url = f"sqlite:///{tmp_path}/edits.db"
    store = open_store(url)
    store.record("", exchange("11aa"), out.receipts)
    store.close()
    result = run("restore", "--full-diff", "app.py", "--session", "11", "--store", url)
    assert (result.exit_code, result.stdout) == (0, FULL)
    assert "no edit of b.py" in run("restore", "--full-diff", "b.py", "--session", "11", "--store", url).stderr


def test_a_diff_needs_a_session_and_no_id(run: Run, url: str) -> None:
    assert "--full-diff needs --session" in run("restore", "--full-diff", "app.py", "--store", url).stderr
    assert "give the ID" in run("restore", "--store", url).stderr
    assert "give the ID" in run("restore", "abc", "--full-diff", "app.py", "--session", "11", "--store", url).stderr
