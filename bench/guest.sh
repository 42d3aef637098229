# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
#
# A guest of tests/vm/lab.sh to measure in: no checks in its kernel, one CPU, and
# the same random numbers each time, on which the kernel's layout hangs.
#
#	bench_boot SECONDS [QEMU-OPTION …]    boots it, prints what its script printed
#	bench_machine                         a line about what was measured
set -o pipefail
# shellcheck source=tests/vm/lab.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tests/vm/lab.sh"
BUILD=${BUILD:-$lab_here/../../build}

# Each instruction takes a nanosecond of guest time, and nothing else does.
# shellcheck disable=SC2034 # for those who source this
bench_icount=(-icount "shift=0,sleep=off" -rtc "base=2026-01-01,clock=vm")

bench_boot() { # SECONDS [QEMU-OPTION …]
	local seconds=$1
	shift
	rm -f "$lab/serial"
	timeout -k 5 "$seconds" qemu-system-x86_64 -machine q35,accel=tcg -cpu max -smp 1 \
		-m "$lab_memory" -seed 1 -nic none -display none -no-reboot -monitor none \
		-serial "file:$lab/console" -serial "file:$lab/serial" "$@" -kernel "$image" \
		-initrd "$lab/initrd" -append "console=ttyS0 panic=-1 nokaslr" </dev/null ||
		lab_fail "the guest did not end" "$lab/console"
	grep -q '^== end' "$lab/serial" ||
		lab_fail "the guest did not reach its end" "$lab/console"
	tr -d '\r' <"$lab/serial" | sed -n '/^== begin$/,/^== log$/p' | sed '/^== /d'
}

bench_machine() {
	echo "machine kernel=$version qemu=$(qemu-system-x86_64 --version |
		sed -n 's/.*version \([0-9.]*\).*/\1/p')"
}
