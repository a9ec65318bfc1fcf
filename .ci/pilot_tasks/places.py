"""Compares positions of nodes before and after the tasks.

The position of a node is a list of twelve numbers: its world position in meters, and the nine
numbers of its rotation and scale in the world matrix.
"""

import json
import struct

from lane import check


def places(place, file, clip, time):
    """Returns the names of all nodes with their positions."""
    return [
        (name, [row[3] for row in rows[:3]] + [v for row in rows[:3] for v in row[:3]])
        for name, rows in place.nodes(file, clip, time)
    ]


def farthest(a, b):
    """Returns the largest difference between two lists of numbers."""
    return max(abs(p - q) for p, q in zip(a, b, strict=True))


def kept_mix(file):
    """Returns the mix that a file stores."""
    raw = file.read_bytes()
    root = json.loads(raw[20 : 20 + struct.unpack("<I", raw[12:16])[0]])
    extras = (scene.get("extras", {}) for scene in root["scenes"])
    kept = next(e["ulna.mix"] for e in extras if "ulna.mix" in e)
    return kept.get("mix", {k: v for k, v in kept.items() if k != "version"})


def check_mix(place):
    """Checks that the baked clip plays like the stored mix."""
    mixer, mix = place.saved("mixer.glb"), place.home / "mix.json"
    mix.write_text(json.dumps(kept_mix(mixer)), encoding="utf-8")
    for at in ("0.3", "1.05", "1.6", "2.4"):
        mixed = json.loads(place.verb("eval", mixer, "--mix", mix, "--time", at))["nodes"]
        mixed = [[row[3] for row in node["world_rows"][:3]] for node in mixed]
        baked = [there[:3] for _, there in places(place, mixer, "Mix", at)]
        off = max(farthest(p, q) for p, q in zip(baked, mixed, strict=True))
        check(off < 0.01, f"the baked clip is {off} m off at {at} s")


def check_steps(place):
    """Checks a foot that was moved with the pelvis lowered, and then the flipped pose."""
    files = (
        place.corpus / "Sintel/human-sintel.glb",
        place.saved("step.glb"),
        place.saved("flip.glb"),
    )
    rest, step, flip = (dict(places(place, file, "none", "0")) for file in files)
    for joint, by in {
        "foot_l": (0, 0.25, 0.3),
        "foot_r": (0, 0, 0),
        "pelvis": (0, -0.1, 0),
    }.items():
        off = max(abs(step[joint][k] - rest[joint][k] - by[k]) for k in range(3))
        turned = farthest(step[joint][3:], rest[joint][3:])
        check(off < 1e-3 and turned < 0.017, f"{joint}: {off} m, {turned}")
    sides = (("foot_l", "foot_r"), ("calf_l", "calf_r"), ("hand_l", "hand_r"), ("foot_r", "foot_l"))
    for a, b in sides:
        x, y, z = step[a][:3]
        off = farthest((-x, y, z), flip[b][:3])
        check(off < 0.018, f"{b} is {off} m from the mirror image of {a}")


def sizes(at):
    """Returns the scale along each axis."""
    return [sum(at[3 + 3 * r + c] ** 2 for r in range(3)) ** 0.5 for c in range(3)]


def check_gizmos(place):
    """Checks a joint that moved along an axis, one that rotated, and one that was scaled."""
    files = (place.corpus / "Hands/RightHand.glb", place.saved("gizmos.glb"))
    lay, hand = (dict(places(place, file, "none", "0")) for file in files)
    ring = zip(lay["Ring.Proximal"][:3], hand["Ring.Proximal"][:3], strict=True)
    way = [b - a for a, b in ring]
    is_along = abs(way[0]) > 1e-3 and max(abs(way[1]), abs(way[2])) < 1e-6
    check(is_along, f"the ring finger moved by {way}")
    for joint, changed in {"Index.Proximal": [], "Middle.Proximal": [0]}.items():
        before, after = lay[joint], hand[joint]
        still = farthest(before[:3], after[:3])
        turned = max(
            abs(a / sizes(before)[k % 3] - b / sizes(after)[k % 3])
            for k, (a, b) in enumerate(zip(before[3:], after[3:], strict=True))
        )
        pairs = enumerate(zip(sizes(before), sizes(after), strict=True))
        grown = [k for k, (a, b) in pairs if abs(a / b - 1) > 1e-3]
        is_so = still < 1e-6 and grown == changed and (turned > 0.02) == (not changed)
        check(is_so, f"{joint}: {still}, {turned}, {grown}")


def check_walk(place):
    """Checks that the retimed walk is a closed loop and moves."""
    walk = place.saved("retime.glb")
    begin, middle, end = (
        dict(places(place, walk, "Walking_A", at)) for at in ("0", "0.4", "0.8533334")
    )

    def gap(a, b):
        return max(farthest(a[joint], b[joint]) for joint in a)

    is_closed = gap(begin, end) < 1e-5 and gap(begin, middle) > 0.01
    check(is_closed, f"the walk does not end as it begins: {gap(begin, end)}")


def check_slide(place):
    """Checks that the foot does not move while it is on the ground."""
    file = place.saved("slide.glb")
    foot = [
        at[:3]
        for k in range(31)
        for name, at in places(place, file, "Walk", str(k / 30))
        if name == "Front_Leg_Foot_L"
    ]
    stands = max((sum(farthest(p, q) < 2e-3 for q in foot) for p in foot), default=0)
    check(len(foot) == 31 and stands >= 12, f"the foot stands in {stands} of {len(foot)} frames")


CHECKS = [check_mix, check_steps, check_gizmos, check_walk, check_slide]
