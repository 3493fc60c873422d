# SPDX-License-Identifier: Apache-2.0
"""Reads the texts of a JSONL file compressed with zstd.

usage: read_records.py simdjson|datasets FILE [check]

Prints the seconds of CPU time and the number of records, with `check` also a digest of the texts.
"""

import hashlib
import os
import sys
import tempfile
import time


def simdjson(path):
    import io

    import simdjson
    import zstandard
    parser = simdjson.Parser()
    with open(path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        for line in io.BufferedReader(stream, 1 << 20):
            record = parser.parse(line)
            yield record["text"]
            del record  # so that the parser can be used again


def datasets(path):
    import datasets
    for example in datasets.load_dataset("json", data_files=path, split="train", streaming=True):
        yield example["text"]


def main():
    library, path = sys.argv[1:3]
    digest = hashlib.md5() if len(sys.argv) > 3 else None
    __import__(library)
    num_records = 0
    begin = time.process_time()
    for text in globals()[library](path):
        num_records += 1
        if digest:
            digest.update(text.encode())
    print("seconds", time.process_time() - begin)
    print("records", num_records)
    if digest:
        print("digest", int(digest.hexdigest()[:8], 16))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HF_HOME"] = folder
        main()
