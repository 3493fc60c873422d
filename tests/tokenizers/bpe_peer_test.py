# SPDX-License-Identifier: Apache-2.0
"""Byte-level BPE and its splitters give the ids and words of tiktoken and tokenizers.

usage: bpe_peer_test.py BPE_IDS [COUNT [SEED]]

Vocabularies are trained here by tokenizers. Texts are generated: COUNT for each pattern.
"""

import base64
import json
import struct
import subprocess
import sys
import tempfile

import generated_texts
import tiktoken
from published_patterns import CLIP, DEEPSEEK_SPLITS, GPT2, LLAMA3, O200K, QWEN3_5, TEKKEN
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

# Patterns of tiktoken.
RUST = {
    "r50k": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "voyage3": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "cl100k 0.7": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+",
    "gpt2": GPT2,
    "llama3": LLAMA3,
    "qwen2": LLAMA3.replace("{1,3}", ""),
    "qwen3.5": QWEN3_5,
    "o200k": O200K,
    "tekken": TEKKEN,
    "clip": CLIP,
}
# Splits of tokenizer.json files; the last ones have no hand-written scanner.
SPLITS = {
    "gpt2": [("Isolated", False, GPT2)],
    "llama3": [("Isolated", False, LLAMA3)],
    "qwen2": [("Removed", True, LLAMA3.replace("{1,3}", ""))],
    "qwen3.5": [("Isolated", False, QWEN3_5)],
    "o200k": [("Isolated", False, O200K)],
    "tekken": [("Isolated", False, TEKKEN)],
    "clip": [("Removed", True, CLIP)],
    "deepseek": [("Isolated", False, pattern) for pattern in DEEPSEEK_SPLITS],
    "digits, gpt2": [("Isolated", False, r"\p{N}"), ("Isolated", False, GPT2)],
    "cl100k": [("Isolated", False, RUST["cl100k"].replace("{1,3}+", "{1,3}").replace(r"\s++$|", ""))],
    "clip isolated": [("Isolated", False, CLIP)],
    **{
        f"{pattern} {behavior} {invert}": [(behavior, invert, pattern)]
        for pattern in (r"\s+", r"\p{Lu}", r"[\w\p{M}]+", r"\w", r"\W+|\d", r"(?<=[a-z])\P{L}", r"[^\S\r\n]|\.", "a|(?i:B)c*")
        for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
        for invert in (False, True)
    },
}


def b64(bytes_):
    return base64.b64encode(bytes_).decode()


def bytes_of_characters():
    """Return the bytes that the characters of a byte-level vocabulary stand for."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(c): c for c in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


class Program:
    def __init__(self, path):
        self.path = path
        self.folder = tempfile.TemporaryDirectory()

    def file(self, name, lines):
        path = f"{self.folder.name}/{name}"
        with open(path, "w") as file:
            file.writelines(line + "\n" for line in lines)
        return path

    def rules(self, rules):
        return self.file("rules", [f"{kind} {int(invert)} {b64(pattern.encode())}" for kind, invert, pattern in rules])

    def run(self, arguments, texts):
        data = b"".join(struct.pack("<I", len(text)) + text for text in texts)
        out = subprocess.run([self.path, *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout
        results, at = [], 0
        while at < len(out):
            (count,) = struct.unpack_from("<I", out, at)
            results.append(list(struct.unpack_from(f"<{count}i", out, at + 4)))
            at += 4 + 4 * count
        assert len(results) == len(texts)
        return results


def check(name, texts, results, wanted):
    for text, result, want in zip(texts, results, wanted, strict=True):
        if result != want:
            sys.exit(f"{name}: {text!r:.500}\n  is  {str(result):.500}\n  not {str(want):.500}")
    print(f"{name}: {len(texts)} texts equal", flush=True)


def trained(pre_tokenizer, texts, size):
    """Return a byte-level BPE tokenizer of tokenizers."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def splits_of(rules):
    parts = [pre_tokenizers.Split(Regex(pattern), to_snake(behavior), invert) for behavior, invert, pattern in rules]
    return pre_tokenizers.Sequence(parts)


def to_snake(behavior):
    return "".join("_" + c.lower() if c.isupper() else c for c in behavior).lstrip("_")


def check_words(program, texts):
    """Compare words for all splits of tokenizer.json files."""
    encoded = [text.encode() for text in texts]
    for name, rules in SPLITS.items():
        splits = splits_of(rules)
        wanted = []
        for text in texts:
            at, ends = [0], []
            for c in text:
                at.append(at[-1] + len(c.encode()))
            for _, (start, end) in splits.pre_tokenize_str(text):
                ends += [at[start], at[end]]
            wanted.append(ends)
        check(f"words, {name}", texts, program.run(["words", program.rules(rules)], encoded), wanted)


def check_tokenizers(program, texts, corpus):
    for name in ("gpt2", "llama3", "deepseek"):
        splits = splits_of(SPLITS[name])
        level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer = trained(pre_tokenizers.Sequence([splits, level]), corpus, 3000)
        model = json.loads(tokenizer.to_str())["model"]
        byte_of = bytes_of_characters()

        def token(characters):
            return b64(bytes(byte_of[c] for c in characters))

        lines = [f"token {id_} {token(characters)}" for characters, id_ in model["vocab"].items()]
        merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
        # Merges need not be in the order of ids.
        for order in ("as trained", "backwards"):
            if order == "backwards":
                merges.reverse()
                model["merges"] = merges
                tokenizer.model = models.BPE(vocab=model["vocab"], merges=[tuple(merge) for merge in merges])
            path = program.file("model", lines + [f"merge {token(left)} {token(right)}" for left, right in merges])
            results = program.run(["ids", path, program.rules(SPLITS[name])], [text.encode() for text in texts])
            check(f"tokenizers, {name}, merges {order}", texts, results, [tokenizer.encode(text).ids for text in texts])


def check_tiktoken(program, texts, invalid, corpus):
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    byte_of = bytes_of_characters()
    vocab = trained(level, corpus, 3000).get_vocab()
    ordered = {bytes(byte_of[c] for c in token): rank for token, rank in vocab.items()}
    # Tokens whose parts have higher ranks, as in Llama 3, and tokens that no merges give.
    longer = [token for token in ordered if len(token) > 1]
    shuffled = {bytes([byte]): byte for byte in range(256)}
    for i, token in enumerate(longer):
        shuffled[token] = 256 + i * 7919 % len(longer)
    assert len(set(shuffled.values())) == len(shuffled)
    for order, ranks in (("as trained", ordered), ("shuffled", shuffled)):
        path = program.file("ranks", [f"{b64(token)} {rank}" for token, rank in ranks.items()])
        for name, pattern in RUST.items():
            encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
            wanted = [encoding.encode_ordinary(text) for text in texts]
            wanted += [encoding.encode_ordinary(bytes_.decode(errors="replace")) for bytes_ in invalid]
            encoded = [text.encode() for text in texts] + invalid
            results = program.run(["ids", path, program.rules([("rust", False, pattern)])], encoded)
            check(f"tiktoken, {name}, ranks {order}", encoded, results, wanted)


def main():
    program = Program(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    texts = generated_texts.texts(count, seed)
    long_texts = generated_texts.long_texts()
    corpus = generated_texts.texts(3000, seed + 1) + long_texts[-4:]
    check_words(program, texts)
    check_tokenizers(program, texts + long_texts, corpus)
    check_tiktoken(program, texts + long_texts, generated_texts.invalid_bytes(count, seed + 2), corpus)


main()
