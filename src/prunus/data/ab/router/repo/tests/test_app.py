import json
import unittest

from router.app import App, Request, Response, negotiated


def app():
    made = App()

    @made.route("GET", "/items/{id:int}", name="item")
    def item(request, id):
        return {"id": id, "q": request.query.get("q")}

    @made.route("POST", "/items")
    def create(request):
        return Response(201, request.json(), headers={"Location": made.tree.url("item", id=7)})

    @made.route("GET", "/both")
    def both(request):
        return negotiated(request, text__html=lambda: "<p>", application__json=lambda: {"a": 1})

    return made


class AppTest(unittest.TestCase):
    def test_a_handler_gets_values(self):
        answer = app().handle(Request("get", "/items/5?q=a+b"))
        self.assertEqual(json.loads(answer.body), {"id": 5, "q": "a b"})
        self.assertEqual(answer.headers.get("content-type"), "application/json")
        self.assertEqual(answer.headers.get("content-length"), str(len(answer.body)))

    def test_head_has_the_length_and_no_body(self):
        whole = app().handle(Request("GET", "/items/5"))
        head = app().handle(Request("HEAD", "/items/5"))
        self.assertEqual((head.body, head.headers.get("Content-Length")), (b"", whole.headers.get("Content-Length")))

    def test_statuses(self):
        self.assertEqual(app().handle(Request("GET", "/nothing")).status, 404)
        wrong = app().handle(Request("DELETE", "/items/5"))
        self.assertEqual((wrong.status, wrong.headers.get("Allow")), (405, "GET, HEAD"))
        asked = app().handle(Request("OPTIONS", "/items/5"))
        self.assertEqual((asked.status, asked.headers.get("Allow")), (204, "GET, HEAD, OPTIONS"))
        self.assertNotIn("Content-Length", asked.headers)

    def test_json_bodies(self):
        kind = {"Content-Type": "application/vnd.x+json; charset=utf-8"}
        answer = app().handle(Request("POST", "/items", kind, b'{"a": 1}'))
        self.assertEqual((answer.status, answer.headers.get("Location")), (201, "/items/7"))
        with self.assertRaises(ValueError):
            Request("POST", "/items", {"Content-Type": "text/plain"}, b"{}").json()

    def test_negotiation(self):
        answer = app().handle(Request("GET", "/both", [("Accept", "text/html;q=0.1"), ("Accept", "application/json")]))
        self.assertEqual(answer.headers.get("Content-Type"), "application/json")
        self.assertEqual(answer.headers.get("Vary"), "Accept")
        self.assertEqual(app().handle(Request("GET", "/both", {"Accept": "image/*"})).status, 406)
