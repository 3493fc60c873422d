# SPDX-License-Identifier: Apache-2.0
"""Runs on a GPU: equal to those on the CPU, resumed after a kill with equal bits, from compiled files, with
slots in the host's memory. Skipped where there is no GPU.

usage: gpu_runs_test.py MESHWRIGHT
"""

import functools
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from program import metric, run_program

PROGRAM = sys.argv.pop()
run = functools.partial(run_program, PROGRAM)
LM = ["arithmetic_lm", "task.model.embed=64", "task.model.dim=16", "data.batch_size=16", "evaluators={}",
      "log.n=1"]
GPU = ["mesh.platform=cuda", "mesh.preallocate=false"]
BF16 = ["task.compute_dtype=bf16"]


class GpuRunsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mw_gpu_")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        os.environ["MESHWRIGHT_CACHE_DIR"] = str(cls.root / "cache")

    def train(self, name, *more):
        return run("train", *LM, *GPU, f"dir={self.root / name}", *more)

    def losses(self, name):
        return metric(self.root / name, "loss")

    def expect_equal(self, one, other):
        self.assertEqual(self.losses(one), self.losses(other))
        done = run("ckpt", "diff", self.root / one, self.root / other)
        self.assertIn("equal: ", done.stdout)

    def test_learns_as_on_the_cpu(self):
        self.train("on_gpu", "max_step=20")
        run("train", *LM, f"dir={self.root}/on_cpu", "max_step=20")
        gpu, cpu = self.losses("on_gpu"), self.losses("on_cpu")
        for step in cpu:  # matrix products round to TF32 on the GPU
            self.assertAlmostEqual(gpu[step], cpu[step], delta=5e-3 * cpu[step], msg=f"step {step}")

    def test_a_killed_run_goes_on_with_equal_bits(self):
        more = [*BF16, "checkpoint.when.n=20", "checkpoint.keep_last_n=4", "max_step=200"]
        self.train("whole", *more)
        process = subprocess.Popen([PROGRAM, "train", *LM, *GPU, f"dir={self.root}/killed", *more],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checkpoints = self.root / "killed" / "checkpoints"
        end = time.monotonic() + 120
        while not list(checkpoints.glob("step_*[!0]0")) and time.monotonic() < end:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertLess(max(self.losses("killed"), default=0), 200, "the run ended before it was killed")
        done = self.train("killed", *more)
        self.assertRegex(done.stderr, r"restor|resum|go")
        self.expect_equal("whole", "killed")

    # The second process compiles again, and may choose other algorithms for products.
    def test_a_second_run_without_the_cache_learns_the_same(self):
        self.train("first", *BF16, "max_step=20")
        os.environ["MESHWRIGHT_CACHE_DIR"] = str(self.root / "second_cache")
        self.addCleanup(os.environ.update, MESHWRIGHT_CACHE_DIR=str(self.root / "cache"))
        self.train("second", *BF16, "max_step=20")
        first, second = self.losses("first"), self.losses("second")
        for step in first:
            self.assertAlmostEqual(first[step], second[step], delta=2e-2 * first[step], msg=f"step {step}")

    def test_a_second_start_compiles_nothing(self):
        more = [*BF16, "max_step=2", "verbosity=1"]
        self.train("cold", *more)
        done = self.train("warm", *more)
        self.assertNotIn("compiled a program", done.stderr)
        self.expect_equal("cold", "warm")

    def test_runs_load_what_was_compiled_here(self):
        bundle = self.root / "here.bundle"
        more = [*BF16, "max_step=20", "verbosity=1"]
        run("compile", *LM, *GPU, *more, "-o", bundle)
        done = self.train("from_bundle", *more, "--bundle", str(bundle))
        self.assertNotIn("compiled a program", done.stderr)
        self.train("not_from_bundle", *more)
        self.assertEqual(len(self.losses("from_bundle")), 20)

    def test_runs_load_what_was_compiled_without_a_gpu(self):
        name = run("doctor", "--platform", "cuda").stdout
        found = re.search(r"NVIDIA (H[12]00)", name)
        if not found:
            self.skipTest("no topology has this GPU")
        topology, more = f"{found[1].lower()}:1", [*BF16, "kernels=xla", "max_step=20", "verbosity=1"]
        bundle = self.root / "ahead.bundle"
        run("compile", *LM, *more, "--topology", topology, "-o", bundle)
        done = self.train("ahead", *more, "--bundle", str(bundle))
        self.assertNotIn("compiled a program", done.stderr)
        self.train("not_ahead", *more)
        ahead, here = self.losses("ahead"), self.losses("not_ahead")
        for step in here:
            self.assertAlmostEqual(ahead[step], here[step], delta=2e-2 * here[step], msg=f"step {step}")

    def test_slots_and_kept_values_may_wait_in_the_hosts_memory(self):
        offload = ["sharding.offload=.*", "task.model.offload=dots", "task.model.remat=nothing",
                   "optimizer.learning_rate=0.001", "max_step=20"]
        self.train("offloaded", *offload)
        self.train("plain", "task.model.remat=nothing", "optimizer.learning_rate=0.001", "max_step=20")
        plain, offloaded = self.losses("plain"), self.losses("offloaded")
        for step in plain:
            self.assertAlmostEqual(offloaded[step], plain[step], delta=5e-3 * plain[step], msg=f"step {step}")


if __name__ == "__main__":
    doctor = subprocess.run([PROGRAM, "doctor", "--platform", "cuda"], capture_output=True, text=True, check=False)
    if "count " not in doctor.stdout:
        print("no GPU here")
        sys.exit(77)
    unittest.main()
