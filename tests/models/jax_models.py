# SPDX-License-Identifier: Apache-2.0
"""The test models in JAX: same mathematics, initial values and configurations as in the .cc files here.
Parameters are a dict by name, in the order of the C++ program."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclasses.dataclass(frozen=True)
class ParamSpec:
    name: str
    dims: tuple
    scale: float = 0.1
    offset: float = 0.0


@dataclasses.dataclass(frozen=True)
class InputSpec:
    name: str
    dims: tuple
    limit: int = 0




def hashed_bits(dims, salt):
    x = lax.iota(jnp.uint32, math.prod(dims))
    x = x * np.uint32(0x9E3779B1) + np.uint32(salt * 0x85EBCA77 & 0xFFFFFFFF)
    x = (x ^ (x >> 15)) * np.uint32(0x2C1B3C6D)
    x = (x ^ (x >> 12)) * np.uint32(0x297A2D39)
    return (x ^ (x >> 15)).reshape(dims)


def hashed_uniform(dims, salt):
    return (hashed_bits(dims, salt) >> 8).astype(jnp.float32) * np.float32(2**-23) - 1


def initial_values(specs):
    return {
        spec.name: hashed_uniform(spec.dims, i) * np.float32(spec.scale) + np.float32(spec.offset)
        for i, spec in enumerate(specs)
    }


def synthetic_inputs(specs, batch):
    out = []
    for i, spec in enumerate(specs):
        salt = 1000 + 100 * batch + i
        if spec.limit == 0:
            out.append(hashed_uniform(spec.dims, salt))
        else:
            out.append((hashed_bits(spec.dims, salt) >> 1).astype(jnp.int32) % spec.limit)
    return out




def sgd(params, grads, learning_rate=0.1):
    return jax.tree.map(lambda p, g: p - learning_rate * g, params, grads)


def adamw(params, mu, nu, grads, step, learning_rate=1e-2, b1=0.9, b2=0.99, eps=1e-3, weight_decay=0.1):
    bias1 = 1 - jnp.exp(step * math.log(b1))
    bias2 = 1 - jnp.exp(step * math.log(b2))
    mu = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, mu, grads)
    nu = jax.tree.map(lambda n, g: b2 * n + (1 - b2) * jnp.square(g), nu, grads)

    def update(p, m, n):
        return p - learning_rate * (m / bias1 / (jnp.sqrt(n / bias2) + eps) + weight_decay * p)

    return jax.tree.map(update, params, mu, nu), mu, nu


def sgd_step(model):
    def step(params, *inputs):
        loss, grads = jax.value_and_grad(model.loss)(params, *inputs)
        return loss, sgd(params, grads)

    return step


def adamw_step(model):
    def step(params, mu, nu, count, *inputs):
        loss, grads = jax.value_and_grad(model.loss)(params, *inputs)
        return loss, *adamw(params, mu, nu, grads, count)

    return step




def rms_norm(x, scale):
    wide = x.astype(jnp.float32)
    power = jnp.mean(jnp.square(wide), -1, keepdims=True)
    return (wide * lax.rsqrt(power + 1e-6)).astype(x.dtype) * scale.astype(x.dtype)


def cross_entropy(logits, targets):
    log_probs = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(log_probs, targets[..., None], -1))




@dataclasses.dataclass(frozen=True)
class Decoder:
    layers: int = 4
    embed: int = 256
    kv: int = 4
    q: int = 2
    dim: int = 32
    mlp: int = 1024
    vocab: int = 4096
    batch: int = 2
    len: int = 64
    compute: str = "float32"
    scanned: bool = False
    remat: bool = False

    def params(self):
        prefix = ["layers."] if self.scanned else [f"layers.{i}." for i in range(self.layers)]
        stack = (self.layers,) if self.scanned else ()
        blocks = [
            dataclasses.replace(spec, name=p + spec.name, dims=stack + spec.dims)
            for p in prefix
            for spec in self.block_params()
        ]
        return [
            ParamSpec("embed", (self.vocab, self.embed), 1),
            *blocks,
            ParamSpec("final_norm", (self.embed,), 0.1, 1),
            ParamSpec("unembed", (self.embed, self.vocab), self.embed**-0.5),
        ]

    def block_params(self):
        into = self.embed**-0.5
        return [
            ParamSpec("norm1", (self.embed,), 0.1, 1),
            ParamSpec("w_q", (self.embed, self.kv, self.q, self.dim), into),
            ParamSpec("w_k", (self.embed, self.kv, self.dim), into),
            ParamSpec("w_v", (self.embed, self.kv, self.dim), into),
            ParamSpec("w_o", (self.kv, self.q, self.dim, self.embed), into),
            ParamSpec("norm2", (self.embed,), 0.1, 1),
            ParamSpec("w_gate", (self.embed, self.mlp), into),
            ParamSpec("w_up", (self.embed, self.mlp), into),
            ParamSpec("w_down", (self.mlp, self.embed), self.mlp**-0.5),
        ]

    def inputs(self):
        return [InputSpec("tokens", (self.batch, self.len + 1), self.vocab)]

    def loss(self, params, tokens):
        compute = jnp.dtype(self.compute)
        ids, targets = tokens[:, :-1], tokens[:, 1:]
        x = jnp.take(params["embed"].astype(compute), ids, 0)
        x = rms_norm(self.all_layers(params, x), params["final_norm"])
        logits = jnp.einsum("ble,ev->blv", x, params["unembed"].astype(compute),
                            preferred_element_type=jnp.float32)
        return cross_entropy(logits, targets)

    def all_layers(self, params, x):
        names = [spec.name for spec in self.block_params()]
        at = self.positions()
        layer = lambda x, w: apply_block(w, at, x)
        if self.remat:
            layer = jax.checkpoint(layer)
        if self.scanned:
            stacked = {name: params["layers." + name] for name in names}
            return lax.scan(lambda x, w: (layer(x, w), None), x, stacked)[0]
        for i in range(self.layers):
            x = layer(x, {name: params[f"layers.{i}.{name}"] for name in names})
        return x

    def positions(self):
        half = self.dim // 2
        frequency = jnp.exp(jnp.arange(half, dtype=jnp.float32) * (-math.log(10000.0) * 2 / self.dim))
        angle = jnp.arange(self.len, dtype=jnp.float32)[:, None] * frequency
        mask = jnp.arange(self.len)[:, None] >= jnp.arange(self.len)
        return jnp.cos(angle).astype(self.compute), jnp.sin(angle).astype(self.compute), mask


def rotate(cosine, sine, x):
    shape = (x.shape[1],) + (1,) * (x.ndim - 3) + (x.shape[-1] // 2,)
    cosine, sine = cosine.reshape(shape), sine.reshape(shape)
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)


def attention(w, at, x):
    cosine, sine, mask = at
    q = jnp.einsum("ble,ekqd->blkqd", x, w["w_q"].astype(x.dtype))
    k = jnp.einsum("bse,ekd->bskd", x, w["w_k"].astype(x.dtype))
    v = jnp.einsum("bse,ekd->bskd", x, w["w_v"].astype(x.dtype))
    q = rotate(cosine, sine, q) * (1 / math.sqrt(q.shape[-1]))
    k = rotate(cosine, sine, k)
    logits = jnp.einsum("blkqd,bskd->bkqls", q, k, preferred_element_type=jnp.float32)
    probs = jax.nn.softmax(jnp.where(mask, logits, -1e10)).astype(x.dtype)
    mixed = jnp.einsum("bkqls,bskd->blkqd", probs, v)
    return jnp.einsum("blkqd,kqde->ble", mixed, w["w_o"].astype(x.dtype))


def swiglu(w, x):
    gate = jnp.einsum("ble,em->blm", x, w["w_gate"].astype(x.dtype))
    up = jnp.einsum("ble,em->blm", x, w["w_up"].astype(x.dtype))
    return jnp.einsum("blm,me->ble", jax.nn.silu(gate) * up, w["w_down"].astype(x.dtype))


def apply_block(w, at, x):
    x = x + attention(w, at, rms_norm(x, w["norm1"]))
    return x + swiglu(w, rms_norm(x, w["norm2"]))




@dataclasses.dataclass(frozen=True)
class Mlp:
    compute: str = "float32"

    def params(self):
        return [
            ParamSpec("w1", (16, 32), 0.4),
            ParamSpec("b1", (32,)),
            ParamSpec("w2", (32, 32), 0.3),
            ParamSpec("b2", (32,)),
            ParamSpec("w3", (32, 8), 0.3),
            ParamSpec("b3", (8,)),
        ]

    def inputs(self):
        return [InputSpec("input", (8, 16)), InputSpec("wanted", (8, 8))]

    def loss(self, params, x, wanted):
        def dense(x, i):
            return x @ params[f"w{i}"].astype(x.dtype) + params[f"b{i}"].astype(x.dtype)

        x = jax.nn.gelu(dense(x.astype(self.compute), 1), approximate=False)
        x = jax.nn.gelu(dense(x, 2), approximate=False)
        return jnp.mean(jnp.square(dense(x, 3).astype(jnp.float32) - wanted))


@dataclasses.dataclass(frozen=True)
class Attention:
    compute: str = "float32"

    def params(self):
        return [
            ParamSpec("w_q", (16, 4, 8), 0.4),
            ParamSpec("w_k", (16, 4, 8), 0.4),
            ParamSpec("w_v", (16, 4, 8), 0.4),
            ParamSpec("w_o", (4, 8, 16), 0.3),
        ]

    def inputs(self):
        return [InputSpec("input", (8, 12, 16)), InputSpec("wanted", (8, 12, 16))]

    def loss(self, params, x, wanted):
        x = x.astype(self.compute)
        w = {name: value.astype(self.compute) for name, value in params.items()}
        q = jnp.einsum("ble,ehd->bhld", x, w["w_q"])
        k = jnp.einsum("bse,ehd->bhsd", x, w["w_k"])
        v = jnp.einsum("bse,ehd->bhsd", x, w["w_v"])
        logits = jnp.einsum("bhld,bhsd->bhls", q * lax.rsqrt(jnp.array(q.shape[-1], q.dtype)), k)
        mask = jnp.tri(x.shape[1], dtype=bool)
        probs = jax.nn.softmax(jnp.where(mask, logits.astype(jnp.float32), -1e10)).astype(x.dtype)
        mixed = jnp.einsum("bhls,bhsd->blhd", probs, v)
        y = x + jnp.einsum("blhd,hde->ble", mixed, w["w_o"])
        return jnp.mean(jnp.square(y.astype(jnp.float32) - wanted))


@dataclasses.dataclass(frozen=True)
class ConvNet:
    compute: str = "float32"

    def params(self):
        return [
            ParamSpec("kernel1", (3, 3, 3, 8), 0.3),
            ParamSpec("kernel2", (3, 3, 4, 16), 0.3),
            ParamSpec("w", (16, 10), 0.3),
        ]

    def inputs(self):
        return [InputSpec("image", (8, 12, 12, 3)), InputSpec("label", (8,), 10)]

    def loss(self, params, image, label):
        def conv(x, kernel, **options):
            return lax.conv_general_dilated(
                x, kernel.astype(x.dtype), dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)

        x = image.astype(self.compute)
        x = jax.nn.relu(conv(x, params["kernel1"], window_strides=(2, 2), padding="SAME"))
        x = jax.nn.relu(conv(x, params["kernel2"], window_strides=(1, 1), padding=((2, 2), (2, 2)),
                             rhs_dilation=(2, 2), feature_group_count=2))
        x = lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = jnp.mean(x, (1, 2))
        logits = (x @ params["w"].astype(x.dtype)).astype(jnp.float32)
        return cross_entropy(logits, label)


@dataclasses.dataclass(frozen=True)
class MixtureOfExperts:
    compute: str = "float32"
    experts: int = 4
    capacity: int = 6
    top: int = 2

    def params(self):
        return [
            ParamSpec("router", (16, self.experts), 0.5),
            ParamSpec("w_in", (self.experts, 16, 32), 0.3),
            ParamSpec("w_out", (self.experts, 32, 16), 0.3),
        ]

    def inputs(self):
        return [InputSpec("input", (16, 16)), InputSpec("wanted", (16, 16))]

    def loss(self, params, x, wanted):
        probs = jax.nn.softmax(x @ params["router"])
        weights, chosen = lax.top_k(probs, self.top)
        weights = weights / weights.sum(-1, keepdims=True)
        picked = jax.nn.one_hot(chosen, self.experts)  # token rank expert
        # All first choices get places before any second choice.
        in_order = picked.swapaxes(0, 1).reshape(-1, self.experts)
        place = (jnp.cumsum(in_order, 0) - 1).reshape(self.top, -1, self.experts).swapaxes(0, 1)
        place = jnp.sum(place * picked, -1).astype(jnp.int32)  # token rank
        has_place = jax.nn.one_hot(place, self.capacity)  # all zero if the expert is full
        send = jnp.einsum("tre,trc->tec", picked, has_place).astype(self.compute)
        gate = jnp.einsum("tre,trc,tr->tec", picked, has_place, weights).astype(self.compute)

        received = jnp.einsum("tec,td->ecd", send, x.astype(self.compute))
        hidden = jax.nn.silu(jnp.einsum("ecd,edm->ecm", received, params["w_in"].astype(self.compute)))
        done = jnp.einsum("ecm,emd->ecd", hidden, params["w_out"].astype(self.compute))
        y = jnp.einsum("tec,ecd->td", gate, done).astype(jnp.float32)
        balance = self.experts * jnp.sum(jnp.mean(picked[:, 0], 0) * jnp.mean(probs, 0))
        return jnp.mean(jnp.square(y - wanted)) + 0.01 * balance


def small_decoder(**options):
    return Decoder(layers=2, embed=32, kv=2, dim=8, mlp=64, vocab=64, batch=8, len=16, **options)


ZOO = {
    "mlp": Mlp,
    "attention": Attention,
    "conv_net": ConvNet,
    "decoder": small_decoder,
    "remat_decoder": lambda compute: small_decoder(compute=compute, scanned=True, remat=True),
    "mixture_of_experts": MixtureOfExperts,
}
