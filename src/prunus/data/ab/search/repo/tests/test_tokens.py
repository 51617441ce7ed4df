import unittest

from search.tokens import fold, tokens


class TokensTest(unittest.TestCase):
    def test_words_have_places_and_offsets(self):
        found = [(t.text, t.place, t.start, t.end) for t in tokens("Well, two-fold Words!")]
        self.assertEqual(found, [("well", 0, 0, 4), ("two", 1, 6, 9), ("fold", 2, 10, 14), ("words", 3, 15, 20)])

    def test_accents_and_case(self):
        self.assertEqual(fold("CAFÉ Straße"), "cafe strasse")
        self.assertEqual([t.text for t in tokens("Cafe\u0301 ÀB")], ["cafe", "ab"])

    def test_apostrophes(self):
        self.assertEqual([t.text for t in tokens("don't rock'n'roll dogs' 'quoted'")], ["dont", "rocknroll", "dogs", "quoted"])
        token = tokens("say don’t!")[1]
        self.assertEqual((token.start, token.end), (4, 9))
        self.assertEqual(tokens("dogs' barks")[0].end, 4)
