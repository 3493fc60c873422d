# SPDX-License-Identifier: Apache-2.0
"""`meshwright train` on its default job, cut short: results, resuming, signals, exit codes.

usage: train_test.py MESHWRIGHT
"""

from pathlib import Path
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop()
SMALL = [
    "max_step=24", "checkpoint.when.n=4", "task.model.layers=1", "task.model.embed=16",
    "task.model.dim=4", "task.model.mlp=32", "data.batch_size=16", "log.n=4",
    "evaluators.held_out.num_batches=1", "prefetch.depth=2"]


NEVER_JUDGED = 'evaluators.held_out.when={ type = "every_n", n = 1000000 }'


class TrainTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mw_e2e_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def words(self, run, *more):
        return [PROGRAM, "train", f"dir={self.folder / run}", *SMALL, *more]

    def start(self, run, *more):
        return subprocess.Popen(self.words(run, *more), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def train(self, run, *more, code=0, **options):
        done = subprocess.run(self.words(run, *more), capture_output=True, text=True, timeout=300,
                              check=False, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def steps(self, run):
        return sorted(int(path.name[5:]) for path in (self.folder / run / "checkpoints").iterdir()
                      if re.fullmatch(r"step_\d{8}", path.name))

    def newest(self, run):
        """The manifest of the newest checkpoint: it has the checksum of every array."""
        step = self.steps(run)[-1]
        return (self.folder / run / "checkpoints" / f"step_{step:08}" / "manifest").read_text()

    def test_a_finished_run_prints_its_results_and_leaves_its_files(self):
        done = self.train("run")
        self.assertRegex(done.stdout, r"(?m)^held_out/exact_match: [0-9.e-]+$")
        for name in ["config.toml", "trainer_state_tree.txt", "params.txt", "metrics.jsonl",
                     "summaries/train_train", "summaries/held_out"]:
            self.assertTrue((self.folder / "run" / name).exists(), name)
        self.assertIn("step 24/24", done.stderr)
        self.assertIn("(", done.stderr)  # a few problems with answers
        again = self.train("run")
        self.assertEqual(again.stdout, done.stdout)

    def test_killed_at_any_moment_it_goes_on_bit_by_bit(self):
        self.train("whole")
        for delay in [0.02, 0.1, 0.25, 0.5, 0.9, 1.4]:
            process = self.start("killed")
            time.sleep(delay)
            process.kill()
            process.communicate()
        self.train("killed")
        self.assertEqual(self.newest("killed"), self.newest("whole"))

    def test_a_damaged_checkpoint_is_found_and_an_older_one_taken(self):
        self.train("run")
        step = self.steps("run")[-1]
        part = next((self.folder / "run" / "checkpoints" / f"step_{step:08}").glob("*model*"))
        data = bytearray(part.read_bytes())
        data[0] ^= 1
        part.write_bytes(data)
        before = (self.folder / "run" / "checkpoints" / f"step_{step:08}" / "manifest").read_text()
        done = self.train("run")
        self.assertIn(f"step {step} is damaged", done.stderr)
        self.assertEqual(self.newest("run"), before)

    def test_a_request_to_stop_saves_and_the_same_command_goes_on(self):
        process = self.start("run", "max_step=1000000", NEVER_JUDGED)
        while "step 8/" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, errors)
        stopped_at = int(re.search(r"stopped on request after step (\d+)", errors).group(1))
        self.assertEqual(self.steps("run")[-1], stopped_at)
        done = self.train("run", f"max_step={stopped_at + 1}", NEVER_JUDGED)
        self.assertIn(f"restored the checkpoint of step {stopped_at}", done.stderr)

    def test_what_is_not_finite_ends_the_run(self):
        done = self.train("run", "optimizer.learning_rate.peak=1e30", "optimizer.clip_norm=none",
                          code=5)
        self.assertIn("not finite", done.stderr)

    def test_a_full_disk_ends_no_run_at_once_but_after_several_saves(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        # One array of this model takes 32 KB, and the texts of the run less than the limit.
        done = self.train("run", "task.model.mlp=512", code=75, preexec_fn=limit)
        self.assertIn("was not saved", done.stderr)

    def test_mistakes_are_told_before_anything_is_done(self):
        done = self.train("run", "optimiser.b1=0.5", code=2)
        self.assertIn("optimizer", done.stderr)
        self.assertFalse((self.folder / "run").exists())
        done = subprocess.run([PROGRAM, "train", "arithmetic_ml"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("arithmetic_lm", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
