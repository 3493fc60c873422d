#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/check_links on small trees: a clean one, and one per kind of broken link."""

from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

CHECKER = Path(__file__).resolve().parents[2] / "tools/check_links"

CLEAN = {
    "README.md": "# A\n[page](docs/page.md) [heading](docs/page.md#how-a_b-works) [folder](docs) [out](https://x.org/y)\n"
                 "`nn/linear.{h,cc,_test.cc}`, `nn/<name>.h`, `docs/page.md`, `tests/NAME.py`, [here](#a), page.md\n",
    "docs/page.md": "# Page\n## How `a_b` works\n[up](../README.md)\n## Twice\n## Twice\n[second](#twice-1)\n"
                    "```\n[x](nowhere)\n# no heading\n```\nA `[x](nowhere)`, jax/jax.py and `model/w.txt`, `Config.Value`\n",
    "src/meshwright/nn/linear.h": "// docs/page.md and nn/linear.cc; tests/run.py\n",
    "src/meshwright/nn/linear.cc": 'auto path = "nn/gone.h";\n',
    "src/meshwright/nn/linear_test.cc": "TEST(Linear, Adds) {\nTEST_F(Linear,\n       Multiplies) {\n",
    "docs/coverage.md": "`Linear.Adds`, `.Multiplies`, `Linear.*`\n`.Value`, as `Suite.Test`\n",
    "tests/run.py": "# as nn/linear.h\n",
    "configs/my.toml": "# see docs/page.md, base ../a/b.toml\n",
    "CHANGELOG.md": "- `nn/gone.h` is nn/linear.h now\n",
}


class CheckLinks(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**CLEAN, **changes}.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, str(CHECKER), root], capture_output=True, text=True, check=False)

    def expect_breach(self, name, text, message):
        """Expects exactly one breach: `message`, at the end of `name`."""
        text = CLEAN.get(name, "") + text
        done = self.check({name: text})
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(done.stdout, f"{name}:{len(text.splitlines())}: {message}\n")

    def test_accepts_a_clean_tree(self):
        done = self.check({})
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_rejects_a_link_to_a_missing_file(self):
        self.expect_breach("README.md", "[x](docs/pages.md)\n", "docs/pages.md: there is no docs/pages.md")
        self.expect_breach("docs/page.md", "[x](README.md)\n", "README.md: there is no docs/README.md")
        self.expect_breach("CHANGELOG.md", "[x](docs/pages.md)\n", "docs/pages.md: there is no docs/pages.md")

    def test_rejects_an_anchor_without_a_heading(self):
        self.expect_breach("README.md", "[x](docs/page.md#how-ab-works)\n",
                           "docs/page.md#how-ab-works: docs/page.md has no heading #how-ab-works")
        self.expect_breach("docs/page.md", "[x](#no-heading)\n", "#no-heading: docs/page.md has no heading #no-heading")
        self.expect_breach("docs/page.md", "[x](#twice-2)\n", "#twice-2: docs/page.md has no heading #twice-2")

    def test_rejects_a_missing_file_named_in_markdown(self):
        self.expect_breach("README.md", "`nn/linear_layer.h`\n", "nn/linear_layer.h: there is no such file")
        self.expect_breach("README.md", "`nn/linear.{h,cc,_device_test.cc}`\n",
                           "nn/linear.{h,cc,_device_test.cc}: there is no such file")
        self.expect_breach("README.md", "`nn/<name>.py`\n", "nn/<name>.py: there is no such file")
        self.expect_breach("README.md", "as in pages.md\n", "pages.md: there is no such page")

    def test_rejects_a_missing_file_named_in_a_comment(self):
        self.expect_breach("src/meshwright/nn/linear.cc", "// see nn/gone.h\n", "nn/gone.h: there is no such file")
        self.expect_breach("configs/my.toml", "# see docs/pages.md\n", "docs/pages.md: there is no such file")
        self.expect_breach("tests/run.py", "# see tests/gone.py\n", "tests/gone.py: there is no such file")

    def test_rejects_a_missing_test(self):
        self.expect_breach("docs/coverage.md", "`Linear.Subtracts`\n", "Linear.Subtracts: there is no such test")
        self.expect_breach("docs/coverage.md", "`Linear.Adds`, `.Divides`\n", "Linear.Divides: there is no such test")
        self.expect_breach("docs/coverage.md", "`Bilinear.*`\n", "Bilinear.*: there is no such test")

    def test_a_renamed_file_breaks_what_names_it(self):
        done = self.check({"docs/page.md": "# Page\n## How a b works\n"})
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("README.md:2: docs/page.md#how-a_b-works", done.stdout)


if __name__ == "__main__":
    unittest.main()
