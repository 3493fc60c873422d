#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how tools/lint chooses files, and its results, in temporary repositories."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
import os
from pathlib import Path
import subprocess
import tempfile
import time
from types import SimpleNamespace
import unittest

TOOL = Path(__file__).resolve().parents[2] / "tools/lint"


def load():
    loader = SourceFileLoader("lint", str(TOOL))
    module = module_from_spec(spec_from_loader("lint", loader))
    loader.exec_module(module)
    return module


class Choice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lint = load()
        self.lint.ROOT = self.root = Path(folder.name)
        self.git("init", "-q", "-b", "main")
        self.commit(*(f"f{number}.cc" for number in range(30)))
        for number in range(30, 40):
            self.commit(f"f{number}.cc")

    def git(self, *words):
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        who = ("-c", "user.name=n", "-c", "user.email=e")
        subprocess.run(["git", "-C", str(self.root), *who, *words], check=True, env=env)

    def commit(self, *names):
        for name in names:
            (self.root / name).write_text(f"// {time.monotonic()}\n")
        self.git("add", *names)
        self.git("commit", "-q", "-m", "x")

    def chosen(self, **how):
        args = SimpleNamespace(**{"all": False, "recent": False, "files": [], **how})
        return self.lint.choose(args, self.lint.known_files())

    def test_nothing_differs_from_main_on_main(self):
        self.assertEqual(self.chosen(), [])

    def test_a_branch_is_what_it_and_the_work_tree_changed(self):
        self.git("switch", "-q", "-c", "topic")
        self.commit("f1.cc")
        (self.root / "f2.cc").write_text("int changed;\n")
        (self.root / "new.cc").write_text("int added;\n")
        self.assertEqual(set(self.chosen()), {"f1.cc", "f2.cc", "new.cc"})

    def test_recent_begins_with_the_last_ten_commits_of_main(self):
        self.assertEqual(set(self.chosen(recent=True)[:10]), {f"f{number}.cc" for number in range(30, 40)})

    def test_recent_begins_with_all_of_a_branch(self):
        self.git("switch", "-q", "-c", "topic")
        for number in range(12):
            self.commit(f"f{number}.cc")
        self.assertEqual(set(self.chosen(recent=True)[:12]), {f"f{number}.cc" for number in range(12)})

    def test_ten_commits_see_every_file(self):
        seen = set()
        for _ in range(10):
            seen.update(self.chosen(recent=True))
            self.commit("f0.cc")
        self.assertEqual(seen, {f"f{number}.cc" for number in range(40)})

    def test_a_file_that_was_deleted_is_not_looked_at(self):
        (self.root / "f3.cc").unlink()
        self.assertNotIn("f3.cc", self.chosen(all=True))


class Running(unittest.TestCase):
    def test_what_is_late_is_not_begun(self):
        looks = [("a.cc", lambda: ""), ("b.cc", lambda: "b.cc:1:1: error: x")]
        lint = load()
        self.assertEqual(lint.run_all(looks, time.monotonic() + 60), [("a.cc", ""), ("b.cc", "b.cc:1:1: error: x")])
        self.assertEqual(lint.run_all(looks, time.monotonic() - 1), [("a.cc", None), ("b.cc", None)])


if __name__ == "__main__":
    unittest.main()
