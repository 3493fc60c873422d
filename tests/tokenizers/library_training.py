# SPDX-License-Identifier: Apache-2.0
"""Trains byte-level BPE with `tokenizers`, by the settings of `meshwright data train-tokenizer`."""

from published_patterns import DEEPSEEK_SPLITS, GPT2, LLAMA3, O200K, QWEN3_5, TEKKEN
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

PATTERNS = {
    "gpt2": [GPT2],
    "llama3": [LLAMA3],
    "qwen2": [LLAMA3.replace("{1,3}", "")],
    "qwen3_5": [QWEN3_5],
    "o200k": [O200K],
    "tekken": [TEKKEN],
    # The published file spells line breaks as characters and escapes the quotation mark.
    "deepseek_v3": [
        pattern.replace("\r", r"\r").replace("\n", r"\n").replace(r"\"", '"') for pattern in DEEPSEEK_SPLITS
    ],
    "none": [],
}


def pre_tokenizer(pattern):
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern == "gpt2")
    if pattern in ("gpt2", "none"):
        return byte_level
    splits = [pre_tokenizers.Split(Regex(each), "isolated") for each in PATTERNS[pattern]]
    return pre_tokenizers.Sequence([*splits, byte_level])


def train(texts, pattern, vocab_size, min_count, max_token_bytes, special_tokens):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer(pattern)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_count,
        # Tokens of the library are shorter than its maximum.
        max_token_length=None if max_token_bytes is None else max_token_bytes + 1,
        special_tokens=special_tokens,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
