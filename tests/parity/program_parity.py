# SPDX-License-Identifier: Apache-2.0
"""Compare the first training step of whole models with JAX: loss, gradients, SGD, AdamW, in f32 and
bf16, on one device and on meshes of eight.

usage: program_parity.py PROGRAM [--only PART_OF_NAME]
"""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"  # jax would set 1, which also affects our program
import jax
import jax.numpy as jnp
import numpy as np

from compare import difference, load_arrays
import parity

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
import jax_models

COMPUTE = {"f32": "float32", "bf16": "bfloat16"}
# Factor of an op's tolerance, since sums over devices and over layers are in another order.
FACTOR = {"f32": 5, "bf16": 3}


def first_steps(model):
    """Like trace_first_steps: returns a list of (name, array) in its order."""

    def steps(params, inputs):
        loss, grads = jax.value_and_grad(model.loss)(params, *inputs)
        zeros = jax.tree.map(jnp.zeros_like, params)
        parts = [grads, jax_models.sgd(params, grads), *jax_models.adamw(params, zeros, zeros, grads, 1.0)]
        return loss, parts

    params = jax_models.initial_values(model.params())
    inputs = jax_models.synthetic_inputs(model.inputs(), 0)
    values = [*params.items(), *zip((spec.name for spec in model.inputs()), inputs)]
    loss, parts = jax.jit(steps)(params, inputs)
    results = [("loss", loss)]
    for what, part in zip(("gradient", "after SGD", "after AdamW", "mu", "nu"), parts):
        results += [(f"{what} of {spec.name}", part[spec.name]) for spec in model.params()]
    return values, results


def compare_lists(ours, theirs, factor, dtype):
    if len(ours) != len(theirs):
        yield f"{len(ours)} arrays, JAX has {len(theirs)}"
    for a, (name, b) in zip(ours, theirs):
        wrong = difference(a, np.asarray(b), factor, dtype)
        if wrong:
            yield f"{name}: {wrong}"


def check(record, folder, expected):
    if "error" in record:
        yield record["error"]
        return
    dtype = record["dtype"]
    key = (record["model"], dtype)
    if key not in expected:
        expected[key] = first_steps(jax_models.ZOO[record["model"]](compute=COMPUTE[dtype]))
    values, results = expected[key]
    if "values" in record:  # computed with integer arithmetic: equal to the last bit except for one product
        yield from compare_lists(load_arrays(folder, record["values"]), values, 0.1, "f32")
    yield from compare_lists(load_arrays(folder, record["results"]), results, FACTOR[dtype], dtype)


def prepare(records, folder):
    expected = {}
    return records, lambda record: check(record, folder, expected)


if __name__ == "__main__":
    parity.main(f"JAX {jax.__version__}", prepare)
