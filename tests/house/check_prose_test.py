#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/check_prose on small trees: each rule, where it applies, and what it exempts."""

from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

CHECKER = Path(__file__).resolve().parents[2] / "tools/check_prose"

# One text that each rule rejects, and a better one that none does.
WORSE_AND_BETTER = [
    ("Of a run, its folder.", "The folder of a run."),
    ("The same for arrays.", "Like f(), but for arrays. The same holds for scalars."),
    ("What a killed save leaves is removed.", "Files of a killed save are removed. What else is there?"),
    ("Who waits gets it.", "The first waiter gets it."),
    ("Whether the node stays.", "True if the node stays, whether it is used or not."),
    ("Which of these a policy deletes.", "Returns the steps that a policy deletes."),
    ("Splits calls. Not for other folders.", "Splits calls. Internal to graph/."),
    ("a kernel of ours", "our kernel"),
    ("a pattern that is none", "an invalid pattern"),
    ("The caller is told.", "The caller gets it; folders are told apart."),
    ("weights stay as they are.", "weights stay unchanged, as they are large"),
    ("for who moves them", "for callers that move them"),
    ("training begins anew", "training starts from scratch"),
    ("it was not to be had", "it was unavailable"),
    ("more may be had", "more is available"),
    ("the likeliest token", "the most likely token"),
    ("a run, whose newest checkpoint it is", "a run folder (its newest checkpoint)"),
    ("unless something else is said", "by default"),
    ("prints what there is", "prints the options"),
    ("a value that nobody uses", "an unused value"),
    ("lines for people", "console output"),
    ("as JSON, for programs", "as JSON, for programs that parse it"),
    ("waits for ever", "waits forever"),
    ("mend the file", "fix the file"),
    ("evaluators judge it", "evaluators evaluate it"),
    ("a sharding does not suit", "a sharding does not match"),
    ("steps that it lets go", "steps that it deletes; lets go of the lock"),
    ("has 100 bytes and not the 3072 it should", "has 100 bytes, expected 3072"),
    ("a checksum is not the one it had", "checksum mismatch"),
    ("how an array lies", "the layout of an array; how often values lie there"),
    ("reads it if it can; else it copies", "reads it if it can, else copies"),
    ("'hello' is no dtype", "'hello' is not a dtype, and is no longer one"),
    ("the part thereof", "this part"),
]


class CheckProse(unittest.TestCase):
    def check(self, files, *options):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, str(CHECKER), "--root", root, *(options or ["--all"])],
                                  cwd=root, capture_output=True, text=True, check=False)

    def expect(self, name, text, *places):
        """Expects findings exactly at `places`, each of which is LINE: 'PHRASE'."""
        done = self.check({name: text})
        self.assertEqual(done.returncode, 1 if places else 0, done.stdout + done.stderr)
        found = [line.removeprefix(f"{name}:").split("':")[0] + "'" for line in done.stdout.splitlines()]
        self.assertEqual(found, list(places))

    def test_every_rule_rejects_its_phrase_and_accepts_a_better_wording(self):
        worse = "".join(f"// {text}\n\n" for text, _ in WORSE_AND_BETTER)
        done = self.check({"a.cc": worse})
        found = [int(line.split(":")[1]) for line in done.stdout.splitlines()]
        self.assertEqual(found, list(range(1, 2 * len(WORSE_AND_BETTER), 2)), done.stdout)
        self.expect("a.cc", "".join(f"// {text}\n\n" for _, text in WORSE_AND_BETTER))

    def test_there_is_an_example_of_every_rule(self):
        sys.path.insert(0, str(CHECKER.parent))
        sys.dont_write_bytecode = True
        from prose_phrases import PHRASES
        self.assertEqual(len(PHRASES), len(WORSE_AND_BETTER))

    def test_says_the_reason_and_a_better_wording(self):
        done = self.check({"src/a.cc": "int x;  // the likeliest\n"})
        self.assertEqual(done.stdout, "src/a.cc:1: 'likeliest': unusual; 'most likely'\n")
        self.assertIn("1 src", done.stderr)
        self.assertIn("check_prose: 1 phrases", done.stderr)

    def test_reads_comments_and_strings_of_cpp_but_not_code(self):
        self.expect("a.h", 'int anew = 1\'000;  // anew\n/* all\n * anew */\nf("anew", R"(\nanew)", \'"\');\n',
                    "1: 'anew'", "3: 'anew'", "4: 'anew'", "5: 'anew'")

    def test_finds_a_phrase_that_a_line_break_divides(self):
        self.expect("a.cc", "/// A pattern that\n/// is none.\n", "1: 'that is none'")
        self.expect("a.cc", 'fail("a pattern that "\n     "is none");\n', "1: 'that is none'")
        self.expect("a.cc", 'f("a pattern that", "is none");\n')

    def test_comments_apart_are_passages_of_their_own(self):
        self.expect("a.h", "// A run.\nint x;  // x\n// Of a run.\n\n// Of a step.\n", "3: 'Of'", "5: 'Of'")

    def test_the_licence_line_is_not_the_start_of_a_comment(self):
        self.expect("a.sh", "#!/usr/bin/env bash\n# SPDX-License-Identifier: x\n# What it is.\n", "3: 'What'")

    def test_reads_comments_of_scripts_and_configs_but_not_strings(self):
        for name in ("a.sh", "CMakeLists.txt", "a.cmake", "a.toml"):
            self.expect(name, 'x = "# anew"  # all anew\nanew = ${#x}\n', "1: 'anew'")

    def test_reads_comments_and_docstrings_of_python(self):
        self.expect("a.py", '"""All\nanew."""\nx = """anew"""  # anew\n\n\ndef f():\n    """Anew."""\n',
                    "2: 'anew'", "3: 'anew'", "7: 'Anew'")

    def test_reads_markdown_but_not_code_in_it(self):
        self.expect("a.md", "# What it is\n\n- Of a\n\nIt `is\nanew` and\nanew\n```\nanew\n```\nanew\n",
                    "3: 'Of'", "7: 'anew'", "11: 'anew'")

    def test_leaves_texts_of_others_and_waived_lines_alone(self):
        self.expect("tests/golden/README.md", "anew\n")
        self.expect("a.gen.h", "// anew\n")
        self.expect("a.md", "<!-- prose-ok: a quotation --> anew\n")

    def test_checks_the_given_paths_only(self):
        files = {"docs/a.md": "anew\n", "src/a.md": "anew\n", "src.md": "anew\n"}
        for path in ("src", "src/", "src/a.md"):
            self.assertIn("src/a.md:1", self.check(files, path).stdout)
            self.assertEqual(self.check(files, path).stdout.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
