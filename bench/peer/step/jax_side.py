# SPDX-License-Identifier: Apache-2.0
"""usage: jax_side.py CONFIG FOLDER f32|bf16 unrolled|scanned|cudnn

Trains the model of CONFIG with jax.jit and optax, with the initial parameters and the batch in FOLDER.
"cudnn" unrolls the layers and calls cuDNN's attention."""

import sys
import time

import jax
import jax.numpy as jnp
import optax

import config
import weights
from jax_models import Models
from server import Side, serve


def tree_of(flat, scanned):
    """Nests arrays by the parts of their names; layers stay stacked if `scanned`, else become a list."""
    tree = {}
    for name, array in flat.items():
        *parents, last = name.split("/")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = array
    for name in () if scanned else ("layers", "encoder", "decoder"):
        if name in tree:
            count = len(jax.tree.leaves(tree[name])[0])
            tree[name] = [jax.tree.map(lambda a, i=i: a[i], tree[name]) for i in range(count)]
    return tree


class Jax(Side):
    def __init__(self, config_file, folder, dtype, form):
        sizes, o = config.load(config_file)
        self.dtype = {"f32": jnp.float32, "bf16": jnp.bfloat16}[dtype]
        loss = Models(sizes, self.dtype, "cudnn" if form == "cudnn" else None).loss()
        optimizer = optax.adamw(o.learning_rate, o.b1, o.b2, o.eps, weight_decay=o.weight_decay)

        def step(params, state, batch):
            value, gradients = jax.value_and_grad(loss)(params, batch)
            updates, state = optimizer.update(gradients, state, params)
            return optax.apply_updates(params, updates), state, value

        params = jax.tree.map(jnp.asarray, tree_of(weights.parameters(sizes.task, f"{folder}/params"),
                                                   form == "scanned"))
        self.state = (params, jax.jit(optimizer.init)(params))
        self.batch = {name: jnp.asarray(array) for name, array in weights.read(f"{folder}/batch").items()}
        begin = time.perf_counter()
        self.compiled = jax.jit(step, donate_argnums=(0, 1)).lower(*self.state, self.batch).compile()
        self.compile_seconds = time.perf_counter() - begin

    def step(self):
        *self.state, loss = self.compiled(*self.state, self.batch)
        return loss

    def wait(self, loss):
        jax.block_until_ready((self.state, loss))

    def peak_bytes(self):
        return jax.devices()[0].memory_stats()["peak_bytes_in_use"]

    def product(self, batch, m, k, n):
        key = jax.random.key(0)
        a, b = (jax.random.normal(key, shape, self.dtype) for shape in ((batch, m, k), (batch, k, n)))
        if batch == 1:
            a, b = a[0], b[0]
        multiply = jax.jit(jnp.matmul)
        return lambda: multiply(a, b).block_until_ready()


if __name__ == "__main__":
    serve(Jax(*sys.argv[1:]))
