#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# Is a foreign sender judged rightly that is started by hand? xdpsock as an exec leg
# beside dxmit in copy mode, on a veth: what xdpsock itself says it sent, against
# what the far end counted over the same run. xdpsock (tx_only() of xdpsock.c) counts
# a frame when it writes the descriptor, before any kick, and as soon as it is told
# to end it neither kicks nor waits: what then stands in its ring, of 2048, was
# counted and never sent.
#
#	XDPSOCK=PATH bench/recipes/xdpsock.sh
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe xdpsock "$@"

arrived() {
	cat /sys/class/net/vb/statistics/rx_packets
}

# leg INTERFACE QUEUE SIZE: SIGINT ends xdpsock, and this goes on to tell.
if [ "${1-}" = leg ]; then
	before=$(arrived)
	trap : INT
	"$XDPSOCK" -t -S -i "$2" -q "$3" -s "$4" >"${work:?}/said" 2>&1
	own=$(awk '$1 == "tx" { packets = $3 } END { print packets + 0 }' "$work/said")
	echo "device=$(($(arrived) - before)) own=$own" >>"$work/counts"
	exit
fi

need jq
[ -x "${XDPSOCK-}" ] || skip "XDPSOCK names no program"
export XDPSOCK
# xdpsock gives up where RLIMIT_MEMLOCK may not be raised, though it need not be.
forgiving=$BUILD/bench/libpeer_setrlimit.so
prlimit --memlock=unlimited true 2>/dev/null || [ ! -e "$forgiving" ] ||
	export LD_PRELOAD="$forgiving"
ip link add va type veth peer name vb || skip "the kernel has no veth"
ip link set va arp off up
ip link set vb arp off up
rows device=veth -i va --legs "copy,xdpsock=$(leg_command %i %q %s)"
# Every run of it, those that the comparison repeated as well.
awk '{
	split($1, device, "="); split($2, own, "=")
	left = own[2] - device[2]
	wrong = wrong || left < 0 || left > 2048
	print "check recipe=xdpsock " $0 " left_in_its_ring=" left
}
END { exit wrong }' "$work/counts" || echo "failed recipe=xdpsock: more than its ring differs"
