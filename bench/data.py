# SPDX-License-Identifier: Apache-2.0
# peer: data_bench
"""Tokenizing, reading JSONL and packing, compared with other libraries on one core, and all of them together
on two. Outputs are compared first. Times are CPU time, and every run is a new process."""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE / "common"), str(HERE / "data")]
import texts
import feeding
import packing
import reading
import tokenizing
from harness import Bench

PARTS = {"tokenizing": tokenizing, "reading": reading, "packing": packing, "feeding": feeding}
OPTIONS = [
    (["parts"], {"nargs": "*", "metavar": "PART", "help": f"parts to run (default: {' '.join(PARTS)})"}),
    (["--quick"], {"action": "store_true", "help": "measure 4 MB instead of 20 MB, three times"}),
    (["--tuning"], {"action": "store_true", "help": "measure the documents to tune with, not those withheld"}),
    (["--vocabulary"], {"action": "append", "metavar": "NAME", "help": "only this vocabulary; repeatable"}),
]


def peer(name):
    return [sys.executable, str(HERE / "peer" / "data" / name)]


def main():
    bench = Bench("data", __doc__, options=OPTIONS)
    arguments = bench.arguments
    if arguments.quick:
        bench.rounds = min(bench.rounds, 3)
    num_bytes = 4_000_000 if arguments.quick else 20_000_000
    documents = texts.documents("tuning" if arguments.tuning else "withheld", num_bytes)
    with tempfile.TemporaryDirectory(prefix="bench_data_") as folder:
        for name, part in PARTS.items():
            if not arguments.parts or name in arguments.parts:
                part.run(bench, folder, peer, documents, arguments.vocabulary)
    return bench.close()


if __name__ == "__main__":
    sys.exit(main())
