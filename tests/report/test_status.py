import json
import re
from dataclasses import replace

from prunus import Settings, prune
from prunus.outcome import Report
from prunus.report.bill import Amount
from prunus.report.status import Savings, requested_line, status_line
from prunus.schedule.dollars import Money
from prunus.store import Exchange
from prunus.tally import Tally

SEEDS = Report(categories={"tools": Tally(39, 83_100), "messages": Tally(15, 7_500), "thinking": Tally(8, 16_000)})


def test_the_line_is_that_of_the_seeds() -> None:
    assert status_line(SEEDS) == "「 💬 15(7.5K) ▼ + 🧠  8(16K) ▼ + ⚙️ 39(83.1K) ▼ 」"


def test_kinds_that_lost_nothing_are_left_out() -> None:
    report = Report(categories={"messages": Tally(), "tools": Tally(2, 950)})
    assert status_line(report) == "「 ⚙️  2(950) ▼ 」"


def test_nothing_pruned_says_nothing() -> None:
    assert status_line(Report(), "detailed", ["bash"]) == ""


def test_notification_off_omits_the_status_line() -> None:
    assert status_line(SEEDS, "off", ["bash"]) == ""


def test_details_fold_repeated_tools() -> None:
    assert status_line(SEEDS, "detailed", ["read", "bash", "bash", "bash"]).endswith("」 - bash (x3), read")


def test_details_name_all_items_up_to_twenty() -> None:
    line = status_line(SEEDS, "detailed", ["read", "bash", "bash", "glob", "grep"])
    assert line.endswith("」 - bash (x2), read, glob, grep")
    many = status_line(SEEDS, "detailed", [f"tool {number}" for number in range(21)])
    assert many.endswith(", tool 19, …")


def test_minimal_names_no_tools() -> None:
    assert status_line(SEEDS, "minimal", ["bash"]) == status_line(SEEDS)


def test_the_agents_own_summary_is_shown_on_request() -> None:
    settings = Settings(preset="acp", agent={"offer": "library"})
    messages: list[dict[str, object]] = [{"role": "user", "content": "Look."}]

    def call(n: int, tool: str, given: dict[str, object], answer: str) -> None:
        use = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        done = {"type": "tool_result", "tool_use_id": f"t{n}", "content": answer}
        messages.extend(({"role": "assistant", "content": [use]}, {"role": "user", "content": [done]}))

    def sent() -> object:
        return {"model": "claude-sonnet-4-5", "messages": messages}

    call(0, "Bash", {"command": "make"}, "a long line of a log\n" * 40)
    [id] = re.findall(r"\[id ([0-9a-f]{6})\]", json.dumps(prune(sent(), settings).body))
    call(1, "context_prune", {"action": "distill", "targets": [[id, "It  fails\nin step 3"]]}, "Distilled.")
    call(2, "Bash", {"command": "ls"}, "a b")
    receipts = prune(sent(), settings).receipts
    assert requested_line(receipts).endswith("▼ 」")
    assert requested_line(receipts, distillation=True).endswith("▼ 」 | distilled: It fails in step 3")
    assert requested_line(receipts, "off", distillation=True) == ""


ONE = Exchange("c", 1, 0.0, tokens_before=5_000, tokens_after=4_000, cost=900.0, cost_unpruned=1_000.0)


def test_the_status_line_gives_tokens_and_cost() -> None:
    line = Savings().add(ONE, Money()).add(ONE, Money()).line(shadow=False)
    assert line == "Prunus left out 2K of 10K tokens in 2 requests; input cost 1.8K, 2K without pruning (10% below)"


def test_shadow_mode_is_announced_first() -> None:
    line = Savings().add(ONE, Money()).line(shadow=True)
    assert line.startswith("Shadow, nothing was changed: Prunus would have left out 1K of 5K tokens in 1 request")


def test_the_status_line_reports_a_loss_as_a_loss() -> None:
    sums = Savings(3, 1_000, 1_100, Amount(150.0, 0.0, 150.0), Amount(100.0, 0.0, 100.0))
    assert "added 100 to 1K tokens" in sums.line(shadow=False)
    assert "(50% above)" in sums.line(shadow=False)


def test_a_model_without_a_price_stays_in_tokens_beside_the_dollars_of_the_others() -> None:
    paid = replace(ONE, model="claude-sonnet-4-5", cost=900_000.0, cost_unpruned=1_000_000.0)
    line = Savings().add(ONE, Money()).add(paid, Money()).line(shadow=False)
    assert "saved $0.30 + 100 tokens of $3.00 + 1K tokens of input (10%)" in line


def test_without_prices_there_is_no_cost() -> None:
    assert "cost" not in Savings(1, 10, 5).line(shadow=False)
