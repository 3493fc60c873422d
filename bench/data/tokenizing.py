# SPDX-License-Identifier: Apache-2.0
"""Tokenizers on documents that they have not seen: each run is a new process with empty caches."""

import filecmp
import os
import random
import string

import texts
import vocabularies
from harness import median, program, ratios, run_pinned

# How many times as fast as other libraries, on one core. None: compared without a target.
TARGETS = {
    "gpt2": {"tiktoken": 3, "gigatoken": None},
    "cl100k_base": {"quicktok": 1, "tiktoken": 3, "gigatoken": None},
    "o200k_base": {"quicktok": 1, "tiktoken": 3, "gigatoken": None},
    "llama3": {"tiktoken": 3},
    "qwen": {"tiktoken": 3, "gigatoken": None},
    "deepseek": {"tokenizers": 10, "gigatoken": None},
    "anthropic": {"tokenizers": 10},
    "mistral": {"sentencepiece": 4, "gigatoken": None},
    "ai21": {"sentencepiece": 1.3},
    "bert": {"tokenizers": 8},
}
MEGABYTE = 1_000_000
MEGABYTE_SECONDS = 0.15
TWO_CORES = 1.8


class Tokenizing:
    def __init__(self, bench, folder, peer):
        self.bench = bench
        self.folder = folder
        self.peer = [*peer("tokenize_texts.py")]

    def texts(self, name, documents):
        path = f"{self.folder}/{name}"
        if not os.path.exists(path):
            texts.write(path, documents)
        return path

    def ours(self, vocabulary, path, *ids, cores=1):
        return run_pinned([program("data"), "encode", vocabularies.path(vocabulary), path, str(cores), *ids],
                          cores=cores)

    def theirs(self, library, vocabulary, path, *ids):
        return run_pinned([*self.peer, library, vocabulary, path, *ids])

    def check(self, library, vocabulary, path):
        """Stops the bench unless both give the same ids."""
        ours, theirs = f"{self.folder}/ours", f"{self.folder}/theirs"
        num_tokens = self.ours(vocabulary, path, ours)["tokens"]
        self.theirs(library, vocabulary, path, theirs)
        if not filecmp.cmp(ours, theirs, shallow=False):
            self.bench.stop(f"the ids of {vocabulary} differ from those of {library}")
        self.bench.fact(f"{vocabulary}, tokens, equal to {library}", int(num_tokens))

    def compare(self, vocabulary, documents):
        path = self.texts("documents", documents)
        megabytes = os.path.getsize(path) / 1e6
        for library in TARGETS[vocabulary]:
            self.check(library, vocabulary, path)
        runs = {"Meshwright": lambda: self.ours(vocabulary, path)["seconds"]}
        for library in TARGETS[vocabulary]:
            runs[library] = lambda library=library: self.theirs(library, vocabulary, path)["seconds"]
        samples = self.bench.interleave({f"{vocabulary}, {side}": run for side, run in runs.items()})
        ours = samples[f"{vocabulary}, Meshwright"]
        self.bench.fact(f"{vocabulary}, Meshwright", megabytes / median(ours), "MB/s")
        for library, target in TARGETS[vocabulary].items():
            theirs = samples[f"{vocabulary}, {library}"]
            self.bench.fact(f"{vocabulary}, {library}", megabytes / median(theirs), "MB/s")
            name, groups = f"{vocabulary}, times as fast as {library}", [ratios(theirs, ours)]
            if target is None:
                self.bench.ratio(name, groups)
            else:
                self.bench.claim_ratio(name, groups, ">=", target)

    def long_words(self, vocabulary):
        letters = random.Random(0)
        for name, text in {"one letter": lambda: "a" * MEGABYTE,
                           "random letters": lambda: "".join(letters.choices(string.ascii_lowercase, k=MEGABYTE))
                           }.items():
            path = self.texts(name, [text()])
            for library in list(TARGETS[vocabulary])[:1]:
                self.check(library, vocabulary, path)
            samples = self.bench.interleave({f"{vocabulary}, {name}": lambda: self.ours(vocabulary, path)["seconds"]},
                                            rounds=3)
            self.bench.claim(f"{vocabulary}, a megabyte of {name}", median(*samples.values()), "<=",
                             MEGABYTE_SECONDS, "s")

    def two_cores(self, vocabulary, documents):
        path = self.texts("documents", documents)
        samples = self.bench.interleave({
            f"{vocabulary}, {cores} cores": lambda cores=cores: self.ours(vocabulary, path, cores=cores)["longest"]
            for cores in (1, 2)})
        self.bench.claim_ratio(f"{vocabulary}, two cores to one", [ratios(*samples.values())], ">=", TWO_CORES)


def run(bench, folder, peer, documents, only):
    tokenizing = Tokenizing(bench, folder, peer)
    for vocabulary in TARGETS:
        if not only or vocabulary in only:
            tokenizing.compare(vocabulary, documents)
            tokenizing.long_words(vocabulary)
    tokenizing.two_cores("cl100k_base", documents)
