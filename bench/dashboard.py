"""How long the server works on each page of the dashboard, with a large store.

    python bench/dashboard.py                 10,000 conversations of 30 requests
    python bench/dashboard.py 1000            fewer

The store is made up: conversations of the last days that grow and are cut now and then. Each page is made without
the network, once to warm up and then ten times; the figures are the median and the longest time in milliseconds.
Writes bench/results/dashboard.json.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from usage import show_help

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus.dashboard.dashboard import answer  # noqa: E402
from prunus.dashboard.page import PageRequest, Sources  # noqa: E402
from prunus.settings import Settings  # noqa: E402
from prunus.store import Store, open_store  # noqa: E402
from tests.dashboard.sample import NOW, fill_conversation, name_of  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "dashboard.json"
CONVERSATIONS = 10_000
REQUESTS = 30
DAYS = 25
ROUNDS = 10


def fill(store: Store, conversations: int) -> None:
    """Spread conversations over some days; the last is the longest."""
    begun = time.perf_counter()
    for n in range(conversations):
        fill_conversation(store, n, REQUESTS, NOW - DAYS * 86_400 * (conversations - n) / conversations)
        if n % 500 == 499:
            print(f"{n + 1:,} conversations, {time.perf_counter() - begun:.0f} s", flush=True)
    fill_conversation(store, conversations, 500, NOW - 20_000)


def paths(store: Store, longest: int) -> dict[str, tuple[str, dict[str, str]]]:
    """A page of each kind."""
    id = name_of(longest)
    cut = store.receipts("", id, 1)[0]
    return {
        "overview": ("", {}),
        "conversations": ("conversations", {}),
        "conversations, page 100": ("conversations", {"page": "100"}),
        "a conversation of 500 requests": (f"conversations/{id}", {}),
        "receipts": ("receipts", {}),
        "receipts of a strategy": ("receipts", {"strategy": "stale_reads"}),
        "a receipt": (f"receipts/{id}/{cut.message}.{cut.part}", {}),
        "strategies": ("strategies", {}),
        "settings": ("settings", {}),
    }


def taken(path: str, query: dict[str, str], sources: Sources) -> float:
    """The milliseconds of one page."""
    begun = time.perf_counter()
    found = answer(PageRequest("GET", path, query), sources)
    assert found.status == 200, (path, found.status)
    return 1_000 * (time.perf_counter() - begun)


def main() -> None:
    conversations = int(sys.argv[1]) if len(sys.argv) > 1 else CONVERSATIONS
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store={"url": f"sqlite:///{folder}/store.db", "size": 1 << 40})
        with closing(open_store(settings.store.url, settings)) as store:
            fill(store, conversations)
            sources = Sources(settings, store)
            rows = {}
            for name, (path, query) in paths(store, conversations).items():
                taken(path, query, sources)
                times = [taken(path, query, sources) for _ in range(ROUNDS)]
                rows[name] = {"median": round(statistics.median(times), 1), "longest": round(max(times), 1)}
                print(f"{name:<32}{rows[name]['median']:>9.1f}{rows[name]['longest']:>9.1f} ms", flush=True)
            size = store.info().size
    record = {"conversations": conversations, "requests": REQUESTS, "megabytes": size // 1_000_000, "pages": rows}
    RESULTS.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    show_help()
    main()
