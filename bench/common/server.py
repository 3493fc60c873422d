# SPDX-License-Identifier: Apache-2.0
"""A program that does what it is told: a line of words to its input, lines `NAME NUMBER` and then
`done` from its output."""

import os
import pathlib
import subprocess
import sys

from harness import parse_numbers

FIRST_FAULTS_FIELD = 7  # of /proc/PID/stat, after the name of the program: minor faults


class Server:
    def __init__(self, command, **environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})

    def tell(self, *words):
        print(*words, file=self.process.stdin, flush=True)

    def ask(self, *words):
        """What it answers, by name."""
        self.tell(*words)
        lines = []
        for line in self.process.stdout:
            if line == "done\n":
                return parse_numbers("".join(lines))
            lines.append(line)
        sys.exit(f"bench: {self.process.args} ended")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    # --- what the kernel counts ---

    def _proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}")

    def _status_bytes(self, name):
        for line in self._proc("status").read_text().splitlines():
            if line.startswith(name + ":"):
                return 1024 * int(line.split()[1])
        raise KeyError(name)

    def resident_bytes(self):
        """Now; its largest value is counted anew from here on."""
        self._proc("clear_refs").write_text("5")
        return self._status_bytes("VmRSS")

    def peak_bytes(self):
        """The most that was resident since resident_bytes()."""
        return self._status_bytes("VmHWM")

    def page_faults(self):
        return int(self._proc("stat").read_text().rpartition(")")[2].split()[FIRST_FAULTS_FIELD])
