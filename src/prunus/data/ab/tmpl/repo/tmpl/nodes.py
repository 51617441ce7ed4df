"""What a template does."""

from tmpl.context import Undefined
from tmpl.filters import escape


class Text:
    def __init__(self, text):
        self.text = text

    def render(self, context, state):
        return self.text


class Output:
    def __init__(self, expression):
        self.expression = expression

    def render(self, context, state):
        value = self.expression(context)
        if value is None or isinstance(value, Undefined):
            return ""
        return escape(value) if state.escaping else str(value)


class If:
    """Branches of condition and body; the condition of `else` is None."""

    def __init__(self, branches):
        self.branches = branches

    def render(self, context, state):
        for condition, body in self.branches:
            if condition is None or condition(context):
                return render_all(body, context, state)
        return ""


class For:
    def __init__(self, names, expression, body, empty):
        self.names, self.expression, self.body, self.empty = names, expression, body, empty

    def render(self, context, state):
        value = self.expression(context)
        items = list(value.items() if isinstance(value, dict) and len(self.names) == 2 else value)
        if not items:
            return render_all(self.empty, context, state)
        out = []
        for index, item in enumerate(items):
            loop = {
                "index": index + 1,
                "index0": index,
                "first": index == 0,
                "last": index == len(items),
                "length": len(items),
                "parent": context.get("loop"),
            }
            values = dict(zip(self.names, item)) if len(self.names) > 1 else {self.names[0]: item}
            for name, one in values.items():
                context.set(name, one)
            context.set("loop", loop)
            out.append(render_all(self.body, context, state))
        return "".join(out)


class Set:
    def __init__(self, name, expression):
        self.name, self.expression = name, expression

    def render(self, context, state):
        context.set(self.name, self.expression(context))
        return ""


class Include:
    def __init__(self, expression, line):
        self.expression, self.line = expression, line

    def render(self, context, state):
        template = state.load(self.expression(context), self.line)
        context.push()
        try:
            return render_all(template.nodes, context, state.deeper(self.line))
        finally:
            context.pop()


class Block:
    """A part that a template further down may replace; `super` is what it replaces."""

    def __init__(self, name, body):
        self.name, self.body = name, body

    def render(self, context, state):
        return self._version(context, state, state.versions(self))

    def _version(self, context, state, versions):
        current, *others = versions
        above = self._version(context, state, others) if others else ""
        from tmpl.filters import Safe

        context.push({"super": above})
        try:
            return render_all(current.body, context, state)
        finally:
            context.pop()


def render_all(nodes, context, state):
    return "".join(node.render(context, state) for node in nodes)
