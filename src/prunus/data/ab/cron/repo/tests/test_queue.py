import unittest

from cron.queue import Queue


class QueueTest(unittest.TestCase):
    def test_order(self):
        queue = Queue()
        for name, when, priority in (("c", 5, 0), ("a", 3, 0), ("b", 3, 0), ("d", 3, 9)):
            queue.put(name, when, priority)
        self.assertEqual(queue.names(), ["d", "a", "b", "c"])
        self.assertEqual([queue.pop_due(4) for _ in range(4)], ["d", "a", "b", None])
        self.assertEqual((queue.peek(), len(queue)), (5, 1))

    def test_cancelled_jobs_never_come_out(self):
        queue = Queue()
        queue.put("a", 1)
        queue.put("b", 2)
        self.assertTrue(queue.cancel("a"))
        self.assertFalse(queue.cancel("a"))
        self.assertEqual((queue.peek(), queue.pop_due(9), queue.pop_due(9)), (2, "b", None))
        self.assertNotIn("b", queue)

    def test_a_job_is_moved(self):
        queue = Queue()
        queue.put("a", 1)
        queue.put("b", 2)
        queue.put("a", 3)
        self.assertEqual((len(queue), queue.names()), (2, ["b", "a"]))
        self.assertEqual([queue.pop_due(9) for _ in range(3)], ["b", "a", None])
