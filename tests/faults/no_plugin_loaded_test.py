# SPDX-License-Identifier: Apache-2.0
"""Commands that need no device load no plugin: here, loading any plugin hangs.

usage: no_plugin_loaded_test.py MESHWRIGHT HANGING_PLUGIN
"""

import os
import re
import subprocess
import sys
import unittest

PLUGIN = sys.argv.pop()
PROGRAM = sys.argv.pop()
ENVIRONMENT = {**os.environ, "MESHWRIGHT_PLUGIN_PATH": PLUGIN,
               "PJRT_NAMES_AND_LIBRARY_PATHS": f"cpu:{PLUGIN},cuda:{PLUGIN},tpu:{PLUGIN}"}
PATIENCE_SECONDS = 120  # after this, it hangs


def output(*words, timeout=PATIENCE_SECONDS):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=timeout, check=False)
    assert done.returncode == 0, (words, done)
    return done.stdout


def names(text):
    """Returns the commands that a help text lists."""
    return re.findall(r"(?m)^  ([a-z]+)  +\S", text)


class NoPluginLoadedTest(unittest.TestCase):
    def test_the_plugin_does_hang(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            output("doctor", timeout=1)

    def test_version(self):
        text = output("--version")
        self.assertRegex(text, r"^meshwright \d")
        for platform in ("cpu", "cuda", "tpu"):
            self.assertIn(f"\nplugin {platform}: {PLUGIN}\n", text)

    def test_help_of_every_command(self):
        commands = names(output("--help"))
        self.assertGreaterEqual(len(commands), 6)
        for command in commands:
            help_of_it = output(command, "--help")
            for subcommand in names(help_of_it):
                if command in ("ckpt", "config"):
                    self.assertIn("usage", output(command, subcommand, "--help"))

    def test_a_list_of_plugins_that_is_none_is_told(self):
        broken = {**ENVIRONMENT, "PJRT_NAMES_AND_LIBRARY_PATHS": "cpu", "MESHWRIGHT_PLUGIN_PATH": ""}
        done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, env=broken,
                              timeout=PATIENCE_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'cpu' is not NAME:PATH", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=0)
