import unittest

from router.app import App, Request, Response
from router.middleware import chain, errors_as_responses, etags, limits


class MiddlewareTest(unittest.TestCase):
    def test_the_first_layer_is_the_outermost(self):
        said = []

        def layer(name):
            def wrapped(request, inner):
                said.append(name)
                answer = inner(request)
                said.append(name.upper())
                return answer

            return wrapped

        chain(lambda request: said.append("handler"), [layer("a"), layer("b")])(None)
        self.assertEqual(said, ["a", "b", "handler", "B", "A"])

    def test_errors(self):
        app = App([errors_as_responses(lambda error: Response(500, str(error)))])

        @app.route("GET", "/")
        def broken(request):
            raise ValueError("no")

        self.assertEqual(app.handle(Request("GET", "/")).body, b"no")

    def test_etags(self):
        app = App([etags])
        app.route("GET", "/")(lambda request: "text")
        app.route("POST", "/")(lambda request: "text")
        first = app.handle(Request("GET", "/"))
        tag = first.headers.get("ETag")
        again = app.handle(Request("GET", "/", {"If-None-Match": f'"x", W/{tag}'}))
        self.assertEqual((again.status, again.body, again.headers.get("ETag")), (304, b"", tag))
        self.assertNotIn("Content-Length", again.headers)
        self.assertEqual(app.handle(Request("HEAD", "/")).headers.get("ETag"), tag)
        self.assertNotIn("ETag", app.handle(Request("POST", "/")).headers)

    def test_limits(self):
        now = [0.0]
        app = App([limits(2, lambda: now[0], 10)])
        app.route("GET", "/")(lambda request: "ok")
        statuses = []
        for time, client in ((0, "a"), (4, "a"), (5, "a"), (5, "b"), (9.5, "a"), (10, "a"), (11, "a")):
            now[0] = time
            answer = app.handle(Request("GET", "/", client=client))
            statuses.append(answer.status)
            if time == 5 and client == "a":
                self.assertEqual(answer.headers.get("Retry-After"), "5")
        self.assertEqual(statuses, [200, 200, 429, 200, 429, 200, 429])
