"""Every handle of every gizmo, every gizmo about axes of every kind, by the pointer, on a hand that
lies turned, mirrored and small; then a way, a turn and a size are kept, each of its own joint."""

COMBINED = '"Move, rotate and scale"'
# Each handle about axes of two kinds, each tool about all six.
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
    """Chooses the axes of the gizmo from the list in the toolbar."""
    return ['click "Axes: "', "settle", f'click "{space} axes"', "settle"]


def script():
    """Lines of the script."""
    lines = ["waitfor Thumb.Distal", "settle", 'click "Pose mode"', "settle"]
    # From where no axis is seen end on.
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
