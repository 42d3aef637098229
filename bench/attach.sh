#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# A sender that knows nothing of the module, xdpsock or tests/vm/rawsend, is put on
# the direct path from outside (`dxmit attach -p PID`) and taken off again, five
# times in the same process: its rate on either path.
#
#	bench/attach.sh [INTERFACE …]       dummy0 and igb0 by default
#
# Two boots: with QEMU's -icount, where a nanosecond of guest time is an
# instruction and no load of the host shows, and without it. Three minutes each
# on a busy machine.
# Prints "row clock=CLOCK interface=NAME turn=N path=NAME pps=N ns=X"; the device
# counts, the guest's clock times it.
# Environment: XDPSOCK (the program; without it rawsend), BUILD.
# Needs what tests/vm/lab.sh needs.

# shellcheck source=bench/guest.sh
. "$(dirname "$0")/guest.sh"
interfaces=${*:-dummy0 igb0}

guest_script() {
	cat "$lab_here/guest/lib.sh"
	echo "sender='$1' interfaces='$interfaces'"
	cat <<-'GUEST'
		insmod /modules/dxmit.ko
		export LIBXDP_OBJECT_PATH=/opt
		[ -e /sys/class/net/dummy0 ] || ip link add dummy0 type dummy
		now_ns() {
			awk '/^now at/ { print $3; exit }' /proc/timer_list
		}
		rate() { # INTERFACE TURN PATH
			local from before to after
			from=$(now_ns)
			before=$(sent "$1")
			usleep 300000
			to=$(now_ns)
			after=$(sent "$1")
			awk -v i="$1" -v t="$2" -v p="$3" -v n=$((after - before)) -v ns=$((to - from)) \
				'BEGIN { printf "interface=%s turn=%d path=%s pps=%d ns=%.1f\n",
					i, t, p, n * 1e9 / ns, (n ? ns / n : 0) }'
		}
		switch() { # attach|detach: the sender
			dxmit "$1" -p "$pid" >/tmp/said 2>&1 || {
				echo "failed $1: $(cat /tmp/said)"
			}
		}
		for name in $interfaces; do
			up "$name"
			case $sender in
			rawsend) rawsend "$name" >/tmp/sender 2>&1 & ;;
			*) xdpsock -i "$name" -q 0 -t -S -c -s 64 >/tmp/sender 2>&1 & ;;
			esac
			pid=$!
			usleep 500000
			kill -0 $pid 2>/dev/null || {
				echo "failed start: $(cat /tmp/sender)"
				continue
			}
			for turn in 1 2 3 4 5; do
				rate "$name" $turn stock
				switch attach
				rate "$name" $turn direct
				switch detach
			done
			kill -INT $pid
			wait $pid
			down "$name"
		done
	GUEST
}

boot() { # CLOCK [QEMU-OPTION …]
	local clock=$1
	shift
	bench_boot 900 "${lab_devices[@]}" "$@" |
		sed "s/^interface=/row clock=$clock interface=/" |
		tee -a "$lab/rows" || exit 1
}

# The median of each path and their ratio.
summary() {
	sed -n 's/^row clock=\([a-z]*\) interface=\([^ ]*\) .* path=\([a-z]*\) .* ns=/\1 \2 \3 /p' \
		"$lab/rows" | sort -k1,3 -k4,4n | awk '
		{ key = $1 " " $2 " " $3; value[key, ++n[key]] = $4; pair[$1 " " $2] = 1 }
		END {
			for (name in pair) {
				stock = value[name " stock", int((n[name " stock"] + 1) / 2)]
				direct = value[name " direct", int((n[name " direct"] + 1) / 2)]
				split(name, part, " ")
				printf "median clock=%s interface=%s stock_ns=%s direct_ns=%s ratio=%.2f\n",
					part[1], part[2], stock, direct, direct ? stock / direct : 0
			}
		}' | sort
}

lab_kernel 6.12
lab_drivers=(dummy igb)
lab_nic igb 1 4
program=${XDPSOCK:-$BUILD/tests/rawsend}
# The program for XDP that libxdp loads for any socket, sending or not.
objects=()
[ -z "${XDPSOCK-}" ] || mapfile -t objects < <(find /usr/lib /usr/local/lib -name \
	'xsk_def_xdp_prog*.o' -o -name xdp-dispatcher.o)
guest_script "$(basename "$program")" >"$lab/script"
lab_guest "$lab/script" "$program" "${objects[@]}" "$BUILD/app/dxmit" "$(command -v ip)"
bench_machine
boot icount "${bench_icount[@]}"
boot plain
summary
! grep -q '^failed' "$lab/rows" && ! grep -q 'pps=0' "$lab/rows"
