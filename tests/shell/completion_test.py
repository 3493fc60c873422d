#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types into real shells and presses Tab. usage: completion_test.py PROGRAM"""

import os
from pathlib import Path
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(Path(sys.argv.pop(1)).resolve())
SHOW_LINE = "\x07"  # Ctrl-G is bound to print the line that is being edited


class Terminal:
    """An interactive shell in which `meshwright` is the program and its completion is loaded."""

    def __init__(self, words, setup, folder):
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "meshwright").symlink_to(PROGRAM)
        environment = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "$ ",
                       "HOME": str(folder), "COLUMNS": "200", "LINES": "50", "LC_ALL": "C.UTF-8"}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        for line in setup:
            os.write(self.terminal, line.encode() + b"\n")
        self.write("echo 'is-''ready'\n")
        self.read_until(r"is-ready\r?\n")

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)

    def write(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, pattern, seconds=60):
        text, end = "", time.monotonic() + seconds
        while not re.search(pattern, text):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {pattern} within {seconds} s: {text!r}")
            text += os.read(self.terminal, 4096).decode(errors="replace")
        return text

    def complete(self, typed):
        """Returns the line after `typed` and Tab."""
        self.write(f"\x15{typed}\t{SHOW_LINE}")  # Ctrl-U empties the line
        return re.findall(r"LINE<(.*?)>", self.read_until(r"LINE<.*?>"))[-1]

    def listed(self, typed):
        """Returns the output of Tab if there are several candidates."""
        self.write(f"\x15{typed}\t{SHOW_LINE}")
        return self.read_until(r"LINE<.*?>").split()


class Shell:
    """Tests for every shell; a subclass defines how to start it."""

    def setUp(self):
        if not shutil.which(self.words[0]):
            self.skipTest(f"no {self.words[0]}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "runs" / "a run").mkdir(parents=True)
        (self.folder / "my_own.toml").write_text('base = "nothing.toml"\n')
        (self.folder / "my_notes.txt").write_text("")
        self.terminal = Terminal(self.words, self.setup, self.folder)
        self.addCleanup(self.terminal.close)

    def check(self, typed, expected):
        self.assertEqual(self.terminal.complete(typed), expected)

    def test_completes_commands(self):
        self.check("meshwright tr", "meshwright train ")
        self.check("meshwright ckpt ver", "meshwright ckpt verify ")

    def test_completes_options_and_their_values(self):
        self.check("meshwright train --dr", "meshwright train --dry-run ")
        self.check("meshwright doctor --platform cu", "meshwright doctor --platform cuda ")
        self.check("meshwright doctor --platform=t", "meshwright doctor --platform=tpu ")

    def test_completes_configs(self):
        self.check("meshwright train shapes", "meshwright train shapes_vit ")
        self.check("meshwright train my_o", "meshwright train my_own.toml ")
        self.check("meshwright train run", "meshwright train runs/")

    def test_completes_keys_and_values(self):
        self.check("meshwright train shapes_vit max_st", "meshwright train shapes_vit max_step=")
        self.check("meshwright train shapes_vit mesh.pl", "meshwright train shapes_vit mesh.platform=")
        self.check("meshwright train shapes_vit mesh.platform=cu",
                   "meshwright train shapes_vit mesh.platform=cuda ")
        self.check("meshwright train shapes_vit optimiz", "meshwright train shapes_vit optimizer.")

    def test_completes_folders(self):
        self.check("meshwright ckpt ls ru", "meshwright ckpt ls runs/")
        self.check("meshwright ckpt ls runs/a", "meshwright ckpt ls runs/a\\ run/")
        self.check("meshwright ckpt ls my_", "meshwright ckpt ls my_")  # files are not folders

    def test_lists_what_is_ambiguous(self):
        listed = self.terminal.listed("meshwright ckpt ")
        for name in ("ls", "show", "verify", "diff", "pin", "unpin", "gc"):
            self.assertIn(name, listed)


class Bash(Shell, unittest.TestCase):
    words = ["bash", "--norc", "--noprofile", "-i"]
    setup = ["bind 'set show-all-if-ambiguous on'", "bind 'set bell-style none'",
             "bind 'set completion-query-items 0'", "bind 'set page-completions off'",
             "bind -x '\"\\C-g\": echo \"LINE<$READLINE_LINE>\"'",
             "source <(meshwright completion bash)"]


class Zsh(Shell, unittest.TestCase):
    words = ["zsh", "-f", "-i"]
    setup = ["unsetopt zle_bracketed_paste prompt_sp; bindkey -e; bindkey '^I' complete-word",
             "autoload -U compinit; compinit -D -u",
             "show-line() { print -r -- \"LINE<$BUFFER>\" }; zle -N show-line; bindkey '^G' show-line",
             "source <(meshwright completion zsh)"]


class Fish(unittest.TestCase):
    """Fish completes without a terminal."""

    def complete(self, typed):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, "runs").mkdir()
        Path(folder.name, "mine.toml").write_text("")
        script = f"{PROGRAM} completion fish | source\ncomplete -C '{typed}'"
        script = script.replace("meshwright completion", "meshwright completion --command mesh")
        environment = {**os.environ, "HOME": folder.name, "PATH": f"{folder.name}:{os.environ['PATH']}"}
        Path(folder.name, "mesh").symlink_to(PROGRAM)
        done = subprocess.run(["fish", "--no-config", "-c", script], env=environment, cwd=folder.name,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def setUp(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")

    def test_completes(self):
        self.assertEqual(self.complete("mesh tr"), ["train"])
        self.assertEqual(self.complete("mesh doctor --platform cu"), ["cuda"])
        self.assertEqual(self.complete("mesh train shapes_vit max_st"), ["max_step="])
        self.assertEqual(self.complete("mesh train shapes_vit mesh.platform=t"), ["mesh.platform=tpu"])
        self.assertEqual(self.complete("mesh ckpt ls r"), ["runs/"])
        self.assertEqual(self.complete("mesh train min"), ["mine.toml"])


class Speed(unittest.TestCase):
    def test_answers_within_a_few_milliseconds(self):
        words = [PROGRAM, "__complete", "train", "shapes_vit", "optimizer."]
        seconds = []
        for _ in range(10):
            begin = time.perf_counter()
            subprocess.run(words, capture_output=True, check=True)
            seconds.append(time.perf_counter() - begin)
        self.assertLess(min(seconds), 0.1)  # on an idle machine it takes a tenth of this


if __name__ == "__main__":
    unittest.main()
