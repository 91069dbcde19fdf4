#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# get_root.sh FOLDER: Debian's AArch64 libraries that the tests link, unpacked below FOLDER. apt resolves and verifies
# them with a state of its own: nothing is installed, and the machine's own packages stay as they are.
set -euo pipefail
root=$1
rm -rf "$root"
mkdir -p "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,archives}/partial
: >"$work/status"
options=(-q -o "Dir::State=$work" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work"
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "APT::Sandbox::User=$(id -un)")
apt-get "${options[@]}" update
apt-get "${options[@]}" install -y --no-install-recommends --download-only \
    libc6-dev libcjson-dev libblis-serial-dev libcriterion-dev
for package in "$work"/archives/*.deb; do dpkg -x "$package" "$root"; done
touch "$root/.complete"
