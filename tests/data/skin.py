#!/usr/bin/env python3
"""Weights about a joint of a GLB's first skin and mesh.

skin.py spoil IN OUT JOINT RADIUS: those within the radius hang on the joint alone.
skin.py far A B JOINT RADIUS: how many differ that are farther off.
skin.py worst FILE SPOTS JOINT RADIUS: the greatest score of `ulna worst --json` within the radius.
skin.py most WEIGHTS: the most influences of a vertex in what `ulna weights` wrote as JSON.
"""
import json, struct, sys

KIND = {5121: "B", 5123: "H", 5126: "f"}
SIZE = {"VEC3": 3, "VEC4": 4, "MAT4": 16}


class Skin:
    def __init__(self, path):
        self.raw = open(path, "rb").read()
        self.head = 28 + struct.unpack("<I", self.raw[12:16])[0]
        self.root, self.data = json.loads(self.raw[20:self.head - 8]), bytearray(self.raw[self.head:])
        self.attributes = self.root["meshes"][0]["primitives"][0]["attributes"]

    def places(self, accessor):
        """How an element is read, and where each is in the binary chunk."""
        a = self.root["accessors"][accessor]
        view = self.root["bufferViews"][a["bufferView"]]
        form = "<" + KIND[a["componentType"]] * SIZE[a["type"]]
        step = view.get("byteStride", struct.calcsize(form))
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        return form, [start + k * step for k in range(a["count"])]

    def read(self, name):
        form, at = self.places(self.attributes[name])
        return [struct.unpack_from(form, self.data, p) for p in at]

    def joint(self, name):
        """A joint's number, and where it was bound: where its inverse bind matrix gives nothing, p = -R^-1 t by cofactors."""
        skin = self.root["skins"][0]
        joint = next(k for k, j in enumerate(skin["joints"]) if self.root["nodes"][j].get("name") == name)
        form, at = self.places(skin["inverseBindMatrices"])
        m = struct.unpack_from(form, self.data, at[joint])
        r, t = [[m[4 * c + k] for c in range(3)] for k in range(3)], m[12:15]
        minor = lambda i, k: [[r[a][c] for c in range(3) if c != k] for a in range(3) if a != i]
        det2 = lambda q: q[0][0] * q[1][1] - q[0][1] * q[1][0]
        cofactor = [[(-1) ** (i + k) * det2(minor(i, k)) for k in range(3)] for i in range(3)]
        det = sum(r[0][k] * cofactor[0][k] for k in range(3))
        return joint, [-sum(cofactor[i][k] * t[i] for i in range(3)) / det for k in range(3)]


def apart(a, b):
    return sum((p - q) ** 2 for p, q in zip(a, b)) ** 0.5


if sys.argv[1] == "most":
    shapes = json.load(open(sys.argv[2]))["shapes"]
    print(max(sum(w > 0 for _, w in vertex) for shape in shapes for vertex in shape["weights"]))
    sys.exit()
verb, first, second, name, radius = sys.argv[1:4] + [sys.argv[4], float(sys.argv[5])]
skin = Skin(first)
joint, head = skin.joint(name)
if verb == "spoil":
    (joints, slots), (weights, shares) = (skin.places(skin.attributes[a]) for a in ("JOINTS_0", "WEIGHTS_0"))
    one = 1.0 if weights[1] == "f" else 2 ** (8 * struct.calcsize(weights[:2])) - 1
    near = [v for v, p in enumerate(skin.read("POSITION")) if apart(p, head) < radius]
    for v in near:
        struct.pack_into(joints, skin.data, slots[v], joint, 0, 0, 0)
        struct.pack_into(weights, skin.data, shares[v], one, 0, 0, 0)
    open(second, "wb").write(skin.raw[:skin.head] + bytes(skin.data))
    print(len(near))
elif verb == "far":
    other = Skin(second)
    rows = zip(skin.read("POSITION"), *(s.read(a) for a in ("JOINTS_0", "WEIGHTS_0") for s in (skin, other)))
    print(sum(apart(p, head) > radius and (j, w) != (k, x) for p, j, k, w, x in rows))
elif verb == "worst":
    spots = json.load(open(second))["spots"]
    print(max((s["score"] for s in spots if apart(s["position"], head) < radius), default=0.0))
