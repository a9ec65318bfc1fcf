#!/usr/bin/env bash
# Installs the packages that a Debian or Ubuntu system needs to build, run and test Ulna. Does nothing
# if all are installed.
set -euo pipefail

if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup.sh: apt-get was not found. Install a Vulkan loader and driver, libxkbcommon (with x11), and a C compiler."
  exit 0
fi

packages=(
  gcc libc6-dev         # links Rust programs, and compiles the FBX reader
  libvulkan1            # the Vulkan loader
  mesa-vulkan-drivers   # Vulkan drivers, including a software driver
  libegl1 libgl1-mesa-dri   # OpenGL, for systems without Vulkan
  libxkbcommon0         # keyboards
  libxkbcommon-x11-0    # keyboards on X11
  libx11-6 libx11-xcb1 libxcursor1 libxi6 libxrandr2
  libwayland-client0
  fontconfig fonts-dejavu-core fonts-droid-fallback   # characters that the bundled fonts lack
  xvfb                  # a virtual display for tests of the real window
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

run=()
if [ "$(id -u)" -ne 0 ]; then run=(sudo); fi
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
