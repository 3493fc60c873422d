# SPDX-License-Identifier: Apache-2.0
"""JSONL compressed with zstd, to texts."""

import json

import zstandard
from harness import median, program, ratios, run_pinned

TARGETS = {"simdjson": 1.2, "datasets": 5}  # how many times as fast on one core
COPIES = 5  # of the documents


def write_jsonl(path, documents):
    """Returns the number of uncompressed bytes."""
    num_bytes = 0
    with open(path, "wb") as file, zstandard.ZstdCompressor().stream_writer(file) as stream:
        for i, text in enumerate(documents * COPIES):
            line = json.dumps({"text": text, "id": i}, ensure_ascii=False).encode() + b"\n"
            stream.write(line)
            num_bytes += len(line)
    return num_bytes


def run(bench, folder, peer, documents, only):
    path = f"{folder}/documents.jsonl.zst"
    megabytes = write_jsonl(path, documents) / 1e6
    sides = {"Meshwright": [program("data"), "read", path, "1"]}
    sides |= {library: [*peer("read_records.py"), library, path] for library in TARGETS}
    found = {side: run_pinned([*command, "check"]) for side, command in sides.items()}
    for library in TARGETS:
        for what in ("records", "digest"):
            bench.check_same(f"JSONL.zst, {what}, {library}", found["Meshwright"][what], found[library][what], 0)
    samples = bench.interleave({f"JSONL.zst, {side}": lambda command=command: run_pinned(command)["seconds"]
                                for side, command in sides.items()})
    ours = samples["JSONL.zst, Meshwright"]
    for side in sides:
        bench.fact(f"JSONL.zst, {side}", megabytes / median(samples[f"JSONL.zst, {side}"]), "MB/s")
    for library, target in TARGETS.items():
        bench.claim_ratio(f"JSONL.zst, times as fast as {library}",
                          [ratios(samples[f"JSONL.zst, {library}"], ours)], ">=", target)
