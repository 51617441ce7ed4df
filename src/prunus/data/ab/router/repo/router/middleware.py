"""Functions that wrap handlers."""

import hashlib


def chain(handler, layers):
    """The handler inside all layers; the first layer is the outermost."""
    for layer in layers:
        handler = _wrapped(layer, handler)
    return handler


def _wrapped(layer, inner):
    return lambda request: layer(request, inner)


def errors_as_responses(make):
    """A layer that turns errors into responses; `make` gets the error."""

    def layer(request, inner):
        try:
            return inner(request)
        except Exception as error:
            return make(error)

    return layer


def etags(request, inner):
    """A layer that names the content of answers to GET, and answers 304 if the client has it."""
    response = inner(request)
    if request.method not in ("GET", "HEAD") or response.status != 200:
        return response
    if "ETag" not in response.headers:
        response.headers.set("ETag", '"' + hashlib.sha256(response.body).hexdigest()[:16] + '"')
    wanted = [tag.strip().removeprefix("W/") for tag in request.headers.joined("If-None-Match").split(",")]
    if response.headers.get("ETag") in wanted or "*" in wanted:
        response.status = 304
        response.body = b""
        response.headers.remove("Content-Type")
    return response


def limits(count, clock, seconds):
    """A layer that answers 429 after `count` requests of one client within some seconds."""
    seen = {}

    def layer(request, inner):
        now = clock()
        times = [time for time in seen.get(request.client, []) if now - time <= seconds]
        if len(times) >= count:
            from router.app import Response

            response = Response(429, "too many requests")
            response.headers.set("Retry-After", str(max(1, int(seconds - (now - times[0])))))
            seen[request.client] = times
            return response
        seen[request.client] = [*times, now]
        return inner(request)

    return layer
