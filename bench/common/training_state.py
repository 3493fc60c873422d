# SPDX-License-Identifier: Apache-2.0
"""The state that a training run saves, for checkpoint benches: a transformer of 124 million parameters
in f32 with Adam's moments, the first in bf16, the second in f32; 1.24 GB of random values.

FOLDER/state.txt names the arrays, one line `PATH DTYPE DIMS...` each; FOLDER/state.bin holds their bytes."""

import pathlib

import ml_dtypes
import numpy as np

LAYERS, EMBED, VOCAB = 12, 768, 50304
SHAPES = {
    "embed": (VOCAB, EMBED),
    "positions": (1024, EMBED),
    "layers/norm1": (LAYERS, EMBED),
    "layers/w_qkv": (LAYERS, EMBED, 3 * EMBED),
    "layers/w_out": (LAYERS, EMBED, EMBED),
    "layers/norm2": (LAYERS, EMBED),
    "layers/w_up": (LAYERS, EMBED, 4 * EMBED),
    "layers/w_down": (LAYERS, 4 * EMBED, EMBED),
    "norm": (EMBED,),
}
DTYPES = {"float32": np.dtype(np.float32), "bfloat16": np.dtype(ml_dtypes.bfloat16)}


def values(path, random, shape):
    normal = random.standard_normal(shape, np.float32)
    if path.startswith("mu/"):
        return (normal * np.float32(1e-3)).astype(ml_dtypes.bfloat16)
    return normal * normal * np.float32(1e-6) if path.startswith("nu/") else normal * np.float32(0.02)


def write(folder):
    """Creates the two files; returns the number of bytes of all arrays."""
    random = np.random.default_rng(0)
    folder = pathlib.Path(folder)
    with open(folder / "state.txt", "w") as names, open(folder / "state.bin", "wb") as data:
        for part in ("params", "mu", "nu"):
            for name, shape in SHAPES.items():
                array = values(f"{part}/{name}", random, shape)
                print(f"{part}/{name}", array.dtype, *shape, file=names)
                array.tofile(data)
        return data.tell()


def read(folder):
    """Reads the arrays into memory; returns them by path."""
    folder = pathlib.Path(folder)
    arrays = {}
    with open(folder / "state.bin", "rb") as data:
        for line in (folder / "state.txt").read_text().splitlines():
            path, dtype, *dims = line.split()
            shape = tuple(map(int, dims))
            arrays[path] = np.fromfile(data, DTYPES[dtype], int(np.prod(shape))).reshape(shape)
    return arrays
