# SPDX-License-Identifier: Apache-2.0
"""How `meshwright train` ends after failures: exit codes, messages, remaining files.

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
        """Returns the step at which it stopped."""
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
        # The line of the step is printed before its evaluation, which never ends.
        process = self.start_and_wait_for(
            "step 4/", "evaluators.held_out.num_batches=1000000000",
            'evaluators.held_out.method="loss"',
            'evaluators.held_out.data={ type = "arithmetic", batch_size = 16 }',
            'evaluators.held_out.when={ type = "at_steps", steps = [4] }')
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.check_stopped(process, 143), 4)

    def test_repeats_within_a_second_are_one_request(self):
        # GNU timeout signals its child and then its group; a terminal sends the signal for each key
        # press.
        for first, second, code in [(signal.SIGTERM, signal.SIGTERM, 143),
                                    (signal.SIGINT, signal.SIGINT, 130),
                                    (signal.SIGINT, signal.SIGTERM, 130)]:
            process = self.start_and_wait_for("step 8/", NEVER_JUDGED, "--fresh")
            process.send_signal(first)
            time.sleep(0.002)
            process.send_signal(second)
            self.check_stopped(process, code)

    def test_a_later_repeat_leaves_at_once_and_says_so(self):
        # One update takes seconds.
        process = self.start_and_wait_for(
            "step 1/", NEVER_JUDGED, "log.n=1", "data.batch_size=16384", "task.model.embed=128",
            "task.model.mlp=2048")
        began = time.monotonic()
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        self.assertGreater(time.monotonic() - began, 1)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 143)
        self.assertIn("stopped at once by a repeated SIGTERM without saving", errors)
        self.assertEqual(self.steps("run"), [])

    def start_compiling(self, **options):
        """Starts a run with an empty cache and enough layers that compilation takes long."""
        environment = {**os.environ, "MESHWRIGHT_CACHE_DIR": str(self.folder / "cache")}
        process = self.start("run", "task.model.layers=40", env=environment, **options)
        while "device kind" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        return process

    def test_before_the_first_update_it_ends_at_once_and_says_so(self):
        for number, code in [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]:
            process = self.start_compiling(
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            process.send_signal(number)
            _, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, code, errors)
            self.assertIn(f"stopped by {number.name} before the first update", errors)
        self.assertEqual(self.steps("run"), [])
        self.train("run")

    def test_while_compiling_a_request_to_save_and_an_ignored_hang_up_end_nothing(self):
        process = self.start_compiling(
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGUSR1)
        while "SIGUSR1: nothing to save before the first update" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=300), 143)

    def test_signals_are_handled_before_the_config_is_read(self):
        config = self.folder / "slow.toml"
        os.mkfifo(config)
        for number, code in [(signal.SIGTERM, 143), (signal.SIGINT, 130)]:
            process = subprocess.Popen([self.program, "train", config], stderr=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            self.addCleanup(self.end, process)
            writer = os.open(config, os.O_WRONLY)  # returns when the program opens the file
            process.send_signal(signal.SIGUSR1)
            self.assertIn("nothing to save before the first update", process.stderr.readline())
            process.send_signal(number)
            _, errors = process.communicate(timeout=300)
            os.close(writer)
            self.assertEqual(process.returncode, code, errors)
            self.assertIn("before the first update", errors)

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

    def in_shell(self, redirection, *words):
        return subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", *words], text=True,
                              capture_output=True, timeout=300, check=False)

    def test_a_finished_run_is_a_success_whatever_became_of_stdout(self):
        for redirection in ["> /dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-", "2> /dev/full"]:
            done = self.in_shell(redirection, *self.words("run", "--fresh"))
            self.assertEqual(done.returncode, 0, f"{redirection}: {done.stderr}")
            self.assertEqual(self.steps("run")[-1], 24)
            self.assertIn("exact_match", (self.folder / "run" / "metrics.jsonl").read_text())
            if "2>" not in redirection:
                self.assertIn("the results could not be printed", done.stderr)

    def test_a_reader_of_stdout_that_leaves_fails_no_finished_run(self):
        process = self.start("run")
        process.stdout.close()
        errors = process.stderr.read()
        self.assertEqual(process.wait(timeout=300), 0, errors)

    def test_a_run_that_was_stopped_keeps_its_exit_code(self):
        process = subprocess.Popen(["sh", "-c", 'exec "$@" >&-', "sh", *self.words("run", ENDLESS)],
                                   stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        while "step 8/" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 143)

    def test_what_prints_its_result_fails_where_it_cannot(self):
        self.train("run")
        run = str(self.folder / "run")
        for words in [["eval", run], ["ckpt", "ls", run], ["ckpt", "show", run],
                      ["ckpt", "verify", run], ["config", "show", run + "/config.toml"],
                      ["generate", run, "--prompt", "1+2="], ["--help"], ["--version"],
                      ["train", run, "--dry-run"]]:
            for redirection, code in [("> /dev/full", 75), (">&-", 2)]:
                done = self.in_shell(redirection, self.program, *words)
                self.assertEqual(done.returncode, code, f"{words} {redirection}: {done.stderr}")
                self.assertIn("stdout", done.stderr)


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
            self.assertIn("none is usable", done.stderr)
            self.assertIn("--fresh", done.stderr)
        self.assertEqual(self.attempts("run"), before)
        self.train("run", "--fresh")
        self.assertEqual(self.steps("run")[-1], 24)
        earlier = self.folder / "run" / "earlier.1"
        self.assertTrue((earlier / "metrics.jsonl").exists())
        self.assertTrue(any((earlier / "checkpoints").iterdir()))

    def harm(self, path, how):
        """Puts another kind of entry in the place of a file or folder."""
        kept = self.folder / f"kept{len(list(self.folder.glob('kept*')))}"
        path.rename(kept)
        if how == "link":
            path.symlink_to(kept)
        elif how == "pipe":
            os.mkfifo(path)
        elif how == "folder":
            path.mkdir()
        elif how == "flip":
            data = bytearray(kept.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)

    def test_links_and_lost_markers_are_damage_in_every_format(self):
        for form, marker, name in [("native", "meshwright.json", "step_{:08}"),
                                   ("axlearn", "index", "step_{:08}"),
                                   ("seqax", ".zattrs", "{:010}")]:
            checkpoints = self.folder / form / "checkpoints"
            words = (form, f"checkpoint.format={form}", "max_step=8", "checkpoint.when.n=2")
            self.train(*words)
            for file, how in [("", "link"), ("", "pipe"), (marker, "lost"), (marker, "flip"),
                              (marker, "folder"), ("meshwright.json", "link")]:
                with self.subTest(form=form, file=file, how=how):
                    self.harm(checkpoints / name.format(8) / file, how)
                    done = self.train(*words)
                    self.assertIn("the checkpoint of step 8 is damaged", done.stderr)
                    self.assertIn("restored the checkpoint of step 6", done.stderr)
                    self.assertTrue((checkpoints / name.format(8)).is_dir())
            for step in (4, 6, 8):
                self.harm(checkpoints / name.format(step) / marker, "lost")
            before = sorted(path.name for path in checkpoints.iterdir())
            for _ in range(2):
                self.assertIn("none is usable", self.train(*words, code=4).stderr)
            self.assertEqual(sorted(path.name for path in checkpoints.iterdir()), before)

    def test_a_folder_with_the_name_of_a_step_costs_no_good_one(self):
        (self.checkpoint("run", 99_999_999)).mkdir(parents=True)
        self.train("run", code=4)
        self.train("run", "--fresh", "max_step=8")
        (self.checkpoint("run", 99_999_999)).mkdir()
        self.train("run", "checkpoint.keep_last_n=1")
        self.assertEqual(self.steps("run"), [24])

    def test_one_that_is_asked_for_is_taken_and_newer_ones_are_kept(self):
        self.train("run")
        whole = self.digest("run")
        self.assertEqual(self.steps("run"), [16, 20, 24])
        done = self.train("run", "checkpoint.restore_step=12", "--go-back", code=4)
        self.assertIn("available steps: 16, 20, 24", done.stderr)
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
        self.assertIn("since the checkpoint of step 24:\n  data.batch_size: 16 before, 8 now\n", done.stderr)
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
        self.assertRegex(done.stderr, r"\nmeshwright: step 5: .*")

    def test_going_back_ends_when_it_was_too_often(self):
        done = self.train("run", *NOT_FINITE, "non_finite.action=rewind",
                          "non_finite.max_times=2", code=5)
        # Each time, two batches were used; they are skipped the next time.
        self.assertEqual(re.findall(r"went back to step 0; .* with batch (\d+)", done.stderr),
                         ["2", "4"])


class DiskTest(SmallRunTest):
    def test_a_limit_ends_no_run_at_once_but_after_several_saves(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # kills by default; Python ignores the signal
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        # One array of this model takes 32 KB; the run's text files stay below the limit.
        done = self.train("run", "task.model.mlp=512", code=75, preexec_fn=limit)
        self.assertRegex(done.stderr, r"step 4 was not saved: writing \d+ bytes to .*: File too large")
        self.assertEqual(len(re.findall("was not saved", done.stderr)), 3)
        self.assertIn("run the same command again", done.stderr)
        self.assertIn("the file size limit is 20000 bytes (ulimit -f)", done.stderr)

    def test_on_a_full_disk_older_checkpoints_stay_and_with_room_it_goes_on(self):
        # In a separate namespace, in which any user may mount.
        script = """
            mount -t tmpfs -o size=2m none "$1" || exit 77
            echo mounted
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
        if not done.stdout:
            self.skipTest(f"no mounts here: {done.stderr.strip()}")
        self.assertEqual(done.stdout.split("\n"),
                         ["mounted", "full: 75", "step_00000004", "step_00000008", "with room: 0", ""],
                         done.stderr)
        self.assertRegex(done.stderr, r"writing \d+ bytes to .*: No space left on device\n"
                                      r"free some space: \d+ bytes are available")

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
    unittest.main(verbosity=2)  # which says why a case is skipped
