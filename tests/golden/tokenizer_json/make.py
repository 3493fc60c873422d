#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tiny tokenizer.json files and what `tokenizers` 0.23 makes of some texts.

Usage: make.py FOLDER
"""
import json
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer
from tokenizers import decoders as D
from tokenizers import models as M
from tokenizers import normalizers as N
from tokenizers import pre_tokenizers as P
from tokenizers import processors as X
from tokenizers import trainers as T

CORPUS = ["the cat sat on the mat, the hat!", "hello world 123 caf\u00e9", "lower lowest newer"] * 9
TEXTS = [
    "", " ", "the cat", "The  CAT sat\n\non 42 mats.", "<s>hello</s> world", "hellothere hello World",
    "caf\u00e9 cafe\u0301 \uff21\u2460\u00bd\ufb01", "\u4e2d\u56fd \ud55c\uad6d \u304b\u3099",
    "a\u0301\u0327\u0345 \u0130\u03a3\u00df", "x\u00a0y\u3000z\u200b\u00ad\x00\x7f", "don't 1234567 [MASK] !",
    "\U0001f44d\U0001f468\u200d\U0001f469", "<0x41> \u2581\u2581the", "lower lowest  newer  ",
]


def llama():
    return N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")])


def llama_decoder():
    replace = D.Replace("\u2581", " ")
    return D.Sequence([replace, D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])


def bpe(normalizer, splitter, decoder, tokens=("<unk>",), trainer=None, **model):
    options = dict(vocab_size=len(tokens) + 70, special_tokens=list(tokens), show_progress=False)
    return (M.BPE(unk_token="<unk>", **model), T.BpeTrainer(**options, **(trainer or {})),
            normalizer, splitter, decoder)


def byte_bpe(normalizer, splitter):
    alphabet = P.ByteLevel.alphabet()
    trainer = T.BpeTrainer(vocab_size=290, initial_alphabet=alphabet, show_progress=False)
    return M.BPE(), trainer, normalizer, splitter, D.ByteLevel()


def word_model(model, trainer, normalizer, splitter, decoder):
    options = dict(vocab_size=80, special_tokens=["[UNK]"], show_progress=False)
    return model(unk_token="[UNK]"), trainer(**options), normalizer, splitter, decoder


def cases():
    byte_level = P.ByteLevel(add_prefix_space=False)
    digits = P.Sequence([P.Digits(True), P.ByteLevel(add_prefix_space=False, use_regex=False)])
    fallback = ["<unk>"] + [f"<0x{i:02X}>" for i in range(256)]
    unigram = T.UnigramTrainer(vocab_size=60, special_tokens=["<unk>"], unk_token="<unk>",
                               show_progress=False)
    yield "byte_bpe", byte_bpe(None, byte_level)
    yield "byte_bpe_prefix_space", byte_bpe(N.NFC(), P.ByteLevel(add_prefix_space=True))
    yield "byte_bpe_digits", byte_bpe(N.NFKD(), digits)
    yield "bpe_fallback", bpe(llama(), None, llama_decoder(), fallback, fuse_unk=True,
                              byte_fallback=True)
    yield "bpe_fused", bpe(N.NFKC(), P.Metaspace(prepend_scheme="never"),
                           D.Metaspace(prepend_scheme="never"), fuse_unk=True)
    yield "bpe_first", bpe(N.NFD(), P.Metaspace(prepend_scheme="first"), D.Metaspace())
    suffix = dict(end_of_word_suffix="</w>")
    yield "bpe_suffix", bpe(N.Lowercase(), P.Whitespace(), D.BPEDecoder(), trainer=suffix, **suffix)
    prefix = dict(continuing_subword_prefix="##")
    yield "bpe_prefix", bpe(N.Strip(), P.WhitespaceSplit(), D.WordPiece(), trainer=prefix, **prefix)
    yield "bpe_whole_words", bpe(N.Nmt(), P.Split(Regex(r"\s+"), "merged_with_next"), None,
                                 ignore_merges=True)
    yield "unigram", (M.Unigram(), unigram, N.Replace(Regex(" {2,}"), " "), P.Metaspace(),
                      D.Metaspace())
    yield "wordpiece", word_model(M.WordPiece, T.WordPieceTrainer, N.BertNormalizer(),
                                  P.BertPreTokenizer(), D.WordPiece())
    yield "word_level", word_model(M.WordLevel, T.WordLevelTrainer,
                                   N.Sequence([N.NFD(), N.StripAccents()]),
                                   P.Punctuation("merged_with_previous"), None)


def make(model, trainer, normalizer, splitter, decoder):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if splitter:
        tokenizer.pre_tokenizer = splitter
    if decoder:
        tokenizer.decoder = decoder
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens([AddedToken("<s>"), AddedToken("</s>", lstrip=True),
                                  AddedToken("[MASK]", rstrip=True, lstrip=True)])
    tokenizer.add_tokens([AddedToken("hello", single_word=True, normalized=False),
                          AddedToken("World", normalized=True)])
    special = [(name, tokenizer.token_to_id(name)) for name in ("<s>", "</s>")]
    tokenizer.post_processor = X.TemplateProcessing(single="<s> $A </s>", special_tokens=special)
    return tokenizer


def main():
    folder = pathlib.Path(sys.argv[1])
    expected = []
    for name, parts in cases():
        path = str(folder / f"{name}.json")
        make(*parts).save(path, pretty=False)
        tokenizer = Tokenizer.from_file(path)
        for text in TEXTS:
            ids = tokenizer.encode(text).ids
            expected.append(dict(file=f"{name}.json", text=text, ids=ids,
                                 decoded=tokenizer.decode(ids)))
    lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in expected)
    (folder / "expected").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
