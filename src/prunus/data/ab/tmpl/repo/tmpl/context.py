"""Names and their values."""


class Undefined:
    """The value of what is not known: empty, false and without items."""

    def __init__(self, name=""):
        self.name = name

    def __bool__(self):
        return False

    def __str__(self):
        return ""

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __eq__(self, other):
        return isinstance(other, Undefined)

    def __hash__(self):
        return 0


class Context:
    """Scopes, the innermost last."""

    def __init__(self, values=None):
        self._scopes = [dict(values or {})]

    def push(self, values=None):
        """Open a scope."""
        self._scopes.append(dict(values or {}))

    def pop(self):
        """Close the innermost scope."""
        if len(self._scopes) == 1:
            raise IndexError("the outermost scope stays open")
        self._scopes.pop()

    def set(self, name, value):
        """Set a name in the innermost scope."""
        self._scopes[-1][name] = value

    def get(self, name):
        """The value of a name; `a.b.0` looks into values."""
        first, *rest = name.split(".")
        for scope in self._scopes:
            if first in scope:
                value = scope[first]
                break
        else:
            return Undefined(name)
        for step in rest:
            value = look_up(value, step)
            if isinstance(value, Undefined):
                return Undefined(name)
        return value


def look_up(value, step):
    """A key, an attribute or a place of a value."""
    try:
        return value[step]
    except (TypeError, KeyError, IndexError, AttributeError):
        pass
    if step:
        try:
            return getattr(value, step)
        except AttributeError:
            pass
    if step.isdigit():
        try:
            return value[int(step)]
        except (TypeError, KeyError, IndexError):
            pass
    return Undefined(step)
