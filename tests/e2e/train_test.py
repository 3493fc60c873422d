# SPDX-License-Identifier: Apache-2.0
"""`meshwright train` on a shortened default job: results and mistakes.

usage: train_test.py MESHWRIGHT
"""

import json
import math
import os
import subprocess
import sys
import unittest

from small_run import NEVER_JUDGED, SmallRunTest

SmallRunTest.program = sys.argv.pop()


class TrainTest(SmallRunTest):
    def test_a_finished_run_prints_its_results_and_leaves_its_files(self):
        done = self.train("run")
        self.assertRegex(done.stdout, r"(?m)^held_out/exact_match: [0-9.e-]+$")
        for name in ["config.toml", "trainer_state_tree.txt", "params.txt", "metrics.jsonl",
                     "summaries/train_train", "summaries/held_out"]:
            self.assertTrue((self.folder / "run" / name).exists(), name)
        self.assertIn("step 24/24", done.stderr)
        self.assertIn("(", done.stderr)  # a few problems with answers
        again = self.train("run")
        self.assertEqual(again.stdout, done.stdout)

    def test_a_restore_takes_the_memory_of_the_state_and_of_what_is_being_read(self):
        large = ["task.model.layers=2", "task.model.embed=512", "task.model.mlp=2048",
                 "data.batch_size=2"]
        both = ["max_step=2", "checkpoint.when.n=2", "optimizer.learning_rate=0.1", NEVER_JUDGED]
        budget = 2**24
        peak = {}
        for run, more in [("small", both), ("large", both + large)]:
            self.train(run, *more)
            again = subprocess.Popen(
                self.words(run, *more, f"checkpoint.restore_bytes={budget}"),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(again.pid, 0)
            again.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(again.returncode, 0)
            peak[run] = usage.ru_maxrss * 1024
        state = sum(path.stat().st_size for path in self.array_files("large", 2))
        self.assertGreater(state, 2**26)
        slack = 2**25
        self.assertLess(peak["large"] - peak["small"], state + budget + slack)

    def test_a_config_that_does_not_fit_leaves_that_of_the_run(self):
        self.train("run")
        config = self.folder / "run" / "config.toml"
        before = config.read_text()
        done = self.train("run", "task.model.mlp=64", code=2)
        self.assertIn("mlp", done.stderr)
        self.assertEqual(config.read_text(), before)

    def test_a_resume_says_what_changed_in_the_config(self):
        self.train("run", "max_step=4", NEVER_JUDGED)
        done = self.train("run", "max_step=8", NEVER_JUDGED, "optimizer.learning_rate.peak=1e-2",
                          "log.n=2", "evaluators.held_out.num_shown=1")
        warned, noted = done.stderr.split("without effect on training:")
        self.assertIn("\n  optimizer.learning_rate.peak: 0.003 before, 0.01 now\n", warned)
        self.assertIn("\n  max_step: 4 before, 8 now\n", warned)  # the warm-up is 5% of max_step
        self.assertIn("\n  log.n: 4 before, 2 now\n", noted)
        self.assertIn("\n  evaluators.held_out.num_shown: 5 before, 1 now\n", noted)
        self.assertNotIn("num_shown", warned)
        self.assertIn("peak = 0.003", (self.folder / "run" / "config.1.toml").read_text())
        self.assertIn("peak = 0.01", (self.folder / "run" / "config.toml").read_text())
        done = self.train("run", "max_step=8", NEVER_JUDGED, "optimizer.learning_rate=0.01", "--dry-run")
        self.assertIn("optimizer.learning_rate", done.stderr)
        self.assertFalse((self.folder / "run" / "config.2.toml").exists())

    def test_more_steps_are_harmless_where_no_schedule_counts_them(self):
        constant = [NEVER_JUDGED, "optimizer.learning_rate=0.01"]
        self.train("run", "max_step=4", *constant)
        done = self.train("run", "max_step=8", *constant)
        self.assertIn("without effect on training:\n  max_step: 4 before, 8 now\n", done.stderr)
        self.assertNotIn("the config has changed", done.stderr)

    def test_what_cannot_be_resumed_names_the_key(self):
        self.train("run", "max_step=4", NEVER_JUDGED)
        for word, key in [("task.model.layers=3", "task.model.layers: 1 before, 3 now"),
                          ('optimizer={ type = "sgd", learning_rate = 0.01 }',
                           'optimizer.type: "adamw" before, "sgd" now')]:
            done = self.train("run", "max_step=8", NEVER_JUDGED, "log.n=1", word, code=2)
            self.assertIn(key, done.stderr)
            self.assertNotIn("log.n", done.stderr)
            self.assertLess(done.stderr.count("model/"), 8)

    def test_a_fresh_run_keeps_the_earlier_one_as_a_run(self):
        first = self.train("run")
        self.train("run", "seed=1", "--fresh")
        earlier = self.folder / "run" / "earlier.1"
        done = subprocess.run([self.program, "eval", earlier], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, first.stdout), done.stderr)

    def test_mistakes_are_told_before_anything_is_done(self):
        done = self.train("run", "optimiser.b1=0.5", code=2)
        self.assertIn("optimizer", done.stderr)
        self.assertFalse((self.folder / "run").exists())
        done = subprocess.run([self.program, "train", "arithmetic_ml"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("arithmetic_lm", done.stderr)

    def test_updates_may_be_computed_twice(self):
        words = ["max_step=8", NEVER_JUDGED]
        self.train("run", *words)
        done = self.train("checked", *words, "sdc_check.every_n_steps=3", "sdc_check.action=stop")
        self.assertNotIn("computed twice", done.stderr)
        self.assertEqual(self.digest("checked"), self.digest("run"))
        last = json.loads((self.folder / "checked" / "metrics.jsonl").read_text().splitlines()[-1])
        self.assertGreater(last["metrics"]["seconds/checking"], 0)
        self.assertIn("time: ", done.stderr)

    def test_metrics_go_to_the_sinks_of_the_config(self):
        self.train("run", "max_step=4", NEVER_JUDGED, "sinks.type=tensorboard")
        self.assertFalse((self.folder / "run" / "metrics.jsonl").exists())
        self.assertTrue((self.folder / "run" / "summaries/train_train").exists())
        self.train("run", "max_step=8", NEVER_JUDGED, "sinks=[]")
        self.assertEqual(len(list((self.folder / "run" / "summaries/train_train").iterdir())), 1)
        done = self.train("run", 'sinks=[{type="jsonl"},{type="jsonl"}]', code=2)
        self.assertIn("name each type once", done.stderr)

    def test_a_run_is_written_for_wandb_if_asked(self):
        self.train("run", "max_step=4", NEVER_JUDGED)
        self.assertFalse((self.folder / "run" / "wandb_id").exists())
        done = self.train("run", "max_step=8", NEVER_JUDGED, "wandb=true")  # a key of earlier versions
        self.assertIn('[[sinks]] type = "wandb"', done.stderr)
        done = self.train("run", "max_step=12", NEVER_JUDGED, 'sinks=[{type="wandb"}]')
        self.assertNotIn("[[sinks]]", done.stderr)
        run_id = (self.folder / "run" / "wandb_id").read_text().strip()
        files = list((self.folder / "run" / "wandb").glob(f"offline-run-*-{run_id}/run-{run_id}.wandb"))
        self.assertEqual(len(files), 2)
        for file in files:
            self.assertTrue(file.read_bytes().startswith(b":W&B"))
            self.assertIn(b"arithmetic", file.read_bytes())

    def test_a_batch_that_cannot_be_cut_is_told_before_anything_is_done(self):
        done = self.train("run", "num_microbatches=3", code=2)
        self.assertIn("a batch of 16 cannot be split into 3 equal microbatches", done.stderr)
        self.assertFalse((self.folder / "run").exists())

    def test_the_gradient_of_each_example_may_be_clipped(self):
        self.train("run", "max_step=4", "log.n=1", NEVER_JUDGED, "num_microbatches=16",
                   "microbatch_clip_norm=1e-6")
        lines = (self.folder / "run" / "metrics.jsonl").read_text().splitlines()
        found = [json.loads(line).get("metrics", {}) for line in lines]
        clipped = [metrics for metrics in found if "clipped_parts" in metrics]
        self.assertEqual([metrics["clipped_parts"] for metrics in clipped], [1] * 4)
        self.assertLessEqual(clipped[0]["gradient_norm"], 1.001e-6)

    def test_an_unknown_key_unlike_all_others_says_where_they_are_told(self):
        done = self.train("run", "optimizer.qqq=3", code=2)
        self.assertIn("all keys: meshwright config explain optimizer", done.stderr)

    def test_parts_that_do_not_fit_each_other_are_told(self):
        done = self.train("run", "data.num_digits=2", code=2)
        self.assertIn("a model of additions of 2 digits cannot be evaluated on additions of 3 digits",
                      done.stderr)
        done = self.train("run", "task.model.vocab=11", code=2)
        self.assertIn("task.model.vocab is 11, but the data has 12 tokens", done.stderr)
        done = self.train("run", "data.batch_size=99999999999", code=2)
        self.assertIn("and this machine has", done.stderr)
        self.assertFalse((self.folder / "run").exists())

    def test_a_run_may_begin_with_the_state_of_another_one(self):
        self.train("old", "checkpoint.keep_last_n=10")
        old = f"init_state.from={self.folder / 'old'}"
        done = self.train("tuned", old)
        self.assertIn(f"initialising the state from the checkpoint in {self.folder / 'old'} (all parameters)\n",
                      done.stderr)
        self.assertRegex(done.stderr, r"initial state: step 0, \d+ of \d+ arrays restored")
        self.train("continued", old, "init_state.step=12", "init_state.all=true")
        self.assertEqual(self.digest("continued"), self.digest("old"))
        done = self.train("larger", old, "task.model.mlp=48", code=2)
        self.assertRegex(done.stderr, r"does not match(.|\n)*: f32\[[\d,]*32[\d,]*\] and f32\[[\d,]*48")

    def test_initial_values_and_layouts_of_results_are_by_pattern(self):
        zero = '{pattern=".*", init={type="constant", value=0}}'
        words = ["max_step=4", "log.n=1", "mesh.num_devices=2", "mesh.axes={data=2}",
                 "sharding.activations.batch=data",
                 """sharding.outputs=[{pattern="layers/mlp", mesh_axes="('data',)"}, """
                 """{pattern="mlp", mesh_axes="('data',)"}]"""]
        done = self.train("run", *words, f'initial_values=[{zero}, {zero.replace(".*", ".*/w_o")}]')
        self.assertIn("initial_values: pattern '.*/w_o' matches no parameter", done.stderr)
        self.assertIn("sharding.outputs: pattern 'mlp' applies to no module", done.stderr)
        self.assertNotIn("pattern 'layers/mlp'", done.stderr)
        lines = (self.folder / "run" / "metrics.jsonl").read_text().splitlines()
        found = [json.loads(line).get("metrics", {}) for line in lines]
        losses = [metrics["loss"] for metrics in found if "loss" in metrics]
        self.assertAlmostEqual(losses[0], math.log(12), places=5)  # all 12 tokens are equally likely

    def test_flags_of_xla_are_set_and_remembered(self):
        flag = "--xla_cpu_enable_fast_math=false"
        done = self.train("run", f'mesh.xla_flags=["{flag}"]', "max_step=4", NEVER_JUDGED)
        self.assertRegex(done.stderr, rf"XLA flags: {flag}( .*)?\n")
        done = self.train("run", "max_step=8", NEVER_JUDGED)
        self.assertIn(f"xla_flags: -{flag}", done.stderr)
        done = self.train("other", 'mesh.xla_flags=["--xla_no_such_flag=1"]', code=2)
        self.assertIn("xla_no_such_flag", done.stderr)
        self.assertFalse((self.folder / "other").exists())


if __name__ == "__main__":
    unittest.main(verbosity=0)
