#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare files of tokens with what NumPy and zarr read and write.

usage: token_files_peer_test.py TOKEN_DOCUMENTS
"""

from pathlib import Path
import random
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import zarr

PROGRAM = sys.argv.pop(1)
VOCABS = {1000: np.uint16, 65536: np.uint16, 200000: np.uint32}


def documents(vocab, seed=0):
    rng = random.Random(seed)
    return [[rng.randrange(vocab) for _ in range(rng.randrange(200))] for _ in range(50)]


def text_of(docs):
    return "".join(" ".join(map(str, doc)) + "\n" for doc in docs)


class TokenFilesPeer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, form, vocab, docs, *words):
        path = self.root / name
        subprocess.run([PROGRAM, "write", str(path), form, str(vocab), *words], input=text_of(docs), text=True,
                       check=True)
        return path

    def read(self, path, *words):
        done = subprocess.run([PROGRAM, "read", str(path), *words], stdout=subprocess.PIPE, text=True, check=True)
        return [list(map(int, line.split())) for line in done.stdout.splitlines()]

    def test_numpy_reads_what_is_written(self):
        for vocab, dtype in VOCABS.items():
            docs = documents(vocab)
            ids = np.array(sum(docs, []), dtype)
            npy = np.load(self.write(f"{vocab}.npy", "npy", vocab, docs))
            npz = np.load(self.write(f"{vocab}.npz", "npz", vocab, docs))["tokens"]
            raw = np.fromfile(self.write(f"{vocab}.bin", "raw", vocab, docs), dtype)
            for read in (npy, npz, raw):
                self.assertEqual(read.dtype, dtype)
                np.testing.assert_array_equal(read, ids)

    def test_reads_what_numpy_writes(self):
        for dtype in (np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
            ids = np.array(random.Random(1).sample(range(128), 100), dtype)
            for name, save in (("a.npy", np.save), ("a.npz", np.savez), ("b.npz", np.savez_compressed)):
                path = self.root / name
                save(path, ids)
                self.assertEqual(self.read(path), [ids.tolist()])

    def test_zarr_reads_what_is_written(self):
        for split in ("train", "validation"):
            docs = documents(5000, seed=len(split))
            path = self.write("flat.zarr", "flat_tokens", 5000, docs, split)
            group = zarr.open_group(str(path), mode="r")[split]
            starts = np.cumsum([0] + [len(doc) for doc in docs])
            np.testing.assert_array_equal(group["seq_starts"][:], starts.astype(np.uint64))
            encoded = np.array([2 * id + (i == 0) for doc in docs for i, id in enumerate(doc)], np.uint32)
            np.testing.assert_array_equal(group["encoded_tokens"][:], encoded)
            self.assertEqual(group.attrs["max_token_id"], max(map(max, filter(None, docs))))
            self.assertEqual(self.read(path, split), docs)


if __name__ == "__main__":
    unittest.main()
