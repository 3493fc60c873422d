#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""meshwright doctor where all is well, and where something is missing."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


class Doctor(unittest.TestCase):
    def setUp(self):
        self.cache = tempfile.TemporaryDirectory()
        self.addCleanup(self.cache.cleanup)

    def run_doctor(self, *words, **environment):
        env = {**os.environ, "MESHWRIGHT_CACHE_DIR": self.cache.name, **environment}
        return subprocess.run([PROGRAM, "doctor", *words], capture_output=True, text=True, env=env,
                              check=False)

    def test_describes_a_machine_where_all_is_well(self):
        done = self.run_doctor()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        for text in ["API version   0.", "extensions    ", "count         8 x cpu",
                     "test program  right", f"folder        {self.cache.name}", "all is well"]:
            self.assertIn(text, done.stdout)

    def test_writes_json(self):
        report = json.loads(self.run_doctor("--json", "--devices", "3").stdout)
        self.assertTrue(report["usable"])
        self.assertEqual(len(report["devices"]), 3)
        self.assertIn("ffi", report["plugin"]["extensions"])
        self.assertEqual(report["problems"], [])

    def test_names_cause_and_remedy_of_a_missing_plugin(self):
        done = self.run_doctor("--plugin", "/nowhere/plugin.so")
        self.assertEqual(done.returncode, 6)
        self.assertIn("problem: PJRT plugin /nowhere/plugin.so does not exist\n"
                      "  remedy: fetch the pinned plugin", done.stdout)
        report = json.loads(self.run_doctor("--json", "--plugin", "/nowhere/plugin.so").stdout)
        self.assertFalse(report["usable"])
        self.assertEqual(len(report["problems"]), 1)

    def test_refuses_an_unknown_platform(self):
        done = self.run_doctor("--platform", "abacus")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "meshwright: unknown platform 'abacus'\nuse cpu, cuda or tpu\n")

    def test_refuses_numbers_of_devices_that_make_no_sense(self):
        for number in ["0", "-1", "1025", "4294967297"]:
            done = self.run_doctor("--devices", number)
            self.assertEqual(done.returncode, 2, number)
            self.assertEqual(done.stderr,
                             f"meshwright: doctor: --devices {number} is not between 1 and 1024\n")

    def test_a_cache_that_cannot_be_written_is_a_problem_but_does_not_stop_a_run(self):
        done = self.run_doctor(MESHWRIGHT_CACHE_DIR="/proc/nothing")
        self.assertEqual(done.returncode, 0)
        self.assertIn("problem: compiled programs cannot be kept in /proc/nothing", done.stdout)
        self.assertNotIn("all is well", done.stdout)


if __name__ == "__main__":
    unittest.main()
