# SPDX-License-Identifier: Apache-2.0
"""This version verifies, evaluates and continues run folders of earlier versions.

usage: earlier_runs_test.py MESHWRIGHT GOLDEN_RUNS
"""

import json
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import unittest

GOLDEN = Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())
TOLERANCE = 2e-5  # relative: other processors sum in another order


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300,
                          check=False)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stderr}"
    return done


class EarlierRuns(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="mw_e2e_"))
        self.addCleanup(shutil.rmtree, self.root)

    def of_every_format(self):
        for name, expected in EXPECTED.items():
            folder = self.root / name
            shutil.copytree(GOLDEN / name, folder)
            with self.subTest(format=name):
                yield folder, expected

    def expect_near(self, found, expected):
        for name, value in expected.items():
            if isinstance(value, dict):  # an evaluator's metric: mean and weight
                self.expect_near(found[name], value)
            else:
                self.assertAlmostEqual(found[name], value, delta=TOLERANCE * abs(value), msg=name)

    def test_are_whole(self):
        for folder, _ in self.of_every_format():
            run("ckpt", "verify", "--strict", folder)

    def test_are_evaluated(self):
        for folder, expected in self.of_every_format():
            found = json.loads(run("eval", "--json", folder).stdout)
            self.assertEqual(found["step"], 4)
            self.expect_near(found["results"], expected["evaluated at step 4"])

    def test_go_on(self):
        for folder, expected in self.of_every_format():
            done = run("train", folder / "config.toml", f"dir={folder}", "max_step=8")
            self.assertIn("restored the checkpoint of step 4", done.stderr)
            self.assertRegex(done.stderr, r"settings changed .*:\n  (dir: .*\n  )?max_step: 4 before, 8 now\n")
            steps = {}
            for line in (folder / "metrics.jsonl").read_text().splitlines():
                record = json.loads(line)
                steps.setdefault(record.get("step"), {}).update(record.get("metrics", {}))
            for step, metrics in expected["going on"].items():
                with self.subTest(step=step):
                    self.expect_near(steps[int(step)], metrics)


if __name__ == "__main__":
    unittest.main()
