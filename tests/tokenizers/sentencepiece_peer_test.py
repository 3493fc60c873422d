# SPDX-License-Identifier: Apache-2.0
"""Compares ids and decoded text with those of the sentencepiece package.

usage: sentencepiece_peer_test.py TOOL REPOSITORY [MODEL...]
Trains small models of all kinds on this repository's own text, or takes MODELs.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

import sentencepiece

SYMBOLS = ["<sep>", "\u2581\u2581", "foo bar", "\u00e9", "<x>", "http://", "++", "\u65e5\u672c"]
MODELS = {
    "unigram": dict(model_type="unigram", vocab_size=700),
    "unigram_bytes": dict(model_type="unigram", vocab_size=900, byte_fallback=True,
                          normalization_rule_name="nfkc_cf", user_defined_symbols=SYMBOLS),
    "unigram_identity": dict(model_type="unigram", vocab_size=700, split_digits=True,
                             normalization_rule_name="identity",
                             remove_extra_whitespaces=False, user_defined_symbols=SYMBOLS),
    "unigram_suffix": dict(model_type="unigram", vocab_size=600, treat_whitespace_as_suffix=True,
                           allow_whitespace_only_pieces=True, remove_extra_whitespaces=False),
    "unigram_phrases": dict(model_type="unigram", vocab_size=700, split_by_whitespace=False,
                            split_by_unicode_script=False, add_dummy_prefix=False,
                            normalization_rule_name="nfkc"),
    "bpe": dict(model_type="bpe", vocab_size=700),
    "bpe_bytes": dict(model_type="bpe", vocab_size=900, byte_fallback=True, split_digits=True,
                      normalization_rule_name="identity", remove_extra_whitespaces=False,
                      allow_whitespace_only_pieces=True, user_defined_symbols=SYMBOLS),
    "bpe_folded": dict(model_type="bpe", vocab_size=700, normalization_rule_name="nfkc_cf",
                       user_defined_symbols=SYMBOLS, control_symbols=["<c>", "@"]),
    "bpe_suffix": dict(model_type="bpe", vocab_size=900, treat_whitespace_as_suffix=True,
                       byte_fallback=True),
    "bpe_phrases": dict(model_type="bpe", vocab_size=700, split_by_whitespace=False,
                        add_dummy_prefix=False, remove_extra_whitespaces=False,
                        normalization_rule_name="nmt_nfkc_cf"),
    "word": dict(model_type="word", vocab_size=400, pad_id=3),
    "char": dict(model_type="char", vocab_size=150, user_defined_symbols=SYMBOLS),
}
FRAGMENTS = SYMBOLS + [
    " ", "  ", "\t", "\n", "\u3000", "\u00a0", "\u2581", "\u2581a", "a", "the", " the", "The",
    "mesh", "0", "12", "e\u0301", "\u1e9b\u0323", "\uac00", "\u1100\u1161", "\ufb01", "\uff21",
    "\uff76\uff9e", "\u2168", "\ufdfa", "\u00a8", "\U0001f468\u200d\U0001f469", "\u200b", "\ufeff",
    "\ufffd", "\ue000", "\x00", "\x01", "<s>", "</s>", "<unk>", "<0x41>", "<c>", "@", "=", "//"]
BROKEN = [b"\xff", b"\x80", b"\xc3", b"\xe2\x96", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]


def corpus(repository):
    lines = []
    for path in sorted(repository.glob("docs/**/*.md")) + sorted(
            repository.glob("src/meshwright/base/*.cc")):
        lines += [line for line in path.read_text().splitlines() if 5 < len(line) < 1000]
    return lines + ["caf\u00e9 \u65e5\u672c\u8a9e \u043c\u0438\u0440 \ud55c\uad6d\uc5b4"] * 30


def generated(rng, lines):
    text = b""
    for _ in range(rng.randint(0, 25)):
        kind = rng.randrange(8)
        if kind < 3:
            text += rng.choice(FRAGMENTS).encode()
        elif kind < 5:
            line = rng.choice(lines)
            begin = rng.randrange(len(line))
            text += line[begin : begin + rng.randint(1, 20)].encode()
        elif kind == 5:
            text += chr(rng.choice([rng.randint(1, 0x24F), rng.randint(0x300, 0xD7FF),
                                    rng.randint(0x10000, 0x1FAFF)])).encode()
        elif kind == 6:
            text += rng.choice(FRAGMENTS).encode() * rng.randint(2, 40)
        else:
            text += rng.choice(BROKEN)
    return text


class SentencePiecePeer(unittest.TestCase):
    def encode(self, model, texts):
        """Returns ids and decoded text from TOOL for each text."""
        framed = b"".join(struct.pack("<I", len(text)) + text for text in texts)
        out = subprocess.run([TOOL, model, "ids"], input=framed, capture_output=True, check=True)
        results, at = [], 0
        for _ in texts:
            (size,) = struct.unpack_from("<I", out.stdout, at)
            ids = struct.unpack_from(f"<{size}i", out.stdout, at + 4)
            at += 4 + 4 * size
            (size,) = struct.unpack_from("<I", out.stdout, at)
            results.append((list(ids), out.stdout[at + 4 : at + 4 + size]))
            at += 4 + size
        return results

    def compare(self, model, texts):
        library = sentencepiece.SentencePieceProcessor(model_file=model)
        for text, (ids, decoded) in zip(texts, self.encode(model, texts)):
            self.assertEqual(library.encode(text), ids, text)
            self.assertEqual(library.decode(ids).encode(), decoded, text)

    def test_ids_and_text_are_equal(self):
        rng = random.Random(19)
        lines = corpus(REPOSITORY)
        texts = [generated(rng, lines) for _ in range(3000)]
        texts += ["\n".join(lines).encode(), b"a" * 20000, b"ab c" * 5000, "\u3042".encode() * 9000]
        with tempfile.TemporaryDirectory() as folder:
            models = list(MODELS_GIVEN)
            for name, options in {} if models else MODELS.items():
                path = f"{folder}/{name}"
                sentencepiece.SentencePieceTrainer.train(
                    sentence_iterator=iter(lines), model_prefix=path, num_threads=1,
                    minloglevel=2, hard_vocab_limit=False, **options)
                models.append(path + ".model")
            for model in models:
                with self.subTest(pathlib.Path(model).stem):
                    self.compare(model, texts)


if __name__ == "__main__":
    TOOL, REPOSITORY, MODELS_GIVEN = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
