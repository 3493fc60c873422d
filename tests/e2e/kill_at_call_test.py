# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed at a given call that changes a file of their checkpoints. Everything committed
is unchanged, and the next start continues from the newest checkpoint.

usage: kill_at_call_test.py NUM_KILLS KILL_AT_CALL     MW_KILL_SEED=n repeats an earlier test
"""

import os
import random
import re
import signal
import sys
import time
import unittest

from small_run import NEVER_JUDGED, SmallRunTest

SmallRunTest.program = sys.argv.pop()
NUM_KILLS = int(sys.argv.pop())
SEED = int(os.environ.get("MW_KILL_SEED", time.time_ns() % 1_000_000))
INTERVAL = 2
SETTINGS = [NEVER_JUDGED, f"checkpoint.when.n={INTERVAL}", "log.n=1", "task.model.dropout=0.1",
            "optimizer.learning_rate=0.01",  # the default depends on the last step
            "max_step=1000000"]
KEPT = 2


class KillAtCallTest(SmallRunTest):
    def environment(self, run, call=None):
        out = {**os.environ, "MW_KILL_BELOW": str(self.folder / run / "checkpoints")}
        return out if call is None else {**out, "MW_KILL_AT_CALL": str(call)}

    def arrays(self, run, step):
        """Returns the bytes of every file of every array."""
        root = self.checkpoint(run, step)
        return {path.relative_to(root): path.read_bytes() for path in self.array_files(run, step)}

    def calls_per_save(self):
        """Returns the number of calls of a save that also removes the oldest checkpoint."""
        counts = []
        for num_saves in (5, 10):
            done = self.train(f"count_{num_saves}", *SETTINGS, f"checkpoint.keep_last_n={KEPT}",
                              f"max_step={num_saves * INTERVAL}",
                              env=self.environment(f"count_{num_saves}"))
            counts.append(int(re.search(r"file calls: (\d+)", done.stderr)[1]))
        return (counts[1] - counts[0]) // 5

    def whole(self, last_step):
        """Returns the losses and checkpoints of an uninterrupted run."""
        self.train("whole", *SETTINGS, f"max_step={last_step}", "checkpoint.keep_last_n=none")
        ((_, losses),) = self.attempts("whole")
        return losses

    def kill(self, call):
        """Starts the program, which continues from the newest checkpoint and is killed at a call."""
        before = self.steps("killed")
        num_before = len(self.attempts("killed"))
        process = self.start("killed", *SETTINGS, f"checkpoint.keep_last_n={KEPT}",
                             env=self.environment("killed", call))
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, -signal.SIGKILL, errors)
        for first_step, losses in self.attempts("killed")[num_before:]:
            self.assertEqual(first_step, max(before, default=0))
            self.assertEqual(list(losses), [first_step + 1 + i for i in range(len(losses))])
        after = self.steps("killed")
        self.assertGreaterEqual(max(after, default=0), max(before, default=0))
        self.assertGreaterEqual(len(after), min(len(before), KEPT))
        return {step: self.arrays("killed", step) for step in after}

    def test_no_call_loses_anything(self):
        print(f"MW_KILL_SEED={SEED}", file=sys.stderr)
        numbers = random.Random(SEED)
        calls = 2 * self.calls_per_save()
        # One in each section of two saves, including the first.
        moments = [1 + int((i + numbers.random()) * calls / NUM_KILLS) for i in range(NUM_KILLS)]
        numbers.shuffle(moments)
        left = [self.kill(moment) for moment in moments]
        losses = self.whole(max(left[-1]))
        self.assertGreater(max(left[-1]), NUM_KILLS / 3 * INTERVAL)  # it did save
        for moment, steps in zip(moments, left):
            for step, arrays in steps.items():
                self.assertEqual(arrays, self.arrays("whole", step), f"killed at call {moment}")
        for _, found in self.attempts("killed"):
            self.assertEqual({step: loss for step, loss in found.items() if step in losses},
                             {step: losses[step] for step in found if step in losses})


if __name__ == "__main__":
    unittest.main(verbosity=0)
