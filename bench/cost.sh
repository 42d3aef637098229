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

# shellcheck source=bench/guest.sh
. "$(dirname "$0")/guest.sh"
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

lab_kernel 6.12
lab_drivers=(dummy pktgen)
guest_script >"$lab/script"
lab_guest "$lab/script" "$BUILD/bench/cost" "$(command -v ip)"
bench_machine
for ((boot = 1; boot <= boots; boot++)); do
	bench_boot 900 "${bench_icount[@]}" | sed "s/^path=/row boot=$boot path=/" || exit 1
done
