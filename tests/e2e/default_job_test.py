# SPDX-License-Identifier: Apache-2.0
"""The default job learns its task with each of five seeds.

usage: default_job_test.py MESHWRIGHT
"""

import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()


class DefaultJobTest(unittest.TestCase):
    def test_every_seed_passes_95_percent(self):
        for seed in range(5):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory(prefix="mw_job_") as folder:
                done = subprocess.run([PROGRAM, "train", f"dir={folder}/run", f"seed={seed}"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                found = re.search(r"(?m)^held_out/exact_match: ([0-9.e-]+)$", done.stdout)
                self.assertGreaterEqual(float(found.group(1)), 0.95)


if __name__ == "__main__":
    unittest.main(verbosity=0)
