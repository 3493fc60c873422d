# SPDX-License-Identifier: Apache-2.0
"""The configs of other tasks than the default one really learn, cut short here.

usage: small_tasks_test.py MESHWRIGHT
"""

import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done


class SmallTasksTest(unittest.TestCase):
    def test_a_vit_learns_shapes(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            done = run("train", "shapes_vit", f"dir={root}/run", "max_step=250",
                       "task.model.layers=2", "task.model.embed=32", "task.model.mlp=64",
                       "data.batch_size=64")
            accuracy = float(re.search(r"held_out/accuracy: (\S+)", done.stdout).group(1))
            self.assertGreater(accuracy, 0.6)  # 0.25 by chance
            self.assertRegex(done.stderr, r"(circle|square|triangle|cross)")

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
