#!/usr/bin/env python3
# After random scripts, `ulna diff ORIGINAL OUT` says that the files mean the same exactly when they do: names, evaluation at rest
# and at times of each clip, keys, weights, and what is drawn, all read by readers that share no code with Ulna.
# ULNA=path another binary, ULNA_SEED=n other scripts, JUDGES_SMALL=1 a sixth of them.
import os, sys, tempfile
HERE = os.path.dirname(os.path.realpath(__file__))
SHARED = os.environ.get("ULNA_SHARED") or os.path.join(HERE, "..", "..", "..", "shared")
sys.path.insert(0, os.path.join(os.path.abspath(SHARED), "judges"))
from fidelity import *
import skin_reference as ref
need()
SAME = "The files have the same content"


def evaluation(path, g):
    """Worlds, skin matrices and vertices at rest and at a few times of each clip."""
    out = []
    for a in range(-1, len(g.list("animations"))):
        times = [0.0]
        if a >= 0:
            inputs = [g.accessor(s["input"]) for s in g.list("animations")[a].get("samplers", [])]
            end = max([float(i.max()) for i in inputs if len(i)] or [0.0])
            times = [0.0, 0.31 * end, 0.5 * end, 0.83 * end, end]
        for t in times:
            P = ref.Pose(g, None, [] if a < 0 else [a], t)
            worlds = [P.world(i) for i in range(len(P.nodes))]
            skins = [np.asarray(m) for m in P.skins]
            out.append((worlds, skins, [(i, k, np.asarray(v)) for i, k, v in P.meshes]))
    return out


def near(a, b):
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(near(x, y) for x, y in zip(a, b))
    if isinstance(a, np.ndarray):
        return a.shape == np.shape(b) and bool(np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))
    return a == b


def keys(g):
    """Per clip: name, what is kept with it, and per channel its keys; a rotation counts like its negative."""
    out = []
    for a in g.list("animations"):
        tracks = {}
        for c in a.get("channels", []):
            s = a["samplers"][c["sampler"]]; target = c["target"]
            values = np.asarray(g.accessor(s["output"]), float); shape = s.get("interpolation", "LINEAR")
            if target.get("path") == "rotation" and shape != "CUBICSPLINE":
                flip = np.array([next((x for x in row[::-1] if x), 1.0) < 0 for row in values])
                values = np.where(flip[:, None], -values, values)
            times = g.accessor(s["input"]).reshape(-1)
            shape = "any" if len(times) == 1 else shape
            tracks[json.dumps(target, sort_keys=True)] = (shape, times.tobytes(), (values + 0.0).tobytes())
        if tracks: out.append((a.get("name"), json.dumps(a.get("extras"), sort_keys=True), tracks))
    return out


def strip(value):
    """Without members that say what is so anyway."""
    if isinstance(value, dict):
        return {k: w for k, w in ((k, strip(v)) for k, v in value.items()) if w not in ({}, None)}
    if isinstance(value, list): return [strip(v) for v in value]
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def drawn(g):
    """Everything else that a file says, with data by its content and materials and images in place."""
    j = meaning(g)
    for key in ("asset", "extensionsUsed", "extensionsRequired", "animations", "nodes", "skins"): j.pop(key, None)
    for i in j.get("images", []): i.pop("mimeType", None)  # a container says it, and the bytes too
    weights = []
    for m in g.list("meshes"):
        for p in m.get("primitives", []):
            at = p.get("attributes", {}); k = 0; rows = []
            while f"JOINTS_{k}" in at and f"WEIGHTS_{k}" in at:
                rows.append((np.asarray(g.accessor(at[f"JOINTS_{k}"], raw=True), int), np.asarray(g.accessor(at[f"WEIGHTS_{k}"]), np.float32))); k += 1
            if not rows: weights.append(None); continue
            js, ws = np.concatenate([r[0] for r in rows], 1), np.concatenate([r[1] for r in rows], 1)
            dense = np.zeros((len(js), int(js.max(initial=0)) + 1), np.float32)
            for s in range(js.shape[1]): np.add.at(dense, (np.arange(len(js)), js[:, s]), ws[:, s])
            used = np.flatnonzero(dense.any(0)); weights.append((used.tobytes(), dense[:, used].tobytes()))
    for m in j.get("meshes", []):
        for p in m.get("primitives", []):
            for k in [k for k in p.get("attributes", {}) if k.startswith(("JOINTS_", "WEIGHTS_"))]: del p["attributes"][k]
    return strip(j), weights


def tree(g):
    """Names, parents, what nodes show; local transforms are in the evaluation."""
    out = []
    for n in g.list("nodes"):
        out.append(strip({k: v for k, v in n.items() if k not in ("translation", "rotation", "scale", "matrix", "weights")}))
    return out, [{k: strip(v) for k, v in s.items() if k not in ("inverseBindMatrices", "skeleton")} for s in g.list("skins")]


def local(g):
    I = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    def one(n):
        if "matrix" in n: return ("m", tuple(map(float, n["matrix"])))
        q = [float(np.float32(x)) + 0.0 for x in n.get("rotation", I["rotation"])]
        if next((x for x in q[::-1] if x), 1.0) < 0: q = [-x + 0.0 for x in q]
        return ("t", *[tuple(float(np.float32(x)) + 0.0 for x in n.get(k, I[k])) for k in ("translation", "scale")], tuple(q))
    return [one(n) for n in g.list("nodes")]


def why_other(f, out):
    """The first thing in which two files are not the same; nothing where they are."""
    A, B = Gltf(f), Gltf(out)
    if tree(A) != tree(B): return "tree, names or extras"
    if local(A) != local(B): return "local transforms"
    if keys(A) != keys(B): return "keys"
    (x, v), (y, w) = drawn(A), drawn(B)
    if v != w: return "weights"
    if x != y: return "drawn: " + "; ".join(" ".join(p) for p in list(gaps(x, y))[:2])
    if not near(evaluation(f, A), evaluation(out, B)): return "evaluation"
    return None


seed = int(os.environ.get("ULNA_SEED", "0"))
good = total = same_count = 0; misses = []
with tempfile.TemporaryDirectory() as d:
    for n, f in enumerate(sample_files(60, 900 + seed, lambda g: len(g.list("nodes")) > 0, 1 << 20)):
        if run("info", f)[0]: continue
        g = Gltf(f); L = Lines(g, seed * 1000 + n); names = [x for x in doable() if not x.startswith(layer_family())]
        # nothing at all, single lines, and a few together
        for k, size in enumerate([0, 1, 1, 1, 1, 1, 1, 3, 8]):
            w = os.path.join(d, f"{n}_{k}"); os.mkdir(w); out = os.path.join(w, "o" + os.path.splitext(f)[1])
            if g.container != "glb": out = os.path.join(w, "o.glb")
            todo = [L.line(L.r.choice(names)) for _ in range(size)]
            for _ in range(size + 1):
                rc, so, err, _ = ulna_run(todo, f, out) if todo else run("convert", f, "-o", out)
                at = re.search(r"line (\d+): (?!left as)", err.splitlines()[-1] if err.strip() else "")
                if rc == 0 or not at or not todo: break
                del todo[int(at[1]) - 1]
            if rc or not os.path.exists(out): continue
            rc, so, err, _ = run("diff", f, out)
            lines = "; ".join(json.dumps(l, ensure_ascii=False) for l in todo)[:300]
            try: why = why_other(f, out)
            except Exception: continue  # not for these readers
            total += 1; same_count += why is None
            says = SAME in so
            if bad_end(rc, err) or rc == 2: misses.append(f"{rel(f)}: diff ended with {rc} {err.strip()[-100:]} | {lines}")
            elif says != (rc == 0): misses.append(f"{rel(f)}: status {rc} does not fit what is said | {lines}")
            elif says and why: misses.append(f"{rel(f)}: called the same, and other in {why} | {lines}")
            elif not says and not why: misses.append(f"{rel(f)}: the same, and diff says {so.strip().splitlines()[0][:160]} | {lines}")
            else: good += 1
print(f"{same_count} of {total} pairs are the same")
finish(good, total, "comparisons by ulna diff tell the truth", 200, misses)
