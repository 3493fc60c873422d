#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Orbax, TensorStore and zarr-python read our checkpoints, and we read theirs.

usage: peer_test.py CHECKPOINT_FILES
"""

import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import ml_dtypes
import numcodecs
import numpy as np
import orbax.checkpoint as ocp
import tensorstore as ts
import zarr

TOOL = None
STEP = 12


def run_tool(mode, folder):
    out = subprocess.run([TOOL, mode, str(folder)], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)


def array_of(entry):
    dtype = np.dtype(getattr(ml_dtypes, entry["dtype"], entry["dtype"]))
    return np.frombuffer(bytes.fromhex(entry["hex"]), dtype=dtype).reshape(entry["shape"])


def flat(tree, path=""):
    if not isinstance(tree, dict):
        return {path: np.asarray(tree)}
    return {name: leaf for key, child in tree.items()
            for name, leaf in flat(child, f"{path}/{key}" if path else key).items()}


def nested(leaves):
    tree = {}
    for path, leaf in leaves.items():
        *parents, name = path.split("/")
        at = tree
        for parent in parents:
            at = at.setdefault(parent, {})
        at[name] = leaf
    return tree


def open_zarr(folder):
    spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": str(folder)}}
    return ts.open(spec, open=True).result().read().result()


class Written(unittest.TestCase):
    """Others read our checkpoints."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        written = run_tool("write", cls.root)
        cls.expected = {path: array_of(entry) for path, entry in written["arrays"].items()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compare(self, found):
        self.assertEqual(sorted(found), sorted(self.expected))
        for path, wanted in self.expected.items():
            self.assertEqual(found[path].dtype, wanted.dtype, path)
            self.assertEqual(found[path].tobytes(), wanted.tobytes(), path)

    def test_orbax_restores_native(self):
        for run in ("native", "native-zstd"):
            step = self.root / run / f"step_{STEP:08d}"
            self.compare(flat(ocp.StandardCheckpointer().restore(step)))
            self.compare(flat(ocp.PyTreeCheckpointer().restore(step)))

    def test_orbax_restores_native_onto_a_mesh(self):
        mesh = jax.make_mesh((2, 2), ("x", "y"))
        def target(path, value):
            if path.startswith("dtypes/"):
                return np.zeros_like(value)  # on devices, JAX has no 64-bit types by default
            axes = ("x", "y") if value.ndim == 2 else ()
            sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))
            return jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=sharding)
        targets = nested({path: target(path, value) for path, value in self.expected.items()})
        step = self.root / "native" / f"step_{STEP:08d}"
        self.compare(flat(ocp.StandardCheckpointer().restore(step, targets)))

    def test_tensorstore_reads_axlearn(self):
        for run in ("axlearn", "axlearn-zstd"):
            step = self.root / run / f"step_{STEP:08d}"
            index = json.loads((step / "index").read_text())
            wanted = [["step", STEP]] + [
                [path, {"dtype": str(value.dtype), "shape": str(value.shape)}]
                for path, value in self.expected.items()]
            self.assertEqual((step / "index").read_text(), json.dumps(wanted))
            self.compare({path: open_zarr(step / "gda" / path) for path, _ in index[1:]})

    def test_zarr_reads_seqax(self):
        for run in ("seqax", "seqax-zstd"):
            step = self.root / run / f"{STEP:010d}"
            names = {path: path.replace("/", "") for path in self.expected}
            self.compare({path: open_zarr(step / name) for path, name in names.items()})
            group = zarr.open_group(step, mode="r", zarr_format=2)
            self.assertIs(group.attrs["write_completed"], True)
            for path, wanted in self.expected.items():
                if hasattr(ml_dtypes, wanted.dtype.name):
                    continue  # zarr-python lacks this dtype
                self.assertEqual(np.asarray(group[names[path]]).tobytes(), wanted.tobytes(), path)


class Read(unittest.TestCase):
    """We read the checkpoints of others."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        generator = np.random.default_rng(0)
        self.values = {
            "weights/embed": generator.standard_normal((4, 6), np.float32),
            "weights/transformer/w_q": generator.standard_normal((3, 5, 2), np.float32),
            "adam_mu/final_layer_norm": generator.standard_normal((7,), np.float32),
        }

    def compare(self, folder, wanted_format):
        found = run_tool("read", folder)
        self.assertEqual((found["format"], found["step"]), (wanted_format, STEP))
        self.assertEqual(sorted(found["arrays"]), sorted(self.values))
        for path, value in self.values.items():
            self.assertEqual(array_of(found["arrays"][path]).tobytes(), value.tobytes(), path)

    def test_axlearn(self):
        step = self.root / f"step_{STEP:08d}"
        index = [["step", STEP]]
        for path, value in self.values.items():
            spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": str(step / "gda" / path)},
                    "metadata": {"compressor": {"id": "zstd", "level": 1}, "shape": value.shape,
                                 "chunks": [max(1, size // 2) for size in value.shape],
                                 "dtype": value.dtype.str}}
            ts.open(spec, create=True).result().write(value).result()
            index.append([path, {"dtype": str(value.dtype), "shape": str(value.shape)}])
        (step / "index").write_text(json.dumps(index))
        self.compare(self.root, "axlearn")
        self.compare(step, "axlearn")

    def test_seqax(self):
        for name, codec in (("usual", "auto"), ("blosc", numcodecs.Blosc()), ("bz2", numcodecs.BZ2(level=9))):
            step = self.root / name / f"{STEP:010d}"
            group = zarr.open_group(step, mode="w-", zarr_format=2)
            for path, value in self.values.items():
                array = group.create_array(
                    path.replace("/", ""), shape=value.shape, dtype=value.dtype,
                    chunks=tuple(max(1, size // 2) for size in value.shape), compressors=codec)
                array[...] = value
            group.attrs["write_completed"] = True
            self.compare(self.root / name, "seqax")


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
