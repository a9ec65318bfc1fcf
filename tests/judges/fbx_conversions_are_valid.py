#!/usr/bin/env python3
"""The Khronos validator finds no error in the conversion of any FBX file of the corpora.

Files that Ulna refuses are named like that, with `_fail` in their names.

ULNA=path another binary. All files are converted, with JUDGES_SMALL=1 too: it takes seconds.
"""

import collections
import json
import os
import sys
import tempfile

HOME = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, (os.environ.get("ULNA_SHARED") or HOME + "/../shared") + "/judges")
from common import files, finish, need, run  # noqa: E402
from fidelity import codes  # noqa: E402

need()
sources = sorted(files(".fbx"), key=os.path.basename)
misses, warnings, output = [], collections.Counter(), {}
with tempfile.TemporaryDirectory() as folder:
    _, out, err, _ = run("convert", "--json", "-o", folder, *sources, timeout=300)
    told = {f["file"]: f for f in json.loads(out)["files"]}
    for source in sources:
        f = told.get(source, {})
        if ("output" in f) == ("_fail" in source):
            misses.append(f"{source}: {f.get('error') or 'must be refused'}")
        elif "output" in f:
            output[f["output"]] = source
    found = codes(list(output))
    for path, source in output.items():
        errors, others = found.get(path, (["not validated"], {}))
        if errors:
            misses.append(f"{source}: {', '.join(errors)}")
        warnings.update(others)
print(", ".join(f"{code} {n}" for code, n in warnings.most_common()))
finish(
    len(sources) - len(misses),
    len(sources),
    "FBX files become valid glTF, or are refused",
    least=200,
    misses=misses,
)
