# SPDX-License-Identifier: Apache-2.0
"""The commands of `meshwright data` on one corpus: their results agree with each other and with the files.

usage: data_commands_test.py MESHWRIGHT SOURCE_FOLDER
"""

from collections import Counter
import functools
import json
import os
from pathlib import Path
import random
import shutil
import struct
import sys
import tempfile
import unittest

from program import run_program

SOURCE = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM, "data")
TOKENIZER = SOURCE / "tests/golden/tokenizer_json/byte_bpe.json"


def read_npy(path):
    content = path.read_bytes()
    size = struct.unpack_from("<H", content, 8)[0]
    shape = eval(content[10:10 + size])["shape"]  # pylint: disable=eval-used
    values = [value for value, in struct.iter_unpack("<i", content[10 + size:])]
    return [values[i:i + shape[1]] for i in range(0, len(values), shape[1])]


class DataCommandsTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="mw_data_"))
        self.addCleanup(shutil.rmtree, self.root)
        drawn = random.Random(5)
        words = ["tree", "house", "d\u00e9j\u00e0", "\u6728", "runs", "x" * 30, "\U0001f600", "and"]
        self.texts = [" ".join(drawn.choices(words, k=drawn.randrange(1, 40))) for _ in range(300)]
        self.texts[40] = self.texts[7]
        self.corpus = self.root / "corpus.jsonl"
        lines = [json.dumps({"text": text}) for text in self.texts]
        self.corpus.write_text("".join(f"{line}\n" for line in lines))
        self.offsets = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines))]
        self.config = [SOURCE / "configs/text.toml", f"data.path={self.corpus}", f"data.tokenizer={TOKENIZER}",
                       f"dir={self.root / 'run'}", "data.batch_size=4", "data.length=64", "data.rows=packed",
                       "data.context=document", "data.add_bos=false", "data.add_eos=false"]

    def test_stats_count_what_is_in_the_file(self):
        found = json.loads(run("stats", self.corpus, "--tokenizer", TOKENIZER, "--json", "data.add_eos=false").stdout)
        total = found["total"]
        self.assertEqual(total["documents"], len(self.texts))
        self.assertEqual(total["bytes"], sum(len(text.encode()) for text in self.texts))
        self.assertEqual(total["characters"], sum(map(len, self.texts)))
        self.assertEqual(total["duplicates"], sum(n - 1 for n in Counter(self.texts).values()))
        ids = [json.loads(line)["tokens"] for line in
               run("tokenize", self.corpus, "--tokenizer", TOKENIZER, "--json", "data.add_eos=false").stdout.splitlines()]
        self.assertEqual(total["tokens"], sum(map(len, ids)))
        self.assertEqual(found["lengths"]["max"], max(map(len, ids)))
        self.assertFalse((self.root / "token_cache").exists())

    def test_show_names_the_record_of_each_document(self):
        for step in (0, 3, 10**9):
            row = json.loads(run("show", *self.config, "--step", step, "--row", 2, "--json").stdout)
            for part in row["parts"]:
                text = self.texts[part["record"]]
                self.assertEqual(part["offset"], self.offsets[part["record"]])
                self.assertEqual(part["file"], str(self.corpus))
                if part["token"] == 0:
                    self.assertTrue(text.startswith(part["text"].rstrip("\ufffd")))
                self.assertIn(part["text"].strip("\ufffd"), text)

    def test_pack_writes_the_rows_that_show_prints(self):
        run("pack", *self.config, "--first-step", 5, "--steps", 2, "--out", self.root / "packed")
        inputs, segments = (read_npy(self.root / "packed" / f"{name}.npy") for name in ("inputs", "segments"))
        shown = [json.loads(line) for step in (5, 6)
                 for line in run("show", *self.config, "--step", step, "--json").stdout.splitlines()]
        self.assertEqual(len(inputs), len(shown))
        for row, tokens, numbers in zip(shown, inputs, segments):
            expected = [token for part in row["parts"] for token in part["tokens"]]
            self.assertEqual(tokens, (expected + [0] * 65)[:64])
            self.assertEqual(sorted(set(numbers) - {0}), [part["segment"] for part in row["parts"]][:max(numbers)])

    def test_tokenize_reads_stdin_and_writes_only_ids_to_stdout(self):
        done = run("tokenize", "--tokenizer", "bytes", stdin="a\u00e9\n")
        self.assertEqual(done.stdout, "97 195 169 10\n")
        self.assertIn("4 tokens", done.stderr)

    def test_verify_tells_good_corrupt_and_unreadable_apart(self):
        self.assertIn("good", run("verify", *self.config).stdout)
        with self.corpus.open("a") as file:
            file.write("{\n")
        found = json.loads(run("verify", *self.config, "--json", code=1).stdout)
        self.assertEqual([(flaw["record"], flaw["offset"]) for flaw in found["listed"]],
                         [(len(self.texts), self.offsets[-1] + len(json.dumps({"text": self.texts[-1]})) + 1)])
        os.mkfifo(self.root / "pipe.jsonl")
        run("verify", self.root / "pipe.jsonl", code=3)
        run("verify", self.root / "none.jsonl", code=2)

    def test_commands_agree_on_a_mixture_of_text_and_tokens(self):
        tokens = self.root / "tokens"
        run("tokenize", self.corpus, "--tokenizer", TOKENIZER, "--out", tokens, "--out-format", "megatron",
            "data.add_bos=false", "data.add_eos=false")
        config = self.root / "mixture.toml"
        settings = f"tokenizer = \"{TOKENIZER}\"\nlength = 64\nheld_out = 0.1\nweight = 1\n"
        config.write_text(
            f"base = \"{SOURCE}/configs/text.toml\"\n[data]\ntype = \"mixture\"\nbatch_size = 4\n"
            f"[data.parts.text]\ntype = \"text\"\npath = \"{self.corpus}\"\nadd_bos = false\nadd_eos = false\n"
            f"cache = \"{self.root}/cache\"\n{settings}"
            f"[data.parts.tokens]\ntype = \"tokens\"\npath = \"{tokens}\"\n{settings}")
        found = json.loads(run("stats", config, "--json").stdout)
        text, stored = found["parts"]
        self.assertEqual((text["part"], stored["part"]), ("text", "tokens"))
        self.assertEqual((text["share"], stored["share"]), (0.5, 0.5))
        for key in ["documents", "tokens", "duplicates", "corrupt"]:
            self.assertEqual(text["total"][key], stored["total"][key], key)
            self.assertEqual(found["total"][key], 2 * stored["total"][key], key)
        for key in ["lengths", "held_out", "rows"]:
            self.assertEqual(text[key], stored[key], key)
        rows = [json.loads(line) for line in run("show", config, "--step", 7, "--json").stdout.splitlines()]
        self.assertEqual(Counter(row["part"] for row in rows), {"text": 2, "tokens": 2})
        for row in rows:
            name = self.corpus if row["part"] == "text" else f"{tokens}.bin"
            self.assertEqual({part["file"] for part in row["parts"]}, {str(name)})

        self.assertEqual(json.loads(run("verify", config, "--json").stdout)["caches"], 1)
        with open(f"{tokens}.bin", "r+b") as file:
            file.seek(2 * found["parts"][1]["total"]["tokens"] - 2)
            file.write(b"\xff\xff")
        found = json.loads(run("verify", config, "--json", code=1).stdout)
        flaw, = found["listed"]
        self.assertEqual((flaw["part"], flaw["file"], flaw["record"]), ("tokens", f"{tokens}.bin", len(self.texts) - 1))
        self.assertEqual([part["good"] for part in found["parts"]], [True, False])

    def test_caches_of_changed_files_are_found_and_removed(self):
        run("show", *self.config)
        cache = self.root / "token_cache"
        self.assertIn(": current\n", run("caches", *self.config).stdout)
        with self.corpus.open("a") as file:
            file.write(json.dumps({"text": "another"}) + "\n")
        run("show", *self.config)
        states = [entry["state"] for entry in json.loads(run("caches", cache, "--json").stdout)["caches"]]
        self.assertEqual(sorted(states), ["current", "stale"])
        run("caches", cache, "--remove-stale")
        self.assertEqual(len(list(cache.iterdir())), 1)
        self.assertNotIn("tokenizing", run("show", *self.config).stderr)


if __name__ == "__main__":
    unittest.main()
