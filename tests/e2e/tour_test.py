# SPDX-License-Identifier: Apache-2.0
"""The program in environments that new users may have: under `timeout`, with shell limits, closed
descriptors, another working directory, a read-only home. usage: tour_test.py PROGRAM"""

import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

from small_run import NEVER_JUDGED, SmallRunTest

SmallRunTest.program = sys.argv.pop()

# A small run that does not end by itself.
ENDLESS = ["max_step=1000000000", NEVER_JUDGED]


def limited(kind, number):
    return lambda: resource.setrlimit(kind, (number, number))


class TourTest(SmallRunTest):
    def test_what_timeout_ends_loses_no_step(self):
        # timeout signals its child and then its group, both now and when the time is up.
        for options in ([], ["--foreground"]):
            with self.subTest(options=options):
                process = subprocess.Popen(["timeout", *options, "600", *self.words("run", *ENDLESS)],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           start_new_session=True)
                self.addCleanup(self.end, process)
                while "step 8/" not in process.stderr.readline():
                    self.assertIsNone(process.poll())
                process.terminate()
                said = process.communicate()[1]
                self.assertEqual(process.returncode, 143, said)
                stopped = re.search(r"stopped on request after step (\d+); the same command resumes", said)
                self.assertEqual(self.steps("run")[-1], int(stopped.group(1)), said)
                shutil.rmtree(self.folder / "run")

    def test_a_limit_of_cpu_time_loses_no_step(self):
        process = self.start("run", *ENDLESS)
        while "step 8/" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        hard = resource.prlimit(process.pid, resource.RLIMIT_CPU)[1]
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (1, hard))  # it has already used more
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 152, said)
        stopped = re.search(r"stopped on request after step (\d+)", said)
        self.assertEqual(self.steps("run")[-1], int(stopped.group(1)), said)

    def test_too_few_open_files_are_named_with_the_limit(self):
        for limit in range(11, 24, 3):
            done = subprocess.run(self.words("run", "max_step=4", "--fresh"), capture_output=True, text=True,
                                  check=False, preexec_fn=limited(resource.RLIMIT_NOFILE, limit))
            with self.subTest(limit=limit):
                self.assertIn(done.returncode, (0, 2, 75), done.stderr)
                if done.returncode == 75:
                    self.assertIn("Too many open files\nraise the limit on open files (ulimit -n)", done.stderr)

    def test_too_little_memory_is_an_error_and_no_crash(self):
        for megabytes in (200, 400):
            with self.subTest(megabytes=megabytes):
                done = subprocess.run(self.words("run", "max_step=4"), capture_output=True, text=True,
                                      check=False, preexec_fn=limited(resource.RLIMIT_AS, megabytes << 20))
                self.assertIn(done.returncode, (0, 2, 6, 75), done.stderr)
                self.assertNotIn("Aborted", done.stderr)

    def test_no_descriptor_is_needed(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed=closed):
                words = ["sh", "-c", f'"$@" {closed}', "sh", *self.words("run", "max_step=4")]
                self.assertEqual(subprocess.run(words, capture_output=True, check=False).returncode, 0)
                self.assertEqual(self.steps("run"), [4])
                shutil.rmtree(self.folder / "run")

    def test_paths_are_relative_to_the_working_directory(self):
        (self.folder / "elsewhere").mkdir()
        words = [word for word in self.words("unused", "max_step=4") if not word.startswith("dir=")]
        done = subprocess.run([*words, "dir=below/run"], cwd=self.folder / "elsewhere", capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.steps("elsewhere/below/run"), [4])

    def test_a_working_directory_that_is_gone_hinders_no_absolute_path(self):
        (self.folder / "gone").mkdir()
        script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
        done = subprocess.run(["sh", "-c", script, "sh", self.folder / "gone", *self.words("run", "max_step=4")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_home_that_cannot_be_written_costs_a_warning(self):
        for home in ("/proc", "/dev/null", None):
            with self.subTest(home=home):
                env = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
                env.pop("MESHWRIGHT_CACHE_DIR", None)
                if home:
                    env["HOME"] = home
                done = self.train("run", "max_step=4", env=env)
                self.assertLessEqual(done.stderr.count("warning: cannot cache compiled programs"), 1)
                shutil.rmtree(self.folder / "run")


if __name__ == "__main__":
    unittest.main(verbosity=2)
