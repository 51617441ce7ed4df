import io

from prunus.lab.progress import CorpusProgress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_log_gets_a_line_now_and_then() -> None:
    clock, out = Clock(), io.StringIO()
    progress = CorpusProgress(1_000, clock=clock, out=out)
    for second in range(100):
        clock.now = second + 1.0
        progress.advance(5, failed=second // 40)
    assert out.getvalue().splitlines() == [
        "15%, 30 recordings, 1.0 per second, about 170 s left".replace("170 s", "3 min"),
        "30%, 60 recordings, 1.0 per second, about 2 min left, 1 failed",
        "45%, 90 recordings, 1.0 per second, about 2 min left, 2 failed",
    ]


def test_work_of_an_earlier_run_counts_for_the_share_but_not_for_the_rate() -> None:
    clock = Clock()
    progress = CorpusProgress(1_000, done=500, recordings=50, clock=clock, quiet=True)
    clock.now = 10.0
    progress.advance(100, failed=0)
    assert progress.line() == "60%, 51 recordings, 0.1 per second, about 40 s left"
