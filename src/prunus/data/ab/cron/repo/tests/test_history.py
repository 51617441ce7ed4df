import unittest
from datetime import datetime, timedelta

from cron.history import History, Run
from cron.locks import Locks

NOW = datetime(2024, 5, 1)


class HistoryTest(unittest.TestCase):
    def test_runs(self):
        history = History(keep=4)
        for seconds, error in ((9, None), (1, None), (2, "no"), (3, None), (4, "no"), (5, "no")):
            history.add(Run("a", NOW, seconds, error))
        self.assertEqual([run.seconds for run in history.of("a")], [2, 3, 4, 5])
        self.assertEqual(history.failures_in_a_row("a"), 2)
        self.assertEqual((history.rate("a"), history.rate("b")), (0.25, None))
        self.assertEqual(history.last("a").seconds, 5)

    def test_percentiles_of_runs_that_succeeded(self):
        history = History()
        for seconds in range(1, 11):
            history.add(Run("a", NOW, seconds))
        history.add(Run("a", NOW, 99, "no"))
        self.assertEqual([history.percentile("a", share) for share in (0.5, 0.9, 0.95, 1.0, 0.0)], [5, 9, 10, 10, 1])
        self.assertIsNone(history.percentile("b", 0.5))

    def test_locks(self):
        locks = Locks()
        later = NOW + timedelta(seconds=10)
        self.assertTrue(locks.take("db", "a", NOW, 10))
        self.assertFalse(locks.take("db", "b", NOW, 10))
        self.assertEqual((locks.holder("db", NOW), locks.holder("db", later)), ("a", None))
        self.assertTrue(locks.take("db", "b", later, 10))
        self.assertFalse(locks.release("db", "a"))
        self.assertTrue(locks.release("db", "b"))
