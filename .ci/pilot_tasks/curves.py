"""Checks of the files that the tasks on curves save."""

import json
import math

from lane import check


def joint(place, file, clip, time, name):
    """Returns a node of a clip at a time, with its translation, rotation and scale."""
    nodes = json.loads(place.pose(file, clip, str(time)))["nodes"]
    return next(node for node in nodes if node["name"] == name)


def bounce(s):
    """Returns the progress of a bounce, with the formula of easings.net."""
    # End of each arc, its middle, and its height at the middle, all times 2.75.
    arcs = ((1, 0, 0), (2, 1.5, 0.75), (2.5, 2.25, 0.9375), (2.75, 2.625, 0.984375))
    _, middle, height = next((arc for arc in arcs if s * 2.75 < arc[0]), arcs[-1])
    return 7.5625 * (s - middle / 2.75) ** 2 + height


def turn(a, b):
    """Returns the angle between two rotations, in degrees."""
    dot = abs(sum(x * y for x, y in zip(a, b, strict=True)))
    return math.degrees(2 * math.acos(min(1.0, dot)))


def ease_task(lane, place):
    """A ball falls 2 m and bounces. It has two keys, and the keys that the ease adds."""
    cube = place.corpus / "../morph/AnimatedMorphCube/AnimatedMorphCube.glb"
    lane.run(cube, "ease.glb", place.tasks / "ease.pilot")
    ball = place.saved("ease.glb")
    for step in range(25):
        height = joint(place, ball, "Bounce", step / 30, "AnimatedMorphCube")["translation"][1]
        wanted = 2 * (1 - bounce(step / 24))
        check(abs(height - wanted) < 0.021, f"ease.glb is at {height}, not {wanted}, in {step}")


def head_task(lane, place):
    """A head turn with two keys overshoots the second key before it stops there."""
    sintel = place.corpus / "Sintel/human-sintel.glb"
    lane.run(sintel, "head.glb", place.tasks / "head.pilot")
    turned = place.saved("head.glb")
    steps = [joint(place, turned, "#0", k / 30, "head")["rotation"] for k in range(13)]
    whole = turn(steps[0], steps[-1])
    most = max(turn(steps[0], step) for step in steps)
    check(54 < whole < 56, f"the head turns by {whole}°")
    check(1.05 < most / whole < 1.2, f"the head turns by {most / whole} of the angle")


def limp_task(lane, place):
    """The hips of a limp move down fast and up slowly, eased at each key."""
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
    """The arm of a baked walk is smoothed by a low-pass filter, and simplified."""
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
    """In the limp, a handle is dragged, and keys are scaled in a box and smoothed."""
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
