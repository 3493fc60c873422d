# SPDX-License-Identifier: Apache-2.0
"""A run whose optimizer slots and kept values wait in the host's memory is the same run.

usage: offload_test.py MESHWRIGHT
"""

import functools
from pathlib import Path
import sys
import tempfile
import unittest

from program import metric, run_program

PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM)
SMALL = ["arithmetic_lm", "task.model.embed=16", "data.batch_size=16", "kernels=xla",
         "max_step=4", "evaluators={}", "optimizer.learning_rate=0.001"]
OFFLOAD = ["sharding.offload=.*", "task.model.offload=dots", "task.model.remat=nothing"]


class OffloadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mw_e2e_")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        run("train", *SMALL, "task.model.remat=nothing", f"dir={cls.root}/plain")

    def last_loss(self, name):
        return metric(self.root / name, "loss")[4]

    # XLA forms other fusions, which round differently.
    def test_it_learns_the_same(self):
        run("train", *SMALL, *OFFLOAD, "task.model.stack=scanned", f"dir={self.root}/scanned")
        self.assertAlmostEqual(self.last_loss("scanned"), self.last_loss("plain"), places=5)

    def test_it_goes_on_from_a_checkpoint(self):
        run("train", *SMALL, *OFFLOAD, f"dir={self.root}/whole")
        for max_step in ["max_step=2", "max_step=4"]:
            run("train", *SMALL, *OFFLOAD, f"dir={self.root}/resumed", max_step)
        self.assertEqual(self.last_loss("resumed"), self.last_loss("whole"))
        done = run("ckpt", "diff", self.root / "whole", self.root / "resumed")
        self.assertIn("equal: ", done.stdout)

    def test_it_learns_the_same_on_a_mesh(self):
        axes = ["mesh.num_devices=4", "mesh.axes={fsdp=4}"]
        run("train", *SMALL, *axes, *OFFLOAD, f"dir={self.root}/parts")
        self.assertAlmostEqual(self.last_loss("parts"), self.last_loss("plain"), places=4)


if __name__ == "__main__":
    unittest.main()
