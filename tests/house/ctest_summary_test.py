#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/ctest_summary on reports in ctest's format."""

from pathlib import Path
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

SUMMARY = Path(__file__).resolve().parents[2] / "tools/ctest_summary"


def report(*cases):
    return f'<?xml version="1.0"?><testsuite name="x">{"".join(cases)}</testsuite>'


def case(name, status, output, inside=""):
    return (f'<testcase name="{name}" status="{status}">{inside}'
            f"<system-out>{escape(output)}</system-out></testcase>")


class CtestSummary(unittest.TestCase):
    def run_on(self, text, log="", allowed=None):
        with tempfile.TemporaryDirectory() as folder:
            if text is not None:
                Path(folder, "junit.xml").write_text(text)
                Path(folder, "ctest.log").write_text(log)
            words = [sys.executable, str(SUMMARY), folder]
            if allowed is not None:
                Path(folder, "allowed.txt").write_text(allowed)
                words += ["--allowed-skips", str(Path(folder, "allowed.txt"))]
            return subprocess.run(words, capture_output=True, text=True, check=False)

    def expect(self, text, code, *lines, log="", allowed=None):
        done = self.run_on(text, log, allowed)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for line in lines:
            self.assertIn(line, done.stdout.splitlines())

    def test_counts_cases_of_googletest_programs_and_scripts_once(self):
        self.expect(report(case("a_test", "run", "[==========] 12 tests from 3 test suites ran. (5 ms total)\n"
                                                 "[  PASSED  ] 12 tests.\n"),
                           case("script", "run", "fine\n")),
                    0, "13 passed, 0 failed, 0 skipped")

    def test_names_skipped_cases(self):
        output = ("some/a.cc:7: Skipped\nno GPU\n"
                  "[==========] 3 tests from 1 test suite ran. (0 ms total)\n"
                  "[  PASSED  ] 2 tests.\n[  SKIPPED ] 1 test.\n")
        self.expect(report(case("a_test", "run", output)),
                    0, "skipped: a_test: no GPU (a.cc:7)", "2 passed, 0 failed, 1 skipped")

    def test_names_a_skipped_script_with_its_reason(self):
        self.expect(report(case("peer_x", "notrun", "no Python environment 'jax'\n",
                                '<skipped message="SKIP_RETURN_CODE=77"/>')),
                    0, "skipped: peer_x: no Python environment 'jax'", "0 passed, 0 failed, 1 skipped")

    def test_counts_what_unittest_skips(self):
        one = "test_a (x.T) ... skipped 'no mounts'\ntest_b (x.T) ... ok\n\nRan 2 tests in 0.1s\n\nOK (skipped=1)\n"
        self.expect(report(case("script", "run", one)),
                    0, "skipped: script: no mounts", "1 passed, 0 failed, 1 skipped")
        every = "s\nRan 1 test in 0.1s\n\nOK (skipped=1)\n"
        self.expect(report(case("script", "run", every)),
                    0, "skipped: script: unittest was not asked why", "0 passed, 0 failed, 1 skipped")

    def test_fails_for_a_skip_that_is_not_allowed(self):
        skipped = [case("a_test", "run", "some/a.cc:7: Skipped\nno GPU\n[  PASSED  ] 2 tests.\n"),
                   case("peer", "notrun", "no Python environment 'jax'\n")]
        allowed = "# why\n\na_.* | no GPU | nobody has one\n"
        self.expect(report(*skipped), 1, "skipped: a_test: no GPU (a.cc:7)",
                    "FAILED: peer: no Python environment 'jax' (a skip that tools/allowed_skips.txt does not list)",
                    "2 passed, 1 failed, 1 skipped", allowed=allowed)
        self.expect(report(skipped[0]), 0, "2 passed, 0 failed, 1 skipped", allowed=allowed)
        self.expect(report(skipped[0]), 1, "2 passed, 1 failed, 0 skipped", allowed="a | no GPU | a whole name\n")

    def test_fails_for_failed_cases_and_shows_the_output(self):
        output = ("a.cc:7: Failure\nExpected: 1\n[  FAILED  ] Sum.Adds (0 ms)\n"
                  "[  FAILED  ] All/Sum.Of/3, where GetParam() = 3 (1 ms)\n"
                  "[==========] 5 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 3 tests.\n")
        self.expect(report(case("a_test", "fail", output, '<failure message=""/>')),
                    1, "Expected: 1", "FAILED: a_test: Sum.Adds", "FAILED: a_test: All/Sum.Of/3",
                    "3 passed, 2 failed, 0 skipped")

    def test_says_how_a_crashed_or_late_test_ended(self):
        log = ("1/2 Test #1: a_test .......Subprocess aborted***Exception:   0.10 sec\n"
               "2/2 Test #2: late .....................***Timeout   1.00 sec\n")
        self.expect(report(case("a_test", "fail", "", '<failure message=""/>'),
                           case("late", "fail", "", '<failure message=""/>')),
                    1, "FAILED: a_test: Subprocess aborted Exception", "FAILED: late: Timeout",
                    "0 passed, 2 failed, 0 skipped", log=log)

    def test_fails_for_a_program_that_was_not_built(self):
        self.expect(report(case("a_test", "notrun", "Unable to find executable: build/a_test")),
                    1, "FAILED: a_test: not built")

    def test_fails_without_a_report(self):
        done = self.run_on(None)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no report of ctest", done.stdout)


if __name__ == "__main__":
    unittest.main()
