# SPDX-License-Identifier: Apache-2.0
"""The text files of the repository, for the check_* tools."""

import subprocess


class Tree:
    """The files under version control, or, outside of git, all of them."""

    def __init__(self, root):
        self.root = root
        self.breaches = []
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, text=True, check=False)
        if listed.returncode == 0 and (root / ".git").exists():
            names = [name for name in listed.stdout.split("\0") if name]
        else:
            names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        self.files = {}
        for name in sorted(names):
            try:
                self.files[name] = (root / name).read_text().splitlines()
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue  # data, or deleted and not yet committed

    def breach(self, name, line, rule):
        self.breaches.append(f"{name}:{line}: {rule}")
