#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/check_layers on small trees: a clean one, and one per kind of breach."""

from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

CHECKER = Path(__file__).resolve().parents[2] / "tools/check_layers"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
CMAKE = "# SPDX-License-Identifier: Apache-2.0\n"

CLEAN = {
    "src/meshwright/LAYERS": "# comment\n0 base\n1 tensor\n1 config\n2 io\n2 mesh\n",
    "src/meshwright/base/CMakeLists.txt": CMAKE + "mw_folder(base)\n",
    "src/meshwright/base/str.h": HEADER,
    "src/meshwright/tensor/CMakeLists.txt": CMAKE + "mw_folder(tensor DEPS base LINK dl)\n",
    "src/meshwright/tensor/shape.h": HEADER + '#include <vector>\n\n#include "meshwright/base/str.h"\n',
    "src/meshwright/config/CMakeLists.txt": CMAKE + "mw_folder(config DEPS base)\n",
    "src/meshwright/config/reader.h": HEADER,
    "src/meshwright/io/CMakeLists.txt": CMAKE + "mw_folder(io DEPS tensor)  # base through tensor\n",
    "src/meshwright/io/file.cc": SPDX + '#include "meshwright/io/file.h"\n'
                                 '#include "meshwright/base/str.h"\n',
    "src/meshwright/io/file.h": HEADER,
    "src/meshwright/io/zarr/array.h": HEADER,
    "src/meshwright/mesh/LAYERS": "# comment\n0 rules\n1 shards parts\n",
    "src/meshwright/mesh/CMakeLists.txt": CMAKE + "mw_folder(mesh DEPS base)\n",
    "src/meshwright/mesh/mesh_testutil.h": HEADER + '#include "meshwright/mesh/shards/shards.h"\n',
    "src/meshwright/mesh/rules/rules.h": HEADER,
    "src/meshwright/mesh/rules/rules_test.cc": SPDX + '#include "meshwright/mesh/shards/shards.h"\n',
    "src/meshwright/mesh/shards/shards.h": HEADER + '#include "meshwright/mesh/rules/rules.h"\n'
                                           '#include "meshwright/mesh/parts/parts.h"\n',
    "src/meshwright/mesh/parts/parts.h": HEADER + '#include "meshwright/mesh/shards/shards.h"\n',
    "tools/helper.py": CMAKE,
}


class CheckLayers(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**CLEAN, **changes}.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, str(CHECKER), root], capture_output=True,
                                  text=True, check=False)

    def expect_breach(self, name, text, *parts):
        """Expects exactly one breach, in `name`, whose message contains all `parts`."""
        done = self.check({name: text})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, done.stdout)
        for part in (name, *parts):
            self.assertIn(part, lines[0])

    def test_accepts_a_clean_tree(self):
        done = self.check({})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_rejects_an_include_of_a_higher_layer(self):
        self.expect_breach("src/meshwright/base/str.h",
                           HEADER + '#include "meshwright/tensor/shape.h"\n',
                           ":3:", "base (layer 0) may not include tensor (layer 1)")

    def test_rejects_an_include_of_a_higher_room(self):
        self.expect_breach("src/meshwright/mesh/rules/rules.h",
                           HEADER + '#include "meshwright/mesh/parts/parts.h"\n',
                           ":3:", "mesh/rules (layer 0) may not include mesh/parts (layer 1)")

    def test_rejects_a_peer_room_that_stands_on_another_line(self):
        done = self.check({"src/meshwright/mesh/LAYERS": "0 rules\n1 shards\n1 parts\n"})
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)
        self.assertIn("mesh/parts (layer 1) may not include mesh/shards", done.stdout)

    def test_rejects_a_file_outside_the_rooms(self):
        self.expect_breach("src/meshwright/mesh/mesh.h", HEADER, ":1:", "stands in no room")

    def test_rejects_a_room_that_is_not_there(self):
        self.expect_breach("src/meshwright/mesh/LAYERS", "0 rules\n1 shards parts\n2 hall\n",
                           ":3:", "there is no room hall")

    def test_rejects_words_of_the_command_line_in_strings_below_it(self):
        self.expect_breach("src/meshwright/io/file.cc",
                           SPDX + 'const char* text = "\\nto begin anew: --fresh";\n', ":2:", "--fresh")
        for text, word in (("see: meshwright config docs", "meshwright config"), ("try `ckpt ls`", "ckpt ls"),
                           ("use data.batch_size=4", "data.batch_size="), ("raise max_step=N", "max_step=N")):
            self.expect_breach("src/meshwright/io/file.cc", SPDX + f'const char* text = "{text}";\n', ":2:", word)
        for text in ('"a--b"', '"--xla_flag=1"', '"1 - -x"', '1;  // "--fresh"', '"data.batch_size = 4"',
                     '"is not key.path=value"', '"a=b"'):
            done = self.check({"src/meshwright/io/file.cc": SPDX + f"auto text = {text};\n"})
            self.assertEqual(done.stdout, "", text)

    def test_rejects_an_include_of_a_peer(self):
        self.expect_breach("src/meshwright/tensor/shape.h",
                           HEADER + '#  include "meshwright/config/reader.h"\n',
                           "tensor (layer 1) may not include config (layer 1)")

    def test_rejects_an_include_that_deps_do_not_reach(self):
        self.expect_breach("src/meshwright/io/file.h",
                           HEADER + '#include "meshwright/config/reader.h"\n',
                           "config is included, but not among the DEPS")

    def test_rejects_a_relative_include(self):
        self.expect_breach("src/meshwright/io/file.cc", SPDX + '#include "file.h"\n', "whole path")

    def test_rejects_deps_on_a_peer(self):
        self.expect_breach("src/meshwright/tensor/CMakeLists.txt",
                           CMAKE + "mw_folder(tensor DEPS base config)\n",
                           "DEPS names config (layer 1), which is not below tensor (layer 1)")

    def test_rejects_deps_on_a_higher_layer_over_several_lines(self):
        self.expect_breach("src/meshwright/config/CMakeLists.txt",
                           CMAKE + "mw_folder(\n  config\n  DEPS base\n  io)\n",
                           "DEPS names io (layer 2)")

    def test_rejects_a_folder_without_a_layer(self):
        self.expect_breach("src/meshwright/nn/linear.h", HEADER, "nn is not in")

    def test_rejects_a_library_named_unlike_its_folder(self):
        self.expect_breach("src/meshwright/config/CMakeLists.txt",
                           CMAKE + "mw_folder(configuration DEPS base)\n", "mw_folder(configuration)")

    def test_rejects_a_malformed_or_repeated_layer(self):
        layers = CLEAN["src/meshwright/LAYERS"]
        self.expect_breach("src/meshwright/LAYERS", layers + "three nn\n", ":7:", "three nn")
        self.expect_breach("src/meshwright/LAYERS", layers + "3 base\n", "base is listed twice")

    def test_rejects_python_in_the_program(self):
        self.expect_breach("src/meshwright/base/generate.py", CMAKE, "Python is only for")
        self.expect_breach("src/meshwright/base/generate", "#!/usr/bin/env python3\n" + CMAKE,
                           "Python is only for")
        self.expect_breach("src/meshwright/base/str.h", HEADER + "#include <Python.h>\n", "no Python")

    def test_rejects_files_that_are_too_long(self):
        self.expect_breach("src/meshwright/io/file.cc", SPDX + "\n" * 400, "401 lines, at most 400")
        self.expect_breach("src/meshwright/io/file.h", HEADER + "\n" * 399, "401 lines, at most 400")

    def test_accepts_files_of_the_greatest_length_and_long_generated_ones(self):
        done = self.check({"src/meshwright/io/file.cc": SPDX + "\n" * 399,
                           "src/meshwright/io/file_test.cc": SPDX + "\n" * 699,
                           "src/meshwright/io/table.gen.h": HEADER + "\n" * 5000})
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_rejects_code_without_its_licence_line(self):
        self.expect_breach("src/meshwright/io/file.cc", "int x;\n", "SPDX")
        self.expect_breach("tools/run", "#!/usr/bin/env bash\n", "SPDX")
        self.expect_breach("tests/CMakeLists.txt", "# nothing\n", "SPDX")

    def test_rejects_a_header_without_pragma_once(self):
        self.expect_breach("src/meshwright/io/file.h", SPDX, "#pragma once")

    def test_rejects_paths_of_a_machine(self):
        self.expect_breach("README.md", "see " + "/" + "home/ann/notes\n", ":1:", "path of somebody")

    def test_rejects_cxx_that_is_not_ascii(self):
        self.expect_breach("src/meshwright/io/file.cc", SPDX + "// \u00fcber\n", "ASCII")

    def test_rejects_long_comments(self):
        comment = "  // " + 24 * "word "
        self.expect_breach("src/meshwright/io/file.cc", SPDX + comment + "\n", "125 columns")


if __name__ == "__main__":
    unittest.main()
