# SPDX-License-Identifier: Apache-2.0
"""usage: jax_dispatch.py

Protocol and cases of bench_dispatch, with jax.jit."""

import sys
import time

import jax
import jax.numpy as jnp


def main():
    zeros = [jnp.zeros((4,), jnp.float32) for _ in range(201)]
    cases = {
        "trivial": [jax.jit(lambda x: x + 1), zeros[0]],
        "donated200": [jax.jit(lambda xs: [x + 1 for x in xs], donate_argnums=0), zeros[1:]],
    }
    for line in sys.stdin:
        name, steps = line.split()
        step, state = cases[name]
        start = time.perf_counter()
        for _ in range(int(steps)):
            state = step(state)
        jax.block_until_ready(state)
        microseconds = (time.perf_counter() - start) / int(steps) * 1e6
        cases[name][1] = state
        last = state[-1] if isinstance(state, list) else state
        print(f"{microseconds:.6f} {float(last[0]):.9g}", flush=True)


if __name__ == "__main__":
    main()
