#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `meshwright doctor` on complete and incomplete installations."""

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
        env = {name: value for name, value in env.items() if value is not None}
        return subprocess.run([PROGRAM, "doctor", *words], capture_output=True, text=True, env=env,
                              cwd=self.cache.name, check=False)

    def test_describes_a_machine_where_all_is_well(self):
        done = self.run_doctor()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        for text in ["API version   0.", "extensions    ", "count         8 x cpu",
                     "test program  correct", f"folder        {self.cache.name}", "no problems found"]:
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
        self.assertEqual(done.stderr, "meshwright: --platform: 'abacus' is not one of cpu, cuda, tpu\n")

    def test_refuses_numbers_of_devices_that_make_no_sense(self):
        for number in ["0", "-1", "1025", "4294967297"]:
            done = self.run_doctor("--devices", number)
            self.assertEqual(done.returncode, 2, number)
            self.assertEqual(done.stderr,
                             f"meshwright: doctor: --devices {number} is not between 1 and 1024\n")

    def test_a_cache_that_cannot_be_written_is_a_problem_but_does_not_stop_a_run(self):
        done = self.run_doctor(MESHWRIGHT_CACHE_DIR="/proc/nothing")
        self.assertEqual(done.returncode, 0)
        self.assertIn("problem: compiled programs are not cached: /proc/nothing: ", done.stdout)
        self.assertNotIn("no problems found", done.stdout)

    def test_a_user_without_a_home_is_told_so(self):
        done = self.run_doctor(MESHWRIGHT_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=None)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("problem: compiled programs are not cached: neither MESHWRIGHT_CACHE_DIR nor HOME "
                      "is set\n  remedy: set MESHWRIGHT_CACHE_DIR to a writable folder; ", done.stdout)

    def test_refuses_a_list_of_plugins_that_is_none(self):
        done = self.run_doctor(MESHWRIGHT_PLUGIN_PATH=None, PJRT_NAMES_AND_LIBRARY_PATHS="cpu:")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith(
            "meshwright: PJRT_NAMES_AND_LIBRARY_PATHS: 'cpu:' is not NAME:PATH\n"), done.stderr)

    def test_flags_that_xla_does_not_know_are_refused_before_it_ends_the_process(self):
        for flags, cause in [("--xla_foo=1", "Unknown flag in XLA_FLAGS: --xla_foo=1"),
                             ("--xla_cpu_enable_fast_math=maybe",
                              "Couldn't interpret value maybe for flag xla_cpu_enable_fast_math.")]:
            done = self.run_doctor(XLA_FLAGS=flags)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, f"meshwright: XLA rejects XLA_FLAGS: {cause}\nfix or unset "
                             "XLA_FLAGS; flags differ between plugin versions\n")

    def test_takes_flags_from_a_file_as_xla_does(self):
        with open(os.path.join(self.cache.name, "flags"), "w") as flags:
            flags.write("--xla_cpu_enable_fast_math=false\n")
        done = self.run_doctor(XLA_FLAGS="flags")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
