# SPDX-License-Identifier: Apache-2.0
"""Train the same small language model in JAX with optax, from equal parameters and batches, and compare
the loss of every step.

A step agrees if its loss is within 1e-4 of JAX's in f32. Where the two diverge, the run in f64 decides:
our error must be at most 1e-4, or at most twice that of JAX's f32 run.

usage: lm_parity.py PROGRAM [--only PART_OF_NAME]
"""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"  # jax would set 1, which also affects our program
import jax
import jax.numpy as jnp
import numpy as np
import optax

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parity"))
from compare import load_arrays
import parity

TOLERANCE = 1e-4
WARMUP, STEPS = 10, 50


def normed(scale, x):
    return x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def turned(x):
    """Rotary positions of [batch, len, ..., dim]: the two halves of a head form pairs."""
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1], dtype=x.dtype)[:, None] * 10000.0 ** -(jnp.arange(half, dtype=x.dtype) / half)
    angle = jnp.expand_dims(angle, tuple(range(1, x.ndim - 2)))
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)


def attended(w, x):
    q = turned(jnp.einsum("ble,ekqd->blkqd", x, w["w_q"])) / w["w_q"].shape[-1] ** 0.5
    k = turned(jnp.einsum("bse,ekd->bskd", x, w["w_k"]))
    v = jnp.einsum("bse,ekd->bskd", x, w["w_v"])
    logits = jnp.einsum("blkqd,bskd->bkqls", q, k)
    seen = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    probs = jax.nn.softmax(jnp.where(seen, logits, -jnp.inf), -1)
    return jnp.einsum("bkqls,bskd,kqde->ble", probs, v, w["w_o"])


def logits_of(params, ids):
    x = params["embedding/table"][ids]
    stacked = {k.removeprefix("layers/"): v for k, v in params.items() if k.startswith("layers/")}

    def layer(x, w):
        own = {k.removeprefix("attention/"): v for k, v in w.items()}
        x = x + attended(own, normed(w["norm_attention/scale"], x))
        y = normed(w["norm_mlp/scale"], x)
        hidden = jax.nn.silu(y @ w["mlp/w_gate"]) * (y @ w["mlp/w_up"])
        return x + hidden @ w["mlp/w_down"], None

    x, _ = jax.lax.scan(layer, x, stacked)
    return normed(params["final_norm/scale"], x) @ params["unembed"]


def loss_of(params, inputs, targets, weights):
    each = optax.softmax_cross_entropy_with_integer_labels(logits_of(params, inputs), targets)
    weights = weights.astype(each.dtype)
    return jnp.sum(each * weights) / jnp.sum(weights)


def optimizer(name):
    def rate(peak):
        return optax.warmup_cosine_decay_schedule(0.0, peak, WARMUP, STEPS, peak / 10)

    if name == "adafactor":
        return optax.adafactor(rate(0.02), min_dim_size_to_factor=32)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate(3e-3), b2=0.95, weight_decay=0.1))


def losses_of_training(name, params, batches, dtype):
    update_rule = optimizer(name)

    @jax.jit
    def step(params, state, batch):
        loss, grads = jax.value_and_grad(loss_of)(params, *batch)
        updates, state = update_rule.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    params = {path: jnp.asarray(value, dtype) for path, value in params.items()}
    state, losses = update_rule.init(params), []
    for batch in batches:
        params, state, loss = step(params, state, batch)
        losses.append(float(loss))
    return np.array(losses)


def in_f64(name, params, batches):
    with jax.enable_x64(True):
        return losses_of_training(name, params, batches, jnp.float64)


class Expected:
    """JAX's losses in f32, and in f64 on demand; computed once for each optimizer."""

    def __init__(self, batches):
        self.batches, self.known = batches, {}

    def losses(self, name, params, run):
        if (name, run) not in self.known:
            self.known[name, run] = run(name, params, self.batches)
        return self.known[name, run]


def f32(name, params, batches):
    return losses_of_training(name, params, batches, jnp.float32)


def check(record, folder, expected, first_values):
    paths = record["params"].split()
    values = load_arrays(folder, record["values"])
    for path, value, first in zip(paths, values, first_values):
        if not np.array_equal(value, first):
            yield f"{path}: initial values differ from those of the first program"
    params, name = dict(zip(paths, values)), record["optimizer"]
    ours = load_arrays(folder, record["losses"])[0].astype(np.float64)
    jax32 = expected.losses(name, params, f32)
    if not (len(ours) == STEPS and ours[-1] < 0.7 * ours[0]):
        yield f"it does not learn: the loss goes from {ours[0]} to {ours[-1]}"
    drifted = ~(np.abs(ours - jax32) <= TOLERANCE * np.abs(jax32))
    print(f"{record['name']}: loss {ours[0]:.5f} to {ours[-1]:.5f}, from JAX's by at most "
          f"{np.max(np.abs(ours / jax32 - 1)):.1e}, {drifted.sum()} steps for the judge")
    if not drifted.any():
        return
    judge = expected.losses(name, params, in_f64)
    allowed = np.maximum(TOLERANCE * np.abs(judge), 2 * np.abs(jax32 - judge))
    for step in np.flatnonzero(drifted & ~(np.abs(ours - judge) <= allowed))[:3]:
        yield f"step {step + 1}: loss {ours[step]}, JAX {jax32[step]}, in f64 {judge[step]}"


def prepare(records, folder):
    head, *records = records
    arrays = load_arrays(folder, head["batches"])
    expected = Expected([arrays[i:i + 3] for i in range(0, len(arrays), 3)])
    first_values = load_arrays(folder, records[0]["values"]) if records else None
    return records, lambda record: check(record, folder, expected, first_values)


if __name__ == "__main__":
    parity.main(f"JAX {jax.__version__}", prepare)
