# SPDX-License-Identifier: Apache-2.0
"""`meshwright train` without a config: it learns, twice the same, and stops on an interrupt.

usage: train_demo.py MESHWRIGHT
"""

import re
import signal
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


def train():
    return subprocess.Popen([PROGRAM, "train"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class TrainDemo(unittest.TestCase):
    def test_learns_the_same_twice(self):
        outputs = []
        for _ in range(2):
            process = train()
            out, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, errors)
            outputs.append(out)
        losses = [float(loss) for loss in re.findall(r"loss ([0-9.]+)", outputs[0])]
        self.assertGreater(losses[0], 3.0)
        self.assertLess(losses[-1], 0.1)
        final = re.search(r"^final accuracy on held-out pairs: ([0-9.]+)$", outputs[0], re.MULTILINE)
        self.assertGreater(float(final.group(1)), 0.9)
        self.assertEqual(outputs[0], outputs[1])

    def test_an_interrupt_stops_it_between_steps(self):
        process = train()
        self.assertIn("step 1 ", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertIn("interrupted after step", errors)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)

    def test_a_config_is_refused_rather_than_ignored(self):
        done = subprocess.run([PROGRAM, "train", "some.toml"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot train from a config yet ('some.toml')", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
