#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the copy to the reader of a UDP socket costs, for small datagrams and for
# those that fill an Ethernet frame. The far end of a veth has a reader on the
# sender's CPU, which reads whatever has arrived before more is sent. The witness is
# the socket's own count (InDatagrams): a packet's time is that of sending,
# receiving and reading. The leg `discard` reads none of the bytes; it still checks
# the checksum, for which they are looked at, and `copy` does both at once.
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe receive_copy "$@"

reader=${RECIPE_OBJECTS:-$BUILD/bench}/udp_reader
if [ "${1-} ${2-}" = "leg seen" ]; then
	snmp far Udp InDatagrams
	exit
fi
# leg HOW INTERFACE QUEUE SIZE CPU: the signal that ends one ends the other.
if [ "${1-}" = leg ]; then
	far "$reader" "$2" 9 "$6" >>"$work/reader" 2>&1 &
	exec "$DXMIT" tx -i "$3" -q "$4" -s "$5" --cpus "$6" --copy --path kernel --interval 0
fi

need jq
[ -x "$reader" ] || skip "$reader is not built"
veth_to_far
# A switch from sender to reader a datagram makes for more noise.
seconds=$(awk -v s="$seconds" 'BEGIN { print 3 * s }')
rows device=veth -i va --sizes 64,1518 --witness "sh $0 leg seen" --legs \
	"discard=$(leg_command discard %i %q %s %c),copy=$(leg_command copy %i %q %s %c)"
echo "check recipe=$recipe read=$(snmp far Udp InDatagrams)" \
	"lost_for_want_of_room=$(snmp far Udp RcvbufErrors)"
