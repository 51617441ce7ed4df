"""Requests, responses and the application."""

import json

from router.cookies import read_cookies
from router.headers import Headers
from router.middleware import chain
from router.negotiation import choose
from router.query import Query
from router.tree import NotAllowed, NotFound, Tree


class Request:
    """What a client asks for."""

    def __init__(self, method, target, headers=(), body=b"", client="local"):
        self.method = method.upper()
        path, _, query = target.partition("?")
        self.path = path
        self.query = Query(query)
        self.headers = Headers(headers)
        self.body = body
        self.client = client
        self.values = {}

    @property
    def cookies(self):
        return read_cookies("; ".join(self.headers.all("Cookie")))

    def json(self):
        """The body as JSON. Raises ValueError if it is none."""
        kind = (self.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        if kind != "application/json" and not kind.endswith("+json"):
            raise ValueError("the body is not JSON")
        return json.loads(self.body)


class Response:
    """What the client gets."""

    def __init__(self, status=200, body=b"", content_type=None, headers=()):
        self.status = status
        self.headers = Headers(headers)
        if isinstance(body, (dict, list)):
            body, content_type = json.dumps(body), content_type or "application/json"
        if isinstance(body, str):
            body, content_type = body.encode(), content_type or "text/plain; charset=utf-8"
        self.body = body
        if content_type and "Content-Type" not in self.headers:
            self.headers.set("Content-Type", content_type)


class App:
    """Routes requests to handlers."""

    def __init__(self, layers=()):
        self.tree = Tree()
        self.layers = list(layers)

    def route(self, method, pattern, name=None):
        """A decorator that adds a handler."""

        def add(handler):
            self.tree.add(method, pattern, handler, name)
            return handler

        return add

    def handle(self, request):
        """The response to a request."""
        response = chain(self._dispatch, self.layers)(request)
        if request.method == "HEAD":
            response.body = b""
        response.headers.set("Content-Length", str(len(response.body)))
        return response

    def _dispatch(self, request):
        try:
            handler, request.values = self.tree.find(request.method, request.path)
        except NotFound:
            return Response(404, "not found")
        except NotAllowed as error:
            if request.method == "OPTIONS":
                return Response(204, headers={"Allow": ", ".join([*error.allowed, "OPTIONS"])})
            return Response(405, "not allowed", headers={"Allow": ", ".join(error.allowed)})
        found = handler(request, **request.values)
        return found if isinstance(found, Response) else Response(200, found)


def negotiated(request, **makers):
    """The response of the best maker; keys are types with `__` for the slash."""
    offers = {name.replace("__", "/"): make for name, make in makers.items()}
    chosen = choose(request.headers.joined("Accept"), list(offers))
    if chosen is None:
        return Response(406, "not acceptable")
    response = Response(200, offers[chosen](), chosen)
    response.headers.add("Vary", "Accept")
    return response
