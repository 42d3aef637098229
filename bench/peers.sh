#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# peers.sh: dxmit against other senders, interleaved, on the same device and
# CPU, judged by the device's own counters. Run as root; everything happens in
# a network namespace of its own.
#
#	bench/peers.sh [--rounds N] [--seconds S] [--sizes 64,1518]
#	               [--devices ifb,veth] [--queues N] [--peers LIST]
#	               [--scaling]
#
# Environment: BUILD (build directory), DXMIT, XDPSOCK (paths of binaries),
# BENCH_CPU (first CPU to pin to; default: the last ones).
# A peer that is absent or sends nothing here is skipped with the reason. A peer
# "dxmit:OPTION:OPTION" is dxmit with more options, such as dxmit:--budget=32,
# which is what a kernel before 6.17 offers.
# --scaling compares dxmit with one queue on one CPU and two on two, on veth.
set -u

here=$(cd "$(dirname "$0")" && pwd)
XDPSOCK=${XDPSOCK:-$(command -v xdpsock)}
. "$here/interleaved.sh"
rounds=15 seconds=1 sizes=64,1518 devices=ifb,veth queues=1 scaling=0 wanted=

args=("$@")
while [ $# -gt 0 ]; do
	case $1 in
	--rounds) rounds=${2-} ;;
	--seconds) seconds=${2-} ;;
	--sizes) sizes=${2-} ;;
	--devices) devices=${2-} ;;
	--queues) queues=${2-} ;;
	--peers) wanted=$(echo "${2-}" | tr , " ") ;;
	--scaling) scaling=1 ;;
	*) usage ;;
	esac
	[ "$1" = --scaling ] || { [ $# -ge 2 ] || usage; shift; }
	shift
done

own_namespaces ${args+"${args[@]}"}

# The MAC addresses xdpsock has built in; every sender uses the same.
dst_mac=3c:fd:fe:9e:7f:71
src_mac=ec:b1:d7:98:3a:c0

make_devices() { # QUEUES
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
	ip link set lo up
	ip link add bench_ifb numtxqueues "$1" numrxqueues "$1" type ifb &&
	ip link add bench_near numtxqueues "$1" numrxqueues "$1" type veth \
		peer name bench_far numtxqueues "$1" numrxqueues "$1" || exit 1
	for dev in bench_ifb bench_near bench_far; do
		ip link set $dev arp off up || exit 1
	done
}

# ifb counts every frame it is given in rx_packets; what reached the far end of
# a veth is in that end's rx_packets.
counter_of() {
	case $1 in
	ifb) echo /sys/class/net/bench_ifb/statistics/rx_packets ;;
	veth) echo /sys/class/net/bench_far/statistics/rx_packets ;;
	esac
}

interface_of() {
	case $1 in
	ifb) echo bench_ifb ;;
	veth) echo bench_near ;;
	*) echo "peers.sh: no device $1" >&2; exit 2 ;;
	esac
}

# A UDP frame of LENGTH bytes as hex, for the senders that take one.
frame_hex() {
	local ip=$(($1 - 14)) udp=$(($1 - 34))

	printf '%s%s0800' "${dst_mac//:/}" "${src_mac//:/}"
	printf '4500%04x00004000401100000a0a0a100a0a0a20' $ip
	printf '10001000%04x0000' $udp
	printf '%0*d' $((($1 - 42) * 2)) 0
}

make_pcap() { # LENGTH FILE: one thousand copies
	local record header i

	header=$(printf 'd4c3b2a1020004000000000000000000ffff000001000000')
	record=$(printf '0000000000000000%02x%02x0000%02x%02x0000' \
		$(($1 & 255)) $(($1 >> 8)) $(($1 & 255)) $(($1 >> 8)))$(frame_hex "$1")
	{
		echo "$header"
		for ((i = 0; i < 1000; i++)); do echo "$record"; done
	} | sed 's/../\\x&/g' | while read -r line; do printf '%b' "$line"; done >"$2"
}

# Some peers end when RLIMIT_MEMLOCK may not be raised, though CAP_IPC_LOCK
# makes it irrelevant; those get a preload that forgives it.
preload=
if ! prlimit --memlock=unlimited true 2>/dev/null; then
	preload="env LD_PRELOAD=$BUILD/bench/libpeer_setrlimit.so"
fi

# Sets command[] for PEER on INTERFACE with SIZE; %q and %c stand for a copy's
# queue and CPU. Returns 1 with the reason in $why when it cannot run.
command_for() {
	local peer=$1 dev=$2 size=$3 length=$(($3 - 4)) list cpus

	copies=$queues cpus_each=1 why=
	list=$(seq -s, 0 $((queues - 1)))
	cpus=$(seq -s, "$cpu" $((cpu + queues - 1)))
	case $peer in
	dxmit | dxmit:*)
		[ -x "$DXMIT" ] || { why="$DXMIT is not built"; return 1; }
		copies=1 cpus_each=$queues
		command=("$DXMIT" tx -i "$dev" -q "$list" -s "$size" --cpus "$cpus"
			--dst-mac $dst_mac --src-mac $src_mac)
		peer=${peer#dxmit}
		command+=(${peer//:/ })
		;;
	xdpsock)
		[ -x "$XDPSOCK" ] || { why="XDPSOCK names no program"; return 1; }
		command=($preload "$XDPSOCK" -t -S -Q -s "$size" -i "$dev" -q %q)
		;;
	testpmd)
		[ -n "$(command -v dpdk-testpmd)" ] ||
			{ why="dpdk-testpmd is not installed"; return 1; }
		command=($preload dpdk-testpmd --no-huge --no-pci -m 256 --file-prefix "bench%q"
			--lcores "0@%c,1@%c" --log-level 1
			--vdev "net_af_xdp0,iface=$dev,start_queue=%q,queue_count=1,force_copy=1"
			-- --forward-mode=txonly --txpkts="$length" --auto-start
			--total-num-mbufs=8192 --eth-peer="0,$dst_mac" --no-lsc-interrupt)
		;;
	trafgen)
		[ -n "$(command -v trafgen)" ] ||
			{ why="trafgen is not installed"; return 1; }
		frame_hex "$length" | sed 's/../0x&,/g; s/^/{ /; s/,$/ }\n/' >"$work/trafgen.cfg"
		command=(trafgen -i "$work/trafgen.cfg" -o "$dev" -P 1 -C -Q)
		;;
	tcpreplay)
		[ -n "$(command -v tcpreplay)" ] ||
			{ why="tcpreplay is not installed"; return 1; }
		make_pcap "$length" "$work/frames.pcap"
		command=(tcpreplay -i "$dev" -q -K -t -l 1000000 "$work/frames.pcap")
		;;
	*)
		why="no such peer"
		return 1
		;;
	esac
}

run_row() { # ROUND DEVICE SIZE PEER
	local key="device=$2 size=$3 peer=$4"

	if ! command_for "$4" "$(interface_of "$2")" "$3"; then
		echo "skip $key: $why"
		return 1
	fi
	measure_row "$1" "$key" "$(counter_of "$2")" "$cpu" "$cpus_each" "$copies"
}

scale() {
	local round order n

	for ((round = 0; round <= rounds; round++)); do
		order="1 2"
		[ $((round % 2)) = 1 ] || order="2 1"
		for n in $order; do
			queues=$n
			cpu=$first_cpu
			# Round 0 warms up and does not count.
			run_row $round veth 64 dxmit | sed "s/peer=dxmit/peer=dxmit:$n-queues/" |
				{ [ $round = 0 ] && cat >/dev/null || cat; }
		done
	done
}

[ $scaling = 0 ] || queues=2
first_cpu=${BENCH_CPU:-$(($(nproc) - queues))}
cpu=$first_cpu
make_devices "$queues"
{
	machine "pinned=$cpu" "queues=$queues"
	if [ $scaling = 1 ]; then
		scale
	else
		for device in ${devices//,/ }; do
			interface_of "$device" >/dev/null || exit 2
			for size in ${sizes//,/ }; do
				interleave "$device" "$size" -- ${wanted:-dxmit dxmit:--budget=32 \
					xdpsock testpmd trafgen tcpreplay}
			done
		done
	fi
	machine "pinned=$cpu" "queues=$queues"
} | tee "$work/rows"
awk -f "$here/stats.awk" "$work/rows"
