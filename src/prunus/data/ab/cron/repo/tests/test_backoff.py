import unittest

from cron.backoff import Backoff


class BackoffTest(unittest.TestCase):
    def test_delays(self):
        backoff = Backoff(first=2, factor=3, most=20, attempts=5)
        self.assertEqual([backoff.delay(n) for n in range(1, 6)], [2, 6, 18, 20, None])
        self.assertEqual(backoff.total(), 46)

    def test_one_attempt_has_no_delay(self):
        self.assertIsNone(Backoff(attempts=1).delay(1))
        self.assertEqual(Backoff(attempts=1).total(), 0)

    def test_mistakes(self):
        for given in ({"first": 0}, {"factor": 0.5}, {"attempts": 0}):
            with self.assertRaises(ValueError):
                Backoff(**given)
        with self.assertRaises(ValueError):
            Backoff().delay(0)
