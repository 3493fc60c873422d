#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes texts and the tokenizers that `tokenizers` 0.23 trains on them.

usage: make.py FOLDER
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tokenizers"))
import library_training

PROSE = [
    "The cat sat on the mat; the other cats didn't. It's 1999, and they've all gone to sleep.\n",
    "A tokenizer learns which bytes occur together: first pairs, then pairs of pairs, and so on.\n\n",
    "def area(width, height):\n    return width * height  # in square metres\n",
] * 4
SCRIPTS = [
    "\u0421\u043e\u043b\u043d\u0446\u0435 \u0432\u0437\u043e\u0448\u043b\u043e, \u0438 \u043f\u0442\u0438\u0446\u044b \u0437\u0430\u043f\u0435\u043b\u0438.",
    "\u4eca\u5929\u5929\u6c14\u5f88\u597d\uff0c\u6211\u4eec\u53bb\u516c\u56ed\u3002\u4eca\u5929\u4e0d\u4e0b\u96e8\u3002",
    "\u0915\u093f\u0924\u093e\u092c \u092e\u0947\u091c\u093c \u092a\u0930 \u0939\u0948",
    "caf\u00e9 cafe\u0301 na\u00efve \u00e9t\u00e9 \U0001f44d\U0001f44d\U0001f3fd 123 4567 89",
]


def letters(seed, alphabet, num_texts, size):
    random_ = random.Random(seed)
    return ["".join(random_.choice(alphabet) for _ in range(size)) for _ in range(num_texts)]


# Name: texts, pattern, vocab_size, min_count, max_token_bytes, special_tokens.
CASES = {
    "prose": (PROSE, "gpt2", 420, 2, None, ["<|endoftext|>"]),
    "scripts": (SCRIPTS, "llama3", 400, 1, None, ["<s>", "</s>"]),
    "letters": (letters(1, "aab \u00e9", 30, 40), "gpt2", 500, 1, None, []),
    "runs": (letters(2, "ab", 8, 300), "none", 500, 1, None, []),
    "short_tokens": (PROSE, "o200k", 420, 3, 5, []),
}


def main():
    for name, (texts, pattern, vocab_size, min_count, max_token_bytes, special_tokens) in CASES.items():
        settings = {
            "pattern": pattern, "vocab_size": vocab_size, "min_count": min_count,
            "max_token_bytes": max_token_bytes, "special_tokens": special_tokens,
        }
        tokenizer = library_training.train(texts, **settings)
        case = {**settings, "texts": texts, "tokenizer": json.loads(tokenizer.to_str())}
        path = pathlib.Path(sys.argv[1], name + ".json")
        path.write_text(json.dumps(case, separators=(",", ":")) + "\n")


main()
