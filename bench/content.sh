#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# content.sh: what frames that change cost on a device, over static ones:
# interleaved, one queue, on the same ifb and CPU, counted by the device. Beside it,
# `fake_kernel content` shows the sender's own part alone. Run as root; everything
# happens in a network namespace of its own.
#
#	bench/content.sh [--rounds N] [--seconds S]
#
# Environment: BUILD, DXMIT, BENCH_CPU (default: the last one).
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/interleaved.sh"
rounds=15 seconds=0.5

args=("$@")
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	--rounds) rounds=$2 ;;
	--seconds) seconds=$2 ;;
	*) usage ;;
	esac
	shift 2
done

own_namespaces ${args+"${args[@]}"}
cpu=${BENCH_CPU:-$(($(nproc) - 1))}
ip link add bench_ifb numtxqueues 1 numrxqueues 1 type ifb || exit 1
ip link set bench_ifb arp off up || exit 1

run_row() { # ROUND CONTENT
	command=("$DXMIT" tx -i bench_ifb --cpus "$cpu" --interval 0 -s 64)
	case $2 in
	static) ;;
	increment)
		command+=(--frame
			'eth/ip4:198.18.0.1>inc(0.0.0.0..255.255.255.255)/udp:4660>9')
		;;
	flows)
		command+=(--frame
			'eth/ip4:rand(10.0.0.0..10.0.3.255)>rand(11.0.0.0..11.0.3.255)/udp:4660>9')
		;;
	esac
	measure_row "$1" "device=ifb size=64 peer=$2" \
		/sys/class/net/bench_ifb/statistics/rx_packets "$cpu" 1 1
}

{
	machine "pinned=$cpu"
	interleave -- static increment flows
	machine "pinned=$cpu"
} | tee "$work/rows"
awk -v base=static -f "$here/stats.awk" "$work/rows"
