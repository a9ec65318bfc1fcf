#!/usr/bin/env python3
"""After a removal, everything that stays means what it meant.

Nodes, joints, meshes, skins, clips and materials of corpus files are removed at random. The saved
file is read by a reader of references that shares no code with Ulna (the table of `rigging.md`,
section 2.4). Each file is judged as it is, and with references planted in it, because few files of
the corpus have any of the extensions.

ULNA=path another binary, ULNA_SEED=n other removals, JUDGES_SMALL=1 a few of them.
"""

import collections
import copy
import hashlib
import json
import os
import random
import re
import shutil
import struct
import sys
import tempfile
import urllib.parse

HOME = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, (os.environ.get("ULNA_SHARED") or HOME + "/../shared") + "/judges")
import numpy as np  # noqa: E402
from common import ROOT, SMALL, files, finish, need, run  # noqa: E402
from gltf_read import Gltf  # noqa: E402
from skin_reference import Pose  # noqa: E402

# Lists, and where indices into them are. `*` is every item or member; braces are alternatives.
PLACES = """
scenes: scene
cameras: nodes/*/camera
images: textures/*/source extensions/VRMC_vrm/meta/thumbnailImage
samplers: textures/*/sampler
textures: materials/*/*/index materials/*/*/*/index materials/*/extensions/*/*/index
skins: nodes/*/skin
pointer: animations/*/channels/*/target/extensions/KHR_animation_pointer/pointer
extensions/KHR_lights_punctual/lights: nodes/*/extensions/KHR_lights_punctual/light
extensions/KHR_physics_rigid_bodies/physicsJoints: BODY/joint/joint
accessors: skins/*/inverseBindMatrices animations/*/samplers/*/input animations/*/samplers/*/output
 meshes/*/primitives/*/indices meshes/*/primitives/*/attributes/* meshes/*/primitives/*/targets/*/*
 nodes/*/extensions/EXT_mesh_gpu_instancing/attributes/*
materials: meshes/*/primitives/*/material materials/*/extensions/MSFT_lod/ids/*
 meshes/*/primitives/*/extensions/KHR_materials_variants/mappings/*/material
 FACE/materialColorBinds/*/material FACE/textureTransformBinds/*/material
meshes: nodes/*/mesh extensions/VRM/firstPerson/meshAnnotations/*/mesh BODY/*/geometry/mesh
 extensions/VRM/blendShapeMaster/blendShapeGroups/*/binds/*/mesh
nodes: scenes/*/nodes/* nodes/*/children/* skins/*/joints/* skins/*/skeleton
 animations/*/channels/*/target/node nodes/*/extensions/MSFT_lod/ids/*
 BODY/joint/connectedNode BODY/*/geometry/node BODY/trigger/nodes/*
 nodes/*/extensions/VRMC_node_constraint/constraint/*/source nodes/*/extensions/ACME_links/node
 extensions/VRM/humanoid/humanBones/*/node extensions/VRM/firstPerson/firstPersonBone
 extensions/VRM/secondaryAnimation/boneGroups/*/bones/*
 extensions/VRM/secondaryAnimation/boneGroups/*/center
 extensions/VRM/secondaryAnimation/colliderGroups/*/node
 extensions/VRMC_vrm/humanoid/humanBones/*/node FACE/morphTargetBinds/*/node
 extensions/VRMC_vrm/firstPerson/meshAnnotations/*/node
 extensions/VRMC_springBone/colliders/*/node extensions/VRMC_springBone/springs/*/center
 extensions/VRMC_springBone/springs/*/joints/*/node
 extensions/VRMC_vrm_animation/humanoid/humanBones/*/node
 extensions/VRMC_vrm_animation/expressions/*/*/node extensions/VRMC_vrm_animation/lookAt/node
"""
PLACES = PLACES.replace("FACE", "extensions/VRMC_vrm/expressions/*/*").replace("\n ", " ")
PLACES = PLACES.replace("BODY", "nodes/*/extensions/KHR_physics_rigid_bodies")
PLACES = [(kind, w) for kind, all in re.findall("(.+): (.+)", PLACES) for w in all.split()]
TAGGED = ("nodes", "meshes", "skins", "materials", "animations")
GONE, TRANSFORM = "gone", ("translation", "rotation", "scale", "matrix")
REFUSALS = "is_avatar_bone keys_not_editable last_joint no_joint_above"
REFUSALS += " mesh_is_shared skin_has_layers still_needed joints_without_root"
WHAT = ("leaf", "inner", "joint", "mesh", "skin", "clip", "material")


def places(value, path):
    """The containers and keys that a path of the table leads to."""
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        keys = list(value) if head == "*" else {head} & value.keys()
    else:
        keys = range(len(value)) if head == "*" and isinstance(value, list) else []
    for key in keys:
        yield from places(value[key], rest) if rest else [(value, key)]


def tag_of(element):
    extras = element.get("extras")
    return extras.get("tag") if isinstance(extras, dict) else None


def number(name):
    """The tag in what stands in place of a reference, such as `nodes:7`."""
    return int(name.split(":")[1]) if ":" in name else -1


def nodes_in(value):
    return {int(t) for t in re.findall(r"nodes:(\d+)", json.dumps(value))}


class Read:
    """A file in which every reference stands as the tag of what it refers to."""

    def __init__(self, path):
        self.g, self.faults = Gltf(path), []
        j = self.json = copy.deepcopy(self.g.json)
        for kind, path in PLACES:
            for holder, key in list(places(j, path.split("/"))):
                holder[key] = self.named(kind, holder[key], path)
        for a in j.get("animations", []):
            for c in a["channels"]:
                c["sampler"] = a["samplers"][c["sampler"]]
            a["channels"].sort(key=lambda c: json.dumps(c, sort_keys=True))
            del a["samplers"]
        for s in j.get("skins", []):
            if "inverseBindMatrices" in s:
                s["inverseBindMatrices"] = s["inverseBindMatrices"][: len(s["joints"])]
        for i, image in enumerate(j.get("images", [])):
            image.pop("bufferView", None)
            image["uri"] = hashlib.sha1(self.g.image_bytes(i)).hexdigest()
        for key in ("buffers", "bufferViews", "accessors"):
            j.pop(key, None)
        # Lists as tables by tag, for elements that move up.
        self.lists, self.order = {}, [tag_of(n) for n in self.g.list("nodes")]
        for kind in TAGGED:
            elements = [(tag_of(e), e) for e in j.pop(kind, [])]
            self.lists[kind] = {t: e for t, e in elements if t is not None}
            tags = [t for t, _ in elements if t is not None]
            if tags != sorted(set(tags)):
                self.faults.append(f"{kind} are doubled or in another order")
            if any(t is None and (kind != "nodes" or e != {}) for t, e in elements):
                self.faults.append(f"{kind} have new ones")
        self.nodes = self.lists["nodes"]
        self.parent = {number(c): t for t, n in self.nodes.items() for c in n.get("children", [])}

    def named(self, kind, value, place):
        if kind == "pointer":
            m = re.match(rf"^/({'|'.join(TAGGED)})/(\d+)(.*)$", value)
            return f"/{self.named(m[1], int(m[2]), place)}{m[3]}" if m else value
        if value == -1 and place.startswith("extensions/VRM/"):
            return None  # VRM 0 writes it for none
        elements = self.g.json
        for key in kind.split("/"):
            elements = elements.get(key, {})
        if not 0 <= value < len(elements):
            self.faults.append(f"{place} is {value!r} of {len(elements)} {kind}")
            return "out of range"
        if kind == "accessors":
            return self.digest(elements[value], value, place)
        tag = tag_of(elements[value]) if kind in TAGGED else value
        return f"{kind}:{tag}" if tag is not None else GONE

    def digest(self, a, index, place):
        try:
            rows = self.g.accessor(index, raw=True)
        except Exception:
            return "not read"  # such as compressed data, before and after
        if place.startswith("skins"):
            return [str(row) for row in np.round(rows.astype(float), 5) + 0.0]
        a = {k: a.get(k) for k in ("type", "componentType", "normalized")}
        return f"{a} {hashlib.sha1(np.ascontiguousarray(rows).tobytes()).hexdigest()}"

    def below(self, roots):
        out, todo = set(), list(roots)
        while todo:
            t = todo.pop()
            out.add(t)
            todo += [number(c) for c in self.nodes[t].get("children", [])]
        return out

    def joints(self):
        return nodes_in([s["joints"] for s in self.lists["skins"].values()])

    def users(self, kind, tag):
        key = {"meshes": "mesh", "skins": "skin"}[kind]
        return {t for t, n in self.nodes.items() if n.get(key) == f"{kind}:{tag}"}

    def raw(self, kind, tag):
        """The index and the JSON of an element in the file."""
        return next((i, e) for i, e in enumerate(self.g.list(kind)) if tag_of(e) == tag)


def plant(j, r):
    """Adds references of extensions that the corpus hardly has."""
    # fmt: off
    nodes, used = j["nodes"], set(j.get("extensionsUsed", []))
    some = lambda kind="nodes": r.randrange(len(j[kind]))  # noqa: E731
    ref = lambda: {"node": some()}  # noqa: E731
    body, constraint = "KHR_physics_rigid_bodies", "VRMC_node_constraint"
    happy, vrm = {"morphTargetBinds": [{**ref(), "index": 0, "weight": 1}]}, {}
    todo = [(nodes[some()], *x) for x in (
        ("MSFT_lod", {"ids": [some(), some()]}),
        (body, {"joint": {"connectedNode": some(), "joint": 0}}),
        (body, {"collider": {"geometry": ref()}}), (body, {"trigger": {"nodes": [some()]}}),
        (constraint, {"constraint": {"rotation": {"source": some()}}}),
        (constraint, {"constraint": {"aim": {"source": some()}}}),
    )]
    if r.random() < 0.2:  # Ulna does not know it: indices must not move at all
        todo.append((nodes[some()], "ACME_links", ref()))
    if j.get("materials") and j.get("meshes"):
        happy["materialColorBinds"] = [{"material": some("materials"), "type": "color"}]
        mapped = {"mappings": [{"material": some("materials"), "variants": [0]}]}
        primitive = r.choice(r.choice(j["meshes"])["primitives"])
        todo.append((primitive, "KHR_materials_variants", mapped))
    if j.get("meshes"):
        shape = {"name": "A", "binds": [{"mesh": some("meshes"), "index": 0, "weight": 100}]}
        vrm["blendShapeMaster"] = {"blendShapeGroups": [shape]}
    for n in [n for n in nodes if "mesh" in n and "skin" not in n][:2]:
        at = j["meshes"][n["mesh"]]["primitives"][0]["attributes"]["POSITION"]
        if j["accessors"][at]["count"] < 50 and j["accessors"][at]["componentType"] == 5126:
            todo.append((n, "EXT_mesh_gpu_instancing", {"attributes": {"TRANSLATION": at}}))
    group = {"bones": [some(), some()], "center": r.choice([-1, some()])}
    first, second = ("VRM", {
        **vrm, "humanoid": {"humanBones": [{"bone": "hips", **ref()}]},
        "firstPerson": {"firstPersonBone": some()},
        "secondaryAnimation": {"boneGroups": [group], "colliderGroups": [ref()]},
    }), ("VRMC_vrm", {
        "specVersion": "1.0", "humanoid": {"humanBones": {"hips": ref(), "head": ref()}},
        "expressions": {"preset": {"happy": happy}},
        "firstPerson": {"meshAnnotations": [{**ref(), "type": "auto"}]},
    })
    spring = {"joints": [ref(), ref()], "center": some()}
    todo += [(j, *(first if "VRM" in used or r.random() < 0.5 else second)), (
        j, "VRMC_springBone", {"colliders": [ref()], "springs": [spring]}), (
        j, "VRMC_vrm_animation", {"humanoid": {"humanBones": {"hips": ref()}},
                                  "expressions": {"preset": {"happy": ref()}}, "lookAt": ref()})]
    for holder, name, value in todo:
        if r.random() < 0.5 and name not in holder.get("extensions", {}):
            holder.setdefault("extensions", {})[name] = value
            used.add(name)
    for name, needs in ((body, "physicsJoints"), ("KHR_materials_variants", "variants")):
        if name in used:
            j.setdefault("extensions", {}).setdefault(name, {needs: [{"name": "a"}]})
    for a in j.get("animations", []):
        free = {some(), some()} - {c["target"].get("node") for c in a["channels"]}
        pointers = [f"/nodes/{n}/translation" for n in sorted(free)]
        pointers += [f"/materials/{some('materials')}/emissiveFactor"] if j.get("materials") else []
        moves = [c["sampler"] for c in a["channels"] if c["target"]["path"] == "translation"]
        for p in pointers if moves and r.random() < 0.5 else []:
            target = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": p}}}
            a["channels"].append({"sampler": moves[0], "target": target})
            used.add("KHR_animation_pointer")
    j["extensionsUsed"] = sorted(used) or ["KHR_node_visibility"]
    # fmt: on


def tagged_copy(source, folder, r, is_planted):
    """A copy of a file whose elements can be told apart, with what lies beside it."""
    g = Gltf(source)
    if is_planted:
        plant(g.json, r)
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


def draw(a, what, r):
    """A command line, and the tag of what it names; nothing where the file has no such thing."""
    kinds = {"mesh": "meshes", "skin": "skins", "clip": "animations", "material": "materials"}
    joints = a.joints()
    if what == "joint":
        pick = sorted(joints)
    elif what in kinds:
        pick = list(a.lists[kinds[what]])
    else:
        is_inner = what == "inner"
        nodes = a.nodes.items()
        pick = [t for t, n in nodes if bool(n.get("children")) == is_inner and t not in joints]
    if not pick:
        return None
    tag = r.choice(pick)
    if what in kinds:
        return {"do": "clip.delete" if what == "clip" else f"{what}.remove", what: f"#{tag}"}, tag
    line = {"do": "node.remove", "node": f"#{tag}"}
    if what != "leaf":
        line["below"] = r.choice(["remove", "keep-world", "keep-local"])
    # Without it, joints and nodes with keys follow the rules of joints, which another judge tests.
    keyed = nodes_in([c["channels"] for c in a.lists["animations"].values()])
    if a.below([tag]) & (keyed | a.joints()) or r.random() < 0.5:
        line["force"] = True
    return line, tag


def refused(a, code, line, tag):
    """Why a refusal is not in order."""
    if code in ("parent_scale_zero", "would_shear") and line.get("below") == "keep-world":
        return None
    if code not in REFUSALS.split():
        return f"refused with {code}"
    concerned = a.below([tag]) if line["do"] == "node.remove" else set()
    if code == "is_avatar_bone":
        avatars = [e for name, e in a.json["extensions"].items() if name.startswith("VRM")]
        bones = nodes_in([e.get("humanoid", {}) for e in avatars])
        return None if concerned & bones else "nothing there is a bone of an avatar"
    return None


class Expected:
    """What a removal must leave of a file, by the issue; compared with what it left."""

    def __init__(self, a, b, line, tag):
        self.a, self.b, self.line = a, b, line
        self.keeps = line.get("below", "remove")
        what = line["do"].split(".")[0]
        kinds = {"mesh": "meshes", "clip": "animations", "node": "nodes"}
        self.gone = collections.defaultdict(set, {kinds.get(what, what + "s"): {tag}})
        if what == "node" and self.keeps == "remove":
            self.gone["nodes"] = a.below([tag])
        out = self.gone["nodes"]
        # Skins and meshes that only removed nodes use may go with them.
        for kind in ("meshes", "skins") if what == "node" else ():
            for t in a.lists[kind].keys() - b.lists[kind].keys():
                users = a.users(kind, t)
                if users <= out and (users or nodes_in(a.lists[kind][t].get("joints")) & out):
                    self.gone[kind].add(t)
        # Nodes that get another parent, and skins that lose joints.
        self.attached = {c for c, p in a.parent.items() if p in out} - out
        skins = a.lists["skins"].items()
        self.cut = {t for t, s in skins if nodes_in(s["joints"]) & out} - self.gone["skins"]
        self.bare = {t for m in self.gone["meshes"] for t in a.users("meshes", m)}
        self.root = self.element("", 0, a.json)
        self.lists = {
            kind: {t: self.element(kind, t, e) for t, e in a.lists[kind].items()} for kind in TAGGED
        }
        clips = self.lists["animations"].items()
        # A clip without keys is none.
        had = a.lists["animations"]
        self.gone["animations"] |= {t for t, c in clips if had[t]["channels"] and not c["channels"]}

    def mended(self, names):
        """A list of nodes, in which what hung on removed ones takes their place."""
        for n in names:
            if number(n) not in self.gone["nodes"]:
                yield n
            elif self.keeps != "remove":
                yield from self.mended(self.a.nodes[number(n)].get("children", []))

    def loosen(self, extensions):
        """Springs lose removed nodes; a spring of VRM 1 that has no other is lost."""
        one = extensions.get("VRMC_springBone", {})
        for s in one.get("springs", []):
            s["joints"] = [j for j in s["joints"] if number(j["node"]) not in self.gone["nodes"]]
            if number(s.get("center") or "") in self.gone["nodes"]:
                del s["center"]
        one["springs"] = [s for s in one.get("springs", []) if s["joints"]]
        if not one["springs"]:
            del one["springs"]
        zero = extensions.get("VRM", {}).get("secondaryAnimation", {})
        for s in zero.get("boneGroups", []):
            if any(number(n) in self.gone["nodes"] for n in s["bones"]):
                s["bones"] = list(dict.fromkeys(self.mended(s["bones"])))
            if number(s["center"] or "") in self.gone["nodes"]:
                s["center"] = None

    def element(self, kind, tag, e):
        """An element as it must be after the removal."""
        e, out = copy.deepcopy(e), self.gone["nodes"]
        for holder in [e, *e.get("scenes", [])]:
            for key in ({"children", "nodes"} if kind != "animations" else set()) & holder.keys():
                holder[key] = list(self.mended(holder[key]))
                if not holder[key]:
                    del holder[key]
        if not kind:
            self.loosen(e.get("extensions", {}))
        if kind == "nodes" and tag in self.bare:
            for key in ("mesh", "skin", "weights"):
                e.pop(key, None)
            # Instances of nothing have no meaning.
            if e.get("extensions", {}).pop("EXT_mesh_gpu_instancing", 0) and not e["extensions"]:
                del e["extensions"]
        if number(e.get("skin", "")) in self.gone["skins"]:
            del e["skin"]
        if kind == "skins":
            stay = [k for k, n in enumerate(e["joints"]) if number(n) not in out]
            for key in {"joints", "inverseBindMatrices"} & e.keys():
                e[key] = [e[key][k] for k in stay]
            if number(e.get("skeleton", "")) in out:
                del e["skeleton"]
        if kind == "animations":
            lost = lambda c: (  # noqa: E731
                nodes_in(c["target"]) & out
                or (c["target"]["path"] == "weights" and nodes_in(c["target"]) & self.bare)
            )
            e["channels"] = [c for c in e["channels"] if not lost(c)]
        return self.without_gone(e)

    def without_gone(self, e):
        """JSON in which what names a removed element says so. What stays whole, because an
        extension may name it, still is named."""

        def name(m):
            stays = int(m[2]) not in self.gone[m[1]] - self.b.lists[m[1]].keys()
            return m[0] if stays else GONE

        return json.loads(re.sub(rf"\b({'|'.join(TAGGED)}):(\d+)\b", name, json.dumps(e)))

    def judged(self, kind, tag, e):
        """An element without what is judged otherwise: transforms, weights, order of siblings."""
        if kind == "nodes":
            moved = tag in self.attached
            e = {k: v for k, v in e.items() if not moved or k not in TRANSFORM}
            if moved:  # Ulna notes the rest of a posed node that it writes
                e["extras"] = {k: v for k, v in e["extras"].items() if k != "ulna.rest"}
            if "children" in e:
                came = {f"nodes:{t}" for t in self.attached} & set(e["children"])
                e["children"] = [n for n in e["children"] if n not in came] + sorted(came)
        users = self.a.users("meshes", tag) if kind == "meshes" else ()
        if any(number(self.a.nodes[t].get("skin", "")) in self.cut for t in users):
            e = copy.deepcopy(e)
            for p in e["primitives"]:
                names = [k for k in p["attributes"] if k.startswith(("JOINTS_", "WEIGHTS_"))]
                p["attributes"] = {k: v for k, v in p["attributes"].items() if k not in names}
        return e

    def gaps(self, said):
        """Every difference, in words."""
        yield from self.b.faults
        for kind in TAGGED:
            after, gone = self.b.lists[kind], self.gone[kind]
            for t in after.keys() & gone:
                # It may stay, unused, where something else names it, and that is said.
                if kind == "nodes" or not re.search(rf"{kind}/{t}: removed; it stays", said):
                    yield f"{kind}:{t} is still there"
            for t, e in self.lists[kind].items():
                if t not in gone and t not in after:
                    yield f"{kind}:{t} is lost"
                elif kind == "skins" and re.search(rf"skins/{t}: removed; it stays", said):
                    continue  # It is unused, and keeps one joint.
                elif t not in gone:
                    pair = self.judged(kind, t, e), self.judged(kind, t, after[t])
                    yield from different(*pair, f"{kind}:{t}")
        # An extension that nothing uses any more is no longer listed.
        text, root = json.dumps(self.b.g.json), dict(self.root)
        for key in {"extensionsUsed", "extensionsRequired"} & root.keys():
            listed = self.b.json.get(key, [])
            root[key] = [n for n in root[key] if n in listed or f'"{n}": ' in text]
            if not root[key]:
                del root[key]
        yield from different(root, self.b.json, "")
        if self.b.order.count(None) > said.count(": removed; an empty node stays"):
            yield "an empty node stays without a word"
        for t in self.cut & self.b.lists["skins"].keys():
            yield from self.weights_given(t)

    def weights_given(self, skin):
        """Weights of removed joints go to the nearest joint above."""
        joints = [number(n) for n in self.b.lists["skins"][skin]["joints"]]
        heirs = []
        for n in map(number, self.a.lists["skins"][skin]["joints"]):
            while n is not None and n not in joints:
                n = self.a.parent.get(n)
            heirs.append(-1 if n is None else joints.index(n))
        same = list(range(len(joints)))
        for t in self.a.users("skins", skin) - self.gone["nodes"]:
            mesh = number(self.a.nodes[t]["mesh"])
            both = [read.raw("meshes", mesh)[1]["primitives"] for read in (self.a, self.b)]
            for p, q in zip(*both, strict=True):
                before, after = weights(self.a.g, p, heirs), weights(self.b.g, q, same)
                if np.abs(before - after).max(initial=0) > 1e-5:
                    yield f"the weights of nodes:{t} did not go to the joints above"


def weights(g, primitive, slots):
    """A row of weights per vertex, of joints at their slots; the last column is for no joint."""
    at, k, slots = primitive["attributes"], 0, np.array(slots)
    rows = np.zeros((g.list("accessors")[at["POSITION"]]["count"], slots.max() + 2))
    while f"JOINTS_{k}" in at:
        joints = g.accessor(at[f"JOINTS_{k}"], raw=True).astype(int).T
        for j, w in zip(joints, g.accessor(at[f"WEIGHTS_{k}"]).T, strict=True):
            np.add.at(rows, (np.arange(len(w)), np.where(w != 0, slots[j * (w != 0)], -1)), w)
        k += 1
    return rows


def different(x, y, place):
    if isinstance(x, dict) and isinstance(y, dict):
        for k in x.keys() | y.keys():
            if k in x and k in y:
                yield from different(x[k], y[k], f"{place}/{k}")
            # A holder may go together with what it refers to.
            elif k in y or GONE not in json.dumps(x[k]):
                yield f"{place}/{k} is {'lost' if k in x else 'new'}"
    elif isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        for i, pair in enumerate(zip(x, y, strict=True)):
            yield from different(*pair, f"{place}/{i}")
    elif x != y:
        yield f"{place} was {json.dumps(x)[:80]} and is {json.dumps(y)[:80]}"


def moved(e, r):
    """Nodes and vertices that are elsewhere than before, at rest or in a clip."""
    a, b = e.a, e.b
    times = [(None, 0.0)]
    clips = sorted(a.lists["animations"].keys() & b.lists["animations"].keys())
    for t in r.sample(clips, min(3, len(clips))):
        inputs = [a.g.accessor(s["input"]) for s in a.raw("animations", t)[1]["samplers"]]
        times += [(t, u * max(float(i.max()) for i in inputs)) for u in (0.13, 0.5, 0.91)]
    for clip, time in times:
        # What hung on a removed node moves otherwise where a clip moved that node, which only
        # `force` removes, or where it keeps its local transform.
        kept = e.keeps == "keep-world" and (clip is None or not e.line.get("force"))
        skipped = (set() if kept else a.below(e.attached)) | e.gone["nodes"]
        p, q = (
            Pose(x.g, None, [] if clip is None else [x.raw("animations", clip)[0]], time)
            for x in (a, b)
        )
        when = f"at {time:.3g} s of animations:{clip}" if clip is not None else "at rest"
        for t in a.nodes.keys() - skipped:
            yield from off(p.world(t), q.world(b.order.index(t)), e, f"nodes:{t} moved {when}")
        seen = {(b.order[i], k): v for i, k, v in q.meshes}
        for i, k, v in p.meshes:
            skin = number(a.nodes[i].get("skin", ""))
            if i in skipped | e.bare or skin in e.gone["skins"]:
                continue
            if (i, k) not in seen:
                yield f"nodes:{i} shows nothing {when}"
                continue
            stay = np.ones(len(v), bool)
            if skin >= 0:  # vertices without weight of removed joints
                slots = [int(number(n) not in skipped) for n in a.lists["skins"][skin]["joints"]]
                mesh = a.raw("meshes", number(a.nodes[i]["mesh"]))[1]
                stay = weights(a.g, mesh["primitives"][k], slots)[:, 0] == 0
            yield from off(v[stay], seen[i, k][stay], e, f"vertices of nodes:{i} moved {when}")


def off(x, y, e, what):
    """Exact but for what keeps its place under another parent, in numbers of 32 bits."""
    bound = (3e-5 if e.attached else 1e-6) * max(np.abs(x).max(initial=0), 1e-3)
    error = np.abs(x - y).max(initial=0) if x.shape == y.shape else np.inf
    if not error <= bound:
        yield f"{what} by {error:.3g}"


def judge(source, a, line, tag, r):
    """Does a removal; whether it was done, and what is wrong with it."""
    script, out = source + ".jsonl", os.path.join(os.path.dirname(source), "out")
    out += os.path.splitext(source)[1]
    with open(script, "w") as f:
        json.dump(line, f)
    rc, so, err, _ = run("run", script, source, "-o", out, "--json")
    try:
        said = json.loads(so)
        if rc:
            why = refused(a, said["error"]["code"], line, tag)
            return False, [f"{why}: {said['error']['message']}"] if why else []
        e = Expected(a, Read(out), line, tag)
        faults = list(e.gaps(json.dumps(said, ensure_ascii=False)))
        return True, faults + list(moved(e, r)) + ["not opened"] * bool(run("info", out)[0])
    except Exception as error:
        return True, [f"{error!r}, status {rc} {err.strip()[-200:]}"]


need()
most = 4 if SMALL else 20
done, tries, misses, used = collections.Counter(), collections.Counter(), [], set()
r = random.Random(53 + int(os.environ.get("ULNA_SEED", "0")))
every = sorted(f for f in files(".glb", ".gltf", ".vrm") if os.path.getsize(f) < 4 << 20)
r.shuffle(every)
for source, is_planted in [(f, p) for f in every for p in (False, True)]:
    wanted = [w for w in WHAT if done[w, is_planted] < most and tries[w, is_planted] < 4 * most]
    with tempfile.TemporaryDirectory() as folder:
        try:
            if not wanted or not Gltf(source).list("nodes"):
                continue
            path = tagged_copy(source, folder, r, is_planted)
            a = Read(path)
            Pose(a.g)
        except Exception:
            continue  # not for these readers
        if a.faults or run("info", path)[0]:
            continue
        for what, found in [(w, draw(a, w, r)) for w in wanted]:
            if found:
                is_done, faults = judge(path, a, *found, r)
                done[what, is_planted] += is_done
                tries[what, is_planted] += 1
                used.add(source)
                name = os.path.relpath(source, ROOT) + " with references planted" * is_planted
                if faults:
                    misses.append(f"{name}: {json.dumps(found[0])}: " + "; ".join(faults[:3]))
total, counts = tries.total(), ", ".join(f"{w} {done[w, False]} + {done[w, True]}" for w in WHAT)
print(f"{len(used)} files; refused {total - done.total()}; done, as is + planted: {counts}")
good = total - len(misses)
# Materials are in use nearly everywhere.
short = [w for w in WHAT[:-1] if min(done[w, False], done[w, True]) < most // 2]
if short:
    good, misses = 0, [*misses, f"too few removals of: {' '.join(short)}"]
finish(good, total, "removals leave the meaning of the rest", 200, misses)
