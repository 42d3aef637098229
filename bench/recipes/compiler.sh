#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# The compiler's part in the sender's own side: library and loop of fake_kernel built
# by gcc and by clang, each as always and without inlining (-fno-inline). Needs no
# network, nor root, but valgrind for the instructions. Builds in a directory of its
# own, a minute in all.
#
#	bench/recipes/compiler.sh [ROUNDS]          15 by default
#
# Nanoseconds are medians of rounds in turns; instructions per frame are exact.
here=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-15}
builds="gcc:inline gcc:no-inline clang:inline clang:no-inline"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

build() { # COMPILER INLINE
	local flags=-gdwarf-4 # valgrind does not read all that clang writes by default
	[ "$2" = inline ] || flags="$flags -fno-inline"
	cmake -S "$here/.." -B "$work/$1-$2" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_C_COMPILER="$1" -DCMAKE_C_FLAGS="$flags" -DDXMIT_APP=OFF \
		-DDXMIT_TESTS=OFF >"$work/log" 2>&1 &&
		cmake --build "$work/$1-$2" --target fake_kernel >>"$work/log" 2>&1
}

# Of one build, with the same words in each line.
mark() { # COMPILER INLINE
	sed "s/^/compiler=$1 inline=$([ "$2" = inline ] && echo yes || echo no) /"
}

each_build() { # FUNCTION
	local pair
	for pair in $builds; do
		"$1" "${pair%:*}" "${pair#*:}"
	done
}

try_build() {
	command -v "$1" >/dev/null && build "$1" "$2" && return
	echo "skip recipe=compiler compiler=$1: $(tail -n 1 "$work/log" 2>/dev/null || echo none)"
	builds=$(echo "$builds" | sed "s/$1:$2 *//")
}

time_build() {
	[ ! -x "$work/$1-$2/bench/fake_kernel" ] ||
		"$work/$1-$2/bench/fake_kernel" 1 | sed -n 's/^row //p' | mark "$1" "$2" >>"$work/rows"
}

count_build() {
	"$here/instructions.sh" "$work/$1-$2/bench/fake_kernel" | sed -n 's/^instructions //p' |
		mark "$1" "$2"
}

# Medians of user_ns over the rounds, and of each round's ratio to gcc with inlining.
medians() {
	awk '
	function of(name,    i) {
		for (i = 1; i <= NF; i++)
			if (index($i, name "=") == 1) return substr($i, length(name) + 2)
	}
	function median(list, n,    i, j, x) {
		for (i = 2; i <= n; i++) {
			x = list[i]
			for (j = i - 1; j >= 1 && list[j] > x; j--) list[j + 1] = list[j]
			list[j + 1] = x
		}
		return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
	}
	{
		build = "compiler=" of("compiler") " inline=" of("inline")
		what = "mode=" of("mode") " batch=" of("batch")
		key = build " " what
		if (!(key in n)) order[++keys] = key
		base_key[key] = "compiler=gcc inline=yes " what
		value[key, ++n[key]] = of("user_ns")
	}
	END {
		for (k = 1; k <= keys; k++) {
			key = order[k]
			for (i = 1; i <= n[key]; i++) {
				list[i] = value[key, i]
				ratio[i] = value[base_key[key], i] ? value[key, i] / value[base_key[key], i] : 0
			}
			printf "row recipe=compiler %s rounds=%d ns=%.2f ratio=%.2f\n", key, n[key],
				median(list, n[key]), median(ratio, n[key])
		}
	}' "$work/rows"
}

each_build try_build
round=0
while [ "$round" -lt "$rounds" ]; do
	each_build time_build
	round=$((round + 1))
done
medians
if command -v valgrind >/dev/null; then
	each_build count_build | sed 's/^/row recipe=compiler /'
else
	echo "skip recipe=compiler instructions: valgrind is not installed"
fi
