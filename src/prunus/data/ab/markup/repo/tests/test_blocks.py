import unittest

from markup.blocks import blocks


def read(text):
    return blocks(text.split("\n"))


class BlocksTest(unittest.TestCase):
    def test_headings_and_rules(self):
        self.assertEqual(read("# A #\n## B # c\n#no\n***\n- - -"), [("heading", 1, "A"), ("heading", 2, "B # c"), ("paragraph", "#no"), ("rule",), ("rule",)])
        self.assertEqual(read("#"), [("heading", 1, "")])

    def test_fences(self):
        self.assertEqual(read("~~~~ py x\na\n~~~\n```\n~~~~\nb"), [("code", "py", "a\n~~~\n```"), ("paragraph", "b")])
        self.assertEqual(read("  ```\n    a\n b\n  ```"), [("code", "", "  a\nb")])
        self.assertEqual(read("```\nopen"), [("code", "", "open")])

    def test_quotes(self):
        self.assertEqual(read("> a\nlazy\n> > b\n\nc"), [("quote", [("paragraph", "a\nlazy"), ("quote", [("paragraph", "b")])]), ("paragraph", "c")])
        self.assertEqual(read("> a\n# h"), [("quote", [("paragraph", "a")]), ("heading", 1, "h")])

    def test_lists(self):
        self.assertEqual(read("- a\n- b\n  c\n\nd"), [("list", None, False, [[("paragraph", "a")], [("paragraph", "b\nc")]]), ("paragraph", "d")])
        self.assertEqual(read("3. a\n4. b")[0][1], 3)
        self.assertEqual(len(read("- a\n+ b")), 2)

    def test_loose_lists(self):
        self.assertTrue(read("- a\n\n- b")[0][2])
        self.assertTrue(read("- a\n\n  more\n- b")[0][2])
        self.assertFalse(read("- a\n- b\n\n")[0][2])

    def test_nested_lists(self):
        [outer] = read("1. a\n   - b\n   - c\n2. d")
        self.assertEqual(outer[3][0], [("paragraph", "a"), ("list", None, False, [[("paragraph", "b")], [("paragraph", "c")]])])
        self.assertEqual(len(outer[3]), 2)

    def test_what_interrupts_a_paragraph(self):
        self.assertEqual([b[0] for b in read("a\n- b\n\nc\n1. d\n\ne\n2. f")], ["paragraph", "list", "paragraph", "list", "paragraph"])
