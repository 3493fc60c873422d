# SPDX-License-Identifier: Apache-2.0
"""Training on files of token ids: raw integers, flat tokens in seqax's order, resuming, generating.

usage: tokens_test.py MESHWRIGHT SOURCE_FOLDER
"""

from array import array
import functools
from pathlib import Path
import shutil
import sys
import tempfile
import unittest

from program import metric, run_program

SOURCE = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM)
CONFIG = """
seed = 3
[task]
type = "lm"
[task.model]
layers = 1
embed = 32
kv = 2
q = 1
dim = 8
mlp = 64
[optimizer]
type = "adamw"
learning_rate = 3e-3
[log]
type = "every_n"
n = 1
[checkpoint]
when = { type = "every_n", n = 10, and_last = true }
[evaluators.held_out]
method = "loss"
num_batches = 2
when = { type = "every_n", n = 10, and_last = true }
data = { type = "held_out_text", batch_size = 4 }
"""


class TokensTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="mw_tokens_"))
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, name, ids):
        path = self.root / name
        path.write_bytes(array("H", ids).tobytes())
        return path

    def train(self, name, data, *words, code=0):
        config = self.root / "config.toml"
        config.write_text(CONFIG + f"[data]\ntype = \"tokens\"\nbatch_size = 8\nlength = 32\n{data}\n")
        folder = self.root / name
        return folder, run("train", config, f"dir={folder}", *words, code=code)

    def raw(self, *settings):
        ids = [i % 50 + 1 if i % 77 else 0 for i in range(20000)]
        path = self.write("corpus.bin", ids)
        return "\n".join([f"path = \"{path}\"", "dtype = \"uint16\"", "end_token = 0", *settings]), path

    def test_learns_resumes_and_generates(self):
        data, path = self.raw()
        whole, _ = self.train("whole", data, "max_step=20")
        halves, _ = self.train("halves", data, "max_step=10")
        self.train("halves", data, "max_step=20")
        seen = metric(whole, "loss")
        self.assertEqual(seen, metric(halves, "loss"))
        self.assertLess(seen[20], seen[1] - 0.5)
        self.assertIn(20, metric(whole, "held_out/loss"))
        path.unlink()
        made = run("generate", whole, "--prompt", "4 5 6", "--max-tokens", "3")
        self.assertTrue(made.stdout.strip())

    def test_names_a_token_outside_the_vocabulary(self):
        data, path = self.raw("vocab = 50", "held_out = 0")
        _, failed = self.train("run", data, "max_step=20", "evaluators.held_out=none", code=3)
        self.assertIn(f"{path}: token 50 at position", failed.stderr)

    def test_refuses_to_resume_with_a_changed_file(self):
        data, path = self.raw()
        self.train("run", data, "max_step=10")
        self.write("corpus.bin", [i % 50 + 1 for i in range(20000)])
        _, failed = self.train("run", data, "max_step=20", code=2)
        self.assertIn("different data", failed.stderr)

    def test_trains_on_flat_tokens_in_the_order_of_seqax(self):
        flat = SOURCE / "tests/golden/flat_tokens/blocks.zarr"
        data = f"path = \"{flat}\"\nseqax = {{ sequences_per_read_block = 16, streams = 2 }}"
        folder, trained = self.train("seqax", data, "max_step=5")
        self.assertEqual(len(metric(folder, "loss")), 5)
        self.assertIn(5, metric(folder, "held_out/loss"), trained.stderr)


if __name__ == "__main__":
    unittest.main()
