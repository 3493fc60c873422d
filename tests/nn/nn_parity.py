# SPDX-License-Identifier: Apache-2.0
"""Compare initial values bit by bit, and layers and models with their gradients, with JAX and Flax.

usage: nn_parity.py PROGRAM [--only PART_OF_NAME]
"""

from functools import partial
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"  # jax would set 1, which also affects our program
import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parity"))
from compare import difference, load_arrays
import parity

import jax_layers

DTYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16}
FACTOR = {"f32": 5, "bf16": 3}
VANISHING = {"f32": 1e-6, "bf16": 1e-3}


def as_jax(array):
    return jnp.asarray(array)


def outputs_and_gradients(record, folder):
    paths = record["paths"].split()
    params = dict(zip(paths, map(as_jax, load_arrays(folder, record["params"]))))
    inputs = list(map(as_jax, load_arrays(folder, record["inputs"])))
    run = getattr(jax_layers, record["case"])

    def loss(params):
        outputs = run(params, inputs, DTYPES[record["dtype"]])
        return sum(jnp.mean(jnp.square(y.astype(jnp.float32))) for y in outputs), outputs

    if not params:
        outputs = jax.jit(lambda: loss(params)[1])()
        return [(f"output {i}", y) for i, y in enumerate(outputs)]
    (_, outputs), grads = jax.jit(jax.value_and_grad(loss, has_aux=True))(params)
    named = [(f"output {i}", y) for i, y in enumerate(outputs)]
    return named + [(f"gradient of {path}", grads[path]) for path in paths]


def check_inits(record, folder):
    expected = jax_layers.inits(DTYPES[record["dtype"]])
    paths = record["paths"].split()
    if sorted(paths) != sorted(expected):
        yield f"{sorted(paths)} instead of {sorted(expected)}"
        return
    for path, ours in zip(paths, load_arrays(folder, record["results"])):
        theirs = np.asarray(expected[path])
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape or ours.tobytes() != theirs.tobytes():
            yield f"{path}: not the same bits: {ours.ravel()[:3]} instead of {theirs.ravel()[:3]}"


def check(record, folder):
    if record["case"] == "inits":
        yield from check_inits(record, folder)
        return
    expected = outputs_and_gradients(record, folder)
    ours = load_arrays(folder, record["results"])
    if len(ours) != len(expected):
        yield f"{len(ours)} arrays, JAX has {len(expected)}"
    for a, (name, b) in zip(ours, expected):
        dtype = record["dtype"]
        if name.endswith("/b_k"):  # softmax does not depend on it, so the gradient is rounding error
            wrong = "should be 0" if np.abs(a.astype(np.float32)).max() > VANISHING[dtype] else None
        else:
            wrong = difference(a, np.asarray(b), FACTOR[dtype], dtype)
        if wrong:
            yield f"{name}: {wrong}"


if __name__ == "__main__":
    parity.main(f"JAX {jax.__version__}", lambda records, folder: (records, partial(check, folder=folder)))
