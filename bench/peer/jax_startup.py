# SPDX-License-Identifier: Apache-2.0
"""Runs the first training step of a 4-layer transformer in JAX and prints its loss. The persistent
compilation cache is in JAX_COMPILATION_CACHE_DIR."""

import pathlib
import sys

import jax

jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "models"))
import jax_models


def main():
    model = jax_models.Decoder()

    @jax.jit
    def init():
        params = jax_models.initial_values(model.params())
        zeros = jax.tree.map(jax.numpy.zeros_like, params)
        return params, zeros, zeros, jax.numpy.float32(1), *jax_models.synthetic_inputs(model.inputs(), 0)

    step = jax.jit(jax_models.adamw_step(model), donate_argnums=(0, 1, 2))
    loss, *_ = step(*init())
    print(f"loss {float(loss):.9g}", flush=True)


if __name__ == "__main__":
    main()
