#!/usr/bin/env python3
"""Judges saved files with the independent oracles of the shared test material: the Khronos validator and a semantic
round-trip comparison. Needs ../shared, Python with numpy, and Node.js; says so when they are missing.

usage: run.py ULNA [FOLDER]    (ULNA: the built program)

For every model with a joint or a node: rotates one joint and compares (nothing else may differ), then poses, keys, makes a
clip, saves, and asks the validator whether there is an error that the opened file did not have.
"""
import collections, json, os, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
shared = os.path.join(here, "..", "..", "..", "shared")
ulna = sys.argv[1]
folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(shared, "corpus")
if not os.path.isdir(folder):
    print("skipped: the shared test material is not there")
    sys.exit(0)
sys.path.insert(0, os.path.join(shared, "oracle"))


def errors(path):
    script = os.path.join(shared, "oracle", "validate.sh")
    out = subprocess.run([script, "--codes", path], capture_output=True, text=True)
    head = out.stdout.split()
    if len(head) < 3 or not head[0].isdigit():
        raise SystemExit("the validator does not run: " + out.stdout + out.stderr)
    return int(head[0]), out.stdout


def run(lines, source, target):
    script = "\n".join(json.dumps(line) for line in lines)
    return subprocess.run([ulna, "run", "-", source, "-o", target], input=script, capture_output=True, text=True)


failed, cases = 0, 0
extensions = collections.Counter()
for d, _, names in sorted(os.walk(folder)):
    if os.sep + "bad" in d:
        continue
    for name in sorted(names):
        if not name.lower().endswith((".glb", ".gltf", ".vrm")):
            continue
        source = os.path.join(d, name)
        info = json.loads(subprocess.run([ulna, "info", "--json", source], capture_output=True, text=True).stdout)
        evaluated = json.loads(subprocess.run([ulna, "eval", source, "--clip", "none"], capture_output=True, text=True).stdout)
        if not evaluated["nodes"]:
            continue
        cases += 1
        extensions.update(info["extensions"])
        skins = [s for s in evaluated["skins"] if s]
        # A joint in the middle of the first skin, which has its rest from the bind pose.
        import gltf_read
        doc = gltf_read.Gltf(source).json
        joint = doc["skins"][0]["joints"][len(doc["skins"][0]["joints"]) // 2] if doc.get("skins") else 0
        node = "#%d" % joint
        with tempfile.TemporaryDirectory() as tmp:
            target = os.path.join(tmp, name)
            r = run([{"do": "pose.rotate", "node": node, "axis": "z", "degrees": 30}], source, target)
            if r.returncode:
                print("FAILED", source, r.stderr)
                failed += 1
                continue
            diff = subprocess.run(
                [sys.executable, os.path.join(shared, "oracle", "roundtrip_diff.py"), source, target, "--same-order",
                 "--allow", "transform-changed nodes[%d]*" % joint, "--allow", "unreadable *",
                 # Joints whose rest no skin carries: roots, and skins without (readable) inverse bind matrices.
                 *(["--allow", "json-added nodes[%d].extras*" % joint] if name in ("no-ibm.glb", "quad_skin.glb", "Animation_Skin_04.gltf") else [])],
                capture_output=True, text=True)
            if diff.returncode:
                print("DIFFERS", source, diff.stdout[:600], diff.stderr[-300:])
                failed += 1
            lines = [
                {"do": "pose.rotate", "node": node, "axis": "y", "degrees": -20, "space": "world"},
                {"do": "pose.move", "node": node, "by": [0.01, 0, 0]},
                {"do": "clip.new", "name": "Judged"},
                {"do": "key.set", "clip": "Judged", "time": 0, "node": node, "parts": ["rotation", "translation", "scale"]},
                {"do": "key.set", "clip": "Judged", "time": 1, "node": node, "degrees": [10, 20, 30]},
            ]
            if info["clips"]:
                lines.append({"do": "key.set", "clip": "#0", "time": 0.777, "node": node})
                lines.append({"do": "key.delete", "clip": "#0", "time": 0, "node": node})
            r = run(lines, source, target)
            if "packed in a way" in r.stderr or "animation pointer" in r.stderr:
                continue  # Edits that would touch damaged packed data or pointers are refused.
            if r.returncode:
                print("FAILED", source, r.stderr)
                failed += 1
                continue
            (before, _), (after, text) = errors(source), errors(target)
            if after > before:
                print("WORSE", source, before, after, text[:400])
                failed += 1
print(cases, "files judged,", failed, "failed; with", len(extensions), "extensions:", ", ".join(sorted(extensions)))
sys.exit(1 if failed or cases < 100 else 0)
