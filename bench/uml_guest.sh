#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# uml_guest.sh: what the guest of uml.sh runs as its init. The host's files are its
# root, read-only; everything comes by the environment, from the kernel's command
# line: BENCH_COST, BENCH_MODULE, BENCH_PEERS (commas between), BENCH_ROUNDS,
# BENCH_BLOCKS. Round 0 warms up; uml.sh drops it.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
block=262144 # frames; the same as in cost.c
sent=/sys/class/net/bench0/statistics/tx_packets

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev

make_device() {
	ip link set lo up
	ip link add bench0 type dummy
	ip link set bench0 arp off up
}

# The kernel's pktgen; an skb built for each packet and nothing sent twice.
prepare_pktgen() {
	local line
	for line in rem_device_all "add_device bench0"; do
		echo "$line" >/proc/net/pktgen/kpktgend_0
	done
	for line in "count $block" "pkt_size 60" "clone_skb 0" "burst 1" "delay 0" \
		"dst_mac 02:00:00:00:00:02" "dst 198.18.0.2"; do
		echo "$line" >/proc/net/pktgen/bench0
	done
}

# By default it asks the clock for each packet, which none of the others does.
# Nanoseconds per frame of each block, as cost prints them. The line it reads:
# Result: OK: 219435(c219435+d0) usec, 262144 (60byte,0frags)
pktgen() { # FLAG
	local i
	echo "flag $1" >/proc/net/pktgen/bench0
	for ((i = 0; i < BENCH_BLOCKS; i++)); do
		echo start >/proc/net/pktgen/pgctrl
		awk '/^Result: OK/ { split($3, us, "("); printf " %.1f", us[1] * 1000 / $5 }' \
			/proc/net/pktgen/bench0
	done
}

run_peer() { # PEER
	local words
	IFS=: read -ra words <<<"${1#direct:}"
	case $1 in
	pktgen) pktgen !NO_TIMESTAMP ;;
	pktgen:*) pktgen "${words[1]}" ;;
	direct) "$BENCH_COST" bench0 "$BENCH_BLOCKS" ;;
	*) "$BENCH_COST" bench0 "$BENCH_BLOCKS" "${words[@]}" ;;
	esac
}

# The median block is the row: one that the host took the CPU from does not count.
# No sender is believed: the device must have seen every frame of it.
run_row() { # ROUND PEER
	local before blocks median seen
	before=$(<$sent)
	read -ra blocks <<<"$(run_peer "$2")"
	seen=$(($(<$sent) - before))
	if [ ${#blocks[@]} != "$BENCH_BLOCKS" ] || [ $seen -lt $((BENCH_BLOCKS * block)) ]; then
		echo "failed peer=$2: ${#blocks[@]} blocks, $seen frames on the device"
		return
	fi
	median=$(printf '%s\n' "${blocks[@]}" | sort -n | sed -n "$(((BENCH_BLOCKS + 1) / 2))p")
	echo "row round=$1 device=dummy size=64 peer=$2" \
		"pps=$(awk -v ns="$median" 'BEGIN { printf "%.0f", 1e9 / ns }')" \
		"ns_per_frame=$(IFS=,; echo "${blocks[*]}")"
}

# Every round runs all, each time beginning one further on; odd rounds backwards.
run_round() { # ROUND
	local i at n=${#peers[@]}
	for ((i = 0; i < n; i++)); do
		at=$(((i + $1) % n))
		[ $(($1 % 2)) = 0 ] || at=$((n - 1 - at))
		run_row "$1" "${peers[at]}"
	done
}

IFS=, read -ra peers <<<"$BENCH_PEERS"
make_device
prepare_pktgen
insmod "$BENCH_MODULE"
for ((round = 0; round <= BENCH_ROUNDS; round++)); do
	run_round $round
done
echo "== end"
busybox poweroff -f
