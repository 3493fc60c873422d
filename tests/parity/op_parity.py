# SPDX-License-Identifier: Apache-2.0
"""Compare every op with JAX: the program op_parity runs the cases, this computes them again.

usage: op_parity.py PROGRAM [--seed N] [--only PART_OF_NAME]
"""

from functools import partial
import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"  # jax would set 1, which also affects our program
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax.parallel import all_gather_invariant  # has no public name yet

from compare import difference, load_arrays
import parity


def manual(in_specs, out_specs):
    """Runs a function as a manual region over the mesh of the C++ cases."""
    mesh = jax.make_mesh((2, 4), ("d", "t"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    return lambda f: jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)


# Names available to the expressions in the table.
NAMES = {"jax": jax, "jnp": jnp, "lax": lax, "np": np, "P": jax.P, "manual": manual,
         "all_gather_invariant": all_gather_invariant}
NARROW = ("bf16", "f16")


def is_float(array):
    return jnp.issubdtype(array.dtype, jnp.floating)


def value_and_pullback(f, args, cotangents):
    """Returns all results of f, and the gradients of its float arguments for cotangents of its float
    results. Without cotangents there are no gradients."""
    if not cotangents:
        return as_tuple(f(*args)), ()
    where = [i for i, arg in enumerate(args) if is_float(arg)]

    def of_floats(*floats):
        full = list(args)
        for i, value in zip(where, floats):
            full[i] = value
        results = as_tuple(f(*full))
        return tuple(r for r in results if is_float(r)), results

    _, pullback, results = jax.vjp(of_floats, *(args[i] for i in where), has_aux=True)
    return results, pullback(tuple(cotangents))


def as_tuple(results):
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def check(record, folder):
    """Yields the errors of one case."""
    if "error" in record:
        yield record["error"]
        return
    f = eval(record["jax"], NAMES)  # from our own table
    args = load_arrays(folder, record["args"])
    cotangents = load_arrays(folder, record["cotangents"])
    compute = jax.jit(value_and_pullback, static_argnums=0)
    wrong = list(compare(record, folder, compute(f, args, cotangents)))
    if wrong and record["dtype"] in NARROW:
        # Both round, but in different places; JAX's result in f32 for equal numbers is an equally
        # valid reference.
        exact = compute(f, [widened(a) for a in args], [widened(c) for c in cotangents])
        if not list(compare(record, folder, exact)):
            return
    yield from wrong


def widened(array):
    return array.astype(np.float32) if is_float(array) else array


def compare(record, folder, theirs):
    for what, arrays in zip(("outputs", "gradients"), theirs):
        ours = load_arrays(folder, record[what])
        if len(ours) != len(arrays):
            yield f"{len(ours)} {what}, JAX has {len(arrays)}"
        for i, (a, b) in enumerate(zip(ours, arrays)):
            b = np.asarray(b)
            if record["dtype"] in NARROW and is_float(b):
                b = b.astype(a.dtype)
            wrong = difference(a, b, record["tolerance"], record["dtype"])
            if wrong:
                yield f"{what}[{i}]: {wrong}"


def check_or_say_why(record, folder):
    try:
        yield from check(record, folder)
    except Exception as error:  # a mistake in the JAX expression is a failure of its case
        yield f"{type(error).__name__} in `{record['jax']}`: {error}"


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_num_cpu_devices", 8)
    parity.main(f"JAX {jax.__version__}",
                lambda records, folder: (records, partial(check_or_say_why, folder=folder)))
