"""Writes a model as a program for modeling hands it over: meshes alone, without skeleton, weights and clips.

bare.py IN.glb OUT.glb
"""

import json
import struct
import sys

source, target = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
length = struct.unpack_from("<I", data, 12)[0]
model, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
meshes = [node for node in model["nodes"] if "mesh" in node]
model["nodes"] = [{"name": node.get("name", "Mesh"), "mesh": node["mesh"]} for node in meshes]
model["scenes"], model["scene"] = [{"nodes": list(range(len(meshes)))}], 0
model.pop("skins", None)
model.pop("animations", None)
for mesh in model["meshes"]:
    for primitive in mesh["primitives"]:
        attributes = primitive["attributes"]
        weights = [name for name in attributes if name.startswith(("JOINTS", "WEIGHTS"))]
        for name in weights:
            del attributes[name]
text = json.dumps(model).encode()
text += b" " * (-len(text) % 4)
with open(target, "wb") as file:
    file.write(struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest)))
    file.write(struct.pack("<I4s", len(text), b"JSON") + text + rest)
