import unittest

from kv.log import read_log, write_record


class LogTest(unittest.TestCase):
    def test_records(self):
        first, second = write_record(1, [(b"a", b"1"), (b"b", None)]), write_record(300, [(b"c", b"")])
        records, size = read_log(first + second)
        self.assertEqual(records, [(1, [(b"a", b"1"), (b"b", None)]), (300, [(b"c", b"")])])
        self.assertEqual(size, len(first + second))

    def test_a_damaged_record_ends_the_log(self):
        first, second, third = (write_record(n, [(b"k", b"v" * 20)]) for n in (1, 2, 3))
        broken = second[:-3] + b"xyz"
        for data in (first + second[:10], first + broken + third, first + second[:1]):
            records, size = read_log(data)
            self.assertEqual(([n for n, _ in records], size), ([1], len(first)))
