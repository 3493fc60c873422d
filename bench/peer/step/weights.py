# SPDX-License-Identifier: Apache-2.0
"""The parameters that bench_step wrote, as the peers name and cut them: matrices [in, out], with queries,
keys and values in one where all come from one input. Those of layers are stacked, as written."""

import pathlib

import numpy as np


def read(folder):
    """Every FOLDER/PATH.npy by its path."""
    folder = pathlib.Path(folder)
    return {str(file.relative_to(folder).with_suffix("")): np.load(file) for file in folder.rglob("*.npy")}


def as_is(array):
    return array


def from_embed(*arrays):
    """Of arrays [layers, in, outputs...] one matrix [in, out] for each layer."""
    return np.concatenate([a.reshape(a.shape[0], a.shape[1], -1) for a in arrays], axis=-1)


def to_embed(array):
    """Of an array [layers, inputs..., out] a matrix [in, out] for each layer."""
    return array.reshape(array.shape[0], -1, array.shape[-1])


def vector(*arrays):
    """Of arrays [layers, outputs...] one vector for each layer."""
    return np.concatenate([a.reshape(a.shape[0], -1) for a in arrays], axis=-1)


def of_patches(array):
    return array.reshape(-1, array.shape[-1])


def of_buckets(array):
    return array.reshape(array.shape[0], -1)


# Peer's name -> how it is made, of which arrays. A name with a missing array is not there.
def norm(peer, ours):
    return {f"{peer}/scale": (as_is, f"{ours}/scale"), f"{peer}/bias": (as_is, f"{ours}/bias")}


def heads(ours, *names):
    return [f"{ours}/{name}" for name in names]


def layers(peer, ours):
    attention, cross, mlp = f"{ours}/attention", f"{ours}/cross_attention", f"{ours}/mlp"
    return {
        **norm(f"{peer}/norm1", f"{ours}/norm_attention"),
        f"{peer}/qkv/w": (from_embed, *heads(attention, "w_q", "w_k", "w_v")),
        f"{peer}/qkv/b": (vector, *heads(attention, "b_q", "b_k", "b_v")),
        f"{peer}/out/w": (to_embed, f"{attention}/w_o"),
        f"{peer}/out/b": (vector, f"{attention}/b_o"),
        **norm(f"{peer}/norm_cross", f"{ours}/norm_cross"),
        f"{peer}/cross_q/w": (from_embed, f"{cross}/w_q"),
        f"{peer}/cross_kv/w": (from_embed, *heads(cross, "w_k", "w_v")),
        f"{peer}/cross_out/w": (to_embed, f"{cross}/w_o"),
        **norm(f"{peer}/norm2", f"{ours}/norm_mlp"),
        **{f"{peer}/{name}/w": (from_embed, f"{mlp}/w_{name}") for name in ("gate", "up", "down")},
        **{f"{peer}/{name}/b": (vector, f"{mlp}/b_{name}") for name in ("gate", "up", "down")},
    }


TABLES = {
    "lm": {
        "embed": (as_is, "embedding/table"),
        "position": (as_is, "position/table"),
        **layers("layers", "layers"),
        **norm("final_norm", "final_norm"),
        "unembed/w": (as_is, "unembed"),
    },
    "image_classification": {
        "patches/w": (of_patches, "patches/weight"),
        "patches/b": (as_is, "patches/bias"),
        "position": (as_is, "position"),
        **layers("layers", "encoder/layers"),
        **norm("final_norm", "encoder/final_norm"),
        "head/w": (as_is, "head/weight"),
        "head/b": (as_is, "head/bias"),
    },
    "seq2seq": {
        "embed": (as_is, "embedding/table"),
        "encoder_bias": (of_buckets, "encoder_bias/table"),
        "decoder_bias": (of_buckets, "decoder_bias/table"),
        **layers("encoder", "encoder/layers"),
        **norm("encoder_norm", "encoder/final_norm"),
        **layers("decoder", "decoder/layers"),
        **norm("decoder_norm", "decoder/final_norm"),
    },
}


def parameters(task, folder):
    """By the peer's names. Every array of ours is used, or this throws."""
    ours = read(folder)
    out, used = {}, set()
    for name, (convert, *paths) in TABLES[task].items():
        if all(path in ours for path in paths):
            out[name] = convert(*(ours[path] for path in paths))
            used.update(paths)
    if used != set(ours):
        raise ValueError(f"no peer's name for {sorted(set(ours) - used)}")
    return out
