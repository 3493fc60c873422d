# SPDX-License-Identifier: Apache-2.0
"""Packing the tokens of documents into rows and batches."""

import texts
import vocabularies
from harness import median, program, ratios, run_pinned
from reading import COPIES, write_jsonl

TARGET = 10  # times as fast on one core
VOCABULARY = "cl100k_base"
LENGTH = 2049
# How each library packs and what it returns: whole documents, best fit first, as rows of tokens; or documents
# cut where a row ends, with targets and positions.
HOW = {"trl": ["whole", "rows"], "torchtitan": ["cut", "batches"]}


def run(bench, folder, peer, documents, only):
    path, texts_path, ids = (f"{folder}/packing{suffix}" for suffix in (".jsonl.zst", ".texts", ".ids"))
    write_jsonl(path, documents)
    texts.write(texts_path, documents * COPIES)
    vocabulary = vocabularies.path(VOCABULARY)
    run_pinned([*peer("tokenize_texts.py"), "tiktoken", VOCABULARY, texts_path, ids])
    for library, how in HOW.items():
        ours = [program("data"), "pack", vocabulary, path, f"{folder}/cache", str(LENGTH), *how]
        theirs = [*peer("pack_documents.py"), library, ids, str(LENGTH)]
        found, wanted = run_pinned([*ours[:-1], "rows"]), run_pinned(theirs)
        bench.fact(f"packing, rows (Meshwright, {library})", f"{found['rows']:.0f}, {wanted['rows']:.0f}")
        bench.check_same(f"packing, tokens, {library}", found["tokens"], wanted["tokens"], 0.01)
        samples = bench.interleave({
            f"packing, Meshwright, {how[1]}": lambda: run_pinned(ours)["seconds"],
            f"packing, {library}": lambda: run_pinned(theirs)["seconds"],
        })
        for side, values in samples.items():
            bench.fact(side, found["tokens"] / 1e6 / median(values), "million tokens/s")
        bench.claim_ratio(f"packing, times as fast as {library}", [ratios(*reversed([*samples.values()]))], ">=",
                          TARGET)
