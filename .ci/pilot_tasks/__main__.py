"""Runs all tasks in two parallel lanes, and then compares positions in the saved files."""

import multiprocessing
import multiprocessing.connection
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import places
import tasks
from lane import Failed, Lane, complain, say
from place import CORPUS, TOOLS, Place

# Total number of scripts of all tasks.
SCRIPTS = 48


def build():
    """Builds the program that plays scripts."""
    manifest = TOOLS / "Cargo.toml"
    command = ["cargo", "build", "--quiet", "--manifest-path", manifest]
    subprocess.run([*command, "--target-dir", "target/pilot"], check=True)


def told(work):
    """Calls a function. Returns whether it succeeds, and prints the reason if it fails."""
    try:
        work()
    except Failed as failed:
        if failed.args[0]:
            say(failed.args[0])
        return False
    except subprocess.CalledProcessError as error:
        words = " ".join(map(str, error.cmd))
        complain(f"{words} ended with {error.returncode}")
        return False
    return True


def end_on_request(*_):
    sys.exit(1)


def run_lane(number, place):
    """Runs the tasks of a lane one after the other. Each lane is a process."""
    signal.signal(signal.SIGTERM, end_on_request)

    def work():
        with Lane(number, place) as lane:
            for task in tasks.LANES[number]:
                task(lane, place)

    sys.exit(0 if told(work) else 1)


def run_lanes(place):
    """Runs all lanes in parallel. If one fails, the others are stopped."""
    context = multiprocessing.get_context("fork")
    lanes = [context.Process(target=run_lane, args=(k, place)) for k in range(len(tasks.LANES))]
    for lane in lanes:
        lane.start()
    try:
        left = list(lanes)
        while left:
            ended = multiprocessing.connection.wait([lane.sentinel for lane in left])
            done = [lane for lane in left if lane.sentinel in ended]
            for lane in done:
                # The exit code is known only after the join.
                lane.join()
            if any(lane.exitcode for lane in done):
                return False
            left = [lane for lane in left if lane.sentinel not in ended]
        return True
    finally:
        for lane in lanes:
            lane.terminate()
        for lane in lanes:
            lane.join()


def compare_places(place):
    def work():
        for check in places.CHECKS:
            check(place)

    try:
        work()
    except Failed as failed:
        complain(failed.args[0])
        raise Failed("a task failed") from failed


def main():
    if not (TOOLS.is_dir() and CORPUS.is_dir()):
        say(f"skipped: {TOOLS} or {CORPUS} does not exist")
        return 0
    build()
    signal.signal(signal.SIGTERM, end_on_request)
    with tempfile.TemporaryDirectory() as home:
        place = Place(Path(home))
        if not run_lanes(place) or not told(lambda: compare_places(place)):
            return 1
        ran = len((place.home / "ran").read_text(encoding="utf-8").splitlines())
        if ran != SCRIPTS:
            say(f"{ran} scripts of {SCRIPTS}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
