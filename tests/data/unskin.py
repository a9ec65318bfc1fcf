#!/usr/bin/env python3
"""A GLB with its skins and joint weights taken away: unskin.py IN OUT."""
import json, struct, sys
b = open(sys.argv[1], "rb").read()
n = struct.unpack("<I", b[12:16])[0]
j = json.loads(b[20:20 + n])
j.pop("skins", None)
for node in j["nodes"]:
    node.pop("skin", None)
for mesh in j["meshes"]:
    for p in mesh["primitives"]:
        for a in [a for a in p["attributes"] if a.startswith(("JOINTS", "WEIGHTS"))]:
            del p["attributes"][a]
text = json.dumps(j).encode()
text += b" " * (-len(text) % 4)
rest = b[20 + n:]
out = b"glTF" + struct.pack("<II", 2, 20 + len(text) + len(rest)) + struct.pack("<I", len(text)) + b"JSON" + text + rest
open(sys.argv[2], "wb").write(out)
