"""The store."""

from kv.batch import Batch
from kv.cache import Cache
from kv.log import read_log, write_record
from kv.memory import Memory
from kv.merging import merge, without_marks
from kv.tables import Table, write_table


class Files:
    """Files in memory, in place of a disk."""

    def __init__(self):
        self.files = {}

    def write(self, name, data):
        self.files[name] = bytes(data)

    def append(self, name, data):
        self.files[name] = self.files.get(name, b"") + data

    def read(self, name):
        return self.files.get(name, b"")

    def delete(self, name):
        self.files.pop(name, None)

    def names(self):
        return sorted(self.files)


class Store:
    """Keys and values."""

    def __init__(self, files, limit=1024, tables=4, cache=4096):
        self.files, self.limit, self.most = files, limit, tables
        self.cache = Cache(cache)
        self.sequence = 0
        self._memory = Memory()
        self._tables = []  # the newest first
        self._recover()

    def _recover(self):
        names = [name for name in self.files.names() if name.startswith("table-")]
        for name in sorted(names):
            number = int(name.removeprefix("table-"))
            self._tables.append(Table(self.files.read(name), number, self.cache))
        data = self.files.read("log")
        records, size = read_log(data)
        for sequence, changes in records:
            self.sequence = max(self.sequence, sequence)
            for key, value in changes:
                self._memory.put(key, value)

    def apply(self, batch):
        """Make changes: in the log first, then in memory."""
        if not len(batch):
            return
        self.sequence += 1
        self.files.append("log", write_record(self.sequence, batch.changes()))
        for key, value in batch.changes():
            self._memory.put(key, value)
        if self._memory.size >= self.limit:
            self.flush()

    def put(self, key, value):
        self.apply(Batch().put(key, value))

    def delete(self, key):
        self.apply(Batch().delete(key))

    def get(self, key, default=None):
        """The value of a key."""
        for source in (self._memory, *self._tables):
            known, value = source.get(key)
            if known:
                return default if value is None else value
        return default

    def scan(self, start=b"", end=None, limit=None):
        """Pairs in order from `start` on and before `end`."""
        sources = [source.items(start, end) for source in (self._memory, *self._tables)]
        found = []
        for pair in without_marks(merge(sources)):
            if limit is not None and len(found) >= limit:
                break
            found.append(pair)
        return found

    def prefix(self, prefix):
        """Pairs whose keys begin with a prefix."""
        return self.scan(prefix, _after(prefix))

    def flush(self):
        """Write memory to a table, and begin a new log."""
        if not len(self._memory):
            return
        number = self._next()
        data = write_table(self._memory.items())
        self.files.write(f"table-{number:06d}", data)
        self._tables.insert(0, Table(data, number, self.cache))
        self._memory = Memory()
        self.files.write("log", b"")
        if len(self._tables) > self.most:
            self.compact()

    def compact(self, count=None):
        """Join the newest tables, or all of them, into one."""
        joined = self._tables[:count]
        if len(joined) < 2:
            return
        rest = self._tables[len(joined) :]
        pairs = merge([table.items() for table in joined])
        pairs = without_marks(pairs)
        data = write_table(pairs)
        number = self._next()
        self.files.write(f"table-{number:06d}", data)
        for table in joined:
            self.files.delete(f"table-{table.number:06d}")
            self.cache.drop(table.number)
        self._tables = [Table(data, number, self.cache), *rest]

    def _next(self):
        return max((table.number for table in self._tables), default=0) + 1

    def stats(self):
        """Numbers about the store."""
        return {"tables": len(self._tables), "bytes": sum(map(len, self._tables)), "memory": self._memory.size}


def _after(prefix):
    """The first key behind all keys with a prefix; None if there is none."""
    return prefix + b"\xff"
