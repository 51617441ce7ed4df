"""Header fields of requests and responses."""


class Headers:
    """A list of fields. Names are compared without case and keep the case in which they came."""

    def __init__(self, fields=()):
        items = fields.items() if isinstance(fields, dict) else fields
        self._fields = [(str(name), str(value)) for name, value in items]

    def __iter__(self):
        return iter(self._fields)

    def __len__(self):
        return len(self._fields)

    def __contains__(self, name):
        return any(known.lower() == name.lower() for known, _ in self._fields)

    def get(self, name, default=None):
        """The first value of a field."""
        for known, value in self._fields:
            if known.lower() == name.lower():
                return value
        return default

    def all(self, name):
        """All values of a field, in order."""
        return [value for known, value in self._fields if known == name]

    def joined(self, name):
        """All values of a field as one, as lists may be written."""
        return ", ".join(self.all(name))

    def add(self, name, value):
        """Add a field, beside others of the same name."""
        if "\r" in str(value) or "\n" in str(value):
            raise ValueError("a header value has one line")
        self._fields.append((name, str(value)))

    def set(self, name, value):
        """Replace all fields of a name by one, at the place of the first."""
        if "\r" in str(value) or "\n" in str(value):
            raise ValueError("a header value has one line")
        for index, (known, _) in enumerate(self._fields):
            if known.lower() == name.lower():
                self._fields[index] = (name, str(value))
                return
        self._fields.append((name, str(value)))

    def remove(self, name):
        """Remove all fields of a name."""
        self._fields = [field for field in self._fields if field[0].lower() != name.lower()]

    def copy(self):
        """The same fields in a new object."""
        return Headers(self._fields)
