# SPDX-License-Identifier: Apache-2.0
"""Converts a checkpoint with the official Python libraries. usage: convert_side.py WHAT SOURCE TARGET"""

import os
import pathlib
import sys

import numpy as np
import orbax.checkpoint as ocp
from safetensors.numpy import load_file, save_file


def nested(arrays):
    tree = {}
    for path, array in arrays.items():
        *parents, name = path.split("/")
        at = tree
        for parent in parents:
            at = at.setdefault(parent, {})
        at[name] = array
    return tree


def flat(tree, path=""):
    if not isinstance(tree, dict):
        return {path: np.asarray(tree)}
    return {name: leaf for key, child in tree.items()
            for name, leaf in flat(child, f"{path}/{key}" if path else key).items()}


def to_folder(source, target):
    with ocp.PyTreeCheckpointer() as checkpointer:
        checkpointer.save(target, nested(load_file(source)))


def to_safetensors(source, target):
    with ocp.PyTreeCheckpointer() as checkpointer:
        save_file(flat(checkpointer.restore(source)), target)


def write(gigabytes, target):
    """Random f32, so that nothing compresses well."""
    random = np.random.default_rng(0)
    num_arrays = 64
    rows = int(float(gigabytes) * 1e9) // num_arrays // 4 // 1024
    save_file({f"model/layer{i}/w": random.random((rows, 1024), dtype=np.float32)
               for i in range(num_arrays)}, target)


def sync(target):
    """Makes the files durable, as Meshwright does."""
    path = pathlib.Path(target)
    for file in [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]:
        handle = os.open(file, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)


def main():
    what, source, target = sys.argv[1:]
    {"to_folder": to_folder, "to_safetensors": to_safetensors, "write": write}[what](source, target)
    sync(target)


main()
