# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this folder: make.py FOLDER. Needs zstandard and the programs gzip and zstd."""
import gzip
import json
import pathlib
import random
import subprocess
import sys

import zstandard

WORDS = ["tree", "caf\u00e9", "\u6f22\u5b57", "\U0001f600", '"quoted"', "back\\slash", "tab\t", "line\n",
         "nul\0", "\u2028", "e\u0301", "</tag>"]


def records(seed, count):
    random_ = random.Random(seed)
    for i in range(count):
        text = " ".join(random_.choice(WORDS) for _ in range(random_.randrange(1, 60)))
        yield {"id": i, "text": text, "meta": {"source": "made", "score": random_.random()}}


def main():
    folder = pathlib.Path(sys.argv[1])
    all_records = list(records(1, 200))
    ascii_lines = [json.dumps(r) + "\n" for r in all_records]
    utf8_lines = [json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in all_records]
    plain = "".join(ascii_lines).encode()
    utf8 = "".join(utf8_lines).encode()
    half = len("".join(utf8_lines[:100]).encode())

    with gzip.open(folder / "python.jsonl.gz", "wb", compresslevel=6) as file:
        file.write(plain)
    members = [gzip.compress(utf8[:half], 9), gzip.compress(b""), gzip.compress(utf8[half:], 1)]
    (folder / "members.jsonl.gz").write_bytes(b"".join(members))
    with open(folder / "stream.jsonl.zst", "wb") as file:
        # A stream does not know its size.
        with zstandard.ZstdCompressor(level=19).stream_writer(file) as writer:
            writer.write(plain)
    frames = [zstandard.ZstdCompressor(level=3, write_checksum=True).compress(part)
              for part in (utf8[:half], utf8[half:])]
    skippable = b"\x50\x2a\x4d\x18\x05\0\0\0index"
    (folder / "frames.jsonl.zst").write_bytes(skippable + frames[0] + skippable + frames[1])
    for program in (["gzip", "-9", "-c"], ["zstd", "--long=27", "-c", "-q"]):
        suffix = {"gzip": "gz", "zstd": "zst"}[program[0]]
        (folder / f"program.jsonl.{suffix}").write_bytes(
            subprocess.run(program, input=utf8, capture_output=True, check=True).stdout)
    (folder / "expected.json").write_text(json.dumps([r["text"] for r in all_records]) + "\n")


main()
