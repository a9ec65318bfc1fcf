#!/bin/sh
# Paints three characters of the shared test files in the real window, and keeps screenshots of every
# view for review. Needs ../shared, an X display, and a program with the feature `inspection`. If the
# test files are missing, the script prints a message and ends.
#
# usage: run.sh ULNA PILOT FOLDER    (FOLDER receives the screenshots)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
shared="$here/../../../../shared/corpus/characters"
if [ ! -d "$shared" ]; then
    echo "skipped: the shared test files are missing"
    exit 0
fi
ulna=$(realpath "$1"); pilot=$(realpath "$2")
mkdir -p "$3"; cd "$3"
home=$(mktemp -d)
count=0
for file in CesiumMan/CesiumMan.glb Fox/Fox.glb Knight/*.glb; do
    for path in "$shared"/$file; do
        name=$(dirname "$file")
        cp "$path" "$home/model.glb"
        HOME="$home" XDG_DATA_HOME="$home/data" EGUI_INSPECTION=1 "$ulna" "$home/model.glb" &
        running=$!
        sleep 3
        "$pilot" "$here/$name.pilot" || { kill "$running"; echo "$name failed"; exit 1; }
        kill "$running"; wait "$running" 2>/dev/null || true
        count=$((count + 1))
        break
    done
done
rm -rf "$home"
[ "$count" = 3 ] || { echo "$count characters of 3"; exit 1; }
echo "$count characters painted; the pictures are in $3"
