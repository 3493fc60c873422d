# SPDX-License-Identifier: Apache-2.0
"""Every C++ block in docs/ is also in snippets_test.cc, which is compiled, except for white space."""

from pathlib import Path
import re
import sys

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BLOCK = re.compile(r"^```(?:cpp|c\+\+|cc)\n(.*?)^```", re.M | re.S)


def dense(text):
    return "".join(text.split())


def main():
    compiled = dense((HERE / "snippets_test.cc").read_text())
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [(page, block) for page in pages for block in BLOCK.findall(page.read_text())]
    assert found, "no block of C++ in any page"
    missing = [(page, block) for page, block in found if dense(block) not in compiled]
    for page, block in missing:
        print(f"{page.relative_to(ROOT)}: not in tests/docs/snippets_test.cc:")
        print(block)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
