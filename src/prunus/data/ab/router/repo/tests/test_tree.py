import unittest

from router.tree import NotAllowed, NotFound, Tree


def tree():
    made = Tree()
    for method, path in (
        ("GET", "/"), ("GET", "/users"), ("POST", "/users"), ("GET", "/users/{id:int}"), ("DELETE", "/users/{id:int}"),
        ("GET", "/users/{name}"), ("GET", "/users/me"), ("GET", "/users/{name}/files/{rest:path}"),
        ("GET", "/users/me/files/new"), ("GET", "/{page:path}"), ("PUT", "/users/me/{what}"),
    ):
        made.add(method, path, f"{method} {path}")
    return made


class TreeTest(unittest.TestCase):
    def found(self, method, path):
        return tree().find(method, path)

    def test_the_best_route_wins(self):
        self.assertEqual(self.found("GET", "/users/me")[0], "GET /users/me")
        self.assertEqual(self.found("GET", "/users/12"), ("GET /users/{id:int}", {"id": 12}))
        self.assertEqual(self.found("GET", "/users/12a"), ("GET /users/{name}", {"name": "12a"}))
        self.assertEqual(self.found("GET", "/"), ("GET /", {}))

    def test_the_next_best_is_tried(self):
        self.assertEqual(
            self.found("GET", "/users/me/files/old"),
            ("GET /users/{name}/files/{rest:path}", {"name": "me", "rest": "old"}),
        )
        self.assertEqual(self.found("GET", "/users/12/x"), ("GET /{page:path}", {"page": "users/12/x"}))
        self.assertEqual(self.found("GET", "/users/me/x")[0], "GET /{page:path}")

    def test_values_are_decoded_after_the_split(self):
        handler, values = self.found("GET", "/users/a%2Fb/files/x%20y/z")
        self.assertEqual(values, {"name": "a/b", "rest": "x y/z"})

    def test_methods(self):
        self.assertEqual(self.found("HEAD", "/users")[0], "GET /users")
        with self.assertRaises(NotAllowed) as caught:
            self.found("PATCH", "/users")
        self.assertEqual(caught.exception.allowed, ["GET", "HEAD", "POST"])

    def test_unknown_paths(self):
        made = Tree()
        made.add("GET", "/a/{rest:path}", 1)
        for path in ("/b", "/a", "/a//b"):
            with self.assertRaises(NotFound, msg=path):
                made.find("GET", path)

    def test_a_route_is_added_once(self):
        made = tree()
        with self.assertRaises(ValueError):
            made.add("GET", "/users/", "again")
        made.add("GET", "/x/{n:int}", "x", name="x")
        self.assertEqual(made.url("x", n=5), "/x/5")
