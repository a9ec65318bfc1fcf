#!/usr/bin/env python3
"""Measures the saved files of tests/tasks/other: other_tasks.py ULNA CORPUS HOME. One line per task; status 1 if one misses its end state.

HOME/vulkan-other-NAME.glb/other-NAME.glb is the saved file of task NAME.
"""
import json, math, pathlib, subprocess, sys

ulna, corpus, home = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
skin = pathlib.Path(__file__).with_name("skin.py")
missed = []


def said(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True).stdout


def saved(name):
    return home / f"vulkan-other-{name}.glb" / f"other-{name}.glb"


def posed(file, clip="none", time=0.0):
    return json.loads(said(ulna, "eval", file, "--clip", clip, "--time", time))


def rows(file, clip="none", time=0.0):
    """World matrices by node name: the upper three rows."""
    return {n["name"]: n["world_rows"][:3] for n in posed(file, clip, time)["nodes"]}


def at(matrix):
    return [row[3] for row in matrix]


def apart(a, b):
    return math.dist(at(a), at(b))


def turned(a, b):
    """Angle between two rotations, degrees; scales are uniform."""
    def axes(m):
        return [[m[r][c] / math.hypot(*(m[k][c] for k in range(3))) for c in range(3)] for r in range(3)]
    a, b = axes(a), axes(b)
    trace = sum(a[r][c] * b[r][c] for r in range(3) for c in range(3))
    return math.degrees(math.acos(max(-1.0, min(1.0, (trace - 1) / 2))))


def gap(a, b):
    return max(abs(p - q) for n in a for x, y in zip(a[n], b[n]) for p, q in zip(x, y))


def clip_of(file, name=None):
    return next(c for c in json.loads(said(ulna, "info", file, "--json"))["clips"] if name in (None, c["name"]))


def report(name, text, holds):
    print(f"{name}: {text}")
    if not holds:
        missed.append(name)


def wave():
    file, (upper, lower) = saved("wave"), (f"Skeleton_arm_joint_L__{k}_" for k in (4, 3))
    rest, frames = rows(file), [rows(file, "Wave", k / 30) for k in range(0, 46, 5)]
    raised = turned(rest[upper], frames[0][upper])
    low = rows(file, "Wave", 8 / 30)
    swing = turned(frames[0][lower], low[lower])
    length, closed = clip_of(file, "Wave")["length"], gap(frames[0], frames[-1])
    text = f"{length} s, upper arm turned by {raised:.2f}°, forearm by {swing:.2f}° from end to end, first and last pose {closed:.1e} apart"
    report("wave", text, length == 1.5 and abs(raised - 110) < 0.1 and abs(swing - 60) < 0.1 and closed < 1e-6)


def step():
    before, after = rows(corpus / "Panda/fox-panda.glb"), rows(saved("step"))
    goals = {"Back_Leg_Foot_L": (0, 0.25, 0.3), "Hips": (0, -0.1, 0)}
    goals |= {n: (0, 0, 0) for n in ("Back_Leg_Foot_R", "Front_Leg_Foot_L", "Front_Leg_Foot_R")}
    off = max(math.dist(at(after[n]), [p + d for p, d in zip(at(before[n]), by)]) for n, by in goals.items())
    tilt = max(turned(before[n], after[n]) for n in goals)
    report("step", f"hips and feet within {off * 1000:.3f} mm and {tilt:.3f}° of their goals", off < 1e-3 and tilt < 1)


def flip():
    before, after = rows(saved("step")), rows(saved("flip"))
    side = {"_L": "_R", "_R": "_L"}
    off = max(math.dist([-at(m)[0], *at(m)[1:]], at(after[n[:-2] + side.get(n[-2:], n[-2:])])) for n, m in before.items())
    size = max(max(at(m)[k] for m in before.values()) - min(at(m)[k] for m in before.values()) for k in range(3))
    report("flip", f"joints within {off / size:.2e} of the size of the mirror image", off < 0.01 * size)


def retime():
    file, source = saved("retime"), corpus / "Fox/Fox.glb"
    new, old = clip_of(file, "Walk"), clip_of(source, "Walk")
    part, first, last = new["length"] / old["length"], rows(file, "Walk", 0), rows(file, "Walk", new["length"])
    before, closed = rows(file, "Walk", new["length"] - 0.8 / 24), gap(first, last)
    text = f"{part:.4f} of the time, {new['keys']} of {old['keys']} keys, first and last pose {closed:.1e} apart, the frame before {gap(before, last):.1f}"
    report("retime", text, abs(part - 0.8) < 1e-3 and closed < 1e-5 and gap(before, last) > 0.1)


def nod():
    file, source = saved("nod"), corpus / "Fox49/fox-animations.glb"
    differs = [d for d in said(ulna, "diff", "--exit-zero", source, file).splitlines() if d.startswith("clip") and "frame rate" not in d]
    down, up = rows(source, "Idle", 0.7), rows(file, "Idle", 0.7)
    angle, sinks = turned(down["Head"], up["Head"]), at(up["Head.tip"])[1] < at(down["Head.tip"])[1]
    outside = max(gap(rows(source, "Idle", t), rows(file, "Idle", t)) for t in (0.25, 0.5, 0.9, 1.2))
    text = f"head down by {angle:.3f}° at 0.7 s, {outside:.1e} outside 0.5 to 0.9 s, {len(differs)} track differs"
    report("nod", text, abs(angle - 15) < 0.01 and sinks and outside == 0 and len(differs) == 1)


def editable():
    file, source, hips = saved("editable"), corpus / "CesiumMan/CesiumMan.glb", "Skeleton_torso_joint_1"
    part = clip_of(file)["keys"] / clip_of(source)["keys"]
    bobs, off = ([], []), 0.0
    for frame in range(1, 49, 4):
        a, b = (posed(f, "#0", frame / 24) for f in (source, file))
        heads = [at(next(n for n in p["nodes"] if n["name"] == hips)["world_rows"][:3]) for p in (a, b)]
        # Both relative to the hips, whose travel was changed on purpose.
        for head, bob in zip(heads, bobs):
            bob.append(head[1])
        shift = [p - q for p, q in zip(*heads)]
        for p, q in zip(a["meshes"][0]["positions"], b["meshes"][0]["positions"]):
            off = max(off, math.dist(p, [v + s for v, s in zip(q, shift)]))
    bob = (max(bobs[1]) - min(bobs[1])) / (max(bobs[0]) - min(bobs[0]))
    text = f"{part:.3f} of the keys, skin within {off * 1000:.2f} mm of the hips' frame, bob {bob:.3f} as much"
    report("editable", text, part <= 0.2 and off < 2e-3 and abs(bob - 1.5) < 0.02)


def merge():
    file, clips = saved("merge"), sorted((saved("merge").parent / "clips").iterdir())
    off = 0.0
    for own in clips:
        length = clip_of(own)["length"]
        off = max(off, *(gap(rows(own, own.stem, p * length), rows(file, own.stem, p * length)) for p in (0.0, 0.31, 0.64)))
    count = len(json.loads(said(ulna, "info", file, "--json"))["clips"])
    report("merge", f"{count} clips, within {off:.1e} of their own files", count == len(clips) == 10 and off == 0)


def slide():
    file, source = saved("slide"), home / "other-travel.glb"
    frames = [(rows(source, "Walking_A", k / 30), rows(file, "Walking_A", k / 30)) for k in range(33)]
    limb = ("upperleg.l", "lowerleg.l", "foot.l", "toes.l")
    stands = max(sum(apart(b["foot.l"], c["foot.l"]) < 2e-3 for _, c in frames) for _, b in frames)
    slid = max(apart(a["foot.l"], frames[0][0]["foot.l"]) for a, _ in frames[:15])
    held = max(apart(b["foot.l"], frames[0][1]["foot.l"]) for _, b in frames[:15])
    rest = max(gap({n: m for n, m in a.items() if n not in limb}, b) for a, b in frames)
    text = f"foot within {held * 1000:.3f} mm in {stands} frames ({slid * 1000:.0f} mm before), other joints {rest:.1e} apart"
    report("slide", text, stands >= 15 and held < 2e-3 and rest == 0)


def elbow():
    before, after = home / "other-spoiled.glb", saved("elbow")
    strains = []
    for file in (before, after):
        spots = home / "other-spots.json"
        spots.write_text(said(ulna, "worst", "--no-range", "--json", "--count", 10000, file))
        strains.append(float(said(sys.executable, skin, "worst", file, spots, "lowerarm.L", 0.15)))
    far = int(said(sys.executable, skin, "far", before, after, "lowerarm.L", 0.15))
    report("elbow", f"strain {strains[1]:.2f} ({strains[0]:.2f} before), {far} vertices farther off changed", strains[1] <= strains[0] / 2 and far == 0)


def bind():
    file, own = saved("bind"), corpus / "RiggedFigure/RiggedFigure.glb"
    weights = home / "other-weights.json"
    said(ulna, "weights", file, "-o", weights)
    vertices = [v for shape in json.loads(weights.read_text())["shapes"] for v in shape["weights"]]
    off = max(abs(1 - sum(w for _, w in vertex)) for vertex in vertices)
    # Vertices at one place of the rest pose stay together in the clip.
    together, tear = {}, 0.0
    for k, p in enumerate(posed(own)["meshes"][0]["positions"]):
        together.setdefault(tuple(round(v, 5) for v in p), []).append(k)
    for time in (0.0, 0.3, 0.6, 0.9, 1.2):
        points = posed(file, "#0", time)["meshes"][0]["positions"]
        tear = max(tear, *(math.dist(points[group[0]], points[k]) for group in together.values() for k in group))
    joints = json.loads(said(ulna, "info", file, "--json"))["skins"][0]["joints"]
    text = f"{len(vertices)} vertices on {joints} joints, weights sum to 1 within {off:.1e}, coincident vertices {tear:.1e} m apart"
    report("bind", text, len(vertices) == 370 and joints == 19 and off < 1e-5 and tear < 1e-5)


for task in (wave, step, flip, retime, nod, editable, merge, slide, elbow, bind):
    task()
if missed:
    sys.exit(f"missed: {', '.join(missed)}")
