# SPDX-License-Identifier: Apache-2.0
import unittest

from page import blocks, commands
from transcript import difference


class TranscriptTest(unittest.TestCase):
    def assert_same(self, quoted, actual):
        self.assertIsNone(difference(quoted, actual))

    def assert_differs(self, quoted, actual):
        self.assertIsNotNone(difference(quoted, actual))

    def test_text_and_integers_are_compared_exactly(self):
        self.assert_same("step 20/40\ndone\n", "step 20/40\ndone\n")
        self.assert_differs("step 20/40\n", "step 20/50\n")
        self.assert_differs("step 20\n", "stop 20\n")

    def test_every_line_must_be_quoted(self):
        self.assert_differs("a\n", "a\nb\n")
        self.assert_differs("b\n", "a\nb\n")
        self.assert_differs("a\nb\n", "a\n")

    def test_dots_stand_for_lines_and_for_text(self):
        self.assert_same("a\n...\nd\n", "a\nb\nc\nd\n")
        self.assert_same("...\nd\n", "d\n")
        self.assert_same("id ... here\n", "id 3f2 here\n")
        self.assert_differs("a\n...\ne\n", "a\nb\nd\n")

    def test_lines_after_dots_may_occur_earlier_too(self):
        self.assert_same("...\na\nb\n", "a\nc\na\nb\n")

    def test_quantities_of_the_machine_are_not_compared(self):
        self.assert_same("in 1.5 s, 30 ms, 12%, 4.5k tokens/s, 3 MiB\n"
                         .replace("4.5k", "4500"), "in 22 s, 1 ms, 90%, 17 tokens/s, 800 MiB\n")
        self.assert_differs("3 steps\n", "4 steps\n")

    def test_decimals_match_within_a_factor_of_two(self):
        self.assert_same("loss 0.40\n", "loss 0.31\n")
        self.assert_differs("loss 0.40\n", "loss 0.15\n")
        self.assert_differs("loss 0.40\n", "loss nan\n")

    def test_columns_may_be_wider(self):
        self.assert_same("a   1.5 ms\n", "a 12.5 ms\n")


class PageTest(unittest.TestCase):
    def test_blocks_have_their_language_title_and_line(self):
        found = blocks('x\n```toml title="a.toml"\nk = 1\n```\n\n```sh\nls\n```\ny\n```text\nz\n```\n')
        self.assertEqual([(b.language, b.title, b.text, b.line) for b in found],
                         [("toml", "a.toml", "k = 1\n", 3), ("sh", None, "ls\n", 7), ("text", None, "z\n", 11)])
        self.assertEqual([b.follows for b in found], [None, found[0], None])

    def test_commands_say_how_they_end(self):
        found = commands('ls  # exit code 2\n\nrun \\\n  x  # press Ctrl-C at "step 3"\necho # x\n')
        self.assertEqual([(c.text, c.exit_code, c.interrupt_at) for c in found],
                         [("ls", 2, None), ("run   x", 130, "step 3"), ("echo # x", 0, None)])


if __name__ == "__main__":
    unittest.main()
