#!/usr/bin/env python3
"""Surgery on a rig keeps the motion of the skin.

One joint per act is drawn in every skinned, animated file of the corpus. `ulna run` carries out
the act, and readers that share no code with Ulna compare the saved file with the original: the
act happened, the skin stays within the stated deviation in all clips, all other nodes keep their
world transforms, references keep their meaning, and nothing else changed.

ULNA=path another binary, ULNA_SEED=n other joints, JUDGES_SMALL=1 a sixth of the files. Arguments
are parts of file names; with them, only those files are judged.
"""

import collections
import functools
import json
import math
import multiprocessing
import os
import random
import re
import shutil
import struct
import sys
import tempfile
import urllib.parse
from typing import NamedTuple

HOME = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, (os.environ.get("ULNA_SHARED") or HOME + "/../shared") + "/judges")
import numpy as np  # noqa: E402
from common import ORACLE, ROOT, SMALL, files, finish, need, run  # noqa: E402
from fidelity import codes, new_errors  # noqa: E402
from gltf_read import Gltf, GltfError  # noqa: E402
from roundtrip_diff import DEFAULT_ALLOW, TRS, Diff  # noqa: E402
from skin_reference import Pose  # noqa: E402

TAGGED = ("nodes", "meshes", "skins", "animations")
# Tolerances as shares of the body's size.
EXACT, BOUNDED, NOISE = 1e-4, 2e-3, 1e-5
# Length of the lever that turns errors of axes into distances, as a share of the body's size.
LEVER = 0.25
# Factor by which the skin may deviate more than stated, since it is seen at other times.
SLACK = 1.2
# Height of the body, in meters, in whose millimeters deviations are stated; None: the scene's own.
STATED_HEIGHT = None
TIMES_PER_CLIP = 12
MOST_REFUSED = 0.15
STATED = ("mean_mm", "p99_mm", "worst_mm", "worst_degrees")
# Refusals of these kinds say that the line is wrong, not that the act is impossible.
WRONG_LINE = re.compile(r"argument_|no_such|script_|internal")


def tag_of(element):
    extras = element.get("extras")
    return extras.get("tag") if isinstance(extras, dict) else None


def tagged_copy(source, folder):
    """A copy of a file in which nodes, meshes, skins and clips carry their index in `extras`."""
    g = Gltf(source)
    for kind in TAGGED:
        for i, e in enumerate(g.list(kind)):
            old = e.get("extras", {})
            e["extras"] = {**(old if isinstance(old, dict) else {"was": old}), "tag": i}
    for uri in [x["uri"] for x in g.list("buffers") + g.list("images") if "uri" in x]:
        if not uri.startswith("data:"):
            to = os.path.join(folder, urllib.parse.unquote(uri))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(g.dir, urllib.parse.unquote(uri)), to)
    path = os.path.join(folder, "tagged" + os.path.splitext(source)[1].lower())
    text = json.dumps(g.json, ensure_ascii=False).encode()
    if g.container == "glb":
        text += b" " * (-len(text) % 4)
        text = struct.pack("<II", len(text), 0x4E4F534A) + text
        if g.bin is not None:
            text += struct.pack("<II", len(g.bin), 0x004E4942) + g.bin
        text = struct.pack("<4sII", b"glTF", 2, 12 + len(text)) + text
    with open(path, "wb") as f:
        f.write(text)
    return path


class Rig:
    """A file whose nodes are known by tag: the index in the original, or less than 0 if new."""

    def __init__(self, path):
        self.path, self.g = path, Gltf(path)
        self.nodes = self.g.list("nodes")
        self.tags = [tag_of(n) for n in self.nodes]
        self.tags = [-1 - i if t is None else t for i, t in enumerate(self.tags)]
        # Empty nodes may hold the places of removed ones that something else refers to.
        self.empty = {t for i, t in enumerate(self.tags) if not self.nodes[i]}
        self.index = {t: i for i, t in enumerate(self.tags) if t not in self.empty}
        self.new = self.index.keys() & {t for t in self.tags if t < 0}
        self.parent = {
            self.tags[c]: t for t in self.index for c in self.node(t).get("children", [])
        }
        self.skins = [[self.tags[j] for j in s["joints"]] for s in self.g.list("skins")]
        self.joints = {t for joints in self.skins for t in joints}

    def node(self, tag):
        return self.nodes[self.index[tag]]

    def name(self, tag):
        return f"#{tag} “{self.node(tag).get('name', '')}”" if tag in self.index else f"#{tag}"

    def above(self, tag):
        """Ancestors, nearest first."""
        while (tag := self.parent.get(tag)) is not None:
            yield tag

    def children(self, tag):
        return {t for t, p in self.parent.items() if p == tag}

    def below(self, tag):
        return {t for t in self.tags if tag in self.above(t)}

    def skins_with(self, *tags):
        return {k for k, joints in enumerate(self.skins) if set(tags) <= set(joints)}

    def armatures(self):
        """Nodes above all joints."""
        above = {t for j in self.joints for t in self.above(j)}
        return {t for t in above - self.joints if not self.joints & set(self.above(t))}

    @functools.cached_property
    def weighted(self):
        """Joints with weight on a vertex."""
        out = set()
        for n in self.nodes:
            if "skin" in n and "mesh" in n:
                for p in self.g.list("meshes")[n["mesh"]]["primitives"]:
                    slots = weighted_slots(self.g, p["attributes"])
                    out |= {self.skins[n["skin"]][k] for k in slots}
        return out

    @functools.cached_property
    def keys(self):
        """Number of keys by clip, node and path."""
        out = {}
        for clip in self.g.list("animations"):
            for c in clip["channels"]:
                times = clip["samplers"][c["sampler"]]["input"]
                place = tag_of(clip), channel_node(self, c), c["target"]["path"]
                out[place] = self.g.list("accessors")[times]["count"]
        return out

    @functools.cached_property
    def bones(self):
        """Nodes that a humanoid map names."""
        refs = references(self)
        return {tag for path, _, tag in refs if "/humanBones/" in path}


def weighted_slots(g, attributes):
    k, out = 0, set()
    while f"JOINTS_{k}" in attributes:
        joints = g.accessor(attributes[f"JOINTS_{k}"], raw=True)
        out |= set(joints[g.accessor(attributes[f"WEIGHTS_{k}"]) > 0].tolist())
        k += 1
    return out


def channel_node(rig, channel):
    """The tag of the node that a channel drives, by index or by pointer."""
    target = channel["target"]
    pointer = target.get("extensions", {}).get("KHR_animation_pointer", {}).get("pointer", "")
    m = re.match(r"/nodes/(\d+)/", pointer)
    index = int(m[1]) if m else target.get("node")
    return None if index is None else rig.tags[index]


# What is seen at a time.


class Seen(NamedTuple):
    worlds: dict  # by tag
    vertices: dict  # by tag of the node, and primitive
    joints: list  # joint matrices of each skin


def evaluate(rig, clip, time):
    """Worlds and vertices of all scenes at a time of a clip, known by tag; at rest if None."""
    clips = [i for i, a in enumerate(rig.g.list("animations")) if tag_of(a) == clip]
    clips = clips if clip is not None else []
    poses = [Pose(rig.g, k, clips, time) for k in range(len(rig.g.list("scenes")))]
    poses = poses or [Pose(rig.g, None, clips, time)]
    worlds = {t: poses[0].world(i) for i, t in enumerate(rig.tags)}
    vertices = {(rig.tags[i], k): v for p in poses for i, k, v in p.meshes}
    return Seen(worlds, vertices, poses[0].skins)


def clip_times(g, clip, r):
    """Times of a clip: its ends, some key times, some times between two keys."""
    inputs = {clip["samplers"][c["sampler"]]["input"] for c in clip["channels"]}
    keys = np.unique(np.concatenate([g.accessor(i).reshape(-1) for i in inputs] or [[0.0]]))
    some = r.sample(list(keys), min(len(keys), TIMES_PER_CLIP // 2 - 2))
    times = [keys[0], keys[-1], *some]
    while len(keys) > 1 and len(times) < TIMES_PER_CLIP:
        # A step may take the last quarter of the span before its key.
        k = r.randrange(len(keys) - 1)
        times.append(keys[k] + r.uniform(0.1, 0.7) * (keys[k + 1] - keys[k]))
    return sorted({float(t) for t in times})


def moments(rig, r):
    clips = rig.g.list("animations")
    return [(None, 0.0)] + [(k, t) for k, c in enumerate(clips) for t in clip_times(rig.g, c, r)]


def when(clip, time):
    return "at rest" if clip is None else f"at {time:.4g} s of clip #{clip}"


def body_size(rig, rest, skins):
    """The largest extent of the meshes of these skins at rest."""
    shown = [v for (t, _), v in rest.vertices.items() if rig.node(t).get("skin") in skins]
    shown = np.concatenate([v for v in shown if len(v)])
    return float(np.ptp(shown, axis=0).max())


def world_gap(a, b, size):
    """The distance of two world transforms, as a share of the size."""
    turn = np.abs(a[:3, :3] - b[:3, :3]).max() / max(np.abs(a[:3, :3]).max(), 1e-12)
    return max(np.abs(a[:3, 3] - b[:3, 3]).max() / size, turn * LEVER)


def unscaled(world):
    """A world transform with axes of unit length."""
    lengths = np.linalg.norm(world[:3, :3], axis=0)
    return world / [*np.where(lengths > 0, lengths, 1), 1]


def is_scaled(axes):
    return np.abs(np.linalg.norm(axes, axis=0) - 1).max() > EXACT


def is_rotated(axes):
    """Whether axes are rotated. Mirrored axes are not asked, since a mirror must stay."""
    lengths = np.linalg.norm(axes, axis=0)
    return np.linalg.det(axes) > 0 and np.abs(axes / lengths - np.eye(3)).max() > EXACT


# Acts.


def vector(r, length, digits=6):
    v = np.array([r.gauss(0, 1) for _ in range(3)])
    return [round(float(x), digits) for x in v / np.linalg.norm(v) * length]


def orient(case, r):
    return {"degrees": [round(r.uniform(-60, 60), 3) for _ in range(3)]}


def move(case, r):
    size = 0.05 / 1.8 * case.size
    return {"by": vector(r, size, 6 - math.floor(math.log10(size)))}


def insert(case, r):
    return {"at": 0.5}


def reparent(case, r):
    return {"to": f"#{case.grandparent}"}


def remove(case, r):
    return {"weights": "fit"}


def nothing(case, r):
    return {}


def turn(degrees):
    """The rotation by angles about x, then y, then z, each about the axes turned so far."""
    m = np.eye(4)
    for axis, angle in enumerate(np.radians(degrees)):
        i, k = (axis + 1) % 3, (axis + 2) % 3
        one, (s, c) = np.eye(4), (math.sin(angle), math.cos(angle))
        one[i, i], one[i, k], one[k, i], one[k, k] = c, -s, s, c
        m = m @ one
    return m


def shift(case, by):
    """The translation in the joint's own space that moves it by this much in the scene."""
    m = np.eye(4)
    m[:3, 3] = np.linalg.solve(case.rest.worlds[case.joint][:3, :3], by)
    return m


class Act(NamedTuple):
    arguments: callable
    tolerance: float
    levels: int = 0  # number of parents that must be joints
    touches: tuple = ()  # whose transforms and keys may change
    removes: bool = False
    lists: bool = False  # whether lists of joints change
    binds: bool = True  # whether inverse bind matrices change


ACTS = {
    "joint.orient": Act(orient, EXACT, touches=("joint", "children")),
    "joint.move": Act(move, BOUNDED, touches=("joint", "children")),
    "joint.insert": Act(insert, EXACT, 1, touches=("joint",), lists=True),
    "joint.reparent": Act(reparent, BOUNDED, 1, touches=("joint",), binds=False),
    "joint.dissolve": Act(nothing, BOUNDED, 1, ("children",), removes=True, lists=True),
    "joint.remove": Act(remove, BOUNDED, 1, ("children",), removes=True, lists=True),
    "rig.mend_armature": Act(nothing, EXACT, touches=("all",)),
}
MEND = "rig.mend_armature"


class Original:
    """A file before the acts, with what is seen at the times of the comparison."""

    def __init__(self, path, r):
        self.rig = Rig(path)
        self.moments = moments(self.rig, r)
        self.seen = [evaluate(self.rig, *m) for m in self.moments]
        self.rest = self.seen[0]

    @functools.cached_property
    def to_mend(self):
        """Armatures with a scale or a rotation of their own."""
        rig, worlds, out = self.rig, self.rest.worlds, set()
        for tag in rig.armatures():
            above = rig.parent.get(tag)
            base = worlds[above] if above is not None else np.eye(4)
            local = (np.linalg.pinv(base) @ worlds[tag])[:3, :3]
            if is_scaled(local) or is_rotated(local):
                out.add(tag)
        return out

    def candidates(self, act):
        """Joints with weight that have as many joints above them as the act needs."""
        out = []
        for j in sorted(self.rig.weighted):
            above = list(self.rig.above(j))
            has_joints = set(above[: act.levels]) <= self.rig.joints and len(above) >= act.levels
            world = self.rest.worlds[j][:3, :3]
            if has_joints and np.linalg.cond(world) < 1e4:
                out.append((j, above))
        if act.arguments is reparent:
            # A grandparent that is a joint is preferred.
            out = [(j, above) for j, above in out if len(above) > 1]
            out = [c for c in out if c[1][1] in self.rig.joints] or out
        if act.removes:
            # Bones of an avatar may be refused.
            out = [c for c in out if c[0] not in self.rig.bones] or out
        return [j for j, _ in out]


class Case:
    """One act on one joint, and the comparison of the saved file with the original."""

    def __init__(self, original, do, joint, r):
        self.original, self.do, self.act, self.joint = original, do, ACTS[do], joint
        self.a, self.rest = original.rig, original.rest
        above = list(self.a.above(joint)) if joint is not None else []
        self.above, self.grandparent = ([*above, None, None])[:2]
        skins = self.a.skins_with(joint) if joint is not None else range(len(self.a.skins))
        self.skins = set(skins)
        self.size = body_size(self.a, self.rest, self.skins)
        node = {"node": f"#{joint}"} if joint is not None else {}
        self.line = {"do": do, **node, **self.act.arguments(self, r)}
        # The change of the joint's own frame.
        self.frame = np.eye(4)
        if "degrees" in self.line:
            self.frame = turn(self.line["degrees"])
        if "by" in self.line:
            self.frame = shift(self, self.line["by"])
        self.measured, self.measured_at = 0.0, ""

    def read(self, path):
        self.b = Rig(path)
        gone = self.a.index.keys() - self.b.index.keys()
        if self.do == "joint.remove" and self.joint in gone and len(gone) > 1:
            self.gone = {self.joint} | self.a.below(self.joint)
        elif self.do == MEND:
            self.gone = gone & self.a.armatures()
        else:
            self.gone = {self.joint} if self.act.removes else set()
        which = {
            "joint": {self.joint},
            "children": self.a.children(self.joint),
            "all": set(self.a.tags),
        }
        self.touched = set().union(*(which[w] for w in self.act.touches))

    # The act happened.

    def expected_parents(self):
        out = {}
        for t, p in self.a.parent.items():
            while p in self.gone:
                p = self.a.parent.get(p)
            if t not in self.gone and p is not None:
                out[t] = p
        if self.do == "joint.reparent":
            out[self.joint] = self.grandparent
        if self.do == "joint.insert":
            for new in self.b.new:
                out[new], out[self.joint] = self.above, new
        return out

    def tree_faults(self):
        if len(self.b.index) + len(self.b.empty) < len(self.b.nodes):
            yield "nodes are doubled"
        held = {self.b.tags[i] for s in self.b.g.list("scenes") for i in s.get("nodes", [])}
        if len(self.b.empty) > len(self.gone) or self.b.empty & (held | self.b.parent.keys()):
            yield "an empty node is in the scene"
        if len(self.b.new) != (self.do == "joint.insert"):
            yield f"{len(self.b.new)} nodes are new"
        for t in sorted(self.a.index.keys() - self.gone - self.b.index.keys()):
            yield f"{self.a.name(t)} is lost"
        for t in sorted(self.gone & self.b.index.keys()):
            yield f"{self.a.name(t)} is still there"
        expected = self.expected_parents()
        for t in sorted(self.b.index):
            p, q = expected.get(t), self.b.parent.get(t)
            if p != q and t not in self.gone:
                is_, was = (self.b.name(x) if x is not None else "no node" for x in (q, p))
                yield f"the parent of {self.b.name(t)} is {is_}, not {was}"

    def list_faults(self):
        """Skins whose lists of joints are wrong."""
        if len(self.a.skins) != len(self.b.skins):
            yield f"{len(self.a.skins)} skins became {len(self.b.skins)}"
            return
        for k, (x, y) in enumerate(zip(self.a.skins, self.b.skins, strict=True)):
            if len(set(y)) < len(y):
                yield f"skin #{k} has joints twice"
            if set(y) - self.b.new != set(x) - self.gone:
                yield f"the joints of skin #{k} are others"
            needs_new = self.do == "joint.insert" and {self.joint, self.above} <= set(x)
            if needs_new and not self.b.new & set(y):
                yield f"the new joint is not in skin #{k}"

    def take_direction(self, was, now):
        """A pivot moves in the rest pose of the bind matrices, which the pose of the file may not
        be: its direction there is taken as it is, where the way is as long as it should be."""
        if self.do != "joint.move":
            return
        c = np.linalg.inv(was) @ now
        is_straight = np.abs(c[:3, :3] - np.eye(3)).max() < 1e-5
        way = np.linalg.norm(now[:3, 3] - was[:3, 3])
        if (
            is_straight
            and abs(way - np.linalg.norm(self.line["by"])) < self.act.tolerance * self.size
        ):
            self.frame = c

    def frame_faults(self, seen):
        """At rest: the joint has the frame that the line asks for, and it is another one."""
        if self.do in ("joint.orient", "joint.move"):
            was = self.rest.worlds[self.joint]
            self.take_direction(was, seen.worlds[self.joint])
            far = world_gap(was @ self.frame, seen.worlds[self.joint], self.size)
            if far > self.act.tolerance:
                unmoved = world_gap(was, seen.worlds[self.joint], self.size) < EXACT
                yield (
                    "the joint kept its frame"
                    if unmoved
                    else f"the joint's frame is off: {far:.2g}"
                )
        if self.do == "joint.insert":
            yield from self.insert_faults(seen)
        if self.do == MEND:
            yield from self.mend_faults(seen)

    def insert_faults(self, seen):
        """The new joint is halfway, and moves vertices as its parent does."""
        ends = [self.rest.worlds[t][:3, 3] for t in (self.joint, self.above)]
        for new in self.b.new:
            off = np.abs(seen.worlds[new][:3, 3] - np.mean(ends, axis=0)).max() / self.size
            if off > EXACT:
                yield f"the new joint is {off:.2g} of the size away from the middle"
            for k in self.b.skins_with(new, self.above):
                slots = [self.b.skins[k].index(t) for t in (self.above, new)]
                p, q = (seen.joints[k][s] for s in slots)
                if np.abs(p - q).max() > EXACT * np.abs(p).max():
                    yield f"the new joint moves vertices of skin #{k} otherwise than its parent"

    def mend_faults(self, seen):
        """Armatures end with unit scale and, where no clip moves them, without rotation."""
        was = {t: self.rest.worlds[t] for t in self.original.to_mend}
        if all(t in seen.worlds and np.allclose(w, seen.worlds[t], 1e-6) for t, w in was.items()):
            yield "no armature changed"
        keyed = {t for _, t, _ in self.a.keys}
        for t in sorted(self.a.armatures() & self.b.index.keys()):
            axes = seen.worlds[t][:3, :3]
            if is_scaled(axes):
                lengths = np.round(np.linalg.norm(axes, axis=0), 5).tolist()
                yield f"{self.a.name(t)} has the scale {lengths}"
            elif is_rotated(axes) and t not in keyed:
                yield f"{self.a.name(t)} is still rotated"
        for place, count in self.a.keys.items():
            now = self.b.keys.get(place, 0)
            if now != count and place[1] not in self.a.armatures():
                yield f"{count} keys of {place} became {now}"

    # The skin and the nodes move as before.

    def moved(self):
        """Faults of worlds, the worst node of each time; measures the skin."""
        for moment, x in zip(self.original.moments, self.original.seen, strict=True):
            y = evaluate(self.b, *moment)
            if moment[0] is None:
                yield from self.frame_faults(y)
                self.between = {
                    t: np.linalg.pinv(y.worlds[self.above]) @ y.worlds[t] for t in self.b.new
                }
                yield from self.collider_faults(x, y)
            gaps = {t: self.node_gap(t, x, y) for t in self.b.index if t not in self.gone}
            worst = max(gaps, key=gaps.get)
            if not gaps[worst] <= self.act.tolerance:
                place = f"{self.b.name(worst)} is off by {gaps[worst]:.2g} of the size"
                yield f"{place} {when(*moment)}"
            yield from self.skin_faults(x, y, moment)

    def node_gap(self, t, x, y):
        """How far a node is from where it must be, as a share of the size."""
        if t in self.b.new:
            if self.above is None or t not in self.between:
                return 0.0
            return world_gap(x.worlds[self.above] @ self.between[t], y.worlds[t], self.size)
        was, now = x.worlds.get(t), y.worlds[t]
        if self.do == MEND:
            # The transform of a skinned mesh is ignored.
            node = self.a.node(t)
            if t in self.a.armatures() or ("skin" in node and not node.get("children")):
                return 0.0
            was, now = unscaled(was), unscaled(now)
        elif t == self.joint:
            was = was @ self.frame
        return world_gap(was, now, self.size)

    def skin_faults(self, x, y, moment):
        for place in x.vertices.keys() | y.vertices.keys():
            p, q = x.vertices.get(place), y.vertices.get(place)
            if p is None or q is None or p.shape != q.shape:
                yield f"{self.a.name(place[0])} has other vertices {when(*moment)}"
            elif len(p):
                far = np.linalg.norm(p - q, axis=1)
                if not far.max() <= self.measured:
                    vertex = f"vertex {far.argmax()} of {self.a.name(place[0])}"
                    self.measured = float(np.nan_to_num(far.max(), nan=np.inf))
                    self.measured_at = f"{vertex} {when(*moment)}"

    # What was stated.

    def judge_stated(self, said):
        found = stated_in(said)
        lacks = [k for k in STATED if not found[k]]
        if lacks:
            yield f"not stated: {' '.join(lacks)}"
            return
        values = [v for k in STATED for v in found[k]]
        if not all(isinstance(v, (int, float)) and 0 <= v < math.inf for v in values):
            yield f"the stated deviation is {values}"
            return
        mean, most, worst = (max(found[k]) for k in STATED[:3])
        if max(mean, most) > worst * 1.003 + 1e-6:
            yield f"the mean {mean}, the 99th percentile {most} and the worst {worst} disagree"
        if worst > 0 and self.a.keys and not found["time"]:
            yield "the stated deviation has no time"
        self.stated = worst / 1000 * self.stated_unit()
        if self.measured > SLACK * self.stated + NOISE * self.size:
            moved, stated = self.words(self.measured), self.words(self.stated)
            yield f"{self.measured_at} moved by {moved}; stated: {stated}"
        if self.act.tolerance == EXACT and max(self.measured, self.stated) > EXACT * self.size:
            worst = self.words(max(self.measured, self.stated))
            yield f"the act is exact, but deviates by {worst}"

    def stated_unit(self):
        return self.size / STATED_HEIGHT if STATED_HEIGHT else 1.0

    def words(self, length):
        share = length / self.size
        return f"{length * 1000:.4g} mm ({share * 1800:.3g} mm of a body 1.8 m high)"

    # Nothing else changed.

    def reference_faults(self):
        """References of VRM name the same nodes. Those to a removed node may go to its parent."""
        before, after = (collections.Counter(references(rig)) for rig in (self.a, self.b))
        stay = collections.Counter({k: n for k, n in before.items() if k[2] not in self.gone})
        lost = list((stay - after).elements())
        new = [k for k in (after - stay).elements() if not self.gone or k[2] != self.above]
        for path, label, tag in [*lost, *new]:
            what = "lost" if (path, label, tag) in lost else "new"
            name = self.a.name(tag) if tag in self.a.index else self.b.name(tag)
            name = "an empty node" if tag in self.b.empty else name
            yield f"the reference {path} ({label}) to {name} is {what}"

    def collider_faults(self, x, y):
        """Colliders stay where they are at rest."""
        p, q = collider_places(self.a, x.worlds), collider_places(self.b, y.worlds)
        if len(p) == len(q) and len(p) and np.abs(p - q).max() > self.act.tolerance * self.size:
            yield "a collider moved"

    def differences(self):
        d = TaggedDiff(self.original.rig.path, self.b.path)
        for category, path, what in d.run():
            ignored = f"{category} {path}" in DEFAULT_ALLOW
            if not ignored and not self.expects(category, path, what):
                yield f"{category} {path}: {what}"

    def expects(self, category, path, what):
        """Whether a difference belongs to the act."""
        m = re.match(r"(\w+)(?:\[(\d+)\])?(?:\.(.*))?", path)
        kind, index, rest = m[1], int(m[2] or 0), m[3] or ""
        if category == "item-added":  # the tree is judged elsewhere
            return kind == "nodes"
        if kind == "nodes":
            return self.expects_node(category, index, rest)
        if kind == "scenes":
            return self.do == MEND and bool(self.gone)
        if kind == "skins":
            return self.expects_skin(index, rest)
        if kind == "animations":
            return self.expects_clip(category, index, rest, what)
        if kind == "meshes":
            names = "JOINTS_|WEIGHTS_" if self.act.removes else "JOINTS_"
            users = [n for n in self.a.nodes if n.get("mesh") == index]
            is_bound = any(n.get("skin") in self.skins for n in users)
            return self.act.lists and is_bound and re.match(rf"primitives\[\d+\]\.({names})", rest)
        if kind == "extensions" and rest.startswith("VRM"):
            # Removal moves indices up and shortens lists; references are judged elsewhere.
            return self.act.removes or re.search("offset|Offset|tail", rest)
        return False

    def expects_node(self, category, index, rest):
        if category == "item-lost":
            return index in self.gone
        if rest.split("[")[0] in TRS:
            return index in self.touched
        if rest == "children":
            near = {self.joint, self.above, self.grandparent} | self.a.armatures()
            return category == "hierarchy-changed" or index in near
        return self.act.removes and rest.startswith("extensions.VRMC_node_constraint")

    def expects_skin(self, index, rest):
        if rest == "joints":
            return self.act.lists and index in self.skins
        if rest == "skeleton":
            return self.act.removes or self.do in ("joint.reparent", MEND)
        return self.act.binds and index in self.skins  # inverse bind matrices

    def expects_clip(self, category, index, rest, what):
        channels = self.a.g.list("animations")[index]["channels"]
        out = self.gone if self.do != MEND else self.a.armatures()
        if category == "anim-lost":
            return {channel_node(self.a, c) for c in channels} <= out
        is_pointer = what.endswith(" pointer")
        if category == "json-added" and rest.startswith("extras.ulna.rate"):
            return self.act.tolerance == BOUNDED  # the frame rate stays where keys are added
        if category == "channel-added":
            m = re.match(r"node (\d+)", what)
            is_new = m and self.b.tags[int(m[1])] in self.touched
            return self.act.removes if is_pointer else is_new and self.act.tolerance == BOUNDED
        m = re.match(r"channels\[(\d+)\]", rest)
        if not m:
            return False
        node = channel_node(self.a, channels[int(m[1])])
        if category == "channel-lost":
            return node in out or (is_pointer and self.act.removes)
        if category in ("keys-changed", "interpolation-changed"):
            return node in self.touched and self.act.tolerance == BOUNDED
        return node in self.touched


class TaggedDiff(Diff):
    """A comparison that finds nodes, meshes, skins and clips by their tags."""

    def match(self, kind):
        if kind not in TAGGED:
            super().match(kind)
            return
        old, new = ([tag_of(e) for e in g.list(kind)] for g in (self.A, self.B))
        self.map[kind] = {i: new.index(t) for i, t in enumerate(old) if t in new}
        for i, t in enumerate(old):
            if t not in new:
                lost = "anim-lost" if kind == "animations" else "item-lost"
                self.say(lost, f"{kind}[{i}]", "")
        for i, t in enumerate(new):
            if t not in old:
                self.say("item-added", f"{kind}[{i}]", "")


def references(rig):
    """References to nodes in VRM's extensions: path without list indices, label, tag."""
    out = []
    roots = [("", rig.g.json.get("extensions", {}))]
    roots += [(f"/nodes/{t}", rig.node(t).get("extensions", {})) for t in rig.index]
    for path, extensions in roots:
        for name, value in extensions.items():
            if name.startswith("VRM"):
                walk(rig, value, f"{path}/{name}", None, out)
    return out


def walk(rig, value, path, label, out):
    if isinstance(value, dict):
        label = value.get("bone") or value.get("name") or label
        for key, v in value.items():
            if key in ("node", "source", "center", "firstPersonBone") and isinstance(v, int):
                if v >= 0:  # VRM 0 writes -1 for none
                    out.append((f"{path}/{key}", label, rig.tags[v]))
            elif key == "bones":
                out += [(f"{path}/{key}", label, rig.tags[i]) for i in v]
            else:
                walk(rig, v, f"{path}/{key}", label, out)
    elif isinstance(value, list):
        for v in value:
            walk(rig, v, path, label, out)


def collider_places(rig, worlds):
    """Centers and ends of the colliders of VRM 1 in the scene."""
    spring = rig.g.json.get("extensions", {}).get("VRMC_springBone", {})
    out = []
    for c in spring.get("colliders", []):
        for shape in c.get("shape", {}).values():
            points = [shape[k] for k in ("offset", "tail") if k in shape]
            out += [worlds[rig.tags[c["node"]]] @ [*p, 1] for p in points]
    return np.array(out)


def stated_in(said):
    """The members that state a deviation, wherever they are in the JSON of `ulna run`."""
    found = collections.defaultdict(list)
    todo = [said]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            for k in {*STATED, "time"} & value.keys():
                found[k] += [value[k]] if value[k] is not None else []
        if isinstance(value, (dict, list)):
            todo += value.values() if isinstance(value, dict) else value
    return found


# Judging.


class Result(NamedTuple):
    do: str
    refusal: str  # code, or nothing if the act was done
    miss: str  # what is wrong, or nothing
    share: float = 0.0  # greatest deviation of the skin, as a share of the size
    stated: float = 0.0  # the same as it was stated


def refusal_fault(rc, said, out):
    """Why a refusal is not in order."""
    error = said.get("error") or {}
    code, message = error.get("code", ""), error.get("message", "")
    if rc != 1 or not code or len(message.split()) < 5:
        return f"status {rc} without a sentence: {json.dumps(said)[:200]}"
    if WRONG_LINE.match(code):
        return f"refused with {code}: {message}"
    return "a refused act wrote a file" if os.path.exists(out) else ""


def judge(case, folder):
    """Carries out one act; its result, and the saved file if there is one."""
    source = case.original.rig.path
    out = os.path.join(folder, "out" + os.path.splitext(source)[1])
    script = os.path.join(folder, "act.jsonl")
    with open(script, "w") as f:
        json.dump(case.line, f)
    rc, so, err, _ = run("run", script, source, "-o", out, "--json", timeout=300)
    try:
        said = json.loads(so)
        if rc:
            code = (said.get("error") or {}).get("code", "no code")
            return Result(case.do, code, refusal_fault(rc, said, out)), None
        case.read(out)
        case.stated = 0.0
        faults = [*case.tree_faults(), *case.list_faults()]
        if not faults:
            faults += [*unique(case.moved()), *case.judge_stated(said)]
            faults += [*case.reference_faults(), *case.differences()]
        shares = case.measured / case.size, case.stated / case.size
        return Result(case.do, "", summary(faults), *shares), out
    except Exception as error:
        return Result(case.do, "", f"{error!r}, status {rc} {err.strip()[-200:]}"), None


def unique(faults):
    """Faults without those that differ from an earlier one in numbers alone."""
    seen = set()
    for f in faults:
        shape = re.sub(r"[\d.e-]+", "0", f)
        if shape not in seen:
            seen.add(shape)
            yield f


def summary(faults):
    more = f"; {len(faults) - 3} more" if len(faults) > 3 else ""
    return "; ".join(faults[:3]) + more


def cases(original, r):
    """The acts on a file: all of them where there are clips or an avatar."""
    rig = original.rig
    is_avatar = any(e.startswith("VRM") for e in rig.g.json.get("extensions", {}))
    for do, act in ACTS.items() if rig.weighted else ():
        if do == MEND:
            drawn = [None] if original.to_mend else []
        elif rig.g.list("animations") or is_avatar:
            some = original.candidates(act)
            drawn = r.sample(some, min(len(some), 2 if is_avatar and rig.keys else 1))
        else:
            drawn = []
        for joint in drawn:
            yield Case(original, do, joint, r)


def judge_file(source):
    """Results of all acts on a file."""
    name = os.path.relpath(source, ROOT)
    r = random.Random(f"{os.environ.get('ULNA_SEED', '0')} {os.path.basename(source)}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            original = Original(tagged_copy(source, folder), r)
            todo = list(cases(original, r))
        except GltfError:
            return []  # not for this reader, such as compressed data
        if not todo or run("info", original.rig.path)[0]:
            return []
        results, saved = [], []
        for k, case in enumerate(todo):
            place = os.path.join(folder, str(k))
            os.mkdir(place)
            result, out = judge(case, place)
            results.append(result)
            saved.append(out)
        valid = codes([original.rig.path, *filter(None, saved)])
        for k, out in enumerate(saved):
            fault = invalid(valid, original.rig.path, out) if out else ""
            faults = "; ".join(filter(None, [results[k].miss, fault]))
            miss = f"{name}: {json.dumps(todo[k].line)}: {faults}" if faults else ""
            results[k] = results[k]._replace(miss=miss)
        return results


def invalid(valid, source, out):
    if source not in valid or out not in valid:
        return "the validator did not answer"
    new = new_errors(valid[source], valid[out])
    return "new errors: " + " ".join(new) if new else ""


def chosen():
    """Skinned files that are animated, are avatars or have armatures to mend."""
    situations = os.path.join(os.path.dirname(ORACLE), "situations")
    every = [*files(".glb", ".gltf", ".vrm"), *files(".vrm", corpora=[situations])]
    out = []
    for f in sorted(every):
        try:
            g = Gltf(f)
        except GltfError:
            continue
        if g.list("skins") and any(part in f for part in sys.argv[1:] or [""]):
            out.append(f)
    if SMALL:
        random.Random(54).shuffle(out)
        out = out[::6]
    return out


def table(results):
    """Prints one row per act; acts that are refused too often."""
    for do in ACTS:
        mine = [x for x in results if x.do == do]
        refused = collections.Counter(x.refusal for x in mine if x.refusal)
        worst = max((x.share for x in mine), default=0.0)
        stated = max((x.stated for x in mine), default=0.0)
        why = ", ".join(f"{n} × {code}" for code, n in refused.most_common())
        print(
            f"{do}: {len(mine)} cases, {sum(not x.miss for x in mine)} hold; worst deviation "
            f"{worst:.2g} of the size, stated {stated:.2g}; refused: {why or 'none'}"
        )
        if refused.total() > max(2, MOST_REFUSED * len(mine)):
            yield f"{do} is refused in {refused.total()} of {len(mine)} cases"


if __name__ == "__main__":
    need()
    with multiprocessing.Pool() as pool:
        results = [x for part in pool.imap(judge_file, chosen(), 1) for x in part]
    misses = list(table(results)) + [x.miss for x in results if x.miss]
    least = 250 if len(sys.argv) == 1 else 1
    finish(len(results) - len(misses), len(results), "acts keep the motion", least, misses)
