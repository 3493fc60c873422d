# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: pages and links outside docs/, patterns in the navigation.

README.md is the home page; CONTRIBUTING.md and CHANGELOG.md are pages too. Links between them and the
pages of docs/ work on the site. A link to any other file of the repository becomes plain text, since the
site has no copy of it. A pattern in the navigation stands for the matching pages, ordered by title.
"""

from pathlib import Path
import posixpath
import re

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
SOURCES = {page: source for source, page in PAGES.items()}
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")


def on_config(config):
    config.nav = [{title: [page for entry in entries for page in expanded(entry, Path(config.docs_dir))]}
                  for section in config.nav for title, entries in section.items()]
    return config


def expanded(entry, docs):
    """Returns the pages of a pattern in the order of their first lines, or any other entry unchanged."""
    if not isinstance(entry, str) or "*" not in entry:
        return [entry]
    paths = sorted(docs.glob(entry), key=lambda path: path.read_text().partition("\n")[0])
    return [path.relative_to(docs).as_posix() for path in paths]


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
    """Returns the link for the page `page` of the site; it was written for the file `source`."""
    path, _, anchor = match["target"].partition("#")
    if not path or "://" in path:
        return match[0]
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    target_page = PAGES.get(target, target.removeprefix("docs/"))
    if target_page not in pages:
        return match["text"] if (ROOT / target).exists() else match[0]
    relative = posixpath.relpath(target_page, posixpath.dirname(page) or ".")
    return f"[{match['text']}]({relative}{'#' + anchor if anchor else ''})"
