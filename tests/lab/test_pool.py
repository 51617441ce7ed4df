import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from prunus.lab.pool import as_completed


def test_no_more_items_are_taken_than_may_be_under_way() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for n in range(50):
            taken.append(n)
            yield n

    with ThreadPoolExecutor(2) as pool:
        done = 0
        for item, future in as_completed(str, items(), pool, ahead=4):
            assert future.result() == str(item)
            done += 1
            assert len(taken) - done < 4
    assert done == 50


def test_work_is_yielded_in_the_order_in_which_it_ends() -> None:
    free = Event()

    def work(item: int) -> int:
        if item == 0:
            free.wait(60)
        return item

    with ThreadPoolExecutor(2) as pool:
        found = []
        for item, _ in as_completed(work, range(5), pool, ahead=3):
            found.append(item)
            if len(found) == 4:
                free.set()
    assert found[-1] == 0


def test_work_that_failed_is_yielded_like_other_work() -> None:
    with ThreadPoolExecutor(1) as pool:
        found: list[tuple[str, Future[int]]] = list(as_completed(int, ["1", "one"], pool))
    assert found[0][1].result() == 1
    with pytest.raises(ValueError, match="one"):
        found[1][1].result()


def test_workers_end_when_their_command_is_killed() -> None:
    code = "import os, sys; from prunus.lab.pool import worker_pool\n"
    code += "with worker_pool(2) as pool: print(pool.submit(abs, -1).result(), flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == b"1\n"
        command.kill()
        # The workers share the pipe, so it ends when the last one has ended.
        command.communicate(timeout=60)
