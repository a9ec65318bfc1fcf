#!/usr/bin/env python3
"""Damaged FBX files are opened or refused with a sentence, in bounded time and memory.

Files of the corpus are mutated at random: cut, bytes changed, ranges doubled, moved, zeroed and
removed, and in text files lines and numbers replaced. Batches of them are given to `ulna info` and
`ulna check`. No process may crash or panic, each file needs a result or a refusal, no file may take
longer than a second, and a file that opens must not become glTF with errors.

ULNA=path another binary, ULNA_SEED=n other mutations, JUDGES_SMALL=1 a few of them,
ULNA_MUTATIONS=n their number. Files that fail are copied to ULNA_KEEP=folder.
"""

import collections
import copy
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

HOME = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, (os.environ.get("ULNA_SHARED") or HOME + "/../shared") + "/judges")
from common import SMALL, ULNA, files, finish, need  # noqa: E402

SEED = int(os.environ.get("ULNA_SEED", "56"))
COUNT = int(os.environ.get("ULNA_MUTATIONS", "400" if SMALL else "20000"))
KEEP = os.environ.get("ULNA_KEEP")
BATCH = 100
# Seconds of processor time per file. Builds without optimization are slower.
SLOWEST = 5.0 if "debug" in ULNA else 1.0
# A file may take twenty times its size and 64 MB, in each of several allocators.
PEAK_MB = 256
ADDRESS_SPACE_MB = 4096
# Bytes of a value of each kind that a property of a binary file may be.
SIZES = {"C": 1, "Y": 2, "I": 4, "L": 8, "F": 4, "D": 8}
NAN, INFINITY = float("nan"), float("inf")
BINARY = b"Kaydara FBX Binary"
NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
NUMBERS = (
    b"0 -0 1 -1 2 3 1e-30 -1e-30 1e30 1e38 -1e38 1e300 1e400 5e-324 nan inf -inf 0.5 360 -180.001 "
    b"255 256 65535 65536 2147483647 2147483648 -2147483648 4294967295 9223372036854775807 "
    b"46186158000 99999999999999999999 1,2 * - ."
).split()


def byte_changes(b, r):
    for _ in range(r.choice([1, 1, 3, 20, 200])):
        b[r.randrange(len(b))] = r.choice([0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)])
    return b


def piece(b, r):
    """A random range, mostly a short one."""
    start = r.randrange(len(b))
    return start, min(len(b), start + r.choice([1, 1, 4, 8, 64, 1024, len(b) // 4 + 1]))


def range_changes(b, r):
    start, end = piece(b, r)
    kind = r.randrange(4)
    if kind == 0:
        b[end:end] = b[start:end]
    elif kind == 1:
        b[start:end] = bytes(end - start)
    elif kind == 2:
        del b[start:end]
    else:
        to = r.randrange(len(b))
        b[to : to + end - start] = b[start:end]
    return b


def number_changes(b, r):
    """Numbers become odd ones, or others of the same file, so that connections change too."""
    found = list(NUMBER.finditer(b))
    if not found:
        return b
    for m in sorted(
        r.sample(found, min(len(found), r.choice([1, 3, 20, 200]))), key=lambda m: -m.start()
    ):
        b[m.start() : m.end()] = r.choice(NUMBERS) if r.random() < 0.6 else r.choice(found).group()
    return b


def line_changes(b, r):
    lines = bytes(b).split(b"\n")
    for _ in range(r.choice([1, 3, 20])):
        i, k = r.randrange(len(lines)), r.randrange(len(lines))
        kind = r.randrange(4)
        if kind == 0:
            lines[i], lines[k] = lines[k], lines[i]
        elif kind == 1:
            lines.insert(k, lines[i])
        elif kind == 2:
            lines[i] = b""
        else:
            lines[i : i + 1] = lines[k : k + 20]
    return bytearray(b"\n".join(lines))


def little_endian_changes(b, r):
    """Values of 4 and 8 bytes: counts, offsets, identifiers and numbers of binary files."""
    odd = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1, 0x7FF0 << 48, 0x7FF8 << 48]
    for _ in range(r.choice([1, 3, 20])):
        size, at = r.choice([4, 8]), r.randrange(len(b))
        value = r.choice([*odd, r.randrange(2 * len(b))]) & (2 ** (8 * size) - 1)
        b[at : at + size] = value.to_bytes(size, "little")
    return b


class Element:
    """An element of a binary file: name, properties as they are stored, elements inside."""

    def __init__(self, name, properties, inside, is_list):
        self.name, self.properties, self.inside = name, properties, inside
        self.is_list = is_list

    def all(self):
        yield self
        for e in self.inside:
            yield from e.all()


def read_elements(b, at, end, head):
    """Elements up to the empty one that ends a list; where that ends."""
    found = []
    while at + head.size + 1 <= end:
        stop, count, size = head.unpack_from(b, at)
        start = at + head.size + 1 + b[at + head.size]
        if stop == 0:
            return found, at + head.size + 1
        name, properties, at = b[at + head.size + 1 : start], [], start
        for _ in range(count):
            kind = chr(b[at])
            length = SIZES.get(kind)
            if kind in "SR":
                length = 4 + struct.unpack_from("<I", b, at + 1)[0]
            elif length is None:
                _, encoding, packed = struct.unpack_from("<III", b, at + 1)
                each = SIZES[kind.upper()] if kind != "b" else 1
                length = 12 + (
                    packed if encoding else each * struct.unpack_from("<I", b, at + 1)[0]
                )
            properties.append(bytes(b[at : at + 1 + length]))
            at += 1 + length
        assert at == start + size and at <= stop <= end, "an element of another size"
        inside = read_elements(b, at, stop, head)[0] if at < stop else []
        found.append(Element(bytes(name), properties, inside, at < stop))
        at = stop
    return found, at


def written(e, at, head):
    """Bytes of an element that begins at an offset."""
    properties = b"".join(e.properties)
    out = bytearray(bytes([len(e.name)]) + e.name + properties)
    if e.is_list:
        for x in e.inside:
            out += written(x, at + head.size + len(out), head)
        out += bytes(head.size + 1)
    return head.pack(at + head.size + len(out), len(e.properties), len(properties)) + out


def odd_value(kind, r, others):
    """Bytes of a number of a kind."""
    if others and r.random() < 0.4:
        return r.choice(others)
    if kind in "FD":
        value = r.choice([0.0, -0.0, 1.0, -1.0, 1e-30, 1e30, 3e38, 1e300, NAN, INFINITY, -INFINITY])
        try:
            return struct.pack("<" + kind.lower(), value)
        except OverflowError:
            return struct.pack("<f", INFINITY)
    size = SIZES[kind]
    value = r.choice([0, 1, 2, 3, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1])
    return (value & (2 ** (8 * size) - 1)).to_bytes(size, "little")


def change_property(e, i, r, same_kind):
    kind, data = chr(e.properties[i][0]), e.properties[i][1:]
    if kind in "SR":
        e.properties[i] = r.choice(same_kind[kind])
    elif kind in SIZES:
        e.properties[i] = kind.encode() + odd_value(kind, r, [p[1:] for p in same_kind[kind]])
    else:
        count, encoding, _ = struct.unpack_from("<III", data)
        values = bytearray(zlib.decompress(data[12:]) if encoding else data[12:])
        one = kind.upper() if kind != "b" else "C"
        size = SIZES[one]
        if r.random() < 0.3:
            values = values[: r.randrange(len(values) // size + 1) * size]
        for _ in range(r.choice([1, 3, 20]) if values else 0):
            at, other = (r.randrange(len(values) // size) * size for _ in range(2))
            values[at : at + size] = odd_value(one, r, [values[other : other + size]])
        count = len(values) // size
        e.properties[i] = kind.encode() + struct.pack("<III", count, 0, len(values)) + values


def element_changes(b, r):
    """Elements removed, doubled and moved, and their values changed, in a binary file."""
    head = struct.Struct("<III" if struct.unpack_from("<I", b, 23)[0] < 7500 else "<QQQ")
    try:
        top, end = read_elements(b, 27, len(b), head)
    except (AssertionError, IndexError, KeyError, struct.error):
        return little_endian_changes(b, r)  # an earlier mutation went deep
    root = Element(b"", [], top, True)
    every = list(root.all())
    same_kind = collections.defaultdict(list)
    for e in every:
        for p in e.properties:
            same_kind[chr(p[0])].append(p)
    for _ in range(r.choice([1, 3, 10, 50])):
        e = r.choice(every)
        kind = r.randrange(8)
        if kind == 0 and e.inside:
            del e.inside[r.randrange(len(e.inside))]
        elif kind == 1 and e.inside:
            e.inside.append(copy.deepcopy(r.choice(e.inside)))
        elif kind == 2 and e.inside:
            r.shuffle(e.inside)
        elif kind == 3 and e.properties:
            del e.properties[r.randrange(len(e.properties))]
        elif e.properties:
            try:
                change_property(e, r.randrange(len(e.properties)), r, same_kind)
            except (struct.error, zlib.error, KeyError):
                continue
    out = bytearray(b[:27])
    for e in top:
        out += written(e, len(out), head)
    return out + bytes(head.size + 1) + b[end:]


def mutated(original, r):
    b = bytearray(original)
    is_text = BINARY not in original[:64]
    own = [number_changes, line_changes] if is_text else [little_endian_changes, element_changes]
    for _ in range(r.choice([1, 1, 1, 2])):
        if b:
            b = r.choice([byte_changes, range_changes, *own, own[-1], own[0 if is_text else 1]])(
                b, r
            )
    return bytes(b[: r.randrange(len(b) + 1)] if r.random() < 0.1 else b)


def run(verb, paths, seconds):
    """Exit status, output, errors, seconds of processor time and peak memory in megabytes."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_MB << 20,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(
            [ULNA, verb, "--json", *paths], stdout=out, stderr=err, preexec_fn=limit
        )
        timer = threading.Timer(seconds, p.kill)
        timer.start()
        _, status, used = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said = err.read().decode(errors="replace")
        return (
            p.returncode,
            out.read().decode(errors="replace"),
            said,
            used.ru_utime + used.ru_stime,
            used.ru_maxrss // 1024,
        )


def objections(verb, paths, seconds):
    """What is wrong with the process as a whole, and with each file."""
    status, out, err, used, peak = run(verb, paths, seconds)
    whole, each = [], {}
    if status == -signal.SIGKILL:
        whole.append(f"ran past {seconds:.0f} s, or was killed")
    elif status < 0:
        whole.append(f"ended by {signal.Signals(-status).name}")
    elif status not in (0, 1, 2) or "panicked" in err:
        whole.append(f"status {status}: {err.strip()[-300:]}")
    if used > SLOWEST:
        whole.append(f"{used:.1f} s of processor time")
    if peak > PEAK_MB:
        whole.append(f"{peak} MB of memory")
    try:
        report = json.loads(out)
    except ValueError:
        return [*whole, "its output is not JSON"], each, used, peak, 0
    # One file alone is not in a list.
    told = report.get("files", [report])
    told = {f.get("file"): f for f in told}
    opened = 0
    for path in paths:
        f = told.get(path)
        if f is None:
            each[path] = "is not in the output"
        elif "error" in f:
            message = f["error"].get("message", "")
            if f["error"].get("code") != "foreign_file_unreadable" or len(message.split()) < 4:
                each[path] = f"error without a sentence of its own: {f['error']}"
        else:
            opened += 1
            wrong = [x for x in f.get("findings", []) if x["severity"] == "error"]
            # Damaged images are passed on as they are.
            wrong = [x for x in wrong if not x["code"].startswith("IMAGE_")]
            if wrong:
                each[path] = f"becomes glTF with an error: {wrong[0]['code']} {wrong[0]['message']}"
    return whole, each, used, peak, opened


need()
r = random.Random(SEED)
sources = sorted(files(".fbx", bad=False), key=os.path.basename)
if not sources:
    print("no FBX files in the corpora")
    sys.exit(1)
originals = [(os.path.basename(p), open(p, "rb").read()) for p in sources]
good = total = opened = 0
misses, slowest, highest = [], 0.0, 0
began = time.time()
with tempfile.TemporaryDirectory() as folder:
    while total < COUNT:
        verb = ("info", "check")[total // BATCH % 2]
        paths = []
        for k in range(min(BATCH, COUNT - total)):
            name, data = r.choice(originals)
            paths.append(os.path.join(folder, f"{total + k:05}_{name}"))
            with open(paths[-1], "wb") as f:
                f.write(mutated(data, r))
        whole, each, used, peak, n = objections(verb, paths, 60)
        opened += n
        slowest, highest = max(slowest, used), max(highest, peak)
        if whole:  # By which file: each is run alone.
            unknown = True
            for path in paths:
                alone, own, _, _, _ = objections(verb, [path], 4 * SLOWEST)
                if alone or own:
                    each[path] = "; ".join([*alone, *own.values()])
                unknown &= not alone
            # A batch takes longer than a file may.
            if unknown and not all("processor time" in w for w in whole):
                misses.append(f"ulna {verb}, files {total} to {total + len(paths)}: {whole}")
                good -= 1
        for path, why in each.items():
            misses.append(f"ulna {verb} {os.path.basename(path)} (seed {SEED}): {why}")
            if KEEP:
                os.makedirs(KEEP, exist_ok=True)
                shutil.copy(path, KEEP)
        good += len(paths) - len(each)
        total += len(paths)
        for path in paths:
            os.remove(path)
print(
    f"{opened} opened, {total - opened} refused or wrong; {slowest:.2f} s of processor time for "
    f"the slowest {BATCH}, {highest} MB at most, {time.time() - began:.0f} s in all"
)
finish(good, total, "mutated FBX files are opened or refused", least=4800, misses=misses)
