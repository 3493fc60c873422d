# SPDX-License-Identifier: Apache-2.0
"""Shortened configs of the tasks other than the default one learn.

usage: small_tasks_test.py MESHWRIGHT
"""

import functools
import json
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import unittest

from program import run_program

PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM)


class SmallTasksTest(unittest.TestCase):
    def test_a_vit_learns_shapes(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            done = run("train", "shapes_vit", f"dir={root}/run", "max_step=250",
                       "task.model.layers=2", "task.model.embed=32", "task.model.mlp=64",
                       "data.batch_size=64")
            accuracy = float(re.search(r"held_out/accuracy: (\S+)", done.stdout).group(1))
            self.assertGreater(accuracy, 0.6)  # 0.25 by chance
            self.assertRegex(done.stderr, r"(circle|square|triangle|cross)")

    def test_durations_in_epochs_are_passes_over_the_data(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            images = ["data={ type='held_out_shapes', batch_size=4, num_batches=8 }",
                      "task.model.layers=1", "task.model.embed=8", "task.model.heads=2",
                      "task.model.mlp=16", "evaluators={}"]

            def train(name, *words):
                run("train", "shapes_vit", f"dir={root}/{name}", *images, *words)
                folder = Path(root) / name
                files = [path for path in (folder / "checkpoints" / "step_00000008").rglob("*")
                         if path.is_file() and "model" in str(path)]
                steps = sorted(path.name for path in (folder / "checkpoints").glob("step_*"))
                lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
                logged = [line["step"] for line in lines if "loss" in line.get("metrics", {})]
                return {path.relative_to(folder): path.read_bytes() for path in files}, steps, logged

            epochs = train("epochs", "max_step=1 epoch", "log={ type='every', duration='0.5 epochs' }",
                           "checkpoint.when={ type='every', duration='0.25 epochs' }",
                           "checkpoint.keep_last_n=none", "optimizer.learning_rate.warmup=0.5 epochs")
            self.assertEqual(epochs[1:], ([f"step_{step:08}" for step in (2, 4, 6, 8)], [4, 8]))
            steps = train("steps", "max_step=8", "log.n=4", "checkpoint.when.n=2",
                          "checkpoint.keep_last_n=none", "optimizer.learning_rate.warmup=4")
            self.assertEqual(epochs, steps)
            other = train("other", "max_step=8", "log.n=4", "checkpoint.when.n=2",
                          "checkpoint.keep_last_n=none", "optimizer.learning_rate.warmup=2")
            self.assertNotEqual(epochs[0], other[0])
            done = subprocess.run([PROGRAM, "train", "shapes_vit", f"dir={root}/endless",
                                   "max_step=2 epochs"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("max_step: '2 epochs' cannot be converted to steps without data with "
                          "epochs of a known size", done.stderr)

    def test_an_encoder_decoder_learns_to_reverse_short_words(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            small = ["data.min_length=2", "data.max_length=3", "data.num_letters=8",
                     "evaluators.held_out.data.min_length=2", "evaluators.held_out.data.max_length=3",
                     "evaluators.held_out.data.num_letters=8", "evaluators.held_out.data.num_words=128"]
            done = run("train", "reverse_seq2seq", f"dir={root}/run", "max_step=700", "optimizer.learning_rate.peak=1e-2",
                       "task.model.embed=32", "task.model.mlp=64", "task.model.dim=8",
                       "task.model.encoder_layers=1", "task.model.decoder_layers=1",
                       "data.batch_size=64", *small)
            match = float(re.search(r"held_out/exact_match: (\S+)", done.stdout).group(1))
            self.assertGreater(match, 0.7)
            words = ["abc", "fg", "had", "bee", "dc", "gag", "hb"]
            prompts = [word for prompt in words for word in ("--prompt", prompt)]
            for how in [[], ["--beams", "3"]]:
                made = run("generate", f"{root}/run", *how, *prompts).stdout.split()
                right = sum(a == b[::-1] for a, b in zip(made, words, strict=True))
                self.assertGreaterEqual(right, 4, made)


if __name__ == "__main__":
    unittest.main(verbosity=0)
