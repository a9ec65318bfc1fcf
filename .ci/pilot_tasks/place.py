"""Where everything is, and the program without a window."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

TOOLS = Path("../shared/tools/pilot")
CORPUS = Path("../shared/corpus/characters")


class Place:
    """Folders, and verbs of the program; the working folder is the repository's root."""

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
        """A file in the folder of a task's copy: the copy itself, or another one."""
        return self.home / f"{backend}-{folder or name}" / name

    def verb(self, *arguments):
        """What a verb prints."""
        command = [self.ulna, *map(str, arguments)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout

    def succeeds(self, *arguments, quietly=False):
        """Whether a verb succeeds; what it prints is not shown, quietly not even on failure."""
        command = [self.ulna, *map(str, arguments)]
        errors = subprocess.DEVNULL if quietly else None
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=errors, check=False)
        return done.returncode == 0

    def info(self, file):
        return self.verb("info", file, "--json")

    def pose(self, file, clip, time, but=()):
        """The pose of a clip as text, without some of its members that are numbers."""
        text = self.verb("eval", file, "--clip", clip, "--time", time).rstrip("\n")
        for member in but:
            text = re.sub(rf'"{member}":[0-9.]*,', "", text, count=1)
        return text

    def nodes(self, file, clip, time):
        """Names of nodes with their world matrices, row by row."""
        nodes = json.loads(self.pose(file, clip, time))["nodes"]
        return [(node["name"], node["world_rows"]) for node in nodes]

    def key_count(self, file, clip):
        """Keys of a clip."""
        found = re.search(rf'"name":"{re.escape(clip)}"[^}}]*"keys":([0-9]+)', self.info(file))
        return int(found[1]) if found else 0

    def script(self, name, *commands):
        """Writes a script of commands."""
        path = self.home / name
        path.write_text("".join(json.dumps(c) + "\n" for c in commands), encoding="utf-8")
        return path

    def without_clips(self, file, count, name):
        """A copy of a file without its first clips."""
        script = self.script(
            f"{name}.jsonl", *({"do": "clip.delete", "clip": f"#{k}"} for k in range(count))
        )
        made = self.home / f"{name}.glb"
        self.verb("run", script, file, "-o", made)
        return made

    def python(self, script, *arguments, shown=False):
        """What a script of tests/data prints; shown, too, or not."""
        command = [sys.executable, str(self.data / script), *map(str, arguments)]
        pipe = None if shown else subprocess.PIPE
        return subprocess.run(command, stdout=pipe, check=True, text=True).stdout
