# SPDX-License-Identifier: Apache-2.0
"""Checks that every file of configs/ states its purpose and has only keys that exist."""
import pathlib
import subprocess
import sys
import unittest

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


class Configs(unittest.TestCase):
    def test_each_resolves_and_starts_with_its_command(self):
        configs = sorted(FOLDER.glob('*.toml'))
        self.assertGreaterEqual(len(configs), 4)
        for config in configs:
            with self.subTest(config.name):
                first = config.read_text().splitlines()[0]
                self.assertTrue(first.startswith('# meshwright train'), first)
                self.assertIn('expected: ', first)
                done = subprocess.run([PROGRAM, 'config', 'show', config], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn('warning', done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
