# SPDX-License-Identifier: Apache-2.0
"""A program that executes commands: it reads a line of words from its input and answers with lines
`NAME NUMBER`, then `done`."""

import os
import pathlib
import subprocess
import sys

from harness import parse_numbers

FIRST_FAULTS_FIELD = 7  # minor faults: index in /proc/PID/stat after the program name


class Server:
    def __init__(self, command, **environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})

    def tell(self, *words):
        print(*words, file=self.process.stdin, flush=True)

    def ask(self, *words):
        """Sends a command and returns the numbers of its answer, by name."""
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

    # --- counters of the operating system ---

    def _proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}")

    def _status_bytes(self, name):
        for line in self._proc("status").read_text().splitlines():
            if line.startswith(name + ":"):
                return 1024 * int(line.split()[1])
        raise KeyError(name)

    def resident_bytes(self):
        """Resident memory now; resets the peak that peak_bytes() returns."""
        self._proc("clear_refs").write_text("5")
        return self._status_bytes("VmRSS")

    def peak_bytes(self):
        """Peak resident memory since the last call of resident_bytes()."""
        return self._status_bytes("VmHWM")

    def page_faults(self):
        return int(self._proc("stat").read_text().rpartition(")")[2].split()[FIRST_FAULTS_FIELD])
