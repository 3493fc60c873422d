# SPDX-License-Identifier: Apache-2.0
"""usage: jax_trace.py LAYERS unrolled|scanned [loss]

Prints how long JAX takes to trace, differentiate and lower the transformer of tests/models. With `loss`,
prints its loss at the initial values instead."""

import pathlib
import sys
import time

import jax

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "models"))
import jax_models


def main():
    model = jax_models.Decoder(layers=int(sys.argv[1]), scanned=sys.argv[2] == "scanned")
    value_and_grad = jax.jit(jax.value_and_grad(model.loss))
    if sys.argv[3:] == ["loss"]:
        params = jax_models.initial_values(model.params())
        loss, _ = value_and_grad(params, *jax_models.synthetic_inputs(model.inputs(), 0))
        print(f"loss {float(loss):.9g}")
        return
    params, inputs = jax.eval_shape(
        lambda: (jax_models.initial_values(model.params()), jax_models.synthetic_inputs(model.inputs(), 0)))
    start = time.perf_counter()
    lowered = value_and_grad.trace(params, *inputs).lower()
    lowered.as_text()
    print(f"total {time.perf_counter() - start:.6f}")


if __name__ == "__main__":
    main()
