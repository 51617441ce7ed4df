import unittest

from router.query import Query, decode, encode, parse_query, write_query


class QueryTest(unittest.TestCase):
    def test_decoding(self):
        self.assertEqual(decode("a%20b%C3%A9"), "a bé")
        self.assertEqual(decode("100%"), "100%")
        self.assertEqual(decode("%zz%41"), "%zzA")
        self.assertEqual(decode("a+b"), "a+b")
        self.assertEqual(decode("a+b", plus=True), "a b")
        self.assertEqual(decode("x%41"), "xA")

    def test_encoding(self):
        self.assertEqual(encode("a b/é~"), "a%20b%2F%C3%A9~")
        self.assertEqual(encode("a/b", "/"), "a/b")

    def test_pairs(self):
        self.assertEqual(parse_query("?a=1&b&a=2%2B&&c=x=y"), [("a", "1"), ("b", ""), ("a", "2+"), ("c", "x=y")])
        pairs = [("k &", "v=1"), ("é", "")]
        self.assertEqual(parse_query(write_query(pairs)), pairs)

    def test_values(self):
        query = Query("page=7&page=3&size=900&name=")
        self.assertEqual(query.get("page"), "3")
        self.assertEqual(query.integer("size", 20, 1, 100), 100)
        self.assertEqual(query.integer("name", 5), 5)
        self.assertEqual(query.integer("none"), None)
        self.assertEqual(query.replaced("page", 4), "size=900&name=&page=4")
