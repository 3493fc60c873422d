# SPDX-License-Identifier: Apache-2.0
"""Training on files of text: the example config, a tokenizer, resuming, generating without the corpus.

usage: text_test.py MESHWRIGHT SOURCE_FOLDER
"""

import json
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
SMALL = ["task.model.layers=1", "task.model.embed=32", "task.model.dim=8", "task.model.mlp=64",
         "data.length=64", "checkpoint.when.n=10", "log.n=1", "evaluators.held_out.num_batches=2"]


def run(*words, code=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300,
                          check=False, errors="replace")
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stderr}"
    return done


def losses(folder):
    out = {}
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        event = json.loads(line)
        if "loss" in event.get("metrics", {}):
            out[event["step"]] = event["metrics"]["loss"]
    return out


class TextTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="mw_text_"))
        self.addCleanup(shutil.rmtree, self.root)

    def train(self, name, *words):
        folder = self.root / name
        return folder, run("train", SOURCE / "configs/text.toml", f"dir={folder}", *SMALL, *words)

    def test_learns_bytes_and_shows_samples(self):
        book = self.root / "book.txt"
        book.write_text("".join(f"line {i} of the book\n" for i in range(2000)))
        folder, trained = self.train("run", f"data.path={book}", "max_step=40",
                                     "evaluators.samples.when.n=20")
        seen = losses(folder)
        self.assertLess(seen[40], seen[1] - 1)
        self.assertIn("samples at step 20", trained.stderr + trained.stdout)
        book.unlink()
        made = run("generate", folder, "--prompt", "line ", "--max-tokens", "12")
        self.assertTrue(made.stdout.strip())
        self.assertIn("book.txt", run("eval", folder, code=2).stderr)

    def test_resumes_with_the_batches_of_one_run(self):
        records = self.root / "corpus.jsonl"
        records.write_text("".join(json.dumps({"text": f"record {i} has {i * i}"}) + "\n" for i in range(500)))
        tokenizer = SOURCE / "tests/golden/tokenizer_json/byte_bpe.json"
        words = [f"data.path={records}", f"data.tokenizer={tokenizer}", "optimizer.learning_rate=0.001"]
        whole, _ = self.train("whole", *words, "max_step=20")
        halves, _ = self.train("halves", *words, "max_step=10")
        self.train("halves", *words, "max_step=20")
        self.assertEqual(losses(whole), losses(halves))
        self.assertTrue((whole / "tokenizer.json").is_file())
        self.assertTrue((self.root / "token_cache").is_dir())
        made = run("generate", whole, "--prompt", "record", "--json", "--max-tokens", "4")
        self.assertIn("text", json.loads(made.stdout.splitlines()[0]))


if __name__ == "__main__":
    unittest.main()
