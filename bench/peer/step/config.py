# SPDX-License-Identifier: Apache-2.0
"""Reads a config of bench/models for the peers: the sizes it gives and those its style implies."""

import pathlib
import tomllib
import types

import numpy as np

# Must match models/decoder_lm.cc, models/encoder_decoder.h and models/vit.cc.
STYLES = {
    "gpt2": {"norm": "layer", "epsilon": 1e-5, "activation": "gelu", "gated": False, "bias": True,
             "positions": "learned", "tied_embedding": True},
    "llama": {"norm": "rms", "epsilon": 1e-6, "activation": "silu", "gated": True, "bias": False,
              "positions": "rope", "tied_embedding": False, "rope_max_timescale": 10000.0},
    "t5": {"norm": "rms", "epsilon": 1e-6, "activation": "relu", "gated": False, "bias": False,
           "embed": 512, "heads": 8, "dim": 64, "mlp": 2048, "num_buckets": 32, "max_distance": 128},
    "vit": {"norm": "layer", "epsilon": 1e-6, "activation": "gelu", "gated": False, "bias": True},
}


def load(path):
    """Returns (sizes of the model, settings of AdamW), both as objects with attributes."""
    config = tomllib.loads(pathlib.Path(path).read_text())
    task, model = config["task"]["type"], config["task"]["model"]
    style = model.get("style", "vit")
    sizes = types.SimpleNamespace(task=task, **{**STYLES[style], **model})
    sizes.heads = sizes.heads if hasattr(sizes, "heads") else sizes.kv * sizes.q
    sizes.kv_heads = getattr(sizes, "kv", sizes.heads)
    sizes.dim = getattr(sizes, "dim", sizes.embed // sizes.heads)
    sizes.scale = 1.0 if style == "t5" else sizes.dim**-0.5
    optimizer = config["optimizer"]
    adamw = types.SimpleNamespace(learning_rate=optimizer["learning_rate"], b1=0.9,
                                  b2=optimizer.get("b2", 0.999), eps=1e-8,
                                  weight_decay=optimizer["weight_decay"])
    return sizes, adamw


def rope_tables(sizes, length):
    """Returns cosines and sines [length, dim / 2] of rotary positions."""
    count = sizes.dim // 2
    frequency = sizes.rope_max_timescale ** (-np.arange(count) / count)
    angle = np.arange(length)[:, None] * frequency
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def relative_buckets(sizes, queries, keys, bidirectional):
    """T5's bucket number for each distance, [queries, keys]."""
    distance = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    buckets, first = sizes.num_buckets, 0
    if bidirectional:
        buckets //= 2
        first = (distance > 0) * buckets
        distance = np.abs(distance)
    else:
        distance = np.maximum(-distance, 0)
    exact = buckets // 2
    grown = exact + (np.log(np.maximum(distance, 1) / exact + 2.0**-23)
                     / np.log(sizes.max_distance / exact) * (buckets - exact)).astype(np.int64)
    return first + np.where(distance < exact, distance, np.minimum(grown, buckets - 1))
