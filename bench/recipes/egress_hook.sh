#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the egress hook of tc costs a frame, on a dummy device: with no program, with
# one that lets the frame pass, and with one that drops it. Frames of pktgen's
# queue_xmit and of af_packet go through the hook; those of AF_XDP never do, and
# cost the same whatever hangs there.
#
# The device does not count what the hook drops: the witness is its counter and
# that of the drops, added up. Prints at the end how many frames of dxmit the hook
# saw. pktgen keeps the packet of a frame that was refused and sends it again, so
# its row of hook=drop lacks building one.
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe egress_hook "$@"

if [ "${1-} ${2-}" = "leg seen" ]; then
	echo $(($(cat /sys/class/net/d0/statistics/tx_packets) + $(clsact dropped d0)))
	exit
fi

hang() { # pass|drop
	tc qdisc add dev d0 clsact && tc filter add dev d0 egress bpf da obj "$hook" sec "$1"
}

# What a whole run of dxmit tx leaves in the hook's counter.
passes_by() { # PATH
	local before
	before=$(clsact saw d0)
	"$DXMIT" tx -i d0 -n 100000 --path "$1" --interval 0 >/dev/null 2>"$work/err" ||
		return
	echo "check recipe=$recipe path=$1 frames=100000 seen_by_hook=$(($(clsact saw d0) - before))"
}

need tc jq
ip link add d0 type dummy 2>/dev/null || skip "the kernel has no dummy device"
ip link set d0 arp off up
hook=$(object hook) || skip "the program cannot be compiled; clang is needed"
hang pass 2>"$work/err" || skip "no BPF program at the hook: $(head -n 1 "$work/err")"
tc qdisc del dev d0 clsact
for state in none pass drop; do
	[ $state = none ] || hang $state
	rows "device=dummy hook=$state" -i d0 --legs pktgen-queue,af_packet,copy,direct \
		--witness "sh $0 leg seen" | grep -v '^pair'
	[ $state = none ] || passes_by kernel
	[ $state = none ] || passes_by direct
	[ $state = none ] || tc qdisc del dev d0 clsact
done
