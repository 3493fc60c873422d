# SPDX-License-Identifier: Apache-2.0
"""Helpers of tests that reimplement another system's model in JAX and let our program continue from its
checkpoints."""

from pathlib import Path
import subprocess
import tempfile
import unittest

import jax
import jax.numpy as jnp
import numpy as np


def tokens_of(step, batch, length, vocab):
    """Returns inputs and targets of our source of random tokens with seed 0."""
    with jax.enable_x64(True):
        first = step * batch * (length + 1)
        bits = jax.random.bits(jax.random.key(0), (first + batch * (length + 1),), jnp.uint64)
        rows = np.asarray(bits[first:] % vocab).astype(np.int32).reshape(batch, length + 1)
    return rows[:, :-1], rows[:, 1:]


def cross_entropy(logits, targets):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1)
    return -jnp.mean(chosen)


class RunTest(unittest.TestCase):
    program_file = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.steps = self.root / "run" / "checkpoints"

    def program(self, *words, code=0):
        done = subprocess.run([self.program_file, *words], capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def compare(self, found, wanted):
        for name, value in wanted.items():
            np.testing.assert_allclose(found[name], value, rtol=2e-4, atol=2e-6, err_msg=name)
