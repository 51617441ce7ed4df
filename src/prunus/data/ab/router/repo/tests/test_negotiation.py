import unittest

from router.negotiation import choose

HTML, JSON, TEXT = "text/html", "application/json", "text/plain"


class NegotiationTest(unittest.TestCase):
    def test_quality_wins(self):
        self.assertEqual(choose("text/html;q=0.5, application/json", [HTML, JSON]), JSON)
        self.assertEqual(choose("text/*;q=0.3, application/json;q=0.2", [HTML, JSON]), HTML)

    def test_the_more_exact_range_counts_for_an_offer(self):
        self.assertEqual(choose("text/*, text/html;q=0.1, */*;q=0.5", [HTML, JSON]), JSON)
        self.assertEqual(choose("*/*, text/html", [JSON, HTML]), HTML)
        self.assertEqual(choose("text/html;level=1, text/html;q=0.4", ["text/html;level=2", "text/html;level=1"]), "text/html;level=1")

    def test_equal_offers_keep_the_order_of_the_server(self):
        self.assertEqual(choose("*/*", [TEXT, HTML]), TEXT)
        self.assertEqual(choose("", [JSON, HTML]), JSON)

    def test_quality_zero_excludes(self):
        self.assertEqual(choose("text/html;q=0, */*", [HTML, TEXT]), TEXT)
        self.assertIsNone(choose("text/html;q=0", [HTML]))
        self.assertIsNone(choose("image/png", [HTML]))
        self.assertEqual(choose("TEXT/HTML; Q=0.8", [HTML]), HTML)
