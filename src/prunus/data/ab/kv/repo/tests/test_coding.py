import unittest

from kv.coding import Damaged, get_bytes, get_number, put_bytes, put_number, sealed, unsealed


class CodingTest(unittest.TestCase):
    def test_numbers(self):
        for number in (0, 1, 127, 128, 300, 16383, 16384, 2**40):
            data = b"x" + put_number(number) + b"y"
            self.assertEqual(get_number(data, 1), (number, len(data) - 1))
        self.assertEqual(put_number(300), b"\xac\x02")
        with self.assertRaises(Damaged):
            get_number(b"\xff", 0)

    def test_bytes(self):
        for value in (None, b"", b"abc", b"x" * 500):
            self.assertEqual(get_bytes(put_bytes(value), 0)[0], value)
        with self.assertRaises(Damaged):
            get_bytes(put_bytes(b"abc")[:-1], 0)

    def test_seals(self):
        data = sealed(b"hello")
        self.assertEqual(unsealed(data + b"more", 0), (b"hello", len(data)))
        for wrong in (data[:-1], data[:-1] + b"x", b"\x05abc"):
            with self.assertRaises(Damaged):
                unsealed(wrong, 0)
