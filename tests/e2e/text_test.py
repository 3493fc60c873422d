# SPDX-License-Identifier: Apache-2.0
"""Training on files of text: the example configs, a tokenizer, resuming, generating without the corpus.

usage: text_test.py MESHWRIGHT SOURCE_FOLDER
"""

import functools
import gzip
import json
import math
import os
from pathlib import Path
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import metric, run_program

SOURCE = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM, errors="replace")
SMALL = ["task.model.layers=1", "task.model.embed=32", "task.model.dim=8", "task.model.mlp=64",
         "data.length=64", "checkpoint.when.n=10", "log.n=1", "evaluators.held_out.num_batches=2"]


def metrics(folder, name):
    """Returns the values of a metric, in order."""
    return list(metric(folder, name).values())


def write_jsonl(path, texts):
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))


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
        seen = metric(folder, "loss")
        self.assertLess(seen[40], seen[1] - 1)
        self.assertIn("samples at step 20", trained.stderr + trained.stdout)
        book.unlink()
        made = run("generate", folder, "--prompt", "line ", "--max-tokens", "12")
        self.assertTrue(made.stdout.strip())
        self.assertIn("book.txt", run("eval", folder, code=2).stderr)

    def test_mistakes_are_found_before_anything_starts(self):
        book = self.root / "book.txt"
        book.write_text("a line\n" * 2000)
        folder, records = self.root / "run", self.root / "corpus.jsonl"
        write_jsonl(records, [f"record {i} has {i * i}" for i in range(500)])
        for words, expected in [
                (["data.length=ten", "data.batchsize=3"], ["'batchsize' in data", "'batch_size'",
                                                           "data.length is \"ten\""]),
                (["data.batch_size=-1"], ["data.batch_size is -1"]),
                (["data.rows=pakced"], ["did you mean 'packed'"]),
                (["data.tokenizer=missing.json"], ["missing.json"]),
                (["data.path=missing.txt"], ["missing.txt"]),
                (["evaluators.held_out.data.path=othr.txt"], ["othr.txt"]),
                (["data.split=separator"], ["data.separator"]),
                (["optimizer.learning_rate={type='warmup_linear',peak=0.1,warmup=50}", "max_step=20",
                  f"data.path={records}"], ["warmup_steps 50 is after max_step 20"]),
                (["optimizer.learning_rate={type='warmup_linear',peak=0.1,warmup='120%'}", "max_step='2 epochs'",
                  f"data.path={records}"], ["more than 100%"])]:
            made = run("train", SOURCE / "configs/text.toml", f"dir={folder}", f"data.path={book}",
                       *words, code=2)
            for text in expected:
                self.assertIn(text, made.stderr, words)
            self.assertFalse(folder.exists(), words)
            self.assertFalse((self.root / "token_cache").exists(), words)  # nothing was tokenized

    def test_generates_while_one_reads(self):
        book = self.root / "book.txt"
        book.write_text("".join(f"line {i} of the b\u00f6\u00f6k \u4e2d\u6587\n" for i in range(2000)))
        folder, _ = self.train("run", f"data.path={book}", "max_step=20", "evaluators.samples=none")
        words = ["--prompt", "line", "--prompt", "of", "--max-tokens", 1500, "--temperature", 1, "--top-k", 20]
        whole = [json.loads(line)["text"] for line in
                 run("generate", folder, *words, "--json").stdout.splitlines()]
        parts = []
        with subprocess.Popen([PROGRAM, "generate", folder, *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as made:
            while part := os.read(made.stdout.fileno(), 1 << 20):
                parts.append(part.decode())  # no character is cut
        self.assertGreater(len(parts), 2)
        self.assertLess(len(parts[0]), len(whole[0]) / 2)
        escaped = [text.replace("\\", "\\\\").replace("\n", "\\n") + "\n" for text in whole]
        self.assertEqual("".join(parts), "".join(escaped))

    def test_generation_ends_at_the_tokens_beside_the_tokenizer(self):
        records, tokenizer = self.root / "corpus.jsonl", self.root / "tokenizer"
        write_jsonl(records, [f"record {i} has {i * i}" for i in range(500)])
        tokenizer.mkdir()
        shutil.copy(SOURCE / "tests/golden/tokenizer_json/byte_bpe.json", tokenizer / "tokenizer.json")
        words = [f"data.path={records}", f"data.tokenizer={tokenizer}", "max_step=10", "evaluators.samples=none"]
        asked = ["--prompt", "record", "--json", "--max-tokens", 6]
        folder, _ = self.train("plain", *words)
        whole = json.loads(run("generate", folder, *asked).stdout)["tokens"]
        end = whole[len(whole) // 2]
        (tokenizer / "generation_config.json").write_text(json.dumps({"eos_token_id": [end]}))
        folder, _ = self.train("run", *words)
        shutil.rmtree(tokenizer)  # the run has kept the end tokens
        made = json.loads(run("generate", folder, *asked).stdout)
        self.assertEqual(made["tokens"], whole[:whole.index(end)])
        self.assertTrue(made["ended"])

    def test_resumes_with_the_batches_of_one_run(self):
        records = self.root / "corpus.jsonl"
        write_jsonl(records, [f"record {i} has {i * i}" for i in range(500)])
        tokenizer = SOURCE / "tests/golden/tokenizer_json/byte_bpe.json"
        words = [f"data.path={records}", f"data.tokenizer={tokenizer}", "optimizer.learning_rate=0.001"]
        whole, _ = self.train("whole", *words, "max_step=20")
        halves, _ = self.train("halves", *words, "max_step=10")
        self.train("halves", *words, "max_step=20")
        self.assertEqual(metric(whole, "loss"), metric(halves, "loss"))
        self.assertTrue((whole / "tokenizer.json").is_file())
        self.assertTrue((self.root / "token_cache").is_dir())
        made = run("generate", whole, "--prompt", "record", "--json", "--max-tokens", "4")
        self.assertIn("text", json.loads(made.stdout.splitlines()[0]))

    def test_trains_a_tokenizer_and_a_gpt2_on_it(self):
        words = "the a cat dog bird sat ran sang on under behind mat hat tree".split()
        random_ = random.Random(1)
        for part in range(3):
            with gzip.open(self.root / f"{part}.jsonl.gz", "wt") as file:
                for _ in range(200):
                    file.write(json.dumps({"text": " ".join(random_.choices(words, k=30))}) + "\n")
        corpus, tokenizer, folder = f"{self.root}/*.jsonl.gz", self.root / "tokenizer.json", self.root / "gpt2"
        report = json.loads(run("data", "train-tokenizer", corpus, "--vocab", "300", "--out", tokenizer, "--json").stdout)
        self.assertEqual((report["documents"], report["words"]), (600, 18000))
        self.assertGreater(report["bytes_per_token"], 3.5)
        small = ["task.model.layers=1", "task.model.embed=64", "task.model.kv=2", "task.model.mlp=128", "data.length=32",
                 "data.held_out=0.1", "evaluators.held_out.when.0.n=30", "evaluators.samples.when.n=60"]
        trained = run("train", SOURCE / "configs/gpt2_text.toml", f"dir={folder}", f"data.path={corpus}",
                      f"data.tokenizer={tokenizer}", "max_step=60", "log.n=1", "optimizer.learning_rate.peak=0.01", *small)
        seen = metric(folder, "loss")
        # Bytes would need log(257) = 5.5 nats each; a word of 14 equally likely ones takes log(14) = 2.6.
        self.assertLess(seen[60], 3.5)
        held_out = [value["mean"] for value in metrics(folder, "held_out/loss")]
        bits = [value["mean"] for value in metrics(folder, "held_out/bits_per_byte")]
        self.assertGreater(len(held_out), 1)
        self.assertLess(held_out[-1], 3.5)
        self.assertLess(held_out[-1], held_out[0])
        # In nats per token and bits per byte, over the same text.
        per_token = held_out[-1] / math.log(2) / bits[-1]
        self.assertAlmostEqual(per_token, report["bytes_per_token"], delta=0.2 * per_token)
        self.assertIn("samples at step 60", trained.stderr + trained.stdout)
        made = run("generate", folder, "--prompt", "the cat", "--max-tokens", "8").stdout.split()
        self.assertTrue(made)
        self.assertLessEqual(set(made), set(words))

    def test_reports_bits_per_byte_of_any_text(self):
        corpus, other = self.root / "corpus.jsonl", self.root / "other.jsonl"
        write_jsonl(corpus, [f"record {i} has {i * i}" for i in range(300)])
        texts = ["caf\u00e9 number one", "\u4e2d\u56fd and two", "three"] * 5
        write_jsonl(other, texts)
        num_bytes = sum(len(text.encode()) for text in texts)
        words = [f"data.path={corpus}", "data.rows=single", "data.context=document", "max_step=10",
                 "evaluators.samples=none", f"evaluators.held_out.data.path={other}",
                 "evaluators.held_out.num_batches=none"]
        # With BOS, all tokens of a document are predicted; without it, all but the first.
        for name, tokenizer, num_predicted in (
                ("bytes", ["data.tokenizer=bytes"], num_bytes - len(texts)),
                ("bpe", [f"data.tokenizer={SOURCE / 'tests/golden/tokenizer_json/byte_bpe.json'}",
                         "data.add_bos=true"], num_bytes)):
            folder, _ = self.train(name, *words, *tokenizer)
            loss, bits = (metrics(folder, f"held_out/{kind}")[-1] for kind in ("loss", "bits_per_byte"))
            self.assertEqual(bits["weight"], num_predicted)
            expected = loss["mean"] * loss["weight"] / math.log(2) / num_predicted
            self.assertAlmostEqual(bits["mean"], expected, delta=1e-5 * expected)
            if name == "bytes":
                self.assertEqual(loss["weight"], num_bytes)  # one end per document, less one first byte
            corpus.rename(self.root / "moved.jsonl")  # evaluation on other text needs no corpus
            found = json.loads(run("eval", folder, "--json").stdout)["results"]
            self.assertAlmostEqual(found["held_out/bits_per_byte"], bits["mean"], delta=1e-5)
            added = run("eval", folder, "--json", "--evaluator", "other",
                        f"evaluators.other={{method='loss',data={{type='held_out_text',path='{other}'}}}}")
            self.assertAlmostEqual(json.loads(added.stdout)["results"]["other/bits_per_byte"], bits["mean"],
                                   delta=1e-5)
            (self.root / "moved.jsonl").rename(corpus)

    def test_counts_skipped_records(self):
        corpus = self.root / "corpus.jsonl"
        write_jsonl(corpus, [f"record {i} has {i * i}" for i in range(300)])
        with corpus.open("a") as file:
            file.write('{"text": "cut\n{"other": 1}\n{"text": "whole"}\n')
        words = [f"data.path={corpus}", "evaluators.samples=none"]
        failed = run("train", SOURCE / "configs/text.toml", f"dir={self.root / 'failed'}", *SMALL, *words,
                     "data.skip_corrupt=1", code=3)
        self.assertRegex(failed.stderr, r"corpus\.jsonl: record 301 at byte \d+")
        folder, first = self.train("run", *words, "data.skip_corrupt=2", "max_step=10")
        _, second = self.train("run", *words, "data.skip_corrupt=2", "max_step=20")
        for trained in (first, second):
            self.assertIn("data: skipped 2 corrupt records", "".join(trained.stderr.splitlines()[-4:]))
        self.assertEqual(metrics(folder, "data/skipped_records"), [2, 2])

    def test_chats_with_a_tuned_model(self):
        corpus = self.root / "chat.jsonl"
        corpus.write_text("".join(
            json.dumps({"messages": [{"role": "user", "content": f"say {i}"},
                                     {"role": "assistant", "content": f"I say {i}"}]}) + "\n"
            for i in range(300)))
        folder, trained = self.train("chat", f"data.path={corpus}", "data.chat={template='alpaca'}",
                                     "data.length=256", "max_step=10", "evaluators.samples.when.n=10")
        # The whole question is the prompt, and nothing of the next document.
        shown = [line for line in trained.stderr.splitlines() if " | " in line and "Instruction" in line]
        self.assertEqual(len(shown), 2)
        for line in shown:
            given = line.split(" | ")[0]
            self.assertRegex(given, r"### Instruction:\\nsay \d+\\n\\n### Response:\\n$")
            self.assertEqual(given.count("### Instruction"), 1)

        def generate(*words, code=0):
            return run("generate", folder, "--max-tokens", 4, "--json", *words, code=code)

        talk = [{"role": "user", "content": "say 1"}]
        alone = json.loads(generate("--prompt", "say 1").stdout)
        chat = json.loads(generate("--chat", "--prompt", json.dumps(talk)).stdout)
        self.assertEqual(alone["tokens"], chat["tokens"])
        with_system = json.loads(generate("--system", "Shout.", "--prompt", "say 1").stdout)
        self.assertNotEqual(with_system["score"], alone["score"])
        refused = generate("--chat", "--prompt", "say 1", code=2)
        self.assertIn("JSON list of messages", refused.stderr)

        # Stops cut the text and its tokens, of which each is a byte here.
        text = json.loads(run("generate", folder, "--max-tokens", 12, "--json", "--prompt", "say 1").stdout)["text"]
        stop = text[3:5]
        cut = json.loads(run("generate", folder, "--max-tokens", 12, "--json", "--prompt", "say 1",
                             "--stop", stop).stdout)
        self.assertEqual(cut["text"], text[:text.index(stop)])
        self.assertEqual(len(cut["tokens"]), len(cut["text"].encode()))
        self.assertTrue(cut["ended"])

    def test_trains_for_epochs(self):
        book = self.root / "book.txt"
        book.write_text("".join(f"line {i} of the book\n" for i in range(400)))
        folder, _ = self.train("run", f"data.path={book}", "data.batch_size=8", "max_step='1.5 epochs'",
                               "evaluators={}", "checkpoint.when.n=1000")
        epochs = metric(folder, "data/epochs")
        last = max(epochs)
        self.assertAlmostEqual(epochs[last], 1.5, delta=epochs[1])
        self.assertAlmostEqual(epochs[last], last * epochs[1])


if __name__ == "__main__":
    unittest.main()
