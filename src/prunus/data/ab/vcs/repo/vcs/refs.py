"""Names of commits."""

import re


class BadName(LookupError):
    """A name that is no commit."""


def resolve(repo, name):
    """The hash of a commit by name: HEAD, a branch, a tag or a short hash, with ~n and ^n behind it."""
    found = re.fullmatch(r"([^~^]+)((?:~\d*|\^\d*)*)", name)
    if found is None:
        raise BadName(name)
    key = _base(repo, found[1])
    for sign, digits in re.findall(r"([~^])(\d*)", found[2]):
        number = int(digits) if digits else 1
        if sign == "~":
            for _ in range(number):
                key = _parent(repo, key, 1, name)
        else:
            key = _parent(repo, key, number, name)
    return key


def _parent(repo, key, number, name):
    parents = repo.objects.read_commit(key)["parents"]
    if number > len(parents):
        raise BadName(name)
    return parents[number - 1]


def _base(repo, name):
    if name == "HEAD":
        if repo.head is None:
            raise BadName("HEAD: no commit yet")
        return repo.head
    if name in repo.branches:
        return repo.branches[name]
    if name in repo.tags:
        return repo.tags[name]
    if re.fullmatch(r"[0-9a-f]{4,40}", name):
        keys = repo.objects.starting(name)
        if len(keys) == 1:
            return keys[0]
        if keys:
            raise BadName(f"{name} is short for {len(keys)} commits")
    raise BadName(name)
