"""Tasks on curves: what is in their saved files."""

import json
import math

from lane import check


def joint(place, file, clip, time, name):
    """A node of a clip at a time: its translation, rotation and scale."""
    nodes = json.loads(place.pose(file, clip, str(time)))["nodes"]
    return next(node for node in nodes if node["name"] == name)


def bounce(s):
    """How far a bounce has come, as easings.net has it."""
    # The end of each arc, its middle, and how high that is, times 2.75.
    arcs = ((1, 0, 0), (2, 1.5, 0.75), (2.5, 2.25, 0.9375), (2.75, 2.625, 0.984375))
    _, middle, height = next((arc for arc in arcs if s * 2.75 < arc[0]), arcs[-1])
    return 7.5625 * (s - middle / 2.75) ** 2 + height


def turn(a, b):
    """Degrees from one rotation to another."""
    dot = abs(sum(x * y for x, y in zip(a, b, strict=True)))
    return math.degrees(2 * math.acos(min(1.0, dot)))


def ease_task(lane, place):
    """A ball falls 2 m and bounces: two keys, and those that the ease adds."""
    cube = place.corpus / "../morph/AnimatedMorphCube/AnimatedMorphCube.glb"
    lane.run(cube, "ease.glb", place.tasks / "ease.pilot")
    ball = place.saved("ease.glb")
    for step in range(25):
        height = joint(place, ball, "Bounce", step / 30, "AnimatedMorphCube")["translation"][1]
        wanted = 2 * (1 - bounce(step / 24))
        check(abs(height - wanted) < 0.021, f"ease.glb is at {height}, not {wanted}, in {step}")


def head_task(lane, place):
    """A head turns from two keys, and goes beyond the second one before it comes to rest there."""
    sintel = place.corpus / "Sintel/human-sintel.glb"
    lane.run(sintel, "head.glb", place.tasks / "head.pilot")
    turned = place.saved("head.glb")
    steps = [joint(place, turned, "#0", k / 30, "head")["rotation"] for k in range(13)]
    whole = turn(steps[0], steps[-1])
    most = max(turn(steps[0], step) for step in steps)
    check(54 < whole < 56, f"the head turns by {whole}°")
    check(1.05 < most / whole < 1.2, f"the head goes {most / whole} of its way")


def limp_task(lane, place):
    """The hips of a limp: down fast, up slowly, eased at each key."""
    sintel = place.corpus / "Sintel/human-sintel.glb"
    lane.run(sintel, "limp.glb", place.tasks / "limp.pilot")
    limp = place.saved("limp.glb")
    heights = [joint(place, limp, "#0", k / 30, "pelvis")["translation"] for k in range(25)]
    rest = heights[0]
    down = [math.dist(rest, height) for height in heights]
    check(abs(down[8] - 0.06) < 6e-4, f"the hips are {down[8]} m down")
    for k in range(9):
        wanted = 0.06 * (1 - math.cos(math.pi * k / 8)) / 2
        check(abs(down[k] - wanted) < 0.0012, f"the hips are {down[k]} m down in {k}")
    for k in range(8, 25):
        wanted = 0.06 * (1 + math.cos(math.pi * (k - 8) / 16)) / 2
        check(abs(down[k] - wanted) < 0.0012, f"the hips are {down[k]} m down in {k}")


def smooth_task(lane, place):
    """A baked walk: an arm smoothed by a low-pass, and simplified."""
    man = place.corpus / "CesiumMan/CesiumMan.glb"
    lane.run(man, "smooth.glb", place.tasks / "smooth.pilot")
    smooth, arm = place.saved("smooth.glb"), "Skeleton_arm_joint_L__4_"
    few, many = (json.loads(place.info(file))["clips"][0]["keys"] for file in (smooth, man))
    check(few < many - 40, f"{few} of {many} keys are left")
    times = [k / 24 for k in range(4, 45)]
    off = []
    for time in times:
        now, before = (joint(place, file, "#0", time, arm)["rotation"] for file in (smooth, man))
        off.append(turn(now, before))
    check(max(off) < 4, f"the arm is {max(off)}° off")


def handles_task(lane, place):
    """The limp's hips again: a handle dragged, the keys scaled in their box, and smoothed."""
    limp = place.saved("limp.glb")
    lane.run(limp, "handles.glb", place.tasks / "handles.pilot")
    made = place.saved("handles.glb")
    for k in range(25):
        before, after = (
            joint(place, file, "#0", k / 30, "pelvis")["translation"] for file in (limp, made)
        )
        check(before[:2] == after[:2], f"another component is {after} in {k}, not {before}")
    heights = [joint(place, made, "#0", k / 120, "pelvis")["translation"][2] for k in range(97)]
    check(0.89 < heights[0] < 0.913, f"the highest key is at {heights[0]}")
    slope = (heights[33] - heights[31]) * 60
    check(slope > 0.02, f"the slope at the lowest key is {slope} m/s")
