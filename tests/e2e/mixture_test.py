# SPDX-License-Identifier: Apache-2.0
"""Training on mixtures: counts of examples and epochs, resuming, durations in epochs, steps that are left out.

usage: mixture_test.py MESHWRIGHT SOURCE_FOLDER
"""

import functools
import json
from pathlib import Path
import shutil
import sys
import tempfile
import unittest

from program import metric, run_program

SOURCE = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM, errors="replace")
SMALL = ["task.model.layers=1", "task.model.embed=32", "task.model.dim=8", "task.model.mlp=64",
         "checkpoint.when.n=5", "log.n=1", "evaluators.held_out.num_batches=2", "evaluators.code.num_batches=2",
         "optimizer.learning_rate=0.001", "data.batch_size=8", "evaluators.samples=none"]


class MixtureTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="mw_mixture_"))
        self.addCleanup(shutil.rmtree, self.root)
        for name, count in [("prose", 300), ("code", 60)]:
            text = "".join(f"{name} {i} of {count}, {i * i}.\n\n" for i in range(count))
            (self.root / f"{name}.txt").write_text(text)

    def train(self, name, *words):
        folder = self.root / name
        parts = [f"data.parts.{part}.{key}" for part in ["prose", "code"]
                 for key in [f"path={self.root}/{part}.txt", "length=32", "held_out=0.2"]]
        return folder, run("train", SOURCE / "configs/mixture.toml", f"dir={folder}", *SMALL, *parts, *words)

    def test_resumes_with_the_batches_of_one_run(self):
        whole, _ = self.train("whole", "max_step=20")
        halves, _ = self.train("halves", "max_step=7")
        self.train("halves", "max_step=20")
        for name in ["loss", "data/epochs", "data/code/examples"]:
            self.assertEqual(len(metric(whole, name)), 20, name)
            self.assertEqual(metric(whole, name), metric(halves, name), name)
        for name in ["held_out/loss", "code/loss"]:
            self.assertEqual(metric(whole, name)[20], metric(halves, name)[20], name)
        self.assertNotEqual(metric(whole, "held_out/loss"), metric(whole, "code/loss"))

    def test_counts_examples_and_epochs_of_each_part(self):
        folder, _ = self.train("run", "max_step=10")
        self.assertEqual(metric(folder, "data/examples")[10], 80)
        self.assertEqual(metric(folder, "data/prose/examples")[10], 60)
        self.assertEqual(metric(folder, "data/code/examples")[10], 20)
        rows = {name: metric(folder, f"data/{name}/examples")[10] / metric(folder, f"data/{name}/epochs")[10]
                for name in ["prose", "code"]}
        self.assertAlmostEqual(metric(folder, "data/epochs")[10], 80 / sum(rows.values()))
        self.assertGreater(rows["prose"], 3 * rows["code"])
        saved = json.loads(run("ckpt", "show", folder, "--json").stdout)["meta"]
        self.assertEqual(saved["data/parts/prose/examples"], 60)
        self.assertEqual(saved["data/parts/code/epochs"], metric(folder, "data/code/epochs")[10])

    def test_durations_may_be_in_epochs(self):
        folder, _ = self.train("run", "max_step='2 epochs'", "optimizer.learning_rate.type=warmup_cosine",
                               "optimizer.learning_rate.peak=0.001", "optimizer.learning_rate.warmup='0.5 epochs'",
                               "evaluators={}", "checkpoint.when.n=1000")
        steps = metric(folder, "data/epochs")
        last = max(steps)
        self.assertAlmostEqual(steps[last], 2, delta=steps[1])
        rates = metric(folder, "learning_rate")
        peak = max(rates, key=rates.get)
        self.assertAlmostEqual(steps[peak], 0.5, delta=2 * steps[1])

    def test_ends_with_the_first_part_that_has_finished(self):
        folder, done = self.train("run", "data.when_finished=stop", "data.parts.code.num_epochs=2",
                                  "max_step=auto", "evaluators={}")
        epochs = metric(folder, "data/code/epochs")
        self.assertLessEqual(max(epochs.values()), 2)
        self.assertGreater(max(epochs.values()), 1.5)

    # skip_steps may change while a run is stopped: what was trained on is not repeated.
    def test_leaves_out_steps(self):
        plain, _ = self.train("plain", "max_step=12", "evaluators={}")
        skipping, _ = self.train("skipping", "max_step=7", "data.skip_steps=[2,'4-5']", "evaluators={}")
        self.train("skipping", "max_step=9", "data.skip_steps=[2,10]", "evaluators={}")
        first = metric(plain, "loss")
        second = metric(skipping, "loss")
        self.assertEqual([first[1], first[2]], [second[1], second[2]])
        self.assertNotEqual(first[3], second[3])
        # Batches 0 1 3 6 7 8 9, then 11 12.
        self.assertEqual(metric(skipping, "data/examples"), {step: 8 * batches for step, batches in
                         enumerate([1, 2, 4, 7, 8, 9, 10, 12, 13], start=1)})
        saved = json.loads(run("ckpt", "show", skipping, "--json").stdout)["meta"]
        self.assertEqual(saved["data/num_batches_used"], 13)


if __name__ == "__main__":
    unittest.main()
