# SPDX-License-Identifier: Apache-2.0
"""How `meshwright train` ends when something goes wrong: exit codes, messages, what is left.

usage: failures_test.py MESHWRIGHT
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

from small_run import NEVER_JUDGED, SmallRunTest

SmallRunTest.program = sys.argv.pop()
ENDLESS = "max_step=1000000"
NOT_FINITE = ["optimizer.learning_rate.peak=1e30", "optimizer.clip_norm=none"]


class SignalsTest(SmallRunTest):
    def start_and_wait_for(self, text, *more):
        process = self.start("run", ENDLESS, *more)
        for line in process.stderr:
            if text in line:
                return process
        self.fail(f"it ended with {process.wait()}")

    def check_stopped(self, process, code):
        """Returns the step at which it did."""
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, code, errors)
        step = int(re.search(r"stopped on request after step (\d+)", errors).group(1))
        self.assertEqual(self.steps("run")[-1], step)
        return step

    def test_sigterm_saves_and_the_same_command_goes_on(self):
        process = self.start_and_wait_for("step 8/", NEVER_JUDGED)
        process.send_signal(signal.SIGTERM)
        step = self.check_stopped(process, 143)
        done = self.train("run", f"max_step={step + 1}", NEVER_JUDGED)
        self.assertIn(f"restored the checkpoint of step {step}", done.stderr)
        self.assertEqual(self.attempts("run")[-1][0], step)

    def test_sigint_does_the_same_with_its_own_exit_code(self):
        process = self.start_and_wait_for("step 8/", NEVER_JUDGED)
        process.send_signal(signal.SIGINT)
        self.check_stopped(process, 130)

    def test_a_terminal_that_is_closed_loses_nothing(self):
        for handler, code in [(signal.SIG_DFL, 129), (signal.SIG_IGN, 143)]:  # nohup
            process = self.start("run", ENDLESS, NEVER_JUDGED, "--fresh",
                                 preexec_fn=lambda to=handler: signal.signal(signal.SIGHUP, to))
            while "step 8/" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGHUP)
            if code == 143:
                process.send_signal(signal.SIGTERM)
            self.check_stopped(process, code)

    def test_sigterm_breaks_an_evaluation_off(self):
        # The step's line is printed before its evaluation, which has no end.
        process = self.start_and_wait_for(
            "step 4/", "evaluators.held_out.num_batches=1000000000",
            'evaluators.held_out.method="loss"',
            'evaluators.held_out.data={ type = "arithmetic", batch_size = 16 }',
            'evaluators.held_out.when={ type = "at_steps", steps = [4] }')
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.check_stopped(process, 143), 4)

    def test_a_second_sigterm_ends_it_at_once(self):
        # One update takes seconds. Two signals count as one if the process gets no time between.
        process = self.start_and_wait_for(
            "step 1/", NEVER_JUDGED, "log.n=1", "data.batch_size=8192", "task.model.embed=128",
            "task.model.mlp=1024")
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(self.steps("run"), [])

    def test_before_training_begins_it_ends_at_once(self):
        # Nothing is in the cache, and so many layers take long to compile.
        environment = {**os.environ, "MESHWRIGHT_CACHE_DIR": str(self.folder / "cache")}
        for number, code in [(signal.SIGTERM, 143), (signal.SIGINT, 130)]:
            process = self.start("run", "task.model.layers=40", env=environment)
            while "device kind" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            process.send_signal(number)
            _, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, code, errors)
            self.assertIn("before training began", errors)
        self.assertEqual(self.steps("run"), [])
        self.train("run")

    def test_sigusr1_saves_and_training_goes_on(self):
        process = self.start_and_wait_for("step 8/", NEVER_JUDGED, "checkpoint.when.n=1000000")
        process.send_signal(signal.SIGUSR1)
        while not self.steps("run"):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        step = self.steps("run")[0]
        self.assertGreater(self.check_stopped(process, 143), step)


class OutputTest(SmallRunTest):
    def test_training_goes_on_when_nobody_reads_what_it_says(self):
        process = self.start("run", NEVER_JUDGED)
        process.stderr.readline()
        process.stderr.close()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=300), 0)
        self.assertEqual(self.steps("run")[-1], 24)


class CheckpointsTest(SmallRunTest):
    def damage(self, step):
        part = next(path for path in self.array_files("run", step)
                    if path.parent.name.startswith("model") and not path.name.startswith("."))
        data = bytearray(part.read_bytes())
        data[len(data) // 2] ^= 1
        part.write_bytes(data)

    def test_a_damaged_one_is_found_and_an_older_one_taken(self):
        self.train("run")
        whole = self.digest("run")
        self.damage(24)
        self.assertNotEqual(self.digest("run"), whole)
        done = self.train("run")
        self.assertIn("the checkpoint of step 24 is damaged", done.stderr)
        self.assertIn("restored the checkpoint of step 20", done.stderr)
        self.assertEqual(self.digest("run"), whole)

    def test_where_all_are_damaged_it_never_silently_begins_anew(self):
        self.train("run")
        before = self.attempts("run")
        for step in self.steps("run"):
            self.damage(step)
        for _ in range(2):
            done = self.train("run", code=4)
            self.assertIn("none can be used", done.stderr)
            self.assertIn("--fresh", done.stderr)
        self.assertEqual(self.attempts("run"), before)
        self.train("run", "--fresh")
        self.assertEqual(self.steps("run")[-1], 24)
        earlier = self.folder / "run" / "earlier.1"
        self.assertTrue((earlier / "metrics.jsonl").exists())
        self.assertTrue(any((earlier / "checkpoints").iterdir()))

    def test_one_that_is_asked_for_is_taken_and_newer_ones_are_kept(self):
        self.train("run")
        whole = self.digest("run")
        self.assertEqual(self.steps("run"), [16, 20, 24])
        done = self.train("run", "checkpoint.restore_step=12", "--go-back", code=4)
        self.assertIn("there are those of steps 16, 20, 24", done.stderr)
        done = self.train("run", "checkpoint.restore_step=16", code=2)
        self.assertIn("--go-back", done.stderr)
        done = self.train("run", "checkpoint.restore_step=16", "--go-back")
        self.assertIn("restored the checkpoint of step 16", done.stderr)
        self.assertEqual(self.digest("run"), whole)
        self.assertEqual(self.steps("run/earlier.1"), [20, 24])
        self.assertEqual(self.digest("run/earlier.1"), whole)

    def test_one_of_another_model_is_refused_with_every_difference(self):
        self.train("run")
        whole = self.digest("run")
        done = self.train("run", "task.model.mlp=64", code=2)
        for name in ["w_gate", "w_up", "w_down"]:
            weight = f"model/layers/mlp/{name}"
            self.assertRegex(done.stderr, rf"- {weight} f32\S+\n +\+ {weight} f32")
        self.assertNotIn("compiling", done.stderr)
        self.assertEqual(self.digest("run"), whole)

    def test_one_of_other_data_is_refused(self):
        self.train("run")
        done = self.train("run", "data.batch_size=8", "max_step=28", code=2)
        self.assertIn("'batch_size': 16 and 8", done.stderr)
        self.assertNotIn("compiling", done.stderr)
        done = self.train("run", "data.batch_size=8", "max_step=28",
                          "prefetch.allow_other_data=true")
        self.assertIn("restored the checkpoint of step 24", done.stderr)


class NotFiniteTest(SmallRunTest):
    def test_it_stops(self):
        done = self.train("run", *NOT_FINITE, code=5)
        self.assertRegex(done.stderr, r"step 2: .* not finite; the update was not applied\n")
        self.assertEqual(self.steps("run"), [])

    def test_skipping_ends_when_it_was_too_often(self):
        done = self.train("run", *NOT_FINITE, "non_finite.action=skip", "non_finite.max_times=3",
                          code=5)
        self.assertEqual(len(re.findall(r"the batch is skipped", done.stderr)), 3)
        self.assertIn("step 5: ", done.stderr.splitlines()[-2])

    def test_going_back_ends_when_it_was_too_often(self):
        done = self.train("run", *NOT_FINITE, "non_finite.action=rewind",
                          "non_finite.max_times=2", code=5)
        # Two batches were used each time, and are left out the next.
        self.assertEqual(re.findall(r"went back to step 0; .* with batch (\d+)", done.stderr),
                         ["2", "4"])


class DiskTest(SmallRunTest):
    def test_a_limit_ends_no_run_at_once_but_after_several_saves(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        # One array of this model takes 32 KB, and the texts of the run less than the limit.
        done = self.train("run", "task.model.mlp=512", code=75, preexec_fn=limit)
        self.assertRegex(done.stderr, r"step 4 was not saved: writing \d+ bytes to .*: File too large")
        self.assertEqual(len(re.findall("was not saved", done.stderr)), 3)
        self.assertIn("start the same command again", done.stderr)

    def test_on_a_full_disk_older_checkpoints_stay_and_with_room_it_goes_on(self):
        # In a namespace of its own, where anyone may mount.
        script = """
            mount -t tmpfs -o size=2m none "$1" || exit 77
            cd "$1"; shift
            "$@" max_step=8 >&2 || exit 1
            head -c 10m /dev/zero > filler 2> /dev/null
            truncate -s -100k filler
            "$@" >&2; echo "full: $?"
            ls run/checkpoints
            rm filler
            "$@" >&2; echo "with room: $?"
        """
        words = [word for word in self.words("run") if not word.startswith("dir=")]
        (self.folder / "disk").mkdir()
        done = subprocess.run(
            ["unshare", "-Urm", "sh", "-c", script, "sh", self.folder / "disk", *words, "dir=run"],
            capture_output=True, text=True, check=False)
        if done.returncode in (1, 77) and "step 4/" not in done.stderr:
            self.skipTest(f"no mounts here: {done.stderr}")
        self.assertEqual(done.stdout.split("\n"),
                         ["full: 75", "step_00000004", "step_00000008", "with room: 0", ""],
                         done.stderr)
        self.assertRegex(done.stderr, r"writing \d+ bytes to .*: No space left on device\n"
                                      r"free some space: \d+ bytes are left there")

    def test_a_folder_that_cannot_be_written_is_told_before_anything_is_done(self):
        for folder in ["/proc/meshwright", "/dev/null/run"]:
            done = self.train("run", f"dir={folder}", code=2)
            self.assertIn(f"the run's folder {folder}: ", done.stderr)
            self.assertIn("dir=PATH", done.stderr)
            self.assertNotIn("model: ", done.stderr)

    def test_a_folder_in_use_is_refused(self):
        process = self.start("run", ENDLESS, NEVER_JUDGED)
        while "step 4/" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        done = self.train("run", code=2)
        self.assertIn(f"it is in use by process {process.pid}", done.stderr)
        process.kill()
        process.communicate()
        self.assertIn("restored the checkpoint of step", self.train("run", f"max_step={8}",
                                                                      NEVER_JUDGED).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
