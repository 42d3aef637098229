#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Instructions per 64-byte frame on the sender's side, counted by callgrind:
# the same figure on every run. Each part is run with two frame counts, so that
# start-up cancels, and the fake kernel's own instructions are taken off.
#	bench/instructions.sh [FAKE_KERNEL]     default build/bench/fake_kernel
set -eu

bench=${1:-$(dirname "$0")/../build/bench/fake_kernel}
few=65536
many=131072

command -v valgrind >/dev/null || {
	echo "instructions.sh: valgrind is not installed; skipped"
	exit 77
}

count() { # MODE BATCH FRAMES PART
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$bench" count "$1" "$2" "$3" "$4" 2>&1 |
		sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

for mode in fixed free; do
	for batch in 32 64 256 1024; do
		whole=$(($(count $mode $batch $many sender) -
			$(count $mode $batch $few sender)))
		kernel=$(($(count $mode $batch $many kernel) -
			$(count $mode $batch $few kernel)))
		echo "$mode $batch $whole $kernel $((many - few))" |
			awk '{ printf "instructions mode=%s batch=%d sender=%.2f kernel=%.2f\n",
				$1, $2, ($3 - $4) / $5, $4 / $5 }'
	done
done
