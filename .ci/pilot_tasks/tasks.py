"""Tasks in the real window, with the checks of their saved files."""

import re
import shutil
import subprocess

import curves
import gizmos
from lane import Failed, check, complain

# Environment without Vulkan, so that OpenGL is used.
NO_VULKAN = {"VK_ICD_FILENAMES": "/nonexistent"}

FOX_CLIPS = "Bark Bite Death Fall Fetch Howl Jump Run Sit Walk".split()
ROBOT_CLIPS = "Dance Death Idle Jump No Punch Running Walking Wave Yes".split()
# Clips of the robot that are imported and exported without a change.
SAME_CLIPS = "Death Jump No Running Wave Yes".split()


def has(text, file, *facts):
    for fact in facts:
        check(fact in text, f"{file} has no {fact}")


def main_work(lane, place):
    """Poses, keys and saves one character, and paints another one."""
    for backend, variables in (("vulkan", {}), ("gl", NO_VULKAN)):
        fox, knight = place.corpus / "Fox/Fox.glb", place.corpus / "Knight/Knight.glb"
        lane.run(fox, "fox.glb", place.judges / "window.pilot", backend, **variables)
        strokes = place.judges / "strokes/Knight.pilot"
        lane.run(knight, "knight.glb", strokes, backend, **variables)


def wave_task(lane, place):
    sintel = place.corpus / "Sintel/human-sintel.glb"
    lane.run(sintel, "wave.glb", place.tasks / "wave.pilot")
    wave = place.saved("wave.glb")
    has(place.info(wave), "wave.glb", '"name":"Wave"', '"length":1.5,', '"keys":8,')
    begin, middle, end = (
        place.pose(wave, "Wave", at, but=["time"]) for at in ("0", "0.2666667", "1.5")
    )
    check(begin == end, "the first and the last pose of the wave differ")
    check(begin != middle, "the wave does not move")


def keys_task(lane, place):
    lane.run(place.corpus / "Knight/Knight.glb", "keys.glb", place.tasks / "keys.pilot")


def retime_task(lane, place):
    lane.run(place.corpus / "Knight/Knight.glb", "retime.glb", place.tasks / "retime.pilot")
    walk = place.info(place.saved("retime.glb"))
    check('"name":"Walking_A","length":0.853' in walk, "the walk is not 0.8 times as long")
    alone = place.info(place.saved("retime-clips/Walking_A.glb", "retime.glb"))
    has(alone, "the exported walk", '"name":"Walking_A"', '"meshes":[],')


def editable_task(lane, place):
    """A baked walk gets splines through a few keys, and 1.5 times its vertical motion."""
    knight = place.corpus / "Knight/Knight.glb"
    lane.run(knight, "editable.glb", place.tasks / "editable.pilot")
    few = place.key_count(place.saved("editable.glb"), "Walking_A")
    many = place.key_count(knight, "Walking_A")
    check(few > 100 and few * 5 < many * 2, f"{few} of {many} keys are left of the walk")


def merge_task(lane, place):
    """Imports ten files with one clip each into the robot without clips.

    One clip is trimmed, one closed, one mirrored and one reduced. The others must play as in their
    files. All clips are exported, to one file each and to a single file.
    """
    robot, robots = place.corpus / "Robot/robot.glb", place.home / "robots"
    place.verb("export", robot, "--each", "-o", robots)
    bare = place.without_clips(robot, 14, "bare")
    clips = place.saved("clips", "robot.glb")
    clips.mkdir(parents=True, exist_ok=True)
    for clip in ROBOT_CLIPS:
        shutil.copy(robots / f"Robot_{clip}.glb", clips)
    merged = lane.run(bare, "robot.glb", place.tasks / "merge.pilot")
    for clip in SAME_CLIPS:
        name = f"Robot_{clip}"
        own = place.pose(robot, name, "0.3", but=["clip"])
        for file in ("robot.glb", "robot-export.glb", f"robot-clips/{name}.glb"):
            same = place.pose(merged / file, name, "0.3", but=["clip"]) == own
            check(same, f"{name} does not play the same in {file}")
    check(len(list((merged / "robot-clips").iterdir())) == 10, "ten exported files are expected")
    made = merged / "robot.glb"
    check('"name":"Robot_Dance","length":1' in place.info(made), "the dance is not trimmed")
    punches = (
        place.pose(file, "Robot_Punch", "0.3", but=["clip", "time"]) for file in (made, robot)
    )
    check(len(set(punches)) == 2, "the punch is not mirrored")
    few, many = (place.key_count(file, "Robot_Idle") for file in (made, robot))
    check(few < many // 2, "the keys of the idle are not reduced")


def mixer_task(lane, place):
    """Makes a mix with an inertial transition and a painted mask. Bakes and stores it."""
    lane.run(place.corpus / "Knight/Knight.glb", "mixer.glb", place.tasks / "mixer.pilot")
    mixer = place.saved("mixer.glb")
    check('"name":"Mix"' in place.info(mixer), "the mix is not baked")
    check(b'"ulna.mix":' in mixer.read_bytes(), "the mix is not stored")


def capture_task(lane, place):
    """Opens a BVH file with options, and saves it as glTF."""
    lane.run(place.data / "walk.bvh", "walk.bvh", place.tasks / "capture.pilot")
    capture = place.info(place.saved("walk.glb", "walk.bvh"))
    has(capture, "walk.glb", '"name":"walk"', '"fps":30', '"joints":24,')


def fbx_task(lane, place):
    """Adds clips of two FBX files to the character of a third one. Cleans, saves and exports it."""
    source = place.corpus.parent / "fbx/assimp_huesitos.fbx"
    takes = place.saved("takes", "bones.fbx")
    takes.mkdir(parents=True, exist_ok=True)
    for take in ("walk", "run"):
        shutil.copy(source, takes / f"{take}.fbx")
    folder = lane.run(source, "bones.fbx", place.tasks / "fbx.pilot")
    saved = folder / "bones.glb"
    has(place.info(saved), "bones.glb", '"name":"Armature|Action 3"', '"joints":9,')
    check("_end" not in place.info(saved), "the leaf joints were not removed")
    check(place.succeeds("check", saved), "the saved character breaks a rule")
    parts = sorted((folder / "bones-clips").iterdir())
    check(len(parts) == 3, "three exported files are expected")
    for at in ("0", "0.37", "1.2"):
        wanted = dict(place.nodes(source, "Armature|Action", at))
        for part in parts:
            for name, rows in place.nodes(part, "#0", at):
                same = all(
                    abs(a - b) < 1e-4 for a, b in zip(flat(rows), flat(wanted[name]), strict=True)
                )
                check(same, f"{name} of {part.name} is at another position at {at} s")


def flat(rows):
    return [number for row in rows for number in row]


def bind_task(lane, place):
    """Binds a mesh without a skin to two joints."""
    unskinned = place.home / "unskinned.glb"
    place.python("unskin.py", place.corpus / "RiggedSimple/RiggedSimple.glb", unskinned, shown=True)
    lane.run(unskinned, "bind.glb", place.tasks / "bind.pilot")
    bound = place.saved("bind.glb")
    check('"joints":2,' in place.info(bound), "the mesh is not bound")
    check(place.succeeds("check", bound), "the bound mesh breaks a rule")


def bare(place, file, name):
    """Makes a copy of a model without its skeleton."""
    made = place.home / name
    place.python("bare.py", file, made, shown=True)
    return made


def hand_task(lane, place):
    """Makes a walking character from a mesh: adds joints, binds, paints and imports a clip."""
    body = bare(place, place.data / "../../assets/mannequin.glb", "body.glb")
    folder = place.home / "vulkan-hand.glb"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(place.corpus / "CesiumMan/CesiumMan.glb", folder / "walk.glb")
    lane.run(body, "hand.glb", place.tasks / "hand.pilot")
    saved = place.saved("hand.glb")
    has(place.info(saved), "hand.glb", '"joints":21,', '"name":"walk"', '"leftUpperArm"')
    check(place.succeeds("check", saved), "the character breaks a rule")
    before, after = (place.nodes(saved, "walk", at) for at in ("0", "0.5"))
    moved = sum(a != b for a, b in zip(before, after, strict=True))
    check(moved > 15, f"only {moved} joints walk")


def prop_task(lane, place):
    """Adds three joints to a prop, and copies a skeleton to a body."""
    tube = bare(place, place.corpus / "RiggedSimple/RiggedSimple.glb", "tube.glb")
    lane.run(tube, "prop.glb", place.tasks / "prop.pilot")
    prop = place.saved("prop.glb")
    has(place.info(prop), "prop.glb", '"joints":3,')
    check(place.succeeds("check", prop), "the prop breaks a rule")
    body = bare(place, place.data / "../../assets/mannequin.glb", "other_body.glb")
    lane.run(body, "copied.glb", place.tasks / "copied.pilot")
    copied = place.saved("copied.glb")
    has(place.info(copied), "copied.glb", '"joints":53,', '"name":"LeftHand"')
    check(place.succeeds("check", copied), "the body breaks a rule")


def rig_task(lane, place):
    """Moves a pivot and rotates the axes of an elbow. Nothing else may change."""
    robot = place.corpus / "Robot/robot.glb"
    lane.run(robot, "rig.glb", place.tasks / "rig.pilot")
    saved = place.saved("rig.glb")
    told = differences(place, robot, saved)
    check(any("LowerArm.L" in line for line in told), "the elbow did not change")
    check(not any("weights" in line for line in told), "weights changed")
    check(place.succeeds("check", saved), "the file breaks a rule")


def retarget_task(lane, place):
    """Retargets a run of another character to the sample, and uses the map a second time."""
    runners = place.saved("runners", "retarget.glb")
    runners.mkdir(parents=True, exist_ok=True)
    for name in ("knight", "second"):
        shutil.copy(place.corpus / "Knight/Knight.glb", runners / f"{name}.glb")
    script = place.tasks / "retarget.pilot"
    folder = lane.run("assets/mannequin.glb", "retarget.glb", script)
    saved = folder / "retarget.glb"
    has(place.info(saved), "retarget.glb", '"name":"Running_A"', '"name":"Throw"')
    check(place.succeeds("check", saved), "the saved file breaks a rule")
    text = saved.read_bytes().decode("latin-1")
    for kept in ("ulna.retarget", "ulna.contacts"):
        check(kept in text, f"{kept} is not in the file")
    parts = list((folder / "retarget-clips").iterdir())
    check(len(parts) == 5, "five exported files are expected")


def plan_task(lane, place):
    """Applies four changes as one step. No helper node and no prefix of a name may remain."""
    helpers = place.corpus / "../../situations/fbx-helper-nodes/in.glb"
    lane.run(helpers, "plan.glb", place.tasks / "rig_plan.pilot")
    saved = place.saved("plan.glb")
    facts = place.info(saved)
    check("AssimpFbx" not in facts, "a helper node was not removed")
    check("mixamorig" not in facts, "a name still has its prefix")
    has(facts, "plan.glb", '"name":"LeftForeArm"')
    check(place.succeeds("check", saved), "the file breaks a rule")


def props_task(lane, place):
    """Removes a sword, and attaches a shield elsewhere and back. Nothing else may change."""
    knight = place.corpus / "Knight/Knight.glb"
    lane.run(knight, "props.glb", place.tasks / "props.pilot")
    saved = place.saved("props.glb")
    told = differences(place, knight, saved)
    check("1H_Sword_Offhand: the node was removed" in told[0], "the sword was not removed")
    # The shield may move by rounding errors.
    others = [line for line in told[1:-1] if "Rectangle_Shield: moved by" not in line]
    check(not others, f"something else changed: {others[:3]}")
    check(place.succeeds("check", saved), "the file breaks a rule")


def hello_task(lane, place):
    lane.run("assets/mannequin.glb", "hello.glb", place.tasks / "hello.pilot")
    hello = place.saved("hello.glb")
    check('"name":"Hello"' in place.info(hello), "hello.glb has no clip Hello")
    loop = b'"ulna.loop":{"version":1,"repeat":"loop"}'
    check(loop in hello.read_bytes(), "hello.glb does not store its loop mode")
    begin, end = (place.pose(hello, "Hello", at, but=["time"]) for at in ("0", "0.5333334"))
    check(begin == end, "the first and the last pose of the greeting differ")
    # Both hands must be at the same height, also in the middle of the swing.
    for at in ("0", "0.1", "0.2666667"):
        rows = dict(place.nodes(hello, "Hello", at))
        left, right = ([row[3] for row in rows[f"{side}Hand"][:3]] for side in ("Left", "Right"))
        gap = abs(left[1] - right[1]) + abs(left[0] + right[0]) + abs(left[2] - right[2])
        is_apart = gap > 1e-4 or left[1] < 1.5
        if is_apart:
            complain(f"hands {gap} apart")
        check(not is_apart, "the greeting is not the same on both sides")


def bounce_task(lane, place):
    """Checks the fall of a ball: after half of the time, it has fallen a quarter of the height."""
    cube = place.corpus / "../morph/AnimatedMorphCube/AnimatedMorphCube.glb"
    lane.run(cube, "bounce.glb", place.tasks / "bounce.pilot")
    bounce = place.saved("bounce.glb")
    for at, height in (("0.2", "1.5"), ("0.4", "0.0"), ("0.8", "2.0")):
        pose = place.pose(bounce, "Bounce", at)
        is_there = f'"translation":[0.0,{height},0.0]' in pose
        check(is_there, f"bounce.glb is not at {height} at {at} s")


def steps_tasks(lane, place):
    sintel, fox = (
        place.corpus / "Sintel/human-sintel.glb",
        place.corpus / "Fox49/fox-animations.glb",
    )
    lane.run(sintel, "step.glb", place.tasks / "step.pilot")
    lane.run(place.saved("step.glb"), "flip.glb", place.tasks / "flip.pilot")
    travel = travels(place, fox, "Walk", 1, 0.735, "travel.glb")
    lane.run(travel, "slide.glb", place.tasks / "slide.pilot")


def travels(place, file, clip, seconds, meters, name):
    """Makes a walk with sliding feet: its root travels at 0.7 times the speed of the feet."""
    root = {"clip": clip, "node": "root"}
    script = place.script(
        f"{name}.jsonl",
        *(
            {"do": "key.set", **root, "time": time, "translation": [0, 0, way]}
            for time, way in ((0, 0), (seconds, meters))
        ),
        {"do": "track.interpolation", **root, "parts": "translation", "interpolation": "linear"},
    )
    made = place.home / name
    is_made = place.succeeds("run", script, file, "-o", made, quietly=True)
    check(is_made, f"{name} could not be made")
    return made


def other_tasks(lane, place):
    """Does the ten tasks of docs/tasks.md on other characters."""

    def task(name, file):
        lane.run(file, f"other-{name}.glb", place.tasks / f"other/{name}.pilot")

    corpus, home = place.corpus, place.home
    fox = corpus / "Fox49/fox-animations.glb"
    task("wave", corpus / "CesiumMan/CesiumMan.glb")
    task("step", corpus / "Panda/fox-panda.glb")
    task("flip", place.saved("other-step.glb"))
    task("retime", corpus / "Fox/Fox.glb")
    task("nod", fox)
    task("editable", corpus / "CesiumMan/CesiumMan.glb")
    foxes = home / "foxes"
    place.verb("export", fox, "--each", "-o", foxes)
    bare = place.without_clips(fox, 14, "fox")
    clips = place.saved("clips", "other-merge.glb")
    clips.mkdir(parents=True, exist_ok=True)
    for clip in FOX_CLIPS:
        shutil.copy(foxes / f"{clip}.glb", clips)
    task("merge", bare)
    knight = corpus / "Knight/Knight.glb"
    task("slide", travels(place, knight, "Walking_A", 1.0666667, 0.488, "other-travel.glb"))
    spoiled, unskinned = home / "other-spoiled.glb", home / "other-unskinned.glb"
    place.python("skin.py", "spoil", corpus / "GdBot/gdbot.glb", spoiled, "lowerarm.L", "0.1")
    task("elbow", spoiled)
    place.python("unskin.py", corpus / "RiggedFigure/RiggedFigure.glb", unskinned, shown=True)
    task("bind", unskinned)
    try:
        place.python("other_tasks.py", place.ulna, corpus, home, shown=True)
    except subprocess.CalledProcessError as error:
        raise Failed("a task on another character failed") from error


def gizmos_work(lane, place):
    """Drags gizmos on a hand that is rotated, mirrored and small."""
    script = place.home / "gizmos.pilot"
    script.write_text(gizmos.script(), encoding="utf-8")
    lane.run(place.corpus / "Hands/RightHand.glb", "gizmos.glb", script)


def differences(place, a, b):
    """Returns the differences between two files, one per line."""
    return place.verb("diff", "--exit-zero", a, b).splitlines()


def layers_tasks(lane, place):
    """Adds a nod to a captured clip with a layer, and rotates both arms outward in a whole walk."""
    knight = place.corpus / "Knight/Knight.glb"
    lane.run(knight, "nod.glb", place.tasks / "nod.pilot")
    lane.run(knight, "layers.glb", place.tasks / "layers.pilot")
    # A clip stores its frame rate if the key times changed. This difference is not counted.
    uncounted = re.compile("the frame rate is|^[0-9]* differences*$")

    def counted(name):
        lines = differences(place, knight, place.saved(name))
        return [line for line in lines if not uncounted.search(line)]

    nod, arms = counted("nod.glb"), counted("layers.glb")
    is_nod = len(nod) == 1 and re.search("clip “Idle”: .*head rotation", nod[0])
    check(is_nod, "the nod is: " + "\n".join(nod))
    arm = re.compile(r"clip “Walking_A”: .*upperarm\.[lr] rotation: 33 keys differ")
    is_arms = len(arms) == 2 and all(map(arm.search, arms))
    check(is_arms, "the arms are: " + "\n".join(arms))


def weights_tasks(lane, place):
    """Tests a stored weight layer, damaged weights of two joints, and limited, mirrored weights."""
    knight = place.corpus / "Knight/Knight.glb"
    lane.run(knight, "kept.glb", place.tasks / "kept_layer.pilot")
    kept = place.saved("kept.glb")
    stroke = re.compile("weights of [0-9]* vertices differ")
    is_saved = any(map(stroke.search, differences(place, knight, kept)))
    check(is_saved, "the stroke in the layer is not saved")
    lane.run(kept, "again.glb", place.tasks / "kept_layer_again.pilot")
    again = differences(place, knight, place.saved("again.glb"))
    is_hidden = not any("weights" in line for line in again)
    check(is_hidden, "the weights under the hidden layer are: " + "\n".join(again))
    elbow = ("CesiumMan/CesiumMan.glb", "elbow", "Skeleton_arm_joint_L__3_", "0.06")
    mended(lane, place, *elbow)
    mended(lane, place, "RiggedFigure/RiggedFigure.glb", "shoulder", "arm_joint_L_1", "0.1")
    limited(lane, place)


def mended(lane, place, model, task, joint, spoiled):
    """Damages weights around a joint. They are repaired in the window."""
    copy = f"{task}.glb"
    before = place.home / f"spoiled-{copy}"
    place.python("skin.py", "spoil", place.corpus / model, before, joint, spoiled)
    lane.run(before, copy, place.tasks / f"{task}.pilot")
    after = place.saved(copy)
    now, then = (strain(place, file, joint) for file in (after, before))
    is_strained = now > then / 2
    if is_strained:
        complain(f"strain {now}, {then} before")
    check(not is_strained, f"{copy} is not repaired")
    far = place.python("skin.py", "far", before, after, joint, "0.15").strip()
    check(far == "0", f"{copy} changed farther away than 15 cm")


def strain(place, file, joint):
    """Returns the worst deformation score within 15 cm of a joint."""
    spots = place.home / "spots.json"
    worst = place.verb("worst", "--no-range", "--json", "--count", "10000", file)
    spots.write_text(worst, encoding="utf-8")
    return float(place.python("skin.py", "worst", file, spots, joint, "0.15"))


def limited(lane, place):
    """Checks that vertices have at most four influences, and that both sides are equal."""
    sintel, home = place.corpus / "Sintel/human-sintel.glb", place.home
    smooth = place.script(
        "many.jsonl", {"do": "weights.sets", "sets": 2}, {"do": "weights.smooth", "passes": 6}
    )
    many, mirrored = home / "many.glb", home / "mirrored.glb"
    is_made = place.succeeds("run", smooth, sintel, "-o", many, quietly=True)
    check(is_made, "many.glb could not be made")
    lane.run(many, "limit.glb", place.tasks / "limit.pilot")
    limit = place.saved("limit.glb")
    check(most(place, many) > 4 and most(place, limit) == 4, "no limit of 4")
    mirror = place.script("mirror.jsonl", {"do": "weights.mirror", "from": "left"})
    is_made = place.succeeds("run", mirror, limit, "-o", mirrored, quietly=True)
    check(is_made, "mirrored.glb could not be made")
    check(place.succeeds("diff", limit, mirrored), "the weights of both sides differ")


def most(place, file):
    """Returns the largest number of influences of a vertex."""
    weights = place.home / "weights.json"
    place.verb("weights", file, "-o", weights)
    return int(place.python("skin.py", "most", weights))


# Two lanes run in parallel, because a window mostly waits for its script.
LANES = [
    [gizmos_work, weights_tasks, hello_task, layers_tasks, wave_task, other_tasks],
    [
        main_work,
        merge_task,
        retime_task,
        mixer_task,
        keys_task,
        steps_tasks,
        editable_task,
        bounce_task,
        capture_task,
        fbx_task,
        retarget_task,
        bind_task,
        props_task,
        rig_task,
        plan_task,
        hand_task,
        prop_task,
        curves.ease_task,
        curves.head_task,
        curves.limp_task,
        curves.handles_task,
        curves.smooth_task,
    ],
]
