import unittest

from router.headers import Headers


class HeadersTest(unittest.TestCase):
    def test_names_have_no_case(self):
        headers = Headers([("Content-Type", "text/plain"), ("X-A", "1"), ("x-a", "2")])
        self.assertEqual(headers.get("content-type"), "text/plain")
        self.assertEqual(headers.all("X-a"), ["1", "2"])
        self.assertEqual(headers.joined("x-A"), "1, 2")
        self.assertIn("CONTENT-TYPE", headers)

    def test_set_replaces_all_at_the_place_of_the_first(self):
        headers = Headers([("A", "1"), ("B", "2"), ("a", "3"), ("C", "4")])
        headers.set("a", "9")
        self.assertEqual(list(headers), [("a", "9"), ("B", "2"), ("C", "4")])
        headers.set("D", "5")
        self.assertEqual(len(headers), 4)

    def test_remove_and_copy(self):
        headers = Headers({"A": "1"})
        other = headers.copy()
        other.remove("a")
        self.assertEqual((len(headers), len(other)), (1, 0))

    def test_values_have_one_line(self):
        for change in (Headers().add, Headers().set):
            with self.assertRaises(ValueError):
                change("A", "1\r\nB: 2")
