#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation site builds in strict mode, loads nothing from other hosts, and fails to build with
a broken link."""

from html.parser import HTMLParser
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ["mkdocs.yml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tools/docs_pages.py", "docs"]
REMOTE_IN_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")


class Loaded(HTMLParser):
    """Collects the resources that a browser loads with the page, and the links that a reader can
    follow."""

    def __init__(self, html):
        super().__init__()
        self.resources = []
        self.links = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "a":
            self.links.append(attrs.get("href") or "")
        elif tag == "link":
            self.resources.append(attrs["href"])
        elif "src" in attrs:
            self.resources.append(attrs["src"])


def build(source, out):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})


def copied_sources(folder):
    """Returns a tree with copies of SOURCES, which tests modify, and links to everything else."""
    source = Path(folder, "source")
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, source / name)
    link_missing(ROOT, source)
    link_missing(ROOT / "tools", source / "tools")
    return source


def link_missing(folder, copy):
    for path in folder.iterdir():
        if not (copy / path.name).exists():
            (copy / path.name).symlink_to(path)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = Path(folder.name)
        cls.built = build(ROOT, cls.out)
        cls.pages = {path: Loaded(path.read_text()) for path in cls.out.rglob("*.html")}

    def test_builds_without_warnings(self):
        self.assertEqual(self.built.returncode, 0, self.built.stderr)
        self.assertNotIn("WARNING", self.built.stderr)

    def test_pages_load_nothing_from_other_hosts(self):
        self.assertGreater(len(self.pages), 15)
        for path, page in self.pages.items():
            self.assertGreater(len(page.resources), 2)
            remote = [url for url in page.resources if "//" in url]
            self.assertEqual(remote, [], path.name)
        for path in self.out.rglob("*.css"):
            self.assertNotRegex(path.read_text(), REMOTE_IN_CSS, path.name)

    def test_links_between_the_readme_and_docs_work_in_both_directions(self):
        self.assertIn("training.html", self.pages[self.out / "index.html"].links)
        self.assertIn("contributing.html", self.pages[self.out / "index.html"].links)
        self.assertIn("formats/native.html", self.pages[self.out / "checkpoints.html"].links)

    def test_links_to_sources_are_plain_text(self):
        text = (self.out / "library.html").read_text()
        self.assertIn("examples/custom_task", text)
        self.assertNotIn('custom_task"', text)

    def test_clauses_of_formats_keep_their_numbers(self):
        self.assertIn('<ol start="8">', (self.out / "formats/axlearn.html").read_text())

    def test_search_finds_the_pages(self):
        index = (self.out / "search/search_index.json").read_text()
        self.assertIn('"location":"exit_codes.html', index)


class ChangedSite(unittest.TestCase):
    def expect_failure(self, page, text, complaint):
        with tempfile.TemporaryDirectory() as folder:
            source = copied_sources(folder)
            with open(source / page, "a") as file:
                file.write(text)
            done = build(source, Path(folder, "out"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("WARNING"), 1, done.stderr)
        self.assertIn(complaint, done.stderr)

    def test_a_pattern_in_the_navigation_stands_for_pages_in_the_order_of_their_titles(self):
        with tempfile.TemporaryDirectory() as folder:
            source = copied_sources(folder)
            (source / "docs/guide").mkdir(exist_ok=True)
            (source / "docs/guide/b.md").write_text("# 01. First\n")
            (source / "docs/guide/a.md").write_text("# 02. Second\n")
            done = build(source, Path(folder, "out"))
            self.assertEqual(done.returncode, 0, done.stderr)
            html = Path(folder, "out/index.html").read_text()
        self.assertLess(html.index("01. First"), html.index("02. Second"))

    def test_a_link_to_a_missing_page_fails(self):
        self.expect_failure("README.md", "\n[x](docs/trainning.md)\n", "docs/trainning.md")

    def test_a_link_to_a_missing_heading_fails(self):
        self.expect_failure("docs/metrics.md", "\n[x](training.md#order-of-wrok)\n", "#order-of-wrok")

    def test_a_page_that_the_navigation_lacks_fails(self):
        self.expect_failure("docs/forgotten.md", "# Forgotten\n", "not included in the \"nav\" configuration")


if __name__ == "__main__":
    unittest.main()
