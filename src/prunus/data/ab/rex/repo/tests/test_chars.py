import unittest

from rex.chars import CLASSES, DIGITS, Chars


class CharsTest(unittest.TestCase):
    def test_ranges_are_merged(self):
        self.assertEqual(Chars([(5, 9), (1, 3), (4, 4), (20, 30), (8, 12)]).ranges, ((1, 12), (20, 30)))
        self.assertEqual((Chars.of("bd") | Chars.of("c")).ranges, ((98, 100),))
        with self.assertRaises(ValueError):
            Chars([(3, 1)])

    def test_membership(self):
        chars = Chars.of("aeiou")
        self.assertEqual([letter for letter in "abcdefghiu" if letter in chars], ["a", "e", "i", "u"])
        self.assertIn("5", DIGITS)
        self.assertNotIn("5", CLASSES["D"])

    def test_opposites(self):
        chars = Chars([(0, 10), (20, 0x10FFFF)])
        self.assertEqual((~chars).ranges, ((11, 19),))
        self.assertEqual(~~chars, chars)
        self.assertEqual((~Chars()).ranges, ((0, 0x10FFFF),))

    def test_cases(self):
        self.assertEqual(Chars.of("aZ1é").folded(), Chars.of("aAzZ1éÉ"))
