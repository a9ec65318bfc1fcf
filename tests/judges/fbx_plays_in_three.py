#!/usr/bin/env python3
"""Clips of FBX files, exported one file each, play in three.js as Ulna evaluates the FBX file.

Every FBX file of the corpus with meshes and clips is exported by `ulna export --each`. three.js
plays each exported file at several times. Its vertices in the scene are compared with those of
`ulna eval` of the FBX file. Left out and counted are what three.js does not play: influences beyond
four per vertex, and weights of morph targets of a mesh whose node is a joint itself.

ULNA=path another binary, ULNA_SEED=n other times, JUDGES_SMALL=1 a few files, ULNA_THREE=the folder
of three.js, which is otherwise installed by npm into ULNA_ORACLE_CACHE.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

HOME = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, (os.environ.get("ULNA_SHARED") or HOME + "/../shared") + "/judges")
import numpy as np  # noqa: E402
from common import SMALL, files, finish, need, run  # noqa: E402
from gltf_read import Gltf  # noqa: E402

SEED = int(os.environ.get("ULNA_SEED", "56"))
TIMES = 3 if SMALL else 5
# Fraction of the diagonal of the bounding box.
FARTHEST = 1e-4
THREE = "three@0.187.0"


def three():
    """The folder of three.js."""
    if found := os.environ.get("ULNA_THREE"):
        return found
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = os.path.join(os.environ.get("ULNA_ORACLE_CACHE") or cache + "/ulna-oracles", "three")
    folder = os.path.join(cache, "node_modules", "three")
    if not os.path.exists(folder):
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", cache, THREE]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError):
            print("skipped: three.js cannot be installed")
            sys.exit(0)
    return folder


def more_than_four(g, mesh, primitive):
    """Vertices that have weights in a second set."""
    a = g.list("meshes")[mesh]["primitives"][primitive]["attributes"]
    count = g.list("accessors")[a["POSITION"]]["count"]
    more = np.zeros(count, bool)
    for name in a:
        if name.startswith("WEIGHTS_") and name != "WEIGHTS_0":
            more |= np.abs(np.array(g.accessor(a[name]))).sum(1) > 0
    return more


def plays_no_weights(g, node):
    """Whether three.js makes a bone of the node of a mesh with morph targets."""
    is_joint = any(node in s["joints"] for s in g.list("skins"))
    mesh = g.list("meshes")[g.list("nodes")[node]["mesh"]]
    return is_joint and any("targets" in p for p in mesh["primitives"])


def clips(source, folder, r):
    """Exported files, with clip and times."""
    status, out, err, _ = run("info", "--json", source)
    if status != 0:
        return []
    about = json.loads(out)
    if not about["vertices"] or not about.get("clips"):
        return []
    found = []
    for k, clip in enumerate(about["clips"]):
        to = os.path.join(folder, str(k))
        status, out, err, _ = run(
            "export", source, "--each", "--clips", f"#{k}", "-o", to, "--json"
        )
        assert status == 0, f"{source}: {out}{err}"
        seconds = clip["length"]
        times = [0.0, seconds, *(r.uniform(0, seconds) for _ in range(TIMES - 2))]
        found += [(source, k, path, times) for path in json.loads(out)["written"]]
    return found


need()
folder_of_three = three()
r = random.Random(SEED)
sources = sorted(files(".fbx"), key=os.path.basename)
if SMALL:
    names = ("cube", "sausage", "skin", "huesitos", "blend")
    sources = [s for s in sources if any(n in s for n in names) and "binary" in s]
good = total = left_out = vertices = 0
worst, worst_of, misses = 0.0, "", []
with tempfile.TemporaryDirectory() as folder:
    jobs = []
    for i, source in enumerate(sources):
        jobs += clips(source, os.path.join(folder, str(i)), r)
    if not jobs:
        print("no FBX files with meshes and clips in the corpora")
        sys.exit(1)
    played = subprocess.run(
        ["node", os.path.join(os.path.dirname(os.path.realpath(__file__)), "play_in_three.mjs")],
        input=json.dumps([{"file": p, "clip": 0, "times": t} for _, _, p, t in jobs]),
        env={**os.environ, "ULNA_THREE": folder_of_three},
        capture_output=True,
        text=True,
        timeout=550,
    )
    lines = played.stdout.splitlines()
    assert len(lines) == len(jobs), played.stderr[-1000:]
    for (source, k, path, times), line in zip(jobs, lines, strict=True):
        g = Gltf(path)
        many = {}
        for time, pose in zip(times, json.loads(line)["poses"], strict=True):
            total += 1
            what = f"{os.path.basename(source)}, clip {k}, {time:.4f} s"
            status, out, err, _ = run("eval", source, "--clip", k, "--time", repr(time))
            if status != 0:
                misses.append(f"{what}: {err.strip()}")
                continue
            own = {(m["node"], m["primitive"]): m["positions"] for m in json.loads(out)["meshes"]}
            other = {(m["node"], m["primitive"]): m for m in pose}
            if own.keys() != other.keys():
                misses.append(f"{what}: meshes {sorted(own)}, in three.js {sorted(other)}")
                continue
            points = np.vstack([np.array(p).reshape(-1, 3) for p in own.values()])
            size = np.linalg.norm(points.max(0) - points.min(0)) or 1.0
            off = 0.0
            for at, m in other.items():
                part = m["mesh"], m["primitive"]
                if part not in many:
                    many[part] = more_than_four(g, *part)
                apart = np.linalg.norm(np.array(own[at]) - np.array(m["positions"]), axis=1)
                vertices += len(apart)
                if plays_no_weights(g, m["node"]):
                    left_out += len(apart)
                    continue
                left_out += many[part].sum()
                if not many[part].all():
                    off = max(off, apart[~many[part]].max() / size)
            if not off <= FARTHEST:
                misses.append(f"{what}: off by {off:.2e} of the size")
            else:
                good += 1
            if not off <= worst:
                worst, worst_of = off, what
print(f"{len(jobs)} clips, {vertices} vertices compared but {left_out} that three.js cannot play")
print(f"at most {worst:.2e} of the size ({worst_of})")
finish(good, total, "poses of FBX clips are the same in three.js", least=100, misses=misses)
