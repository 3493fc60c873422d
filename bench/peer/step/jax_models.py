# SPDX-License-Identifier: Apache-2.0
"""The models of the step bench in functional JAX: loss(params, batch) for each task. Matrices are in
`dtype`; norms, probabilities and the loss in f32. Layers are a list, or stacked for one scan."""

import jax
import jax.numpy as jnp
import optax

from config import relative_buckets, rope_tables

ACTIVATIONS = {"gelu": jax.nn.gelu, "relu": jax.nn.relu, "silu": jax.nn.silu}


class Models:
    def __init__(self, sizes, dtype, attention=None):
        self.sizes = sizes
        self.dtype = dtype
        self.attention = attention  # implementation of jax.nn.dot_product_attention

    def loss(self):
        return {"lm": self.lm, "image_classification": self.vit, "seq2seq": self.seq2seq}[self.sizes.task]

    # --- parts ---

    def linear(self, p, x):
        out = x @ p["w"].astype(self.dtype)
        return out + p["b"].astype(self.dtype) if "b" in p else out

    def norm(self, p, x):
        wide = x.astype(jnp.float32)
        if self.sizes.norm == "layer":
            wide = wide - wide.mean(-1, keepdims=True)
        wide = wide * jax.lax.rsqrt(jnp.square(wide).mean(-1, keepdims=True) + self.sizes.epsilon) * p["scale"]
        return (wide + p["bias"] if "bias" in p else wide).astype(self.dtype)

    def split_heads(self, x, *counts):
        """Splits [batch, len, heads * dim] into one array [batch, len, count, dim] per count."""
        x = x.reshape(*x.shape[:2], -1, self.sizes.dim)
        ends = [sum(counts[:i + 1]) for i in range(len(counts) - 1)]
        return jnp.split(x, ends, axis=2)

    def attend(self, q, k, v, p_out, **options):
        mixed = jax.nn.dot_product_attention(q, k, v, scale=self.sizes.scale, implementation=self.attention,
                                             **options)
        return self.linear(p_out, mixed.reshape(*mixed.shape[:2], -1))

    def self_attention(self, p, x, rope=None, **options):
        s = self.sizes
        q, k, v = self.split_heads(self.linear(p["qkv"], x), s.heads, s.kv_heads, s.kv_heads)
        if rope is not None:
            q, k = rotated(rope, q), rotated(rope, k)
        return self.attend(q, k, v, p["out"], **options)

    def cross_attention(self, p, x, memory, **options):
        heads = self.sizes.heads
        q, = self.split_heads(self.linear(p["cross_q"], x), heads)
        k, v = self.split_heads(self.linear(p["cross_kv"], memory), heads, heads)
        return self.attend(q, k, v, p["cross_out"], **options)

    def mlp(self, p, x):
        activation = ACTIVATIONS[self.sizes.activation]
        up = self.linear(p["up"], x)
        hidden = activation(self.linear(p["gate"], x)) * up if self.sizes.gated else activation(up)
        return self.linear(p["down"], hidden)

    def layer(self, p, x, cross=None, **options):
        x = x + self.self_attention(p, self.norm(p["norm1"], x), **options)
        if cross is not None:
            x = x + self.cross_attention(p, self.norm(p["norm_cross"], x), **cross)
        return x + self.mlp(p, self.norm(p["norm2"], x))

    def layers(self, stack, x, **options):
        if isinstance(stack, list):
            for p in stack:
                x = self.layer(p, x, **options)
            return x
        return jax.lax.scan(lambda x, p: (self.layer(p, x, **options), None), x, stack)[0]

    def lookup(self, table, ids):
        return table[ids].astype(self.dtype)

    # --- models ---

    def lm(self, params, batch):
        ids = batch["inputs"]
        x = self.lookup(params["embed"], ids)
        rope = None
        if self.sizes.positions == "learned":
            x = x + params["position"][:ids.shape[1]].astype(self.dtype)
        else:
            rope = rope_tables(self.sizes, ids.shape[1])
        x = self.norm(params["final_norm"], self.layers(params["layers"], x, rope=rope, is_causal=True))
        logits = x @ params["embed"].T.astype(self.dtype) if "unembed" not in params else self.linear(
            params["unembed"], x)
        return cross_entropy(logits, batch["targets"], batch["weights"])

    def vit(self, params, batch):
        size = self.sizes.patch
        images = batch["images"].astype(self.dtype)
        count, height, width, channels = images.shape
        cut = images.reshape(count, height // size, size, width // size, size, channels)
        cut = cut.transpose(0, 1, 3, 2, 4, 5).reshape(count, -1, size * size * channels)
        x = self.linear(params["patches"], cut)
        x = self.layers(params["layers"], x + params["position"].astype(self.dtype))
        x = self.norm(params["final_norm"], x).mean(1)
        return cross_entropy(self.linear(params["head"], x), batch["labels"], 1.0)

    def bias(self, table, queries, keys, bidirectional):
        return table[relative_buckets(self.sizes, queries, keys, bidirectional)].transpose(2, 0, 1)[None]

    def seq2seq(self, params, batch):
        source, ids = batch["encoder_inputs"], batch["decoder_inputs"]
        seen = (source != 0)[:, None, None, :]
        length, src = ids.shape[1], source.shape[1]
        memory = self.layers(params["encoder"], self.lookup(params["embed"], source), mask=seen,
                             bias=self.bias(params["encoder_bias"], src, src, True))
        memory = self.norm(params["encoder_norm"], memory)
        x = self.layers(params["decoder"], self.lookup(params["embed"], ids), is_causal=True,
                        bias=self.bias(params["decoder_bias"], length, length, False),
                        cross={"memory": memory, "mask": seen})
        x = self.norm(params["decoder_norm"], x) * self.sizes.embed**-0.5
        return cross_entropy(x @ params["embed"].T.astype(self.dtype), batch["targets"], batch["weights"])


def rotated(tables, x):
    cosine, sine = (table[None, :, None, :] for table in tables)
    a, b = jnp.split(x.astype(jnp.float32), 2, axis=-1)
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1).astype(x.dtype)


def cross_entropy(logits, labels, weights):
    losses = optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels)
    return (losses * weights).sum() / (jnp.ones_like(losses) * weights).sum()
