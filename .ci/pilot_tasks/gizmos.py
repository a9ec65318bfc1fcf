"""Drags handles of all gizmos, with all axes, on a hand that is rotated, mirrored and small.

The last three drags are saved: a translation, a rotation and a scale, each of another joint.
"""

COMBINED = '"Move, rotate and scale"'
# Each handle is used with two kinds of axes, and each tool with all six.
SPACES = ["Local", "Parent", "World", "View", "Gimbal", "Rest"]
HANDLES = [
    [
        ("Move", ["Move along X", "Move freely"]),
        ("Rotate", ["Rotate about X", "Rotate around the view axis"]),
        ("Scale", ["Scale along X"]),
        (COMBINED, ["Move along Y"]),
    ],
    [
        ("Move", ["Move along Y"]),
        ("Rotate", ["Rotate about Y", "Rotate freely"]),
        ("Scale", ["Scale along Y"]),
        (COMBINED, ["Rotate about X"]),
    ],
    [
        ("Move", ["Move in X and Y"]),
        ("Rotate", ["Rotate about Z"]),
        ("Scale", ["Scale all axes"]),
        (COMBINED, ["Scale along Y"]),
    ],
]
KEPT = [
    ("Ring.Proximal", "World", "Move", "Move along X"),
    ("Index.Proximal", "Rest", "Rotate", "Rotate about Y"),
    ("Middle.Proximal", "Local", "Scale", "Scale along X"),
]


def drag(handle):
    return f'dragname "Handle: {handle}" "Joint display"'


def axes(space):
    """Returns lines that choose the axes of the gizmo in the toolbar."""
    return ['click "Axes: "', "settle", f'click "{space} axes"', "settle"]


def script():
    """Returns the script."""
    lines = ["waitfor Thumb.Distal", "settle", 'click "Pose mode"', "settle"]
    # Turn the view so that no axis points at the camera.
    lines += ['click "Middle.Proximal"', "drag 900 600 1050 640 None 20 middle", "settle"]
    for turn, space in enumerate(SPACES):
        lines += axes(space)
        for tool, handles in HANDLES[turn % len(HANDLES)]:
            lines.append(f"click {tool}")
            for handle in handles:
                lines += ["settle", drag(handle), "settle", 'expect "not saved"']
                lines += ["key Ctrl+Z", "settle", 'expectnot "not saved"']
    for joint, space, tool, handle in KEPT:
        lines += [f'click "{joint}"', *axes(space), f"click {tool}"]
        lines += ["settle", drag(handle), "settle"]
    lines += ["key Ctrl+S", 'waitfor "Saved"', 'expectnot "not saved"']
    return "".join(line + "\n" for line in lines)
