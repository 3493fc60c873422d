# SPDX-License-Identifier: Apache-2.0
"""Runs of `meshwright train` that take about a second each. Helpers of the tests in this folder."""

import hashlib
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import tempfile
import unittest

SMALL = [
    "max_step=24", "checkpoint.when.n=4", "task.model.layers=1", "task.model.embed=16",
    "task.model.dim=4", "task.model.mlp=32", "data.batch_size=16", "log.n=4",
    "evaluators.held_out.num_batches=1", "prefetch.depth=2"]

# Only processes are killed, not machines, so a memory file system is as safe as a disk, and fast.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
NEVER_JUDGED = 'evaluators.held_out.when={ type = "every_n", n = 1000000 }'


class SmallRunTest(unittest.TestCase):
    """Runs are in folders of their own below `self.folder`."""

    program = ""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mw_e2e_", dir=MEMORY))
        self.addCleanup(shutil.rmtree, self.folder)

    def words(self, run, *more):
        return [self.program, "train", f"dir={self.folder / run}", *SMALL, *more]

    def start(self, run, *more, **options):
        process = subprocess.Popen(self.words(run, *more), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        """Also after a failed test: an abandoned run would train for days."""
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def train(self, run, *more, code=0, **options):
        done = subprocess.run(self.words(run, *more), capture_output=True, text=True, timeout=300,
                              check=False, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def checkpoint(self, run, step):
        return self.folder / run / "checkpoints" / f"step_{step:08}"

    def steps(self, run):
        """Returns the committed checkpoints in ascending order."""
        folder = self.folder / run / "checkpoints"
        names = [path.name for path in folder.iterdir()] if folder.exists() else []
        return sorted(int(name[5:]) for name in names if re.fullmatch(r"step_\d{8}", name))

    def array_files(self, run, step):
        """Returns the folders of the arrays of a checkpoint."""
        root = self.checkpoint(run, step)
        return sorted(path for path in root.rglob("*") if path.is_file() and path.parent != root)

    def digest(self, run):
        """Returns a digest of all arrays in the newest checkpoint."""
        step = self.steps(run)[-1]
        out = hashlib.sha256()
        for path in self.array_files(run, step):
            name = path.relative_to(self.checkpoint(run, step))
            out.update(str(name).encode() + b"\0" + path.read_bytes())
        return out.hexdigest()

    def attempts(self, run):
        """Returns what each start of the program logged: (step it resumed from, {step: loss})."""
        out = []
        path = self.folder / run / "metrics.jsonl"
        for line in path.read_bytes().split(b"\n") if path.exists() else []:
            try:
                record = json.loads(line)
            except ValueError:  # the truncated last line of a killed process
                continue
            if "first_step" in record:
                out.append((max(record["first_step"] - 1, 0), {}))
            elif "loss" in record["metrics"]:
                out[-1][1][record["step"]] = record["metrics"]["loss"]
        return out
