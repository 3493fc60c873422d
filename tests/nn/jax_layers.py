# SPDX-License-Identifier: Apache-2.0
"""The cases of nn_parity.cc in JAX, Flax and Optax: functions of parameters by path, inputs and dtype."""

from functools import partial
import hashlib
import math

import flax.linen as flax
import jax
import jax.numpy as jnp
import optax
from jax.nn import initializers as init


def fold_in_name(key, name):
    return jax.random.fold_in(key, int(hashlib.md5(name.encode()).hexdigest(), 16) % (2**31 - 1))


def inits(dtype):
    makers = {
        "normal": init.normal(0.5),
        "truncated_normal": init.truncated_normal(0.5),
        "uniform": init.uniform(2.0),
        "zeros": init.zeros,
        "ones": init.ones,
        "lecun_normal": init.lecun_normal(),
        "lecun_uniform": init.lecun_uniform(),
        "glorot_normal": init.glorot_normal(),
        "glorot_uniform": init.glorot_uniform(),
        "he_normal": init.he_normal(),
        "he_uniform": init.he_uniform(),
        "fan_out": init.variance_scaling(2.0, "fan_out", "normal"),
        "fan_in_named": init.variance_scaling(1.0, "fan_in", "truncated_normal", in_axis=(0, 1), out_axis=2),
        "fan_avg_named": init.variance_scaling(1.0, "fan_avg", "normal", in_axis=1, out_axis=2, batch_axis=0),
    }

    def draw():
        key = jax.random.key(7)
        out = {name: make(fold_in_name(key, name), (4, 6, 5), dtype) for name, make in makers.items()}
        layer = lambda k: init.lecun_normal()(fold_in_name(k, "w"), (4, 6), dtype)
        out["stack/w"] = jax.vmap(layer)(jax.random.split(fold_in_name(key, "stack"), 3))
        return out

    return jax.jit(draw)()


def below(params, prefix):
    return {k[len(prefix) + 1:]: v for k, v in params.items() if k.startswith(prefix + "/")}


def norm(p, x, kind, epsilon):
    if kind == "rms":
        return flax.RMSNorm(epsilon=epsilon, dtype=x.dtype).apply({"params": {"scale": p["scale"]}}, x)
    layer = flax.LayerNorm(epsilon=epsilon, dtype=x.dtype, use_bias="bias" in p)
    return layer.apply({"params": dict(p)}, x)


def rms(p, x):
    return norm(p, x, "rms", 1e-6)


def norms(p, inputs, dtype):
    x = inputs[0].astype(dtype)
    return [rms(below(p, "rms"), x), norm(below(p, "layer"), x, "layer", 1e-5)]


def mlp(p, x, activation):
    w = {name: value.astype(x.dtype) for name, value in p.items()}
    up = x @ w["w_up"] + w.get("b_up", 0)
    if "w_gate" in w:
        hidden = activation(x @ w["w_gate"] + w.get("b_gate", 0)) * up
    else:
        hidden = activation(up)
    return hidden @ w["w_down"] + w.get("b_down", 0)


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def gelu_tanh(x):
    return jax.nn.gelu(x, approximate=True)


def mlps(p, inputs, dtype):
    x = inputs[0].astype(dtype)
    return [
        mlp(below(p, "swiglu"), x, jax.nn.silu),
        mlp(below(p, "gelu"), x, gelu),
        mlp(below(p, "geglu"), x, gelu_tanh),
    ]


def rope(x, max_timescale=10000.0, neighbours=False, positions=None):
    half = x.shape[-1] // 2
    positions = jnp.arange(x.shape[1])[None] if positions is None else positions
    angle = positions[..., None] / max_timescale ** (jnp.arange(half) / half)
    turn = jnp.exp(1j * angle).reshape(angle.shape[:2] + (1,) * (x.ndim - 3) + (half,))
    wide = x.astype(jnp.float32)
    if neighbours:
        y = (wide[..., 0::2] + 1j * wide[..., 1::2]) * turn
        return jnp.stack([y.real, y.imag], -1).reshape(x.shape).astype(x.dtype)
    y = (wide[..., :half] + 1j * wide[..., half:]) * turn
    return jnp.concatenate([y.real, y.imag], -1).astype(x.dtype)


def attention(p, x, memory=None, mask=None, bias=None, turn=None, scale=None):
    """mask: [..., len, src]; bias: kv q len src."""
    w = {name: value.astype(x.dtype) for name, value in p.items() if "norm" not in name}
    memory = x if memory is None else memory
    q = jnp.einsum("ble,ekqd->blkqd", x, w["w_q"]) + w.get("b_q", 0)
    k = jnp.einsum("bse,ekd->bskd", memory, w["w_k"]) + w.get("b_k", 0)
    v = jnp.einsum("bse,ekd->bskd", memory, w["w_v"]) + w.get("b_v", 0)
    if "norm_q/scale" in p:
        q, k = rms(below(p, "norm_q"), q), rms(below(p, "norm_k"), k)
    if turn is not None:
        q, k = turn(q), turn(k)
    q = q * jnp.asarray(1 / math.sqrt(q.shape[-1]) if scale is None else scale, q.dtype)
    logits = jnp.einsum("blkqd,bskd->bkqls", q, k, preferred_element_type=jnp.float32)
    if bias is not None:
        logits = logits + bias
    if mask is not None:
        logits = jnp.where(jnp.broadcast_to(mask, logits.shape), logits, -1e10)
    probs = jax.nn.softmax(logits, -1).astype(x.dtype)
    mixed = jnp.einsum("bkqls,bskd->blkqd", probs, v)
    return jnp.einsum("blkqd,kqde->ble", mixed, w["w_o"]) + w.get("b_o", 0)


def relative_buckets(len, src, bidirectional, buckets, max_distance):
    """As in T5 and T5X."""
    n = jnp.arange(len)[:, None] - jnp.arange(src)[None, :]
    start = 0
    if bidirectional:
        buckets //= 2
        start = (n < 0) * buckets
        n = jnp.abs(n)
    else:
        n = jnp.maximum(n, 0)
    exact = buckets // 2
    grown = exact + (
        jnp.log(n.astype(jnp.float32) / exact + jnp.finfo(jnp.float32).eps)
        / math.log(max_distance / exact) * (buckets - exact)
    ).astype(jnp.int32)
    return start + jnp.where(n < exact, n, jnp.minimum(grown, buckets - 1))


def relative_bias(table, len, src, bidirectional, max_distance):
    buckets = relative_buckets(len, src, bidirectional, table.shape[0], max_distance)
    return jnp.moveaxis(table[buckets], (2, 3), (0, 1))


def attentions(p, inputs, dtype):
    x, memory = inputs[0].astype(dtype), inputs[1].astype(dtype)
    segments, prefix = inputs[2], inputs[3]
    causal = jnp.tril(jnp.ones((5, 5), bool))
    packed = causal & (segments[:, :, None] == segments[:, None, :])
    seen = causal | (jnp.arange(5)[None, None, :] < prefix[:, None, None])
    own, cross = below(p, "self"), below(p, "cross")
    heads = (slice(None), None, None)
    return [
        attention(own, x, mask=packed[heads], turn=rope),
        attention(cross, x, memory, scale=1.0, bias=relative_bias(p["bias/table"], 5, 7, True, 12)),
        attention(own, x, mask=seen[heads], bias=relative_bias(p["causal/table"], 5, 5, False, 12),
                  turn=lambda y: rope(y, 100.0, neighbours=True)),
    ]


def same_segment(queries, keys):
    return (queries[:, :, None] == keys[:, None, :])[:, None, None]


def packed_attentions(p, inputs, dtype):
    x, memory = inputs[0].astype(dtype), inputs[1].astype(dtype)
    segments, positions, of_memory = inputs[2:]
    same, causal = same_segment(segments, segments), causal_mask(x.shape[1])
    own, cross = below(p, "self"), below(p, "cross")
    return [
        attention(own, x, mask=same & causal, turn=partial(rope, positions=positions)),
        attention(own, x, mask=same),
        attention(own, x, mask=causal),
        attention(cross, x, memory, scale=1.0, mask=same_segment(segments, of_memory)),
    ]


def sincos(positions, dim):
    rates = 1e4 ** (-jnp.arange(dim // 2) / (dim // 2 - 1))
    angle = positions[:, None] * rates
    return jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1)


def tables(p, inputs, dtype):
    y, x = jnp.mgrid[:3, :4]
    omega = 1.0 / 10000.0 ** (jnp.arange(2) / (2 - 1))
    y, x = jnp.einsum("m,d->md", y.flatten(), omega), jnp.einsum("m,d->md", x.flatten(), omega)
    grid = jnp.concatenate([jnp.sin(x), jnp.cos(x), jnp.sin(y), jnp.cos(y)], axis=1)
    return [sincos(jnp.arange(9.0), 6), grid]


def orthogonals(p, inputs, dtype):
    key = jax.random.key(3)
    return [init.orthogonal()(key, (7, 4)), init.orthogonal(2.0)(key, (4, 7)),
            init.orthogonal(column_axis=0)(key, (8, 2, 3)), init.orthogonal()(key, (3, 5, 6)),
            init.orthogonal()(key, (96, 32))]


def dropout(p, inputs, dtype):
    x, key = inputs[0], fold_in_name(jax.random.key(5), "dropout")

    def drop(shape):
        return jnp.where(jax.random.bernoulli(key, 0.7, shape), x / 0.7, 0)

    return [drop(x.shape), drop((4, 1, 6))]


def losses(p, inputs, dtype):
    logits, soft, labels = inputs[0], jax.nn.softmax(inputs[1], -1), inputs[2]
    hard = jax.nn.one_hot(labels, 7)
    z = jnp.square(jax.nn.logsumexp(logits, -1))
    return [
        optax.softmax_cross_entropy_with_integer_labels(logits, labels),
        optax.softmax_cross_entropy(logits, optax.smooth_labels(hard, 0.1)) + 0.01 * z,
        optax.softmax_cross_entropy(logits, optax.smooth_labels(soft, 0.2)),
        optax.sigmoid_binary_cross_entropy(logits, soft).sum(-1),
        (logits.argmax(-1) == labels).astype(jnp.float32),
    ]


def transformer_layer(p, x, normalize, activation, own, cross=None):
    x = x + attention(below(p, "attention"), normalize(below(p, "norm_attention"), x), **own)
    if cross is not None:
        y = normalize(below(p, "norm_cross"), x)
        x = x + attention(below(p, "cross_attention"), y, **cross)
    return x + mlp(below(p, "mlp"), normalize(below(p, "norm_mlp"), x), activation)


def layers(p, prefix, x, *args, **kwargs):
    stacked = below(p, prefix)
    for i in range(next(iter(stacked.values())).shape[0]):
        x = transformer_layer({k: v[i] for k, v in stacked.items()}, x, *args, **kwargs)
    return x


def causal_mask(len):
    return jnp.tril(jnp.ones((len, len), bool))


def llama(p, inputs, dtype, scale=None, segments=None, positions=None):
    x = p["embedding/table"].astype(dtype)[inputs[0]]
    mask = causal_mask(x.shape[1])
    if segments is not None:
        mask = mask & same_segment(segments, segments)
    own = {"mask": mask, "turn": partial(rope, positions=positions), "scale": scale}
    x = layers(p, "layers", x, rms, jax.nn.silu, own)
    x = rms(below(p, "final_norm"), x)
    return [jnp.einsum("ble,ev->blv", x, p["unembed"].astype(dtype), preferred_element_type=jnp.float32)]


def seqax(p, inputs, dtype):
    return llama(p, inputs, dtype, scale=1.0)


def packed_llama(p, inputs, dtype, scale=None):
    return llama(p, inputs, dtype, scale, segments=inputs[1], positions=inputs[2])


def packed_seqax(p, inputs, dtype):
    return packed_llama(p, inputs, dtype, scale=1.0)


def gpt2(p, inputs, dtype, segments=None, positions=None):
    table = p["embedding/table"].astype(dtype)
    positions = jnp.arange(inputs[0].shape[1]) if positions is None else positions
    x = table[inputs[0]] + p["position/table"].astype(dtype)[positions]
    mask = causal_mask(x.shape[1])
    if segments is not None:
        mask = mask & same_segment(segments, segments)
    normalize = lambda q, y: norm(q, y, "layer", 1e-5)
    x = layers(p, "layers", x, normalize, gelu_tanh, {"mask": mask})
    x = normalize(below(p, "final_norm"), x)
    return [jnp.einsum("ble,ve->blv", x, table, preferred_element_type=jnp.float32)]


def packed_gpt2(p, inputs, dtype):
    return gpt2(p, inputs, dtype, segments=inputs[1], positions=inputs[2])


def vit(p, inputs, dtype):
    kernel = p["patches/weight"]
    x = jax.lax.conv_general_dilated(inputs[0], kernel, (3, 3), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    x = x.reshape(2, -1, 8) + p["patches/bias"] + p["position"]
    normalize = lambda q, y: norm(q, y, "layer", 1e-6)
    x = layers(p, "encoder/layers", x, normalize, gelu_tanh, {})
    x = normalize(below(p, "encoder/final_norm"), x)
    probe = jnp.broadcast_to(p["pool/probe"], (2, 1, 8))
    y = attention(below(p, "pool/attention"), probe, x)
    y = y + mlp(below(p, "pool/mlp"), normalize(below(p, "pool/norm"), y), gelu_tanh)
    return [y[:, 0] @ p["head/weight"] + p["head/bias"]]


def encoder_decoder(p, inputs, dtype):
    source, target = inputs
    valid = (source != 0)[:, None, None, None, :]
    table = p["embedding/table"]
    own = {"mask": valid, "scale": 1.0, "bias": relative_bias(p["encoder_bias/table"], 6, 6, True, 16)}
    memory = layers(p, "encoder/layers", table[source], rms, jax.nn.relu, own)
    memory = rms(below(p, "encoder/final_norm"), memory)
    own = {"mask": causal_mask(5), "scale": 1.0, "bias": relative_bias(p["decoder_bias/table"], 5, 5, False, 16)}
    cross = {"memory": memory, "mask": valid, "scale": 1.0}
    x = layers(p, "decoder/layers", table[target], rms, jax.nn.relu, own, cross)
    x = rms(below(p, "decoder/final_norm"), x)
    return [(x / math.sqrt(8)) @ table.T]
