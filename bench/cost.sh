#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Instructions per 64-byte frame, kernel and sender together: stock path, the
# module's, and the kernel's own pktgen, on a dummy device of Debian's 6.12
# kernel. QEMU's -icount makes guest time count instructions, so there is no
# noise, and a second boot must say the same.
#
#	bench/cost.sh [BOOTS]           2 by default; one to four minutes each
#
# Prints "row boot=N path=NAME instructions=A B C": the same thing three times.
# Needs what tests/vm/lab.sh needs; BUILD says where the programs are.

set -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/vm/lab.sh
. "$here/../tests/vm/lab.sh"
BUILD=${BUILD:-$here/../build}
boots=${1:-2}

guest_script() {
	cat <<-'GUEST'
		insmod /modules/dxmit.ko
		/opt/ip link add d0 type dummy
		/opt/ip link set d0 arp off up

		row() { # NAME WORD…
			name=$1
			shift
			echo "path=$name instructions=$(/opt/cost d0 3 "$@")"
		}

		# clone_skb 0, burst 1: every frame is a new skb, as it is for the others.
		pktgen() {
			local thread=/proc/net/pktgen/kpktgend_0 turn=0 line=
			echo rem_device_all >$thread
			echo add_device d0 >$thread
			for word in "count 200000" "clone_skb 0" "burst 1" "pkt_size 60" \
				"delay 0" "dst 198.18.0.2" "dst_mac 02:00:00:00:00:02"; do
				echo "$word" >/proc/net/pktgen/d0
			done
			while [ $turn -lt 3 ]; do
				echo start >/proc/net/pktgen/pgctrl
				line="$line $(awk '/^Result: OK/ { split($3, us, "(")
					printf "%.1f", us[1] * 1000 / 200000 }' /proc/net/pktgen/d0)"
				turn=$((turn + 1))
			done
			echo "path=pktgen instructions=$line"
		}

		row stock stock
		row validate-1 validate batch=1
		row direct-1 batch=1
		row validate validate
		row direct
		row direct-64 batch=64
		pktgen
	GUEST
}

# One CPU: each instruction takes a nanosecond of guest time, and nothing else does.
# The seed is that of the guest's random numbers, on which the kernel's layout hangs.
cost_boot() { # SECONDS
	timeout -k 5 "$1" qemu-system-x86_64 -machine q35,accel=tcg -cpu max -smp 1 -m 1024 \
		-icount shift=0,sleep=off -seed 1 -rtc base=2026-01-01,clock=vm -nic none \
		-display none -no-reboot -monitor none -serial "file:$lab/console" \
		-serial "file:$lab/serial" -kernel "$image" -initrd "$lab/initrd" \
		-append "console=ttyS0 panic=-1 nokaslr" </dev/null ||
		lab_fail "the guest did not end" "$lab/console"
	tr -d '\r' <"$lab/serial" | sed -n '/^== begin$/,/^== log$/p' | sed '/^== /d'
}

lab_kernel 6.12
lab_drivers=(dummy pktgen)
guest_script >"$lab/script"
lab_guest "$lab/script" "$BUILD/bench/cost" "$(command -v ip)"
echo "machine kernel=$version qemu=$(qemu-system-x86_64 --version |
	sed -n 's/.*version \([0-9.]*\).*/\1/p')"
for ((boot = 1; boot <= boots; boot++)); do
	cost_boot 900 | sed "s/^path=/row boot=$boot path=/" || exit 1
done
