#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random trees: Orbax writes and we convert, we convert and Orbax and NumPy read.

usage: convert_peer_test.py MESHWRIGHT
"""

import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile
import typing
import unittest

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import orbax.checkpoint as ocp

PROGRAM = None
SEED = 20261127
DTYPES = [np.float32, ml_dtypes.bfloat16, np.int32, np.uint8, np.bool_, np.float16]


def run(*args):
    subprocess.run([PROGRAM, "ckpt", *map(str, args)], check=True, stdout=subprocess.DEVNULL)


def random_tree(random, depth=0):
    tree = {}
    for i in range(random.integers(1, 4)):
        if depth < 3 and random.random() < 0.5:
            tree[f"n{i}"] = random_tree(random, depth + 1)
            continue
        shape = tuple(int(n) for n in random.integers(1, 40, size=random.integers(0, 4)))
        dtype = DTYPES[random.integers(len(DTYPES))]
        tree[f"a{i}"] = random.integers(0, 2 if dtype == np.bool_ else 100, size=shape).astype(dtype)
    return tree


class Slots(typing.NamedTuple):
    first: object
    second: object


def random_state(random, depth=0):
    """A tree as trainers keep it: lists, tuples, texts, and members without content."""
    kind = random.integers(10) if depth < 3 else 9
    members = [random_state(random, depth + 1) for _ in range(random.integers(1, 13))] if kind < 6 else []
    if kind < 3:
        return dict(zip("abcdefghijkl", members)) | {f"mlp/linear.{depth}": members[0]}
    if kind == 3:
        return members
    if kind == 4:
        return tuple(members)
    if kind == 5:
        return Slots(members[0], members[-1])
    if kind < 9:
        return [None, {}, [], (), f"text {random.integers(100)}"][random.integers(5)]
    return random.integers(100, size=tuple(random.integers(1, 5, size=2))).astype(np.float32)


def flat(tree, path=""):
    if not isinstance(tree, dict):
        return {path: np.asarray(tree)}
    return {name: leaf for key, child in tree.items()
            for name, leaf in flat(child, f"{path}/{key}" if path else key).items()}


def on_devices(tree):
    """Splits arrays over four devices where they divide."""
    mesh = jax.make_mesh((4,), ("x",))

    def put(array):
        split = array.ndim > 0 and array.shape[0] % 4 == 0
        spec = jax.sharding.PartitionSpec("x") if split else jax.sharding.PartitionSpec()
        return jax.device_put(jnp.asarray(array), jax.sharding.NamedSharding(mesh, spec))

    return jax.tree.map(put, tree)


def read_npz(file):
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive}
    return {name: array.view(ml_dtypes.bfloat16) if array.dtype.kind == "V" else array
            for name, array in arrays.items()}


class Converted(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.random = np.random.default_rng(SEED)

    def tearDown(self):
        self.folder.cleanup()

    def compare(self, found, wanted):
        self.assertEqual(sorted(found), sorted(wanted))
        for path, array in wanted.items():
            self.assertEqual(found[path].dtype, array.dtype, path)
            self.assertEqual(found[path].shape, array.shape, path)
            np.testing.assert_array_equal(found[path], array, path)

    def test_what_orbax_writes(self):
        for i, (ocdbt, zarr3) in enumerate([(True, False), (True, True), (False, False),
                                            (False, True)] * 3):
            with self.subTest(ocdbt=ocdbt, zarr3=zarr3):
                tree = random_tree(self.random)
                source = self.root / f"orbax{i}"
                handler = ocp.PyTreeCheckpointHandler(use_ocdbt=ocdbt, use_zarr3=zarr3)
                ocp.Checkpointer(handler).save(source, on_devices(tree))
                npz = self.root / f"{i}.npz"
                run("convert", source, npz, "--to", "npz", "--budget", "10KB")
                self.compare(read_npz(npz), flat(tree))

    def test_orbax_restores_into_the_tree_it_saved(self):
        """Orbax refuses a checkpoint whose tree differs from its target in an empty list."""
        for i in range(4):
            state = {"step": np.int32(i), "state": random_state(self.random),
                     "opt": [random_state(self.random, depth=2) for _ in range(12)]}
            with self.subTest(state=state):
                last = self.root / f"orbax{i}"
                ocp.PyTreeCheckpointer().save(last, state)
                for container in ("orbax", "native", "axlearn", "t5x", "orbax"):
                    target = self.root / f"{i}{last.name}{container}"
                    run("convert", last, target, "--to", container)
                    last = target
                    if container not in ("orbax", "native"):
                        continue
                    step = target if container == "orbax" else target / "step_00000000"
                    found = ocp.PyTreeCheckpointer().restore(step, item=state)
                    self.assertEqual(jax.tree.structure(found), jax.tree.structure(state))
                    jax.tree.map(np.testing.assert_array_equal, found, state)

    def test_what_orbax_reads(self):
        for i in range(6):
            tree = random_tree(self.random)
            source = self.root / f"{i}.npz"
            arrays = {path: array.view("V2") if array.dtype == ml_dtypes.bfloat16 else array
                      for path, array in flat(tree).items()}
            (np.savez_compressed if i % 2 else np.savez)(source, **arrays)
            for container, name in (("orbax", f"orbax{i}"), ("native", f"native{i}")):
                with self.subTest(container=container):
                    target = self.root / name
                    run("convert", source, target, "--to", container, "--compress",
                        ["none", "zstd", "gzip"][i % 3])
                    step = target if container == "orbax" else target / "step_00000000"
                    found = flat(ocp.StandardCheckpointer().restore(step))
                    self.compare(found, flat(tree))

    def test_safetensors(self):
        """The header is what the format's page says; the elements are those of NumPy."""
        tree = flat(random_tree(self.random))
        source, target = self.root / "x.npz", self.root / "x.safetensors"
        np.savez(source, **{path: array.view("V2") if array.dtype == ml_dtypes.bfloat16 else array
                            for path, array in tree.items()})
        run("convert", source, target, "--to", "safetensors")
        content = target.read_bytes()
        size = int.from_bytes(content[:8], "little")
        header = json.loads(content[8:8 + size])
        self.assertEqual(header.pop("__metadata__")["format"], "pt")
        self.assertEqual(sorted(header), sorted(tree))
        for path, entry in header.items():
            begin, end = entry["data_offsets"]
            self.assertEqual(entry["shape"], list(tree[path].shape))
            self.assertEqual(content[8 + size + begin:8 + size + end], tree[path].tobytes())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
