"""Fields of schedules."""

NAMES = {
    "month": {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)},
    "weekday": {name: number for number, name in enumerate("sun mon tue wed thu fri sat".split())},
}
BOUNDS = {"minute": (0, 59), "hour": (0, 23), "day": (1, 31), "month": (1, 12), "weekday": (0, 7)}


class BadField(ValueError):
    """A field that cannot be understood."""


class Field:
    """The values that a field allows."""

    def __init__(self, kind, text):
        self.kind = kind
        self.text = text.strip().lower()
        self.restricted = not self.text.startswith("*")
        values = set()
        for part in self.text.split(","):
            values.update(self._part(part))
        if kind == "weekday":
            values = {min(value, 6) for value in values}
        self.values = sorted(values)

    def __contains__(self, value):
        return value in self.values

    def _number(self, text):
        known = NAMES.get(self.kind, {})
        if text in known:
            return known[text]
        if not text.isdigit():
            raise BadField(f"{self.kind}: {text!r}")
        low, high = BOUNDS[self.kind]
        number = int(text)
        if not low <= number <= high:
            raise BadField(f"{self.kind}: {number} is not in {low}-{high}")
        return number

    def _part(self, text):
        span, slash, step_text = text.partition("/")
        low, high = BOUNDS[self.kind]
        step = 1
        if slash:
            if not step_text.isdigit() or int(step_text) == 0:
                raise BadField(f"{self.kind}: step {step_text!r}")
            step = int(step_text)
        if span == "*":
            first, last = low, 6 if self.kind == "weekday" else high
        elif "-" in span:
            left, _, right = span.partition("-")
            first, last = self._number(left), self._number(right)
            if first > last:
                raise BadField(f"{self.kind}: {span!r} goes backwards")
        else:
            first = self._number(span)
            last = first
        return range(first, last + 1, step)

    def next(self, value):
        """The smallest allowed value that is not below this one, or None."""
        return next((one for one in self.values if one > value), None)
