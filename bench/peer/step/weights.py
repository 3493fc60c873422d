# SPDX-License-Identifier: Apache-2.0
"""Converts the parameters exported by bench_step to the names and shapes of the peers: matrices [in, out],
with queries, keys and values in one matrix if they share their input. Layers stay stacked."""

import pathlib

import numpy as np


def read(folder):
    """Reads every FOLDER/PATH.npy; returns them by path."""
    folder = pathlib.Path(folder)
    return {str(file.relative_to(folder).with_suffix("")): np.load(file) for file in folder.rglob("*.npy")}


def as_is(array):
    return array


def from_embed(*arrays):
    """Joins arrays [layers, in, outputs...] into one matrix [in, out] per layer."""
    return np.concatenate([a.reshape(a.shape[0], a.shape[1], -1) for a in arrays], axis=-1)


def to_embed(array):
    """Flattens an array [layers, inputs..., out] to one matrix [in, out] per layer."""
    return array.reshape(array.shape[0], -1, array.shape[-1])


def vector(*arrays):
    """Joins arrays [layers, outputs...] into one vector per layer."""
    return np.concatenate([a.reshape(a.shape[0], -1) for a in arrays], axis=-1)


def of_patches(array):
    return array.reshape(-1, array.shape[-1])


def of_buckets(array):
    return array.reshape(array.shape[0], -1)


# Peer's name -> (conversion, Meshwright's arrays). Names with a missing array are skipped.
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
    """Returns the parameters by the peer's names. Raises ValueError if an array is left over."""
    ours = read(folder)
    out, used = {}, set()
    for name, (convert, *paths) in TABLES[task].items():
        if all(path in ours for path in paths):
            out[name] = convert(*(ours[path] for path in paths))
            used.update(paths)
    if used != set(ours):
        raise ValueError(f"the peer has no name for {sorted(set(ours) - used)}")
    return out
