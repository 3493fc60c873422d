#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/ctest_summary on reports as ctest writes them."""

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
    def run_on(self, text, log=""):
        with tempfile.TemporaryDirectory() as folder:
            if text is not None:
                Path(folder, "junit.xml").write_text(text)
                Path(folder, "ctest.log").write_text(log)
            return subprocess.run([sys.executable, str(SUMMARY), folder], capture_output=True,
                                  text=True, check=False)

    def expect(self, text, code, *lines, log=""):
        done = self.run_on(text, log)
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
