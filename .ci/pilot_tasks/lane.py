"""Runs windows of the program one after the other on a virtual display, driven by scripts."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

SECONDS_OF_A_SCRIPT = 240
SCREEN = "1600x1000x24"


class Failed(Exception):
    """A task failed. The message gives the reason."""


def say(text):
    """Prints a line without buffering, because two lanes share one output."""
    print(text, flush=True)


def complain(text):
    print(text, file=sys.stderr, flush=True)


def check(holds, sentence):
    if not holds:
        raise Failed(sentence)


def stop(process):
    if process and process.poll() is None:
        process.terminate()
        process.wait()


class Lane:
    """A virtual display on which windows run one after the other."""

    def __init__(self, number, place):
        self.place = place
        self.home = place.home
        self.port = 15000 + 5000 * number + random.randrange(4000)
        self.display = 90 + 200 * number + random.randrange(200)
        runtime = self.home / f"run-{self.display}"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.environment = dict(os.environ)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.environment.update(DISPLAY=f":{self.display}", XDG_RUNTIME_DIR=str(runtime))
        self.server = self.window = None

    def __enter__(self):
        with open(self.home / f"xvfb{self.display}.log", "wb") as log:
            # No reset when a window closes, because the next window cannot connect during a reset.
            self.server = subprocess.Popen(
                [
                    "Xvfb",
                    f":{self.display}",
                    "-screen",
                    "0",
                    SCREEN,
                    "-nolisten",
                    "tcp",
                    "-noreset",
                ],
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        socket = Path(f"/tmp/.X11-unix/X{self.display}")
        for _ in range(50):
            if socket.exists():
                break
            time.sleep(0.2)
        return self

    def __exit__(self, *_):
        stop(self.window)
        stop(self.server)

    def run(self, file, copy, script, backend="vulkan", **variables):
        """Opens a copy of a file, and drives the window by a script.

        Returns the folder of the copy, where the script may have saved other files.
        """
        folder = self.home / f"{backend}-{copy}"
        # The previous window may still use its port.
        self.port += 1
        address = f"127.0.0.1:{self.port}"
        (folder / "data").mkdir(parents=True, exist_ok=True)
        # The shared files must not be changed, so the window opens a copy.
        shutil.copyfile(file, folder / copy)
        (folder / copy).chmod(0o644)
        seen, said = folder / "ulna.log", folder / "pilot.log"
        environment = dict(
            self.environment,
            XDG_DATA_HOME=str(folder / "data"),
            EGUI_INSPECTION=address,
            RUST_LOG="warn",
            **variables,
        )
        with open(seen, "wb") as log:
            self.window = subprocess.Popen(
                [self.place.ulna, copy], cwd=folder, env=environment, stdout=log, stderr=log
            )
        if not self.drive(folder, said, address, script) or b"panicked" in seen.read_bytes():
            say(f"{script} failed on {backend}:")
            subprocess.run(["tail", "-n", "20", said, seen], check=False)
            raise Failed(None)
        check(self.window.poll() is None, f"{script}: the window closed unexpectedly on {backend}")
        stop(self.window)
        with open(self.home / "ran", "a", encoding="utf-8") as ran:
            ran.write(f"{script.name}\n")
        say(f"{script.name} passes on {backend}")
        return folder

    def drive(self, folder, said, address, script):
        """Returns whether the script passes within the time limit."""
        with open(said, "wb") as log:
            try:
                done = subprocess.run(
                    [self.place.pilot, "--addr", address, script],
                    cwd=folder,
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                    timeout=SECONDS_OF_A_SCRIPT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return False
        return done.returncode == 0
