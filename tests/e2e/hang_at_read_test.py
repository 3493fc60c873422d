# SPDX-License-Identifier: Apache-2.0
"""Files of text that hang when they are read, as on a network that is down: a named error after the time
limit, never a hang, and Ctrl-C ends the program at once.

usage: hang_at_read_test.py HANG_AT_READ SOURCE_FOLDER
"""

import json
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
SMALL = ["task.model.layers=1", "task.model.embed=32", "task.model.dim=8", "task.model.mlp=64",
         "data.length=32", "log.n=1", "evaluators.held_out.num_batches=1", "evaluators.samples=none",
         "checkpoint.when.n=1000", "max_step=100000"]
UNAVAILABLE = 75
FEW_SECONDS = 20


class HangAtReadTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="mw_hang_"))
        self.addCleanup(shutil.rmtree, self.root)
        self.corpus = self.root / "corpus.jsonl"
        self.corpus.write_text("".join(json.dumps({"text": f"record {i} has {i * i}"}) + "\n" for i in range(5000)))

    def start(self, file, *words, after=0):
        environment = {**os.environ, "MW_HANG_FILE": file, "MW_HANG_AFTER": str(after)}
        process = subprocess.Popen(
            [PROGRAM, "train", SOURCE / "configs/text.toml", f"dir={self.root / 'run'}",
             f"data.path={self.corpus}", *SMALL, *words],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, text):
        for line in process.stderr:
            if text in line:
                return
        self.fail(f"the program ended with code {process.wait()} without '{text}'")

    def end(self, process):
        """Returns the exit code and the rest of the messages."""
        _, errors = process.communicate(timeout=FEW_SECONDS)
        return process.returncode, errors

    def test_hung_file_is_named_while_it_is_tokenized(self):
        # The first reads are the samples that tell whether it has changed.
        for after in (0, 4):
            process = self.start("corpus.jsonl", "data.read_timeout_seconds=1", after=after)
            code, errors = self.end(process)
            self.assertEqual(code, UNAVAILABLE, errors)
            self.assertRegex(errors, r"reading .*/corpus\.jsonl at byte \d+ has taken \d+ seconds")
            self.assertIn("data.read_timeout_seconds", errors)

    def test_hung_file_is_named_while_it_trains(self):
        process = self.start("00000.tokens", "prefetch.timeout_seconds=1", after=400)
        code, errors = self.end(process)
        self.assertEqual(code, UNAVAILABLE, errors)
        self.assertRegex(errors, r"batch \d+ of source 'text' timed out after 1 seconds; "
                                 r"reading .*/00000\.tokens at byte \d+ has taken 1 seconds")

    def test_ctrl_c_ends_a_program_that_waits_for_a_file(self):
        for file, after in (("corpus.jsonl", 4), ("00000.tokens", 400)):
            process = self.start(file, after=after)
            self.wait_for(process, "hanging")
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            code, errors = self.end(process)
            self.assertEqual(code, 130, errors)
            self.assertLess(time.monotonic() - began, FEW_SECONDS)


if __name__ == "__main__":
    unittest.main()
