# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of a page of documentation.

| fence | meaning |
|---|---|
| ```sh | commands, one per line; a backslash at the end continues a line |
| ```text, right after ```sh | the commands' output (transcript.py says how it is compared) |
| ```LANGUAGE title="PATH" | a file; a block with the same title and no command between them continues it |

A command may end with one of these comments:

    # exit code 2
    # press Ctrl-C at "step 200/"
"""

import dataclasses
import re

FENCE = re.compile(r"^```(?P<language>[^\s`]*)(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
TITLE = re.compile(r'\btitle="([^"]+)"')
EXIT_CODE = re.compile(r"\s+# exit code (\d+)$")
INTERRUPT = re.compile(r'\s+# press Ctrl-C at "(.+)"$')


@dataclasses.dataclass
class Block:
    language: str
    title: str | None
    text: str
    line: int  # number of its first line in the page
    follows: "Block | None"  # the block before it, if only blank lines separate them


@dataclasses.dataclass
class Command:
    text: str
    exit_code: int = 0
    interrupt_at: str | None = None


def blocks(page):
    """Returns the fenced blocks of a page's text, in order."""
    out, end = [], 0
    for match in FENCE.finditer(page):
        title = TITLE.search(match["options"])
        before = out[-1] if out and not page[end:match.start()].strip() else None
        line = page.count("\n", 0, match.start("text")) + 1
        out.append(Block(match["language"], title and title[1], match["text"], line, before))
        end = match.end()
    return out


def commands(text):
    """Returns the commands of a block of shell."""
    return [command_of(line) for line in text.replace("\\\n", "").splitlines() if line.strip()]


def command_of(line):
    if found := EXIT_CODE.search(line):
        return Command(line[:found.start()], exit_code=int(found[1]))
    if found := INTERRUPT.search(line):
        return Command(line[:found.start()], exit_code=130, interrupt_at=found[1])
    return Command(line)
