# SPDX-License-Identifier: Apache-2.0
"""JSONL compressed with zstd, to packed batches on devices: all stages at once on two cores."""

import shutil

import texts
import vocabularies
from harness import median, program, ratios, run_pinned
from reading import COPIES, write_jsonl

VOCABULARY = "cl100k_base"
LENGTH = 2049
CORES = 2
TARGET = 0.7  # of the cores at work


def run(bench, folder, peer, documents, only):
    path, texts_path = f"{folder}/feeding.jsonl.zst", f"{folder}/feeding.texts"
    megabytes = write_jsonl(path, documents) / 1e6
    texts.write(texts_path, documents * COPIES)
    vocabulary = vocabularies.path(VOCABULARY)
    data = program("data")

    def stages():
        """The CPU time of the stages, each on its own."""
        commands = [["read", path, "1"], ["encode", vocabulary, texts_path, "1"],
                    ["pack", vocabulary, path, f"{folder}/cache", str(LENGTH), "whole", "batches"]]
        return sum(run_pinned([data, *command])["seconds"] for command in commands)

    def together():
        shutil.rmtree(f"{folder}/fresh_cache", ignore_errors=True)
        return run_pinned([data, "feed", vocabulary, path, f"{folder}/fresh_cache", str(LENGTH - 1), str(CORES)],
                          cores=CORES)

    samples = bench.interleave({"feeding, stages": stages, "feeding, together": together})
    alone, fed = samples.values()
    bench.fact("feeding", megabytes / median(run["wall"] for run in fed), "MB/s of text")
    bench.fact("feeding, CPU time", median(run["seconds"] for run in fed), "s")
    bench.fact("feeding, CPU time of the stages alone", median(alone), "s")
    bench.claim_ratio("feeding, CPU time of the stages over that of two cores",
                      [ratios(alone, [CORES * run["wall"] for run in fed])], ">=", TARGET)
