"""Paths of the test files, and verbs of the command line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

TOOLS = Path("../shared/tools/pilot")
CORPUS = Path("../shared/corpus/characters")


class Place:
    """Folders, and verbs of the command line. The working folder is the root of the repository."""

    def __init__(self, home):
        root = Path.cwd()
        self.home = home
        self.corpus = CORPUS
        self.pilot = root / "target/pilot/debug/pilot"
        self.judges = root / "tests/judges"
        self.tasks = root / "tests/tasks"
        self.data = root / "tests/data"
        self.ulna = os.environ.get("ULNA") or str(root / "target/debug/ulna")

    def saved(self, name, folder=None, backend="vulkan"):
        """Returns the path of a file in the folder of a task: its saved model, or another file."""
        return self.home / f"{backend}-{folder or name}" / name

    def verb(self, *arguments):
        """Returns the output of a verb."""
        command = [self.ulna, *map(str, arguments)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout

    def succeeds(self, *arguments, quietly=False):
        """Returns whether a verb succeeds. Hides its output, and with `quietly` also its errors."""
        command = [self.ulna, *map(str, arguments)]
        errors = subprocess.DEVNULL if quietly else None
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=errors, check=False)
        return done.returncode == 0

    def info(self, file):
        return self.verb("info", file, "--json")

    def pose(self, file, clip, time, but=()):
        """Returns the pose of a clip as JSON text, without the numeric members in `but`."""
        text = self.verb("eval", file, "--clip", clip, "--time", time).rstrip("\n")
        for member in but:
            text = re.sub(rf'"{member}":[0-9.]*,', "", text, count=1)
        return text

    def nodes(self, file, clip, time):
        """Returns the names of all nodes with the rows of their world matrices."""
        nodes = json.loads(self.pose(file, clip, time))["nodes"]
        return [(node["name"], node["world_rows"]) for node in nodes]

    def key_count(self, file, clip):
        """Returns the number of keys of a clip."""
        found = re.search(rf'"name":"{re.escape(clip)}"[^}}]*"keys":([0-9]+)', self.info(file))
        return int(found[1]) if found else 0

    def script(self, name, *commands):
        """Writes a script of commands, and returns its path."""
        path = self.home / name
        path.write_text("".join(json.dumps(c) + "\n" for c in commands), encoding="utf-8")
        return path

    def without_clips(self, file, count, name):
        """Makes a copy of a file without its first `count` clips."""
        script = self.script(
            f"{name}.jsonl", *({"do": "clip.delete", "clip": f"#{k}"} for k in range(count))
        )
        made = self.home / f"{name}.glb"
        self.verb("run", script, file, "-o", made)
        return made

    def python(self, script, *arguments, shown=False):
        """Returns the output of a script in tests/data, or shows it if `shown` is true."""
        command = [sys.executable, str(self.data / script), *map(str, arguments)]
        pipe = None if shown else subprocess.PIPE
        return subprocess.run(command, stdout=pipe, check=True, text=True).stdout
