#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# From a fresh checkout to a first measurement: installs what is missing,
# builds, and sends for five seconds through a sandbox of its own. Touches no
# network interface of this machine. Further arguments go to `dxmit tx`.
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-$root/build}

echo "quickstart: packages"
"$root/tests/setup.sh" build || exit 1

echo "quickstart: building in $build"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
build() {
	cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release \
		-DDXMIT_TESTS=OFF -DDXMIT_BENCH=OFF &&
		cmake --build "$build" -j "$(nproc)"
}
if ! build >"$log" 2>&1; then
	tail -n 30 "$log" >&2
	echo "quickstart: the build failed" >&2
	exit 1
fi

echo "quickstart: $build/app/dxmit tx --sandbox=2 -d 5 $*"
"$build/app/dxmit" tx --sandbox=2 -d 5 "$@"
