# SPDX-License-Identifier: Apache-2.0
"""A run loads the programs that `compile` wrote, and refuses those of other configs and machines.

usage: compile_test.py MESHWRIGHT
"""

import functools
import json
import os
from pathlib import Path
import re
import sys
import tempfile
import unittest

from program import metric, run_program

PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM)
SMALL = ["arithmetic_lm", "task.model.layers=1", "task.model.embed=16", "max_step=4", "verbosity=1"]


class CompileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mw_e2e_")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        cls.bundle = cls.root / "small.bundle"
        # A cache of its own, from which nothing can be loaded.
        os.environ["MESHWRIGHT_CACHE_DIR"] = str(cls.root / "cache")
        cls.compiled = run("compile", *SMALL, f"dir={cls.root}/nowhere", "--out", cls.bundle)

    def test_reports_the_programs_and_writes_no_run(self):
        self.assertIn("compiling step (1 of ", self.compiled.stderr)
        self.assertRegex(self.compiled.stdout, r"(?m)^step: [\d.]+ [KM]iB, needs [\d.]+ [KM]iB on each")
        self.assertRegex(self.compiled.stdout, r"(?m)^init: ")
        self.assertRegex(self.compiled.stdout, r"(?m)^evaluators\.\w+: ")
        self.assertIn(f"--bundle {self.bundle}", self.compiled.stdout)
        self.assertFalse((self.root / "nowhere").exists())

    def test_a_run_compiles_none_of_them_and_learns_the_same(self):
        loaded = run("train", *SMALL, f"dir={self.root}/loaded", "--bundle", self.bundle)
        self.assertGreaterEqual(loaded.stderr.count("loaded a program compiled ahead"), 3)
        self.assertNotIn("compiled a program", loaded.stderr)
        run("train", *SMALL, f"dir={self.root}/compiled")
        self.assertEqual(metric(self.root / "loaded", "loss"), metric(self.root / "compiled", "loss"))

    def test_settings_that_change_no_program_may_differ(self):
        done = run("train", *SMALL, "seed=7", "log.n=2", f"dir={self.root}/other_seed", "--bundle",
                   self.bundle, "--dry-run")
        self.assertIn("loaded in", done.stdout)

    def test_another_config_is_refused_by_its_keys(self):
        done = run("train", *SMALL, "task.model.layers=2", f"dir={self.root}/other", "--bundle",
                   self.bundle, code=2)
        self.assertRegex(done.stderr, r"task\.model\.layers: 1 before, 2 now")
        self.assertFalse((self.root / "other").exists())

    def test_fewer_devices_are_refused_by_their_number(self):
        bundle = self.root / "two.bundle"
        done = run("compile", *SMALL, "mesh.num_devices=2", "mesh.axes={data=2}", "--json", "-o", bundle)
        report = json.loads(done.stdout)
        self.assertEqual(report["num_devices"], 2)
        self.assertEqual(report["programs"][0]["name"], "step")
        done = run("train", *SMALL, f"dir={self.root}/one", "--bundle", bundle, code=6)
        self.assertIn("devices: compiled for 2, here are 1", done.stderr)

    def test_attention_by_cudnn_is_refused_without_the_gpu(self):
        bundle = self.root / "cudnn.bundle"
        done = run("compile", *SMALL, "task.model.dim=16", "task.compute_dtype=bf16", "--topology", "h100:1",
                   "-o", bundle, code=2)
        self.assertRegex(done.stderr, r"flash_attention.* in the program 'step' calls cuDNN.*\n.*kernels=xla")
        self.assertFalse(bundle.exists())

    def test_damaged_files_are_refused(self):
        damaged = self.root / "damaged.bundle"
        damaged.write_bytes(self.bundle.read_bytes()[:-1])
        done = run("train", *SMALL, f"dir={self.root}/damaged", "--bundle", damaged, code=3)
        self.assertTrue(re.search(r"damaged\.bundle: is cut off", done.stderr), done.stderr)
        done = run("train", *SMALL, f"dir={self.root}/damaged", "--bundle", self.root / "none", code=2)
        self.assertIn("none", done.stderr)

    def test_an_existing_file_is_kept_unless_forced(self):
        path = self.root / "kept"
        path.write_text("mine")
        done = run("compile", *SMALL, "--out", path, code=2)
        self.assertIn("to replace it: --force", done.stderr)
        self.assertEqual(path.read_text(), "mine")
        run("compile", *SMALL, "--out", path, "--force")
        self.assertTrue(path.read_bytes().startswith(b"MWBUNDLE"))


if __name__ == "__main__":
    unittest.main()
