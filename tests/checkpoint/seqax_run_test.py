#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run continues from a checkpoint of seqax, and seqax from one of Meshwright's. Its model and update,
reimplemented here in JAX, must give the program's results.

usage: seqax_run_test.py MESHWRIGHT
"""

import os
import sys
import unittest

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import zarr

from run_testutil import RunTest, cross_entropy, tokens_of

VOCAB, LAYERS, D, KV, Q, HEAD, FF = 48, 3, 16, 2, 3, 4, 24
BATCH, LEN = 4, 8
WARMUP, STEPS, RATE, DECAY = 4, 40, 0.01, 0.1

# In the order of its dataclass, with its dimensions.
SHAPES = {
    "embed": (VOCAB, D), "unembed": (VOCAB, D),
    "transformerln1": (LAYERS, D), "transformerln2": (LAYERS, D),
    "transformerw_q": (LAYERS, D, Q, KV, HEAD), "transformerw_kv": (LAYERS, 2, D, KV, HEAD),
    "transformerw_o": (LAYERS, D, Q, KV, HEAD),
    "transformerw_gate": (LAYERS, D, FF), "transformerw_up": (LAYERS, D, FF),
    "transformerw_down": (LAYERS, D, FF), "final_layer_norm": (D,)}
PARTS = ("weights", "adam_mu", "adam_nu")

MODEL = [f"task.model.vocab={VOCAB}", f"data.vocab_size={VOCAB}", f"task.model.layers={LAYERS}",
         f"task.model.embed={D}", f"task.model.kv={KV}", f"task.model.q={Q}", f"task.model.dim={HEAD}",
         f"task.model.mlp={FF}", f"data.batch_size={BATCH}", f"data.length={LEN}"]
UPDATE = ["task.compute_dtype=f32", f"optimizer.learning_rate.warmup={WARMUP}",
          f"optimizer.learning_rate.peak={RATE}", f"optimizer.learning_rate.end={STEPS}",
          f"optimizer.weight_decay={DECAY}"]
RUN = ["checkpoint.format=seqax", "checkpoint.when.n=1", 'checkpoint.keep_last_n="none"',
       "mesh.num_devices=2"]


def step_folder(run, step):
    return run / str(step).zfill(10)


def save(run, step, state):
    root = zarr.open_group(step_folder(run, step), mode="w-", zarr_format=2)
    for name, value in state.items():
        chunks = tuple(-(-size // 2) for size in value.shape)  # as written by several devices
        root.create_array(name, shape=value.shape, dtype=value.dtype, chunks=chunks)[...] = value
    root.attrs["write_completed"] = True


def load(run, step):
    root = zarr.open_group(step_folder(run, step), mode="r", zarr_format=2)
    if "write_completed" not in root.attrs:
        raise ValueError("write_completed is missing")
    state = {}
    for part in PARTS:
        for name, shape in SHAPES.items():
            array = root[part + name]
            assert array.shape == shape, f"{part}{name}: {array.shape}, expected {shape}"
            assert array.dtype == np.float32, f"{part}{name}: {array.dtype}"
            state[part + name] = np.asarray(array[...])
    return state


def normed(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


def turned(x, positions):
    """`positions` has the dimensions of x except the last."""
    half = x.shape[-1] // 2
    timescale = jnp.logspace(0, jnp.log10(jnp.float32(10000)), half, endpoint=False)
    angle = positions[..., None] / timescale
    a, b = x[..., :half], x[..., half:]
    return jnp.append(a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle), -1)


def loss_of(w, inputs, targets):
    x = w["embed"][inputs]
    place = jnp.arange(LEN, dtype=jnp.float32)
    seen = jnp.tril(jnp.ones((LEN, LEN), bool))[None, :, :, None, None]
    for i in range(LAYERS):
        layer = {name.removeprefix("transformer"): value[i] for name, value in w.items()
                 if name.startswith("transformer")}
        y = normed(x) * layer["ln1"]
        q = turned(jnp.einsum("blm,mqkd->blqkd", y, layer["w_q"]), place[None, :, None, None])
        k, v = jnp.einsum("blm,cmkd->cblkd", y, layer["w_kv"])
        k = turned(k, place[None, :, None])
        logits = jnp.einsum("blqkd,bskd->blsqk", q, k)
        probs = jax.nn.softmax(jnp.where(seen, logits, -1e10), axis=2)
        mixed = jnp.einsum("blsqk,bskd->blqkd", probs, v)
        x = x + jnp.einsum("blqkd,mqkd->blm", mixed, layer["w_o"])
        y = normed(x) * layer["ln2"]
        gated = jax.nn.silu(y @ layer["w_gate"]) * (y @ layer["w_up"])
        x = x + jnp.einsum("blf,mf->blm", gated, layer["w_down"])
    return cross_entropy(jnp.einsum("blm,vm->blv", normed(x) * w["final_layer_norm"], w["unembed"]), targets)


GRADIENT = jax.jit(jax.grad(loss_of))


def rate(step):
    cosine = np.cos(np.pi * (step - WARMUP) / (STEPS - WARMUP))
    return RATE * (step / WARMUP if step < WARMUP else 0.1 + 0.9 * (cosine * 0.5 + 0.5))


def updated(state, step, batch):
    """Returns the state after the update with number `step`, where the first has number 0."""
    w = {name: jnp.asarray(state["weights" + name]) for name in SHAPES}
    grads = GRADIENT(w, *batch)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in grads.values()))
    out = {}
    for name, g in grads.items():
        g = g * jnp.minimum(1.0, 1.0 / norm)
        mu = 0.1 * g + 0.9 * state["adam_mu" + name]
        nu = 0.05 * g * g + 0.95 * state["adam_nu" + name]
        change = (mu / (1 - 0.9 ** (step + 1))) / (jnp.sqrt(nu / (1 - 0.95 ** (step + 1))) + 1e-8)
        out["weights" + name] = w[name] - rate(step) * (change + DECAY * w[name])
        out["adam_mu" + name], out["adam_nu" + name] = mu, nu
    return {name: np.asarray(value) for name, value in out.items()}


def batch_of(step):
    return tokens_of(step, BATCH, LEN, VOCAB)


def random_state():
    generator = np.random.default_rng(1)
    state = {}
    for name, shape in SHAPES.items():
        value = generator.standard_normal(shape, np.float32)
        is_norm = "ln" in name or "norm" in name
        state["weights" + name] = 1 + value * 0.1 if is_norm else value * np.float32(0.3)
        state["adam_mu" + name] = generator.standard_normal(shape, np.float32) * np.float32(0.01)
        state["adam_nu" + name] = np.square(generator.standard_normal(shape, np.float32)) * np.float32(0.01)
    return {name: value.astype(np.float32) for name, value in state.items()}


class SeqaxRun(RunTest):
    def train(self, run, max_step, *more, code=0):
        words = ["train", "seqax_84m", f"dir={self.root / run}", f"max_step={max_step}", *MODEL, *UPDATE]
        return self.program(*words, *more, code=code)

    def test_goes_on_with_a_run_of_seqax_and_seqax_with_ours(self):
        state = random_state()
        save(self.steps, 5, state)
        log = self.train("run", 8, *RUN).stderr
        self.assertIn("restored the checkpoint of step 5", log)
        for step in (5, 6, 7):
            state = updated(load(self.steps, step), step, batch_of(step))
            self.compare(load(self.steps, step + 1), state)

    def test_goes_on_bit_by_bit_on_another_mesh(self):
        self.train("run", 4, *RUN)
        self.train("other", 2, *RUN)
        self.train("other", 4, *RUN)
        wanted = load(self.steps, 4)
        for name, value in load(self.root / "other" / "checkpoints", 4).items():
            self.assertEqual(value.tobytes(), wanted[name].tobytes(), name)
        self.train("other", 5, *RUN, "mesh.num_devices=1")
        self.train("run", 5, *RUN)
        self.compare(load(self.root / "other" / "checkpoints", 5), load(self.steps, 5))

    def test_begins_with_parameters_of_seqax(self):
        state = random_state()
        save(self.root / "theirs", 5, state)
        self.train("ours", 0, "mesh.num_devices=2", f"init_state.from={self.root / 'theirs'}",
                   "checkpoint.format=seqax", 'checkpoint.when={ type = "every_n", n = 1, and_last = true }')
        self.train("all", 6, *RUN, f"init_state.from={self.root / 'theirs'}", "init_state.all=true")
        self.compare(load(self.root / "all" / "checkpoints", 6), updated(state, 5, batch_of(5)))

    def test_says_what_does_not_suit(self):
        state = random_state()
        state["weightstransformerw_kv"] = state["weightstransformerw_kv"][:, :1]
        save(self.steps, 5, state)
        log = self.train("run", 8, *RUN, code=2).stderr
        self.assertIn("'weights/transformer/w_kv' is f32[3,1,16,2,4]", log)

    def test_warns_of_a_model_that_seqax_has_not(self):
        log = self.train("run", 1, *RUN, "task.model.style=llama").stderr
        self.assertIn("seqax has no model like this one", log)


if __name__ == "__main__":
    RunTest.program_file = sys.argv.pop(1)
    unittest.main()
