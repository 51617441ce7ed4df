"""Prunes the body of a request with a running `prunus proxy`; the program sends the body itself."""

import json
from urllib.request import Request, urlopen


def prune(body, key="", url="http://127.0.0.1:8787", token="", seconds=2):
    """The body to send: the pruned one, or the given one if Prunus does not answer in time."""
    headers = {"content-type": "application/json", **({"x-prunus-token": token} if token else {})}
    call = json.dumps({"body": body, "key": key}).encode()
    try:
        with urlopen(Request(f"{url}/v1/prune", call, headers), timeout=seconds) as answer:
            return json.load(answer)["body"]
    except (OSError, ValueError):
        return body
