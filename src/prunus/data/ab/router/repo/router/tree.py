"""Many patterns, found by path and method."""

from router.patterns import Pattern, split


class NotFound(LookupError):
    """No pattern fits the path."""


class NotAllowed(LookupError):
    """The path is known, the method is not; `allowed` are those that are."""

    def __init__(self, allowed):
        super().__init__(", ".join(allowed))
        self.allowed = allowed


class _Node:
    __slots__ = ("handlers", "steps")

    def __init__(self):
        self.steps = []
        self.handlers = {}

    def child(self, segment):
        for known, node in self.steps:
            if known == segment:
                return node
        node = _Node()
        self.steps.append((segment, node))
        return node


class Tree:
    """Routes by path; the best one wins, and where it leads nowhere the next best is tried."""

    def __init__(self):
        self._root = _Node()
        self._names = {}

    def add(self, method, text, handler, name=None):
        """Add a route. Raises ValueError if the same one is there already."""
        pattern = Pattern(text)
        node = self._root
        for segment in pattern.segments:
            node = node.child(segment)
        if method in node.handlers:
            raise ValueError(f"{method} {text} is there already")
        node.handlers[method] = handler
        if name is not None:
            if name in self._names:
                raise ValueError(f"the name {name} is there already")
            self._names[name] = pattern

    def url(self, name, **values):
        """The path of a named route."""
        return self._names[name].url(**values)

    def find(self, method, path):
        """The handler and the values of the path."""
        allowed = set()
        for node, values in self._walk(self._root, split(path), {}):
            handler = node.handlers.get(method)
            if handler is None and method == "HEAD":
                handler = node.handlers.get("GET")
            if handler is not None:
                return handler, values
            allowed = set(node.handlers)
            break
        if not allowed:
            raise NotFound(path)
        raise NotAllowed(sorted(allowed))

    def _walk(self, node, rest, values):
        """All nodes with handlers that fit, the best first."""
        if not rest:
            if node.handlers:
                yield node, values
            return
        for segment, child in node.steps:
            if segment.kind == "path":
                if all(rest):
                    yield from self._walk(child, [], values | {segment.name: "/".join(map(segment.value, rest))})
            elif segment.accepts(rest[0]):
                more = {} if segment.kind == "literal" else {segment.name: segment.value(rest[0])}
                yield from self._walk(child, rest[1:], values | more)
