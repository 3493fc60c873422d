# SPDX-License-Identifier: Apache-2.0
"""Published vocabularies give the ids of the libraries that they were published for, on 20 MB of text in
many languages and code, on generated strings, on long words and on bytes that are not UTF-8.

usage: vocabularies_test.py BENCH_DATA REPOSITORY
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import generated_texts

PROGRAM, REPOSITORY = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(REPOSITORY / "bench/common"))
import texts
import vocabularies

PEER = REPOSITORY / "bench/peer/data/tokenize_texts.py"
LIBRARIES = {
    "tiktoken": ["gpt2", "p50k_base", "cl100k_base", "o200k_base", "llama3", "qwen"],
    "tokenizers": ["anthropic", "deepseek", "bert"],
    "sentencepiece": ["mistral", "mistral_v3", "ai21"],
}


class Vocabularies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.texts = [text.encode() for text in texts.documents("withheld", 20_000_000)]
        cls.texts += [text.encode() for text in generated_texts.texts(20_000, 1) + generated_texts.long_texts()]
        cls.texts += generated_texts.invalid_bytes(20_000, 2)
        texts.write(cls.path("texts"), cls.texts)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return f"{cls.folder.name}/{name}"

    def check(self, library, vocabulary):
        ours = [PROGRAM, "encode", vocabularies.path(vocabulary), self.path("texts"), "1", self.path("ours")]
        theirs = [sys.executable, PEER, library, vocabulary, self.path("texts"), self.path("theirs")]
        for command in ours, theirs:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        results = [texts.read_ids(self.path(side)) for side in ("ours", "theirs")]
        for text, result, wanted in zip(self.texts, *results, strict=True):
            if result.tolist() != wanted.tolist():
                self.fail(f"{text!r:.500}\n  is  {str(result):.500}\n  not {str(wanted):.500}")

    def test_ids_are_equal(self):
        for library, names in LIBRARIES.items():
            for vocabulary in names:
                with self.subTest(library=library, vocabulary=vocabulary):
                    self.check(library, vocabulary)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
