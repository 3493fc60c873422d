#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""groff renders every man page and mandoc checks it. usage: man_test.py PROGRAM"""

from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name, "man1")
        subprocess.run([PROGRAM, "man", "--folder", str(cls.folder)], check=True)
        cls.pages = sorted(cls.folder.iterdir())

    def test_there_is_one_for_each_command(self):
        names = [page.name for page in self.pages]
        for name in ("meshwright.1", "meshwright-train.1", "meshwright-ckpt.1", "meshwright-ckpt-show.1"):
            self.assertIn(name, names)

    def test_groff_renders_them_without_warnings(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        for page in self.pages:
            done = run("groff", "-man", "-ww", "-Tutf8", "-rHY=0", str(page))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
            self.assertTrue(done.stdout.startswith(f"{page.stem.upper()}(1) "), done.stdout[:100])

    def test_mandoc_finds_nothing_wrong(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc")
        for page in self.pages:
            done = run("mandoc", "-Tlint", "-Wwarning", str(page))
            # A page with the current date would not be reproducible.
            found = [line for line in done.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(found, [], page.name)

    def test_options_can_be_copied_into_a_shell(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        text = run("groff", "-man", "-Tutf8", "-P-c", "-rHY=0", str(self.folder / "meshwright-train.1")).stdout
        self.assertIn("--dry-run", text)  # ASCII minus signs, not hyphens

    def test_prints_the_page_of_a_command(self):
        page = run(PROGRAM, "man", "ckpt", "show").stdout
        self.assertEqual(page, (self.folder / "meshwright-ckpt-show.1").read_text())
        self.assertEqual(run(PROGRAM, "man").stdout, (self.folder / "meshwright.1").read_text())
        self.assertEqual(run(PROGRAM, "man", "nothing").returncode, 2)


if __name__ == "__main__":
    unittest.main()
