# SPDX-License-Identifier: Apache-2.0
"""`meshwright data train-tokenizer` writes the tokenizer that `tokenizers` trains on the same texts.

usage: bpe_training_peer_test.py MESHWRIGHT TOKENIZER_IDS [COUNT [SEED]]

COUNT corpora are generated, with many pairs of equal counts, long runs and many scripts. The files
must be equal, and so must the ids of other texts.
"""

import json
import random
import struct
import subprocess
import sys
import tempfile

import generated_texts
import library_training
from tokenizers import Tokenizer

LETTERS = ["ab", "abc", "aab ", "abcd ", "the ", "aaa b", "ab\u00e9 ", "\u4e2d\u6587\u5b57 "]


def corpus(random_):
    """Return a list of texts."""
    letters = random_.choice(LETTERS)
    kind = random_.choice(["generated", "letters", "words", "long", "runs"])
    if kind == "generated":
        return generated_texts.texts(random_.choice([5, 50, 300]), random_.random())
    if kind == "letters":
        sizes = [random_.choice([3, 10, 100, 3000]) for _ in range(random_.choice([1, 5, 40]))]
        return ["".join(random_.choice(letters) for _ in range(size)) for size in sizes]
    if kind == "words":
        words = ["".join(random_.choice("abcde") for _ in range(random_.randrange(1, 9))) for _ in range(30)]
        return [" ".join(random_.choice(words) for _ in range(200)) for _ in range(5)]
    if kind == "long":
        return random_.sample(generated_texts.long_texts(), 2)
    return ["".join(random_.choice(letters) * random_.randrange(1, 6) for _ in range(30)) for _ in range(10)]


def settings(random_):
    special_tokens = random_.choice([[], ["<|endoftext|>"], ["<s>", "</s>", "\u00e9\u4e2d"]])
    return {
        "pattern": random_.choice([*library_training.PATTERNS, "gpt2", "none"]),
        "vocab_size": 256 + len(special_tokens) + random_.choice([0, 1, 20, 100, 1000]),
        "min_count": random_.choice([1, 2, 2, 3, 10]),
        "max_token_bytes": random_.choice([None, None, None, 2, 3, 5, 16]),
        "special_tokens": special_tokens,
    }


def train_here(program, folder, texts, chosen):
    """Return the path of the tokenizer that the program writes."""
    corpus_file, out = f"{folder}/corpus.jsonl", f"{folder}/tokenizer.json"
    with open(corpus_file, "w") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    words = ["--vocab", chosen["vocab_size"], "--pattern", chosen["pattern"], "--min-count", chosen["min_count"]]
    if chosen["max_token_bytes"] is not None:
        words += ["--max-token-bytes", chosen["max_token_bytes"]]
    for token in chosen["special_tokens"] or ["none"]:
        words += ["--special", token]
    command = [program, "data", "train-tokenizer", corpus_file, "--force", "--out", out, *map(str, words)]
    subprocess.run(command, check=True, capture_output=True)
    return out


def ids_here(tokenizer_ids, path, texts):
    data = b"".join(struct.pack("<I", len(text.encode())) + text.encode() for text in texts)
    out = subprocess.run([tokenizer_ids, path, "ids"], input=data, stdout=subprocess.PIPE, check=True).stdout
    ids, at = [], 0
    while at < len(out):
        (count,) = struct.unpack_from("<I", out, at)
        ids.append(list(struct.unpack_from(f"<{count}i", out, at + 4)))
        at += 4 + 4 * count
        (size,) = struct.unpack_from("<I", out, at)
        at += 4 + size
    return ids


def check(name, ours, wanted):
    if ours != wanted:
        sys.exit(f"{name}\n  is  {str(ours):.1000}\n  not {str(wanted):.1000}")


def main():
    program, tokenizer_ids = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 150
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    num_merges = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            random_ = random.Random(number)
            texts, chosen = corpus(random_), settings(random_)
            if not any(texts):
                continue
            name = f"corpus {number} with {chosen}"
            path = train_here(program, folder, texts, chosen)
            library = library_training.train(texts, **chosen)
            with open(path) as file:
                made, wanted = json.load(file), json.loads(library.to_str())
            for key, value in wanted["model"].items():
                check(f"{name}, {key}", made["model"][key], value)
            check(name, made, wanted)
            others = generated_texts.texts(30, number)
            encoded = [each.ids for each in library.encode_batch(others)]
            check(f"{name}: ids", ids_here(tokenizer_ids, path, others), encoded)
            check(f"{name}: ids of the library", [each.ids for each in Tokenizer.from_file(path).encode_batch(others)], encoded)
            num_merges += len(wanted["model"]["merges"])
    print(f"{count} corpora, {num_merges} merges equal")


main()
