# SPDX-License-Identifier: Apache-2.0
"""Checks that all C++ in docs/ is compiled. A block without a title must be in snippets_test.cc, up to white
space. A block with a title is a file, which only the guide may have, since doc_guide_test builds it."""

from pathlib import Path
import sys

from page import blocks

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LANGUAGES = ("cpp", "c++", "cc")
BUILT = ROOT / "docs" / "guide"


def dense(text):
    return "".join(text.split())


def main():
    compiled = dense((HERE / "snippets_test.cc").read_text())
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [(page, block) for page in pages for block in blocks(page.read_text()) if block.language in LANGUAGES]
    assert found, "no block of C++ in any page"
    missing = [(page, block) for page, block in found
               if not (BUILT in page.parents if block.title else dense(block.text) in compiled)]
    for page, block in missing:
        where = f"{page.relative_to(ROOT)}:{block.line}"
        print(f"{where}: a file of C++ outside of docs/guide" if block.title else
              f"{where}: not in tests/docs/snippets_test.cc as it stands there:\n{block.text}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
