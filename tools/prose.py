# SPDX-License-Identifier: Apache-2.0
"""The prose of a source file: comments, string literals of C++, docstrings, and the text of Markdown.

Comments below each other are one passage, and so are adjacent string literals, so that a phrase is found
where a line break divides it.
"""

from dataclasses import dataclass
import io
from pathlib import Path
import re
import tokenize

CPP = {".cc", ".h"}
HASH_COMMENTS = {".sh", ".cmake", ".toml", ".yml", ".in"}

CPP_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?:u8|[uUL])?R"(?P<tag>[^(\s"]*)\((?P<raw>.*?)\)(?P=tag)"
      | (?:u8|[uUL])?"(?P<string>(?:[^"\\\n]|\\.)*)"
      | '(?:[^'\\\n]|\\.)+'
      | \d[\w']*""",
    re.VERBOSE | re.DOTALL)
COMMENT_MARK = re.compile(r"^(?:///?<?|/\*+|\*/?|#+!?) ?|\*/$")
ESCAPE = re.compile(r"\\[nt]")
HASH_COMMENT = re.compile(r"""^(?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)\#)*?(?P<comment>(?<!\S)\#.*)""")
FENCE = re.compile(r"^ *(```|~~~)")
NO_PROSE = ("SPDX-", "/usr/bin/env ")
BEFORE_STATEMENT = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
CODE_SPAN = re.compile(r"(`+)(?:.|\n)+?\1")


@dataclass
class Passage:
    kind: str  # comment, string or markdown
    lines: list  # (line number, text) in order

    def text(self):
        return "\n".join(text for _, text in self.lines)

    def line_at(self, offset):
        """The number of the line of the file that `offset` into text() lies on."""
        return self.lines[self.text().count("\n", 0, offset)][0]


def passages(name, lines):
    """All passages of the file `name`, or none if its language is unknown."""
    first = lines[0] if lines else ""
    suffix = Path(name).suffix
    if suffix in CPP:
        return cpp_passages("\n".join(lines))
    if suffix == ".md":
        return markdown_passages(lines)
    if suffix == ".py" or (first.startswith("#!") and "python" in first):
        return python_passages("\n".join(lines) + "\n")
    if suffix in HASH_COMMENTS or first.startswith("#!") or Path(name).name == "CMakeLists.txt":
        return hash_passages(lines)
    return []


def cpp_passages(text):
    out, line, last_end, last_column = [], 1, 0, 0
    for match in CPP_TOKEN.finditer(text):
        gap = text[last_end:match.start()]
        line += gap.count("\n")
        column = match.start() - text.rfind("\n", 0, match.start())
        if match["comment"]:
            add(out, line, "comment", match["comment"], gap.strip(" ") == "\n" and column == last_column)
        elif match["string"] or match["raw"]:
            add(out, line, "string", ESCAPE.sub(" ", match["string"] or match["raw"]), not gap.strip())
        line += match[0].count("\n")
        last_end, last_column = match.end(), column
    return out


def hash_passages(lines):
    out, last = [], None
    for number, line in enumerate(lines, 1):
        match = HASH_COMMENT.match(line)
        if match:
            column = match.start("comment")
            add(out, number, "comment", match["comment"], last == (number - 1, column))
            last = number, column
    return out


def add(out, line, kind, text, continues):
    """Adds a comment or literal: to the last passage if it continues that one."""
    if kind == "comment":
        lines = [COMMENT_MARK.sub("", part.strip()) for part in text.split("\n")]
    else:
        lines = text.split("\n")
    if lines[0].startswith(NO_PROSE):
        return
    numbered = [(line + i, part) for i, part in enumerate(lines)]
    if continues and out and out[-1].kind == kind and out[-1].lines[-1][0] >= line - 1:
        out[-1].lines += numbered
    else:
        out.append(Passage(kind, numbered))


def python_passages(text):
    out, is_statement, last = [], True, None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            add(out, line, "comment", token.string, last == (line - 1, column))
            last = line, column
        elif token.type == tokenize.STRING and is_statement and token.string.startswith('"""'):
            add(out, line, "comment", token.string[3:-3], False)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            is_statement = token.type in BEFORE_STATEMENT
    return out


def markdown_passages(lines):
    """Paragraphs, items and tables, without blocks and spans of code."""
    out, kept, is_code = [], [], False
    for number, line in enumerate([*lines, ""], 1):
        if FENCE.match(line):
            is_code = not is_code
        elif line.strip() and not is_code:
            kept.append((number, line))
            continue
        if kept:
            text = CODE_SPAN.sub(blanked, "\n".join(text for _, text in kept))
            out.append(Passage("markdown", list(zip((n for n, _ in kept), text.split("\n")))))
            kept = []
    return out


def blanked(span):
    return "`" + "\n" * span[0].count("\n") + "`"
