#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# replay.sh: a small capture at top speed, against frames that never change and
# against tcpreplay: interleaved, on the same ifb and CPUs, counted by the device.
# Run as root; everything happens in a network namespace of its own.
#
#	bench/replay.sh [--rounds N] [--seconds S] [--captures LIST] [--queues N]
#
# dxmit has N queues, each with a CPU (default 1); each record is a flow of its own,
# and flows are divided over the queues. tcpreplay is one thread, whatever N is. It
# runs as it is, reading the file again in each loop, and with -K, which keeps the
# frames in memory; both with -t, which is top speed.
# Captures: SIZExRECORDS, or mixxRECORDS for 64, 594 and 1518 bytes as 7:4:1 (for
# which there are no static frames). 64 records stay in a ring of 512 frames,
# 1000 are copied for every frame.
# Environment: BUILD, DXMIT, TCPREPLAY (default: the one in PATH; skipped if there
# is none), BENCH_CPU (first CPU; default: the last ones).
set -u

here=$(cd "$(dirname "$0")" && pwd)
TCPREPLAY=${TCPREPLAY:-$(command -v tcpreplay)}
. "$here/interleaved.sh"
rounds=15 seconds=0.5 captures=64x64,64x1000,1518x1000,mixx1000 queues=1

args=("$@")
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	--rounds) rounds=$2 ;;
	--seconds) seconds=$2 ;;
	--captures) captures=$2 ;;
	--queues) queues=$2 ;;
	*) usage ;;
	esac
	shift 2
done

own_namespaces ${args+"${args[@]}"}
cpu=${BENCH_CPU:-$(($(nproc) - queues))}
cpus=$(seq -s, "$cpu" $((cpu + queues - 1)))
ip link add bench_ifb numtxqueues "$queues" numrxqueues "$queues" type ifb || exit 1
ip link set bench_ifb arp off up || exit 1

# The frame dxmit sends by default, but for its checksums, and a number: its IPv4
# id, and its source port, so that each is a flow.
frame_hex() { # LENGTH NUMBER
	local ip=$(($1 - 14)) udp=$(($1 - 34))

	printf '020000000002020000000001''0800'
	printf '4500%04x%04x4000401100000000c6120001c6120002' $ip $(($2 & 65535)) |
		sed 's/00000000c612/0000c612/'
	printf '%04x0009%04x0000' $((1024 + $2 % 32768)) $udp
	printf '%0*d' $((($1 - 42) * 2)) 0
}

make_pcap() { # SIZE RECORDS FILE
	local i size length mix=(64 64 594 64 64 594 64 1518 64 594 64 594)

	{
		printf 'd4c3b2a1020004000000000000000000ffff000001000000\n'
		for ((i = 0; i < $2; i++)); do
			size=$1
			[ "$size" != mix ] || size=${mix[i % 12]}
			length=$((size - 4))
			printf '%08x%08x%02x%02x0000%02x%02x0000' 0 0 $((length & 255)) \
				$((length >> 8)) $((length & 255)) $((length >> 8))
			frame_hex $length "$i"
			echo
		done
	} | sed 's/../\\x&/g' | while read -r line; do printf '%b' "$line"; done >"$3"
}

# Sets command[] for a peer; returns 1 with the reason in $why.
command_for() { # PEER CAPTURE
	local size=${2%x*}
	local common=("$DXMIT" tx -i bench_ifb --cpus "$cpus" --interval 0)

	case $1 in
	replay) command=("${common[@]}" --replay "$work/$2.pcap" --loop 0) ;;
	static)
		[ "$size" != mix ] || { why="frames of one size only"; return 1; }
		command=("${common[@]}" -s "$size")
		;;
	tcpreplay | tcpreplay-K)
		[ -x "$TCPREPLAY" ] || { why="TCPREPLAY names no program"; return 1; }
		command=("$TCPREPLAY" -i bench_ifb -q -t -l 100000000)
		[ "$1" = tcpreplay ] || command+=(-K)
		command+=("$work/$2.pcap")
		;;
	esac
}

run_row() { # ROUND CAPTURE PEER
	local key="device=ifb size=$2 peer=$3" why=

	command_for "$3" "$2" || { echo "skip $key: $why"; return 1; }
	measure_row "$1" "$key" /sys/class/net/bench_ifb/statistics/rx_packets "$cpu" \
		"$queues" 1
}

about=("pinned=$cpus" "queues=$queues"
	"tcpreplay=$("$TCPREPLAY" --version 2>&1 |
		sed -n 's/^tcpreplay version: \([^ ]*\).*/\1/p')")
{
	machine "${about[@]}"
	for capture in ${captures//,/ }; do
		make_pcap "${capture%x*}" "${capture##*x}" "$work/$capture.pcap"
		interleave "$capture" -- replay static tcpreplay tcpreplay-K
	done
	machine "${about[@]}"
} | tee "$work/rows"
awk -v base=replay -f "$here/stats.awk" "$work/rows"
