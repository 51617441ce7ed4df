import unittest
from datetime import datetime, timedelta

from cron.backoff import Backoff
from cron.schedule import Schedule
from cron.worker import Job, Worker

NOW = datetime(2024, 5, 1, 12, 0)


def after(**given):
    return NOW + timedelta(**given)


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.said = []
        self.worker = Worker()

    def job(self, name, fails=0, **given):
        left = [fails]

        def action(now):
            if left[0]:
                left[0] -= 1
                raise RuntimeError("no")
            self.said.append(name)

        return Job(name, action, **given)

    def test_jobs_run_once_by_priority(self):
        self.worker.add(self.job("a"), NOW)
        self.worker.add(self.job("b", priority=5), NOW)
        self.worker.add(self.job("c"), NOW, after(hours=1))
        self.assertEqual(self.worker.round(NOW), ["b", "a"])
        self.assertEqual(self.worker.round(after(minutes=5)), [])
        self.assertEqual(self.worker.round(after(hours=1)), ["c"])
        self.assertEqual(self.worker.jobs, {})

    def test_what_repeats_is_not_caught_up(self):
        self.worker.add(self.job("a", schedule=Schedule("*/10 * * * *")), NOW)
        self.assertEqual(self.worker.round(NOW), [])
        self.assertEqual(self.worker.round(after(minutes=35)), ["a"])
        self.assertEqual(self.worker.round(after(minutes=36)), [])
        self.assertEqual(self.worker.queue.peek(), after(minutes=40))

    def test_failures_are_tried_again_and_end(self):
        self.worker.add(self.job("a", fails=9, backoff=Backoff(first=60, attempts=3)), NOW)
        self.assertEqual(self.worker.round(NOW), ["a"])
        self.assertEqual(self.worker.queue.peek(), after(minutes=1))
        self.worker.round(after(minutes=1))
        self.assertEqual(self.worker.queue.peek(), after(minutes=3))
        self.worker.round(after(minutes=3))
        self.assertEqual((self.worker.dead, self.worker.jobs, len(self.worker.queue)), (["a"], {}, 0))
        self.assertEqual(self.worker.history.failures_in_a_row("a"), 3)

    def test_success_forgets_failures(self):
        self.worker.add(self.job("a", fails=1, backoff=Backoff(first=60, attempts=2), schedule=Schedule("0 * * * *")), NOW)
        self.worker.round(after(hours=1))
        self.worker.round(after(hours=1, minutes=1))
        self.assertEqual((self.said, self.worker.jobs["a"].failures), (["a"], 0))
        self.assertEqual(self.worker.queue.peek(), after(hours=2))

    def test_a_schedule_never_dies(self):
        self.worker.add(self.job("a", fails=9, schedule=Schedule("0 * * * *")), NOW)
        self.worker.round(after(hours=1))
        self.assertEqual((self.worker.dead, self.worker.queue.peek()), ([], after(hours=2)))

    def test_jobs_with_one_lock_take_turns(self):
        for name in ("a", "b", "c"):
            self.worker.add(self.job(name, lock=None if name == "c" else "db"), NOW)
        self.assertEqual(self.worker.round(NOW), ["a", "c"])
        self.assertEqual(self.worker.queue.peek(), after(seconds=1))
        self.assertEqual(self.worker.round(after(seconds=1)), ["b"])

    def test_a_job_is_removed(self):
        self.worker.add(self.job("a"), NOW)
        with self.assertRaises(ValueError):
            self.worker.add(self.job("a"), NOW)
        self.assertTrue(self.worker.remove("a"))
        self.assertEqual(self.worker.round(NOW), [])
