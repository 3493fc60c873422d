# SPDX-License-Identifier: Apache-2.0
"""`meshwright eval` and `generate` on a small trained run: results, prompts, mistakes, exit codes.

usage: eval_generate_test.py MESHWRIGHT
"""

import functools
import json
from pathlib import Path
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest

from program import run_program
from small_run import NEVER_JUDGED, SmallRunTest

PROGRAM = SmallRunTest.program = sys.argv.pop()
run = functools.partial(run_program, PROGRAM)
SMALL = [
    "max_step=60", "checkpoint.when.n=20", "task.model.layers=1", "task.model.embed=32",
    "task.model.dim=8", "task.model.mlp=64", "data.batch_size=64", "data.num_digits=2",
    "evaluators.held_out.data.num_digits=2", "evaluators.held_out.data.batch_size=16"]


def contents(folder):
    return {str(path): path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}


class TrainedRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="mw_e2e_"))
        cls.folder = cls.root / "run"
        cls.trained = run("train", f"dir={cls.folder}", *SMALL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)


class EvalTest(TrainedRun):
    def test_gives_what_training_gave_and_changes_nothing(self):
        before = contents(self.folder)
        self.assertEqual(run("eval", self.folder).stdout, self.trained.stdout)
        self.assertEqual(contents(self.folder), before)

    def test_names_the_key_by_which_a_checkpoint_does_not_suit(self):
        done = run("eval", self.folder, "task.model.layers=3", "log.n=7", code=2)
        self.assertIn("since the checkpoint of step 60:\n  task.model.layers: 1 before, 3 now\n", done.stderr)
        self.assertNotIn("log.n", done.stderr)
        self.assertLess(len(done.stderr.splitlines()), 12)

    def test_keeps_what_the_model_made_of_examples_as_training_does(self):
        keeps = "evaluators.held_out.outputs={num_examples=3}"
        moved = self.root / "moved_for_outputs"
        shutil.copytree(self.folder, moved)
        run("eval", moved, keeps)
        file = Path("outputs") / "held_out" / "step_00000060.jsonl"
        lines = (moved / file).read_text().splitlines()
        self.assertEqual([json.loads(line)["example"] for line in lines], [0, 1, 2])
        again = self.root / "trained_with_outputs"
        run("train", f"dir={again}", *SMALL, keeps)
        self.assertEqual((again / file).read_text().splitlines(), lines)

    def test_json_is_the_same(self):
        found = json.loads(run("eval", "--json", self.folder).stdout)
        self.assertEqual(found["step"], 60)
        lines = dict(line.split(": ") for line in self.trained.stdout.splitlines())
        self.assertEqual({name: f"{value:.6g}" for name, value in found["results"].items()},
                         {name: f"{float(value):.6g}" for name, value in lines.items()})

    def test_a_config_with_the_same_values_does_as_well_as_the_folder(self):
        words = ["eval", f"dir={self.folder}", *SMALL, "--evaluator", "held_out"]
        self.assertEqual(run(*words).stdout, self.trained.stdout)

    def test_a_run_that_was_moved_is_still_itself(self):
        moved = self.root / "moved 'run'"
        shutil.copytree(self.folder, moved)
        self.assertEqual(run("eval", moved).stdout, self.trained.stdout)

    def test_another_step_has_other_results(self):
        done = run("eval", "--step", 20, self.folder)
        self.assertIn("checkpoint of step 20", done.stderr)
        self.assertRegex(done.stdout, r"^held_out/exact_match: [0-9.e-]+\n$")

    def test_without_checkpoints_the_exit_code_is_4(self):
        self.assertIn("no checkpoint in", run("eval", f"dir={self.root}/none", code=4).stderr)
        done = run("eval", "--step", 21, self.folder, code=4)
        self.assertIn("available steps: 20, 40, 60", done.stderr)
        self.assertFalse((self.root / "none").exists())

    def test_mistakes_are_told_with_what_was_meant(self):
        done = run("eval", "--evaluator", "held_uot", self.folder, code=2)
        self.assertIn("did you mean 'held_out'", done.stderr)
        self.assertIn("config.toml", run("eval", self.root, code=2).stderr)
        done = run("eval", self.folder, "task.model.mlp=65", code=2)
        self.assertIn("mlp", done.stderr)


class BesideTrainingTest(SmallRunTest):
    def test_a_run_that_trains_meanwhile_is_not_disturbed(self):
        training = self.start("run", "max_step=1000000", "checkpoint.when.n=40", NEVER_JUDGED)
        while len(self.steps("run")) < 2:
            self.assertIsNone(training.poll())
            time.sleep(0.05)
        for _ in range(3):
            found = run("eval", self.folder / "run", NEVER_JUDGED)
            self.assertRegex(found.stdout, r"^held_out/exact_match: ")
        training.send_signal(signal.SIGTERM)
        _, errors = training.communicate(timeout=300)
        self.assertEqual(training.returncode, 143, errors)
        self.assertNotIn("warning", errors)


class GenerateTest(TrainedRun):
    def generate(self, *words, code=0, stdin=""):
        return run("generate", self.folder, *words, code=code, stdin=stdin).stdout.splitlines()

    def shown(self):
        """Returns the problems and answers that training printed last: "12+34=46" or "12+34=45 (46)"."""
        lines = re.findall(r"(?m)^\s*(?:\S+ )?\s*(\d+\+\d+=)(\S+)", self.trained.stderr)
        return lines[-5:]

    def test_answers_as_training_has_shown(self):
        shown = self.shown()
        self.assertEqual(len(shown), 5)
        words = [word for problem, _ in shown for word in ("--prompt", problem)]
        self.assertEqual(self.generate(*words), [answer for _, answer in shown])

    def test_prompts_come_from_stdin_and_batches_change_nothing(self):
        problems = [f"{i}+{i + 1}" for i in range(7)]
        text = "\n".join(problems) + "\n"
        found = self.generate("--batch", 3, stdin=text)
        self.assertEqual(len(found), 7)
        self.assertEqual(found, self.generate(stdin=text))

    def test_what_is_drawn_depends_on_the_seed_only(self):
        words = ["--prompt", "1+2=", "--temperature", 3, "--num-samples", 8]
        first = self.generate(*words)
        self.assertEqual(len(first), 8)
        self.assertEqual(first, self.generate(*words))
        self.assertNotEqual(first, self.generate(*words, "--seed", 1))
        self.assertEqual(len(set(self.generate(*words, "--top-k", 1))), 1)
        self.assertEqual(len(set(self.generate(*words, "--top-p", 0.000001))), 1)

    def test_beams_give_alternatives_the_best_first(self):
        found = [json.loads(line) for line in self.generate(
            "--json", "--prompt", "12+34=", "--beams", 4, "--num-samples", 3)]
        self.assertEqual([entry["prompt"] for entry in found], ["12+34="] * 3)
        scores = [entry["score"] for entry in found]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(len({tuple(entry["tokens"]) for entry in found}), 3)

    def test_max_tokens_limits_a_continuation(self):
        found = json.loads(self.generate("--json", "--prompt", "1+2=", "--max-tokens", 2)[0])
        self.assertEqual(len(found["tokens"]), 2)

    def test_mistakes_are_told_before_a_checkpoint_is_read(self):
        done = run("generate", f"dir={self.root}/none", "data.num_digits=2", "--prompt", "1+100=",
                   code=2)
        self.assertIn("0 to 99", done.stderr)
        done = run("generate", self.folder, "--prompt", "hello", code=2)
        self.assertIn("'hello' is not an addition such as 1+2=", done.stderr)
        run("generate", self.folder, "--greedy", "--beams", 2, code=2)
        run("generate", self.folder, "--num-samples", 2, "--prompt", "1+2=", code=2)
        done = run("generate", self.folder, "--temprature", 1, code=2)
        self.assertIn("--temperature", done.stderr)
        run("generate", f"dir={self.root}/none", "--prompt", "1+2=", code=4)
        run("generate", self.folder, "--beams", 65537, "--prompt", "1+2=", code=2)

    def test_no_prompts_and_more_than_the_memory_holds_are_mistakes(self):
        done = run("generate", self.folder, stdin="", code=2)
        self.assertIn("stdin is empty\ngive --prompt TEXT", done.stderr)
        done = run("generate", self.folder, "--prompt", "1+2=", "--max-tokens", 10**9, code=2)
        self.assertRegex(done.stderr, r"takes .* of memory, and this machine has (.|\n)*--max-tokens")


TOKENS = '''
max_step = 2
seed = 1
[task]
type = "lm"
[task.model]
style = "gpt2"
vocab = 256
layers = 1
embed = 16
kv = 1
q = 2
dim = 8
mlp = 32
max_len = 16
[data]
type = "random_tokens"
batch_size = 8
length = 16
vocab_size = 256
[optimizer]
type = "adamw"
learning_rate = 0.01
'''


class TokenRunTest(unittest.TestCase):
    """A run on token numbers, with 16 positions and no evaluators."""

    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="mw_e2e_"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        config = cls.root / "tokens.toml"
        config.write_text(TOKENS)
        cls.folder = cls.root / "run"
        run("train", config, f"dir={cls.folder}")

    def test_a_prompt_with_a_token_that_there_is_not_is_a_mistake(self):
        for prompt in ["84 111 999", "256", "1 2147483647"]:
            done = run("generate", self.folder, "--prompt", "84 111", "--prompt", prompt, code=2)
            self.assertIn(f"token {prompt.split()[-1]} of prompt 2 is outside of the model's "
                          "vocabulary of 256 tokens, 0 to 255", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("'Hello' is not a token number",
                      run("generate", self.folder, "--prompt", "Hello", code=2).stderr)

    def test_a_continuation_is_as_long_as_positions_allow(self):
        for prompt, length in [("1 2 3", 13), (" ".join(["7"] * 15), 1)]:
            made = run("generate", self.folder, "--prompt", prompt).stdout
            self.assertEqual(len(made.split()), length)
        made = run("generate", self.folder, "--prompt", "1 2 3", "--max-tokens", 4).stdout
        self.assertEqual(len(made.split()), 4)
        done = run("generate", self.folder, "--prompt", "1 2 3", "--max-tokens", 14, code=2)
        self.assertIn("--max-tokens 13", done.stderr)
        done = run("generate", self.folder, "--prompt", " ".join(["7"] * 16), code=2)
        self.assertIn("a shorter prompt", done.stderr)

    def test_a_seed_without_sampling_is_a_mistake(self):
        done = run("generate", self.folder, "--prompt", "1", "--seed", 3, code=2)
        self.assertIn("--seed has no effect without sampling\nto sample: --temperature 1", done.stderr)
        run("generate", self.folder, "--prompt", "1", "--seed", 3, "--top-k", 2)

    def test_a_run_without_evaluators_is_evaluated_by_a_method(self):
        done = run("eval", self.folder, code=2)
        self.assertIn("--method loss data.type=", done.stderr)
        done = run("eval", self.folder, "--method", "loss", code=2)
        self.assertIn("the data 'random_tokens' is endless\nlimit it: --num-batches N", done.stderr)
        done = run("eval", self.folder, "--method", "loss", "--num-batches", 2)
        self.assertRegex(done.stdout, r"(?m)^eval/loss: [0-9.]+$")
        again = run("eval", self.folder, "--method", "loss", "--num-batches", 2,
                    "data.type=random_tokens", "data.batch_size=8")
        self.assertEqual(again.stdout, done.stdout)
        other = run("eval", self.folder, "--method", "loss", "data={ type = 'held_out_arithmetic', "
                    "batch_size = 4, num_digits = 2 }")
        self.assertRegex(other.stdout, r"(?m)^eval/accuracy: [0-9.e-]+$")
        self.assertIn("did you mean 'loss'",
                      run("eval", self.folder, "--method", "lsos", "--num-batches", 2, code=2).stderr)


class OtherTasksTest(unittest.TestCase):
    def test_a_model_of_images_has_no_text(self):
        done = run("generate", "shapes_vit", "--prompt", "x", code=2)
        self.assertIn("the run does not model text: its task is image_classification", done.stderr)

    def test_batches_divide_over_the_devices(self):
        mesh = ["mesh.num_devices=4", "mesh.axes={data=4}", "sharding.activations={batch='data'}"]
        done = run("train", "--dry-run", "arithmetic_lm", *SMALL, *mesh, "data.batch_size=30", code=2)
        self.assertIn("data.batch_size is 30, which cannot be split evenly over mesh axis data=4\n"
                      "a multiple of 4: data.batch_size=32", done.stderr)
        done = run("train", "--dry-run", "arithmetic_lm", *SMALL, *mesh,
                   "evaluators.held_out.data.batch_size=6", code=2)
        self.assertIn("evaluators.held_out.data.batch_size is 6, which cannot be split evenly over mesh axis "
                      "data=4", done.stderr)


class DryRunTest(unittest.TestCase):
    def test_says_what_it_would_train_and_writes_nothing(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            done = run("train", "--dry-run", f"dir={root}/run", *SMALL)
            self.assertIn("parameters", done.stdout)
            self.assertIn("inputs", done.stdout)
            self.assertFalse((Path(root) / "run").exists())
            found = json.loads(run("train", "--dry-run", "--json", f"dir={root}/run", *SMALL,
                                   "mesh.num_devices=2", "mesh.axes={data=2}").stdout)
            self.assertEqual(found["devices"], 2)
            self.assertGreater(found["parameters"], 1000)
            self.assertGreater(found["state_bytes_per_device"], 4 * found["parameters"])

    def test_looks_whether_a_run_could_begin_with_what_is_there(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            words = [f"dir={root}/run", *SMALL, "max_step=20", "checkpoint.when.n=10", NEVER_JUDGED]
            tuned = [f"dir={root}/tuned", *SMALL, f"init_state.from={root}/run"]
            other = "task.model.mlp=32"
            run("train", *words)
            before = contents(Path(root))
            done = run("train", "--dry-run", *words)
            self.assertRegex(done.stdout, r"(?m)^starts +from the checkpoint of step 20$")
            done = run("train", "--dry-run", "--json", *words)
            self.assertEqual(json.loads(done.stdout)["restored_step"], 20)
            done = run("train", "--dry-run", "--fresh", *words, other)
            self.assertRegex(done.stdout, r"(?m)^starts +from initial values$")
            done = run("train", "--dry-run", *words, other, code=2)
            self.assertIn("- model/layers/mlp/w_up", done.stderr)
            run("train", "--dry-run", *words, "checkpoint.restore_step=7", code=4)
            done = run("train", "--dry-run", *words, "checkpoint.restore_step=10", code=2)
            self.assertIn("--go-back", done.stderr)
            done = run("train", "--dry-run", "--go-back", *words, "checkpoint.restore_step=10")
            self.assertRegex(done.stdout, r"(?m)^starts +from the checkpoint of step 10$")
            done = run("train", "--dry-run", *tuned)
            self.assertRegex(done.stdout, rf"(?m)^starts +from .*{root}/run")
            done = run("train", "--dry-run", *tuned, other, code=2)
            self.assertIn("does not match the requested state", done.stderr)
            self.assertEqual(contents(Path(root)), before)

    def test_another_plugin_is_tried(self):
        done = run("train", "--dry-run", "--plugin", "/nowhere/plugin.so", code=6)
        self.assertIn("/nowhere/plugin.so", done.stderr)


class ProfileTest(unittest.TestCase):
    def test_shares_a_step_out_and_writes_nothing(self):
        with tempfile.TemporaryDirectory(prefix="mw_e2e_") as root:
            words = [f"dir={root}/run", *SMALL]
            found = json.loads(run("profile", "--json", "--steps", 2, *words).stdout)
            self.assertEqual(len(found["samples"]), 2)
            shares = sum(part["seconds"] for part in found["parts"])
            self.assertAlmostEqual(shares / found["step_seconds"], 1, delta=0.01)
            kernels = {part["what"] for part in found["parts"] if not part["estimated"]}
            self.assertIn("mw_attention", kernels)
            self.assertIn("layers/attention", {part["module"] for part in found["parts"]})
            reasons = {choice["op"]: choice for choice in found["kernels"]}
            self.assertTrue(reasons["attention"]["kernel"])
            self.assertEqual(reasons["attention"]["reason"], "one device")
            self.assertGreater(reasons["attention"]["count"], 0)
            done = run("profile", "--steps", 1, "--top", 3, "kernels=xla", *words)
            self.assertRegex(done.stdout, r"kernels +0\.00 ms")
            self.assertRegex(done.stdout, r"\d+ more: --top")
            self.assertRegex(
                done.stdout, r"attention: formula, \d+ calls?: kernels are disabled")
            self.assertFalse((Path(root) / "run").exists())
        run("profile", "--steps", 0, code=2)


if __name__ == "__main__":
    unittest.main(verbosity=0)
