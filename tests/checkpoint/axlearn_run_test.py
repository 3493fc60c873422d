#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run continues from a checkpoint of one of AXLearn's Fuji models, and AXLearn from one of
Meshwright's. Its model and update, reimplemented here in JAX, must give the program's results.

usage: axlearn_run_test.py MESHWRIGHT
"""

import json
import os
import sys
import unittest

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import tensorstore as ts

from run_testutil import RunTest, tokens_of

VOCAB, LAYERS, D, KV, Q, HEAD, FF = 48, 3, 16, 2, 3, 4, 24
BATCH, LEN = 4, 8
WARMUP, STEPS, RATE, DECAY, THETA = 4, 40, 0.01, 0.1, 500.0


LAYER = "decoder/transformer/repeat/layer/"
ATTENTION = LAYER + "self_attention/attention/"
MLP = LAYER + "feed_forward/"


def shapes(kv=KV, q=Q, tied=False):
    """Returns the shapes of the parameters, with FusedQKVLinear if every query has its own key, otherwise
    FusedGroupedQKVLinear."""
    heads = kv * q
    qkv = (LAYERS, 3, D, heads, HEAD) if q == 1 else (LAYERS, D, heads + 2 * kv, HEAD)
    out = {
        "decoder/emb/token_emb/weight": (VOCAB, D),
        LAYER + "self_attention/norm/scale": (LAYERS, D),
        ATTENTION + "i_proj/i_proj/qkv_proj/weight": qkv,
        ATTENTION + "o_proj/weight": (LAYERS, D, heads, HEAD),
        MLP + "norm/scale": (LAYERS, D),
        MLP + "linear1_0/weight": (LAYERS, D, FF),
        MLP + "linear1_1/weight": (LAYERS, D, FF),
        MLP + "linear2/weight": (LAYERS, FF, D),
        "decoder/output_norm/scale": (D,)}
    return out if tied else {**out, "decoder/lm_head/weight": (VOCAB, D)}


ADAM = "learner/optimizer/1/0/"  # the second transform of the chain; the first is scale_by_adam
COUNTS = ("learner/optimizer/1/0/count", "learner/optimizer/1/1/count", "learner/optimizer/1/3/count")


def random_state(step, params):
    generator = np.random.default_rng(1)
    state = {}
    for name, shape in params.items():
        value = generator.standard_normal(shape, np.float32)
        state["model/" + name] = 1 + value * 0.1 if name.endswith("scale") else value * np.float32(0.3)
        state[ADAM + "mu/" + name] = generator.standard_normal(shape, np.float32) * np.float32(0.01)
        state[ADAM + "nu/" + name] = np.square(generator.standard_normal(shape, np.float32)) * np.float32(0.01)
    state = {name: value.astype(np.float32) for name, value in state.items()}
    for name in COUNTS:
        state[name] = np.asarray(step, np.int32)
    state["prng_key"] = np.arange(4, dtype=np.uint32)
    return state


def spec_of(value):
    return {"dtype": str(value.dtype), "shape": str(value.shape)}


def kvstore(step, name):
    return {"driver": "zarr", "kvstore": {"driver": "file", "path": str(step / "gda" / name)}}


def save(run, number, state):
    step = run / f"step_{number:08d}"
    for name, value in state.items():
        metadata = {"compressor": {"id": "zstd", "level": 1}, "shape": value.shape,
                    "chunks": [max(1, -(-size // 2)) for size in value.shape], "dtype": value.dtype.str}
        ts.open({**kvstore(step, name), "metadata": metadata}, create=True).result().write(value).result()
    index = [["step", number]] + [[name, spec_of(value)] for name, value in sorted(state.items())]
    (step / "index").write_text(json.dumps(index))


def load(run, number, like):
    """Requires exactly the same arrays, like AXLearn's strictest check."""
    step = run / f"step_{number:08d}"
    found = sorted(f"{name}={value}" for name, value in json.loads((step / "index").read_text()))
    wanted = sorted([f"step={number}"] + [f"{name}={spec_of(value)}" for name, value in like.items()])
    assert found == wanted, (set(found) ^ set(wanted))
    return {name: ts.open(kvstore(step, name), open=True).result().read().result() for name in like}


def normed(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * scale


def turned(x):
    """Rotates [batch len heads dim], where neighbours form pairs."""
    angle = jnp.arange(LEN, dtype=jnp.float32)[:, None] / THETA ** (2 * jnp.arange(HEAD // 2) / HEAD)
    sin, cos = (jnp.repeat(f(angle), 2, -1)[None, :, None, :] for f in (jnp.sin, jnp.cos))
    other = jnp.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    return x * cos + other * sin


def attention(w, i, x, kv, q):
    weight = w[ATTENTION + "i_proj/i_proj/qkv_proj/weight"][i]
    if q == 1:
        queries, keys, values = jnp.einsum("btd,cdnh->cbtnh", x, weight)
    else:
        together = jnp.einsum("btd,dnh->btnh", x, weight)
        queries, keys, values = jnp.split(together, [kv * q, kv * q + kv], axis=-2)
    queries = turned(queries).reshape(BATCH, LEN, kv, q, HEAD) * HEAD ** -0.5
    logits = jnp.einsum("btkgh,bskh->bkgts", queries, turned(keys))
    seen = jnp.tril(jnp.ones((LEN, LEN), bool))
    probs = jax.nn.softmax(jnp.where(seen, logits, -1e15))
    mixed = jnp.einsum("bkgts,bskh->btkgh", probs, values).reshape(BATCH, LEN, kv * q, HEAD)
    return jnp.einsum("btnh,dnh->btd", mixed, w[ATTENTION + "o_proj/weight"][i])


def masked_cross_entropy(logits, targets):
    """Returns the mean over the targets that differ from the decoder's pad_token_id, 0 by default."""
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1)[..., 0]
    live = targets != 0
    return -jnp.sum(jnp.where(live, chosen, 0)) / jnp.sum(live)


def loss_of(w, inputs, targets, kv, q):
    x = w["decoder/emb/token_emb/weight"][inputs]
    for i in range(LAYERS):
        x = x + attention(w, i, normed(x, w[LAYER + "self_attention/norm/scale"][i]), kv, q)
        y = normed(x, w[MLP + "norm/scale"][i])
        gated = jax.nn.silu(y @ w[MLP + "linear1_0/weight"][i]) * (y @ w[MLP + "linear1_1/weight"][i])
        x = x + gated @ w[MLP + "linear2/weight"][i]
    head = w.get("decoder/lm_head/weight", w["decoder/emb/token_emb/weight"])
    return masked_cross_entropy(
        jnp.einsum("btd,vd->btv", normed(x, w["decoder/output_norm/scale"]), head), targets)


GRADIENT = jax.jit(jax.grad(loss_of), static_argnums=(3, 4))


def schedule(count):
    if count < WARMUP:
        return count / WARMUP
    cosine = np.cos(np.pi * min(1, (count - WARMUP) / (STEPS - WARMUP)))
    return 0.1 + 0.9 * (cosine * 0.5 + 0.5)


def updated(state, kv=KV, q=Q):
    """Applies clip_by_global_norm(1), then adamw_decoupled_optimizer."""
    count = int(state[COUNTS[0]])
    w = {name.removeprefix("model/"): jnp.asarray(value) for name, value in state.items()
         if name.startswith("model/")}
    grads = GRADIENT(w, *tokens_of(count, BATCH, LEN, VOCAB), kv, q)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in grads.values()))
    count += 1
    out = {name: np.asarray(count, np.int32) for name in COUNTS}
    for name, g in grads.items():
        g = g * jnp.minimum(1.0, 1.0 / (norm + 1e-8))
        mu = 0.1 * g + 0.9 * state[ADAM + "mu/" + name]
        nu = 0.05 * g * g + 0.95 * state[ADAM + "nu/" + name]
        change = (mu / (1 - 0.9 ** count)) / (jnp.sqrt(nu / (1 - 0.95 ** count)) + 1e-8)
        out["model/" + name] = w[name] - schedule(count) * (RATE * change + DECAY * w[name])
        out[ADAM + "mu/" + name], out[ADAM + "nu/" + name] = mu, nu
    return {name: np.asarray(value) for name, value in out.items()}


CONFIG = f"""
[task]
type = "lm"
compute_dtype = "f32"
[task.model]
style = "fuji"
vocab = {VOCAB}
layers = {LAYERS}
embed = {D}
kv = {KV}
q = {Q}
dim = {HEAD}
mlp = {FF}
rope_max_timescale = {THETA}
[data]
type = "random_tokens"
batch_size = {BATCH}
length = {LEN}
vocab_size = {VOCAB}
[optimizer]
type = "decoupled_adamw"
learning_rate = {RATE}
update_schedule = {{ type = "warmup_cosine", peak = 1.0, warmup = {WARMUP}, end = {STEPS}, alpha = 0.1 }}
b2 = 0.95
weight_decay = {DECAY}
clip_norm = 1.0
[checkpoint]
format = "axlearn"
when = {{ type = "every_n", n = 1 }}
keep_last_n = "none"
[mesh]
num_devices = 4
axes = {{ fsdp = 2, model = 2 }}
[sharding.params]
embed = "fsdp"
kv = "model"
mlp = "model"
[sharding.activations]
batch = "fsdp"
kv = "model"
mlp = "model"
"""
ONE_DEVICE = ["mesh.num_devices=1", "mesh.axes={ fsdp = 1, model = 1 }"]


class AxlearnRun(RunTest):
    def train(self, run, max_step, *more, code=0):
        config = self.root / "config.toml"
        config.write_text(CONFIG)
        return self.program("train", str(config), f"dir={self.root / run}", f"max_step={max_step}", *more,
                            code=code)

    def expect_both_ways(self, kv, q, tied, *more):
        state = random_state(5, shapes(kv, q, tied))
        save(self.steps, 5, state)
        log = self.train("run", 8, f"task.model.kv={kv}", f"task.model.q={q}", *more).stderr
        self.assertIn("restored the checkpoint of step 5", log)
        self.assertNotIn("axlearn has no model", log)
        for step in (5, 6, 7):
            before = load(self.steps, step, state)
            self.compare(load(self.steps, step + 1, state), updated(before, kv, q))

    def test_goes_on_with_a_run_of_axlearn_and_axlearn_with_ours(self):
        self.expect_both_ways(KV, Q, False)

    def test_a_key_for_each_query_and_one_table(self):
        self.expect_both_ways(4, 1, True, "task.model.tied_embedding=true")

    def test_heads_of_queries_on_different_devices(self):
        self.expect_both_ways(KV, Q + 1, False, "sharding.params.kv=[]", 'sharding.params.q="model"')

    def test_goes_on_bit_by_bit(self):
        self.train("run", 4)
        self.train("other", 2)
        self.train("other", 4)
        like = random_state(4, shapes())
        wanted = load(self.steps, 4, like)
        for name, value in load(self.root / "other" / "checkpoints", 4, like).items():
            self.assertEqual(value.tobytes(), wanted[name].tobytes(), name)
        self.train("other", 5, *ONE_DEVICE)
        self.train("run", 5)
        self.compare(load(self.root / "other" / "checkpoints", 5, like), load(self.steps, 5, like))

    def test_begins_with_parameters_of_axlearn(self):
        state = random_state(5, shapes())
        save(self.root / "theirs", 5, state)
        self.train("all", 6, f"init_state.from={self.root / 'theirs'}", "init_state.all=true")
        self.compare(load(self.root / "all" / "checkpoints", 6, state), updated(state))

    def test_goes_on_with_keys_of_threefry(self):
        state = random_state(5, shapes())
        state["prng_key"] = np.arange(2, dtype=np.uint32)
        save(self.steps, 5, state)
        self.train("run", 6)
        state["prng_key"] = np.zeros(4, np.uint32)
        self.compare(load(self.steps, 6, state), updated(state))

    def test_says_what_does_not_suit(self):
        save(self.steps, 5, random_state(5, shapes(kv=1)))
        log = self.train("run", 8, code=2).stderr
        self.assertIn("qkv_proj/weight' is f32[3,16,5,4]", log)

    def test_warns_of_a_model_that_is_none_of_fuji(self):
        log = self.train("run", 1, "task.model.style=llama").stderr
        self.assertIn("axlearn has no model like this one", log)


if __name__ == "__main__":
    RunTest.program_file = sys.argv.pop(1)
    unittest.main()
