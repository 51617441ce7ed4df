import pytest

from prunus.clients.sessions import Session
from prunus.lab.folds import FOLDS, fold_of, fold_of_repository, repository


def session(*paths: str, name: str = "talk-07#2") -> Session:
    reads = [
        {"type": "tool_use", "id": str(i), "name": "Read", "input": {"file_path": path}}
        for i, path in enumerate(paths)
    ]
    messages = ({"role": "user", "content": "Go."}, {"role": "assistant", "content": reads})
    return Session(
        name, "claude-code", "anthropic_messages", "m", messages if reads else messages[:1], (1,), (None,)
    )


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (("/Users/ada/Code/Lock/src/door.py", "/Users/ada/Code/Lock/tests/test_door.py"), "lock"),
        (("/home/ada/lock/door.py", "/home/ada/.cache/plan.md", "/tmp/a/b.log", "/tmp/a/c.log"), "lock"),
        (("C:\\Users\\ada\\OneDrive\\Desktop\\lock\\door.py",), "lock"),
        (("/Users/ada/dev/lock/door.py",), "lock"),
        (("D:/projects/lock/door.py",), "lock"),
        (("/testbed/django/db/models.py",), "django"),
        (("django/db/models.py", "django/core/a.py", "tests/test_a.py", "b.py"), "django"),
        (("src/door.py",), "talk"),
        (("/home/ada/lock/door.py", "key/a.py", "key/b.py"), "lock"),
        ((), "talk"),
    ],
)
def test_the_repository_is_the_folder_that_most_paths_share(paths: tuple[str, ...], name: str) -> None:
    assert repository(session(*paths)) == name


def test_all_sessions_of_a_repository_are_in_one_fold() -> None:
    one, other = session("/home/ada/lock/a.py", name="x"), session("/Users/bob/Code/lock/src/b.py", name="y")
    assert fold_of(one) == fold_of(other) == fold_of_repository("lock")


def test_folds_do_not_change_from_one_version_to_the_next() -> None:
    assert [fold_of_repository(name) for name in ("django", "sphinx", "pylint", "cipher-box", "cap")] == [
        1,
        0,
        0,
        2,
        4,
    ]
    assert {fold_of_repository(str(n)) for n in range(100)} == set(range(FOLDS))
