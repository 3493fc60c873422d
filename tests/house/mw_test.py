#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests ./mw on simulated machines: every external command is a fake that records its calls."""

import os
from pathlib import Path
import shutil
import subprocess
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
REAL_TOOLS = ["bash", "env", "awk", "sed", "grep", "cat", "xargs", "mkdir", "touch", "tail", "tr", "sort",
              "dirname", "basename", "flock", "rm", "head", "echo", "chmod"]

FAKES = {
    "id": 'echo "${FAKE_UID:-0}"',
    "dpkg-query": 'grep -qx -- "${@: -1}" "$FAKE_INSTALLED" && echo installed || exit 1',
    "apt-get": 'shift $(($# - 1)); [[ -z ${FAKE_APT_FAILS:-} ]] || { echo "E: no such package"; exit 100; }\n'
               'cat "$FAKE_ALL_PACKAGES" >"$FAKE_INSTALLED"',
    "python3": '[[ $1 != *ctest_summary ]] || { echo "3 passed, 0 failed, 0 skipped"; exit ${FAKE_FAILED:-0}; }\n'
               'mkdir -p "$FAKE_ROOT/.cache/xla/cpu"; touch "$FAKE_ROOT/.cache/xla/cpu/plugin.so"',
    "cmake": 'mkdir -p build/release; touch build/release/build.ninja\n'
             'echo "a_test unit a_test -" >build/release/tests.txt\n'
             'echo "script unit - -" >>build/release/tests.txt\n'
             'echo "compare peer helper,other jax" >>build/release/tests.txt',
    "ctest": "true",
    "nproc": "echo 2",
    "git": "true",
    "ninja": '[[ -z ${FAKE_BUILD_FAILS:-} ]] || { echo "FAILED: a.o"; echo "a.cc:1: error: no"; exit 1; }\n'
             'mkdir -p "$FAKE_ROOT/build/release/bin"\n'
             'printf \'#!/bin/sh\\necho "program: $*"\\n\' >"$FAKE_ROOT/build/release/bin/meshwright"\n'
             'chmod +x "$FAKE_ROOT/build/release/bin/meshwright"; echo "ninja: no work to do."',
    "g++": "true",
}


class Machine:
    """A checkout, and a PATH with only fakes and basic tools."""

    def __init__(self, folder):
        self.root = Path(folder, "checkout")
        self.bin = Path(folder, "bin")
        self.calls = Path(folder, "calls")
        self.installed = Path(folder, "installed")
        packages = Path(folder, "all_packages")
        (self.root / "tools").mkdir(parents=True)
        self.bin.mkdir()
        for name in ("mw", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root / name)
        for path in (ROOT / "tools").iterdir():
            if path.is_file():
                shutil.copy(path, self.root / "tools" / path.name)
        commands = Path("src/meshwright/cli/commands.cc")
        (self.root / commands.parent).mkdir(parents=True)
        shutil.copy(ROOT / commands, self.root / commands)
        for tool in REAL_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        for name, body in FAKES.items():
            self.fake(name, body)
        self.installed.write_text("")
        words = (line.split()[1:] for line in (ROOT / "tools/packages.txt").read_text().splitlines()
                 if not line.startswith("#"))
        packages.write_text("\n".join(word for line in words for word in line) + "\n")
        self.environment = {"PATH": str(self.bin), "FAKE_ROOT": str(self.root),
                            "FAKE_INSTALLED": str(self.installed), "FAKE_ALL_PACKAGES": str(packages)}

    def fake(self, name, body):
        path = self.bin / name
        path.write_text(f'#!/usr/bin/env bash\necho "{name} $*" >>"{self.calls}"\n{body}\n')
        path.chmod(0o755)

    def run(self, *words, **environment):
        self.calls.write_text("")
        return subprocess.run([str(self.root / "mw"), *words], env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def called(self, name):
        return [line for line in self.calls.read_text().splitlines() if line.split()[0] == name]


class Mw(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(folder.name)

    def test_sets_up_a_bare_machine_and_hands_over(self):
        done = self.machine.run("train", "a.toml", "x=1 2")
        self.assertEqual((done.returncode, done.stdout), (0, "program: train a.toml x=1 2\n"), done.stderr)
        self.assertIn("will be installed: g++ cmake ninja-build", done.stderr)
        self.assertEqual(len(self.machine.called("apt-get")), 2)  # update, install
        self.assertIn("-DMW_TESTS=OFF", self.machine.called("cmake")[0])

    def test_does_nothing_twice(self):
        self.machine.run("train")
        done = self.machine.run("doctor", "--json")
        self.assertEqual((done.stdout, done.stderr), ("program: doctor --json\n", ""))
        for tool in ("apt-get", "dpkg-query", "python3", "cmake"):
            self.assertEqual(self.machine.called(tool), [], tool)
        self.assertEqual(len(self.machine.called("ninja")), 1)

    def test_installs_what_a_longer_list_of_packages_asks_for(self):
        self.machine.run("train")
        packages = self.machine.root / "tools/packages.txt"
        packages.write_text(packages.read_text() + "program  libnew-dev\n")
        stamp = self.machine.root / ".cache/stamps/packages.program"
        os.utime(stamp, (1, 1))
        done = self.machine.run("train")
        self.assertIn("will be installed: libnew-dev", done.stderr)

    def test_looks_again_when_a_tool_is_gone(self):
        self.machine.run("train")
        (self.machine.bin / "g++").unlink()
        self.machine.run("train")
        self.assertNotEqual(self.machine.called("dpkg-query"), [])

    def test_says_what_to_install_when_it_may_not(self):
        done = self.machine.run("train", FAKE_UID="1000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither root nor sudo", done.stderr)
        self.assertIn("remedy: as root: apt-get install --no-install-recommends g++", done.stderr)
        self.assertEqual(self.machine.called("apt-get"), [])

    def test_uses_sudo_when_not_root(self):
        self.machine.fake("sudo", '"$@"')
        done = self.machine.run("train", FAKE_UID="1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.machine.called("sudo")), 2)

    def test_shows_why_apt_failed(self):
        done = self.machine.run("train", FAKE_APT_FAILS="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: no such package", done.stderr)
        self.assertEqual(self.machine.called("cmake"), [])

    def test_names_tools_where_there_is_no_dpkg(self):
        (self.machine.bin / "dpkg-query").unlink()
        (self.machine.bin / "g++").unlink()
        done = self.machine.run("train")
        self.assertEqual(done.returncode, 1)
        self.assertIn("needed and not found", done.stderr)

    def test_shows_errors_of_the_build_and_does_not_run_the_program(self):
        done = self.machine.run("train", FAKE_BUILD_FAILS="1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("a.cc:1: error: no", done.stderr)
        self.assertIn("the build failed", done.stderr)

    def test_builds_and_runs_the_tests_of_a_label(self):
        done = self.machine.run("test", "unit")
        self.assertEqual((done.returncode, done.stdout), (0, "3 passed, 0 failed, 0 skipped\n"), done.stderr)
        self.assertTrue(self.machine.called("ninja")[-1].endswith(" a_test"))
        self.assertIn("-R ^(a_test|script)$ ", self.machine.called("ctest")[0])

    def test_runs_tests_that_need_nothing_built(self):
        done = self.machine.run("test", "scr")
        self.assertEqual((done.returncode, done.stdout), (0, "3 passed, 0 failed, 0 skipped\n"), done.stderr)
        self.assertIn("-R ^(script)$ ", self.machine.called("ctest")[0])

    def test_sets_up_the_peers_of_the_chosen_tests(self):
        self.fake_peers("exit 1")
        done = self.machine.run("test", "peer")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.machine.called("peers"), ["peers jax"])
        self.assertTrue(self.machine.called("ninja")[-1].endswith(" helper other"))
        self.machine.run("test", "unit")
        self.assertEqual(self.machine.called("peers"), [])

    def fake_peers(self, python):
        """Fakes tools/peers: setup records its call, python is `python`."""
        for name, body in {"setup": f'echo "peers $*" >>"{self.machine.calls}"', "python": python}.items():
            path = self.machine.root / "tools/peers" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/usr/bin/env bash\n{body}\n")
            path.chmod(0o755)

    def test_builds_the_documentation_and_says_where(self):
        self.fake_peers(f'echo "INFO  - reading" >&2; echo "python $*" >>"{self.machine.calls}"')
        done = self.machine.run("docs")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("checkout/build/docs/index.html", done.stderr)
        self.assertNotIn("INFO", done.stderr)
        self.assertEqual(self.machine.called("peers"), ["peers docs"])
        self.assertEqual(self.machine.called("python"), ["python docs -m mkdocs build --strict"])
        self.machine.run("docs", "--serve", "8080")
        self.assertIn("--dev-addr 127.0.0.1:8080", self.machine.called("python")[0])

    def test_fails_when_the_documentation_has_errors(self):
        self.fake_peers('echo "WARNING  - no such page" >&2; exit 1')
        done = self.machine.run("docs")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such page", done.stderr)
        self.assertNotIn("index.html", done.stderr)

    def test_fails_when_a_test_does_and_when_none_is_chosen(self):
        self.assertEqual(self.machine.run("test", "unit", FAKE_FAILED="1").returncode, 1)
        done = self.machine.run("test", "unit", "nothing_like_it")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no test", done.stderr)

    def test_help_lists_the_commands_of_the_program(self):
        listed = self.machine.run("help").stdout
        for command in ("ckpt", "eval", "generate", "--version"):
            self.assertRegex(listed, rf"(?m)^  {command} +\w")

    def test_completion_offers_its_own_commands_and_never_builds(self):
        self.assertEqual(self.machine.run("__complete", "te").stdout,
                         "test\tlabels: unit device golden e2e peer aot (the default), long\n")
        self.assertEqual(self.machine.calls.read_text(), "")
        self.machine.run("train")
        self.assertEqual(self.machine.run("__complete", "fo").stdout,
                         "format\tformat the sources\nprogram: __complete fo\n")
        self.assertEqual(self.machine.run("__complete", "train", "x").stdout,
                         "program: __complete train x\n")
        self.assertEqual(self.machine.called("ninja"), [])

    def test_completion_script_is_for_itself(self):
        self.assertEqual(self.machine.run("completion", "bash").stdout,
                         "program: completion bash --command mw\n")

    def test_help_of_a_command_is_the_program_s(self):
        self.assertEqual(self.machine.run("help", "train").stdout, "program: help train\n")

    def test_help_needs_nothing(self):
        for words in ([], ["help"], ["--help"]):
            done = self.machine.run(*words)
            self.assertEqual(done.returncode, 0)
            self.assertIn("usage: ./mw COMMAND", done.stdout)
            self.assertEqual(self.machine.calls.read_text(), "")


if __name__ == "__main__":
    unittest.main()
