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


def sync(target):
    """Makes the files durable, as Meshwright does."""
    path = pathlib.Path(target)
    for file in [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]:
        handle = os.open(file, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)


def main():
    what, source, target = sys.argv[1:]
    {"to_folder": to_folder, "to_safetensors": to_safetensors}[what](source, target)
    sync(target)


main()
