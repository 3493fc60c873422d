#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of benchmarks: claims, the exit status, the JSON file."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "common"))
from harness import Bench, interval, median, parse_numbers, ratios, typical


def bench(*arguments):
    sys.argv = ["bench", *arguments]
    return Bench("example", "what it measures", rounds=3)


def closed(b):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = b.close()
    return status, out.getvalue().splitlines()


class Harness(unittest.TestCase):
    def test_a_claim_is_one_line_in_the_agreed_form(self):
        b = bench()
        b.claim("startup", 0.25, "<=", 0.5, "s")
        self.assertEqual(closed(b), (0, ["claim startup: 0.25 s (target <= 0.5 s): holds"]))

    def test_one_claim_that_falls_short_fails_the_bench(self):
        b = bench()
        b.claim("fast", 3.0, ">=", 4, "times faster")
        b.claim("small", 1.0, "<=", 4)
        self.assertEqual(closed(b), (1, ["claim fast: 3 times faster (target >= 4 times faster): falls short",
                                         "claim small: 1 (target <= 4): holds"]))

    def test_a_ratio_is_claimed_at_the_worse_end_of_its_interval(self):
        samples = [1.9, 2.0, 2.1, 2.2, 2.3]
        low, high = interval([samples])
        self.assertTrue(1.9 <= low < 2.1 < high <= 2.3)
        b = bench()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            b.claim_ratio("faster", [samples], ">=", 2.05)
            b.claim_ratio("slower", [samples], "<=", 2.15)
        self.assertIn(f"2.1 [{low:.3g}, {high:.3g}]", out.getvalue())
        status, lines = closed(b)
        self.assertEqual(status, 1)
        self.assertEqual([line.rpartition(": ")[2] for line in lines], ["falls short"] * 2)

    def test_equal_samples_leave_no_doubt(self):
        b = bench()
        with contextlib.redirect_stdout(io.StringIO()):
            b.claim_ratio("faster", [[2.0] * 3, [8.0] * 3], ">=", 4)
        self.assertEqual(closed(b), (0, ["claim faster: 4 (target >= 4): holds"]))

    def test_several_ratios_have_a_geometric_mean(self):
        self.assertEqual(ratios([2, 6], [1, 2]), [2, 3])
        self.assertAlmostEqual(typical([[1, 2, 100], [8]]), 4)

    def test_a_bench_has_options_of_its_own(self):
        sys.argv = ["bench", "--model", "lm"]
        b = Bench("example", "what it measures", options=[(["--model"], {"default": "all"})])
        self.assertEqual(b.arguments.model, "lm")

    def test_runs_are_interleaved(self):
        order = []
        samples = bench().interleave({"a": lambda: order.append("a") or 1, "b": lambda: order.append("b") or 2})
        self.assertEqual("".join(order), "ababab")
        self.assertEqual(samples, {"a": [1, 1, 1], "b": [2, 2, 2]})
        self.assertEqual(median([5, 1, 2]), 2)

    def test_rounds_come_from_the_command_line(self):
        self.assertEqual(len(bench("--rounds", "2").interleave({"a": lambda: 1})["a"]), 2)

    def test_different_results_stop_the_bench(self):
        with self.assertRaises(SystemExit) as stopped, contextlib.redirect_stdout(io.StringIO()):
            bench().check_same("loss", 8.40, 8.41, tolerance=1e-4)
        self.assertIn("would compare different work", str(stopped.exception))

    def test_json_holds_samples_and_claims(self):
        with tempfile.TemporaryDirectory() as folder:
            b = bench("--json", f"{folder}/out.json")
            b.interleave({"ours": lambda: 1.5})
            b.claim("x", 1.5, "<=", 2, "s")
            closed(b)
            report = json.loads(pathlib.Path(folder, "out.json").read_text())
        self.assertEqual(report["samples"], {"ours": [1.5, 1.5, 1.5]})
        self.assertEqual(report["claims"][0]["holds"], True)
        self.assertGreaterEqual(report["machine"]["cores"], 1)

    def test_a_nan_never_holds(self):
        b = bench()
        b.claim("x", float("nan"), "<=", 1)
        self.assertEqual(closed(b)[0], 1)

    def test_a_program_reports_by_lines_of_name_and_number(self):
        self.assertEqual(parse_numbers("loss 8.5\nsome text\ntotal 0.25\n"), {"loss": 8.5, "total": 0.25})


if __name__ == "__main__":
    unittest.main(verbosity=0)
