"""The live table of a running proxy."""

from rich.console import Console

from prunus.cli.live import LiveTable
from prunus.proxy.exchange import Event
from prunus.store.records import Exchange, Usage


def drawn(board: LiveTable, width: int = 140) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(board.draw())
    return capture.get()


def test_requests_are_rows_and_the_sums_stand_below() -> None:
    board = LiveTable("http://127.0.0.1:8787", ("shadow: nothing is changed",))
    exchange = Exchange(
        "c1", 1, 0.0, "claude-cli", "anthropic_messages", "claude-sonnet-4-5", 50_000, 40_000,
        usage=Usage(100, 30_000, 0, 5), cost=700.0, cost_unpruned=1000.0,
    )  # fmt: skip
    board.add(Event(0.0, "claude-cli", "POST", "anthropic", "/v1/messages", 200, 1.5, "pruned", exchange=exchange))
    board.add(Event(1.0, "curl\x1b[31m", "GET", "openai", "/v1/models", 0, 0.1, "passed"))
    text = drawn(board)
    assert "Prunus on http://127.0.0.1:8787" in text
    assert "shadow: nothing is changed" in text
    row = next(line for line in text.splitlines() if "claude-sonnet-4-5" in line)
    assert all(word in row for word in ("50K", "40K", "30K", "200", "1.5", "pruned"))
    assert "gone" in text
    assert "\x1b" not in text
    assert "2 requests" in text
    line = "Prunus left out 10K of 50K tokens in 1 request; input cost 700, 1K without pruning (30% below)"
    assert line in text.splitlines()[-1]


def test_shadow_requests_are_summed_apart() -> None:
    board = LiveTable("http://127.0.0.1:8787")
    for shadow, cost in ((False, 1_300.0), (True, 700.0)):
        exchange = Exchange(
            "c", 1, 0.0, "x", "", "m", 50_000, 40_000, cost=cost, cost_unpruned=1_000.0, shadow=shadow
        )
        board.add(Event(0.0, "x", "POST", "openai", "/v1/x", 200, 1.5, "pruned", exchange=exchange))
    real, shadow_line = drawn(board).splitlines()[-2:]
    assert real == "Prunus left out 10K of 50K tokens in 1 request; input cost 1.3K, 1K without pruning (30% above)"
    assert shadow_line.startswith(
        "Shadow, nothing was changed: Prunus would have left out 10K of 50K tokens in 1 request"
    )


def test_only_the_newest_requests_are_shown() -> None:
    board = LiveTable("http://127.0.0.1:8787")
    for n in range(40):
        board.add(Event(0.0, "x", "GET", "openai", f"/v1/number-{n}", 200, 0.1, "passed"))
    text = drawn(board)
    assert "number-39" in text
    assert "number-20" not in text
    assert "40 requests" in text


def test_no_number_of_the_table_is_cropped_at_any_width() -> None:
    board = LiveTable("http://127.0.0.1:8787")
    exchange = Exchange(
        "c1", 1, 0.0, "claude-cli", "", "anthropic/claude-sonnet-4-5-20250929", 123_400, 98_700,
        usage=Usage(100, 76_500, 0, 5), cost=700.0, cost_unpruned=1000.0,
    )  # fmt: skip
    why = "12 edits are held until they pay"
    board.add(Event(0.0, "claude-cli", "POST", "anthropic", "/", 200, 123.4, "pruned", why=why, exchange=exchange))
    for width, shown in ((40, 3), (60, 3), (80, 3), (100, 5), (200, 5)):
        text = drawn(board, width)
        assert "…" not in text
        numbers = ("123.4K", "98.7K", "200", "76.5K", "123.4")
        assert [number in text.split() for number in numbers[:shown]] == [True] * shown


def test_the_status_line_stands_below_the_table_at_any_width() -> None:
    board = LiveTable("http://127.0.0.1:8787")
    exchange = Exchange("c1", 1, 0.0, "claude-cli", "", "claude-sonnet-4-5", 50_000, 40_000)
    line = "「 💬 15(7.5K) ▼ + 🧠  8(16K) ▼ + ⚙️ 39(83.1K) ▼ 」"
    for said in ("", line, ""):
        board.add(Event(0.0, "x", "POST", "openai", "/", 200, 1.5, "pruned", exchange=exchange, status_line=said))
    for width in (80, 140):
        [shown] = [row for row in drawn(board, width).splitlines() if "▼" in row]
        assert shown.endswith(line)
    for _ in range(20):
        board.add(Event(0.0, "x", "POST", "openai", "/", 200, 1.5, "pruned", exchange=exchange))
    assert "▼" not in drawn(board)
