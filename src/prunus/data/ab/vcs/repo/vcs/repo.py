"""A repository."""

from vcs.ignore import Ignore
from vcs.merge import merge_files
from vcs.objects import Objects
from vcs.refs import resolve
from vcs.trees import changes


class Dirty(ValueError):
    """Changes that are not committed would be lost."""


class Repo:
    """Branches, tags and a working folder, which is a dictionary of texts."""

    def __init__(self):
        self.objects = Objects()
        self.branches, self.tags = {}, {}
        self.branch = "main"
        self.work = {}
        self._detached = None
        self._merging = None
        self._clock = 0

    @property
    def head(self):
        """The hash of the current commit, or None."""
        return self._detached if self.branch is None else self.branches.get(self.branch)

    def files(self, name):
        """The texts of a commit."""
        tree = self.objects.read_commit(resolve(self, name))["tree"]
        return {path: self.objects.text(key) for path, key in self.objects.files(tree).items()}

    def _current(self):
        return self.files("HEAD") if self.head is not None else {}

    def _tracked(self):
        """The working folder without what is ignored; what was committed before always counts."""
        ignore, known = Ignore(self.work.get(".ignore", "")), self._current()
        return {path: text for path, text in self.work.items() }

    def status(self):
        """What changed since the current commit."""
        return changes(self._current(), self._tracked())

    def commit(self, message):
        """Keep the working folder. Return the hash of the commit."""
        if not self.status() and self._merging is None and self.head is not None:
            raise ValueError("nothing changed")
        tree = self.objects.tree({path: self.objects.blob(text) for path, text in self._tracked().items()})
        parents = [key for key in (self.head,) if key is not None]
        self._clock += 1
        key = self.objects.commit(tree, parents, message, self._clock)
        self._merging = None
        self._move(key)
        return key

    def _move(self, key):
        if self.branch is None:
            self._detached = key
        else:
            self.branches[self.branch] = key

    def create(self, branch, at="HEAD"):
        """A new branch."""
        if branch in self.branches:
            raise ValueError(f"{branch} is there already")
        self.branches[branch] = resolve(self, at)

    def tag(self, name, at="HEAD"):
        if name in self.tags:
            raise ValueError(f"{name} is there already")
        self.tags[name] = resolve(self, at)

    def checkout(self, name):
        """Go to a branch, or to any commit. Files that are ignored stay."""
        if self.status():
            raise Dirty(", ".join(self.status()))
        key = resolve(self, name)
        kept = {path: text for path, text in self.work.items() if path not in self._tracked()}
        self.branch, self._detached = (name, None) if name in self.branches else (None, key)
        self.work = {**kept, **self._current()}

    def reset(self, name):
        """Move the current branch to a commit, and the working folder with it."""
        key = resolve(self, name)
        kept = {path: text for path, text in self.work.items() if path not in self._tracked()}
        self._move(key)
        self._merging = None
        self.work = {**kept, **self._current()}

    def ancestors(self, key):
        """A commit and all before it."""
        found, waiting = set(), [key]
        while waiting:
            one = waiting.pop()
            found.add(one)
            waiting += self.objects.read_commit(one)["parents"][:1]
        return found

    def log(self, name="HEAD"):
        """The commits before a name and itself, the newest first."""
        keys = self.ancestors(resolve(self, name))
        return sorted(keys, key=lambda key: self.objects.read_commit(key)["time"], reverse=True)

    def base(self, one, other):
        """The newest commit that lies before both, and that no other such commit lies behind; None if there is none."""
        common = self.ancestors(resolve(self, one)) & self.ancestors(resolve(self, other))
        best = common
        return min(best, key=lambda key: self.objects.read_commit(key)["time"], default=None)

    def merge(self, name):
        """Merge a branch into the current one: 'already', 'forward', 'merged', or the paths with conflicts."""
        if self.status():
            raise Dirty(", ".join(self.status()))
        other, base = resolve(self, name), self.base("HEAD", name)
        if base == other:
            return "already"
        if base == self.head:
            self.reset(other)
            return "forward"
        before = {} if base is None else self.files(base)
        merged, conflicts = merge_files(before, self._current(), self.files(other), (self.branch or "HEAD", name))
        kept = {path: text for path, text in self.work.items() if path not in self._tracked()}
        self.work = {**kept, **merged}
        self._merging = other
        if conflicts:
            return conflicts
        self.commit(f"Merge {name}")
        return "merged"
