# SPDX-License-Identifier: Apache-2.0
"""Follows pages of documentation in order, in one folder that looks like a clone of this repository.
usage: pages_test.py PROGRAM BUILD PAGE..."""

import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
import threading

from page import blocks, commands
from transcript import difference

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT_SECONDS = 300  # time limit of one command
# The pages' name for the folder that the tests run in.
READERS_CLONE = "/opt/src/meshwright"

# Commands that build this repository; they ran before the test.
SET_UP = re.compile(r"cmake --preset release|cmake --build --preset release .*")


class Mismatch(Exception):
    pass


class Reader:
    """Runs the commands of the pages as a reader would."""

    def __init__(self, folder, program, build):
        self.clone = folder / "meshwright"
        self.clone.mkdir()
        for path in ROOT.iterdir():
            if path.name not in ("build", "runs", "mw", ".git"):
                (self.clone / path.name).symlink_to(path)
        (self.clone / "build").mkdir()
        (self.clone / "build" / "release").symlink_to(build)
        mw = self.clone / "mw"  # stands for ./mw after a complete build
        mw.write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
        mw.chmod(0o755)
        # As for a new user: no programs compiled earlier.
        self.environment = {**os.environ, "HOME": str(folder), "MESHWRIGHT_CACHE_DIR": str(folder / "cache")}

    def run(self, command):
        process = subprocess.Popen(["bash", "-c", "exec 2>&1; " + command.text], cwd=self.clone, text=True,
                                   env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   start_new_session=True)
        limit = threading.Timer(LIMIT_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        limit.start()
        output = []
        for line in process.stdout:
            output.append(line.replace(str(self.clone), READERS_CLONE))
            if command.interrupt_at and command.interrupt_at in line:
                os.killpg(process.pid, signal.SIGINT)
        code = process.wait()
        limit.cancel()
        process.stdout.close()
        output = "".join(output)
        if code == -signal.SIGKILL:
            raise Mismatch(f"killed, after at most {LIMIT_SECONDS} seconds:\n{output}")
        if code != command.exit_code:
            raise Mismatch(f"exit code {code}, not {command.exit_code}:\n{output}")
        return output

    def write(self, path, text, is_new):
        path = self.clone / path
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w" if is_new else "a", encoding="utf-8") as file:
            file.write(text)


def do_page(reader, text):
    """Yields the line of each block that differs from the page, and the difference."""
    written, outputs = set(), {}  # files since the last command; output of commands
    for block in blocks(text):
        try:
            if block.title:
                reader.write(block.title, block.text, block.title not in written)
                written.add(block.title)
            elif block.language == "sh":
                written.clear()
                todo = [c for c in commands(block.text) if not SET_UP.fullmatch(c.text)]
                outputs[id(block)] = "".join([reader.run(command) for command in todo])
            elif block.language == "text" and id(block.follows) in outputs:
                if found := difference(block.text, outputs[id(block.follows)]):
                    raise Mismatch(found)
        except Mismatch as error:
            yield block.line, str(error)


def main():
    program, build, *pages = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory(prefix="mw_pages_") as folder:
        reader = Reader(Path(folder), program, build)
        for page in pages:
            for line, error in do_page(reader, Path(page).read_text(encoding="utf-8")):
                failed = True
                print(f"{Path(page).relative_to(ROOT)}:{line}: {error}\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
