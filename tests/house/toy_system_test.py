#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The diff of a toy system applies to the tree, and CONTRIBUTING.md quotes it."""

from pathlib import Path
import re
import subprocess
import unittest

ROOT = Path(__file__).resolve().parents[2]
DIFF = ROOT / "examples/foreign_system/toy.diff"


class ToySystem(unittest.TestCase):
    def test_applies_to_the_tree(self):
        done = subprocess.run(["git", "apply", "--check", str(DIFF)], cwd=ROOT,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_is_quoted_in_contributing(self):
        section = (ROOT / "CONTRIBUTING.md").read_text().split("## A foreign system")[1]
        quoted = re.search(r"```diff\n(.*?)```", section, re.DOTALL).group(1).splitlines()
        lines = DIFF.read_text().splitlines()
        self.assertGreater(len(quoted), 20)
        self.assertEqual([line for line in quoted if line not in lines], [])


if __name__ == "__main__":
    unittest.main()
