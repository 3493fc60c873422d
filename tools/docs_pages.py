# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: pages from outside docs/, and links that lead out of it.

README.md is the home page; CONTRIBUTING.md and CHANGELOG.md are pages too. Links between them and the
pages of docs/ work on the site. A link to any other file of the repository becomes plain text: the
site has no copy of it.
"""

from pathlib import Path
import posixpath
import re

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
SOURCES = {page: source for source, page in PAGES.items()}
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")


def on_files(files, config):
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown, page, files, **_):
    source = SOURCES.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    pages = {file.src_uri for file in files.documentation_pages()}

    def adapt(match):
        return adapted_link(match, source, page.file.src_uri, pages)

    return LINK.sub(adapt, markdown)


def adapted_link(match, source, page, pages):
    """The link in `page`, which was written for its place in the repository, `source`."""
    path, _, anchor = match["target"].partition("#")
    if not path or "://" in path:
        return match[0]
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    target_page = PAGES.get(target, target.removeprefix("docs/"))
    if target_page not in pages:
        return match["text"] if (ROOT / target).exists() else match[0]
    relative = posixpath.relpath(target_page, posixpath.dirname(page) or ".")
    return f"[{match['text']}]({relative}{'#' + anchor if anchor else ''})"
