# SPDX-License-Identifier: Apache-2.0
"""A run that is killed repeatedly gives the same bits as an uninterrupted one.

usage: kill_test.py MESHWRIGHT          MW_KILL_SEED=n repeats the moments of an earlier test
"""

import os
import random
import signal
import sys
import threading
import time
import unittest

from small_run import NEVER_JUDGED, SmallRunTest

SmallRunTest.program = sys.argv.pop()
SEED = int(os.environ.get("MW_KILL_SEED", time.time_ns() % 1_000_000))
NUM_KILLS = 20
INTERVAL = 40  # longer than a save takes, so that little more than one interval is lost
# Dropout depends on the key, the moving average on its own state, the schedule on the step.
SETTINGS = [
    NEVER_JUDGED, f"checkpoint.when.n={INTERVAL}", "log.n=1", "checkpoint.keep_last_n=2",
    "task.model.dropout=0.1", "learner.ema={ decay = 0.9 }",
    'optimizer.learning_rate={ type = "inverse_sqrt", scale = 0.02, warmup = 40 }']
ENDLESS = "max_step=1000000"


class Killer:
    """Kills one start of the program at a moment of one of `KINDS`."""

    def __init__(self, random_numbers, seconds_to_first_step, checkpoints):
        self.random = random_numbers
        self.seconds_to_first_step = seconds_to_first_step
        self.checkpoints = checkpoints
        self.num_lines = 0

    def follow(self, process):
        for line in process.stderr:
            self.num_lines += "step " in line

    def wait_for(self, condition, process, seconds=60):
        end = time.monotonic() + seconds
        while not condition() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.0005)

    def while_starting_and_compiling(self, _):
        time.sleep(self.random.uniform(0, self.seconds_to_first_step))

    def after_some_updates(self, process):
        wanted = self.random.randint(1, 150)
        self.wait_for(lambda: self.num_lines >= wanted, process)
        time.sleep(self.random.uniform(0, 0.02))

    def while_saving_or_removing(self, process):
        self.wait_for(lambda: self.num_lines > 0, process)
        # These folders exist so briefly that one can be missed.
        self.wait_for(lambda: any(self.checkpoints.glob("unfinished-*")), process, seconds=0.1)
        time.sleep(self.random.uniform(0, 0.003))

    KINDS = [while_starting_and_compiling, after_some_updates, while_saving_or_removing]


class KillTest(SmallRunTest):
    def newest(self, run):
        return max(self.steps(run), default=0)

    def kill(self, killer, kind):
        """Starts the program, which must continue from the newest checkpoint, and kills it."""
        newest = self.newest("killed")
        num_before = len(self.attempts("killed"))
        process = self.start("killed", *SETTINGS, ENDLESS)
        follower = threading.Thread(target=killer.follow, args=[process])
        follower.start()
        kind(killer, process)
        process.kill()
        follower.join()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(), -signal.SIGKILL)
        self.assertGreaterEqual(self.newest("killed"), newest)
        for first_step, losses in self.attempts("killed")[num_before:]:
            self.assertEqual(first_step, newest)
            self.assertEqual(list(losses), [newest + 1 + i for i in range(len(losses))])

    def seconds_to_first_step(self):
        """Runs the program with its executables already in the cache."""
        self.train("warm", *SETTINGS, "max_step=1")
        begin = time.monotonic()
        self.train("warm_again", *SETTINGS, "max_step=1")
        return time.monotonic() - begin

    def test_twenty_kills_change_no_bit(self):
        print(f"MW_KILL_SEED={SEED}", file=sys.stderr)
        numbers = random.Random(SEED)
        killer_args = (numbers, self.seconds_to_first_step(), self.folder / "killed/checkpoints")
        kinds = [Killer.KINDS[i % len(Killer.KINDS)] for i in range(NUM_KILLS)]
        numbers.shuffle(kinds)
        for kind in kinds:
            self.kill(Killer(*killer_args), kind)
        executed = [step for _, losses in self.attempts("killed") for step in losses]
        last = f"max_step={max(executed) + INTERVAL + 2}"
        self.train("killed", *SETTINGS, last)
        self.train("whole", *SETTINGS, last)
        self.check_losses()
        self.assertEqual(self.digest("killed"), self.digest("whole"))
        self.train("other", *SETTINGS, last, "seed=1")
        self.assertNotEqual(self.digest("other"), self.digest("whole"))

    def check_losses(self):
        ((_, wanted),) = self.attempts("whole")
        attempts = self.attempts("killed")
        self.assertGreater(len(attempts), NUM_KILLS / 3)  # the others were killed before they wrote
        for _, losses in attempts:
            self.assertEqual(losses, {step: wanted[step] for step in losses})
        num_updates = sum(len(losses) for _, losses in attempts)
        self.assertLessEqual(num_updates, len(wanted) + NUM_KILLS * INTERVAL)


if __name__ == "__main__":
    unittest.main(verbosity=0)
