import unittest

from router.app import Request
from router.cookies import forget_cookie, read_cookies, write_cookie


class CookiesTest(unittest.TestCase):
    def test_reading(self):
        found = read_cookies('a=1; b="two words"; a=3; broken; c=x%3By=z; =5')
        self.assertEqual(found, {"a": "1", "b": "two words", "c": "x;y=z"})

    def test_writing(self):
        self.assertEqual(write_cookie("id", "a;b c"), "id=a%3Bb%20c; Path=/; HttpOnly; SameSite=Lax")
        self.assertIn("Secure", write_cookie("id", "1", same_site="None").split("; "))
        with self.assertRaises(ValueError):
            write_cookie("a b", "1")
        self.assertIn("Max-Age=0", forget_cookie("id"))

    def test_what_is_written_is_read(self):
        for value in ("", "100%", "a%3Bb", '"quoted"', "é=;,"):
            pair = write_cookie("k", value).partition(";")[0]
            self.assertEqual(read_cookies(pair), {"k": value})

    def test_several_fields(self):
        request = Request("GET", "/", [("Cookie", "a=1"), ("Cookie", "b=2")])
        self.assertEqual(request.cookies, {"a": "1", "b": "2"})
