#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What it costs to forward a frame from veth to veth: this namespace sends through
# va to vb in the namespace `router`, which hands it by IP from vc to vd in the
# namespace `far`. The witness is vd's counter. The leg `refused` has forwarding
# off, so that the router throws each frame away where it would have looked up the
# way, and counts it (InAddrErrors): what is above that is the cost of forwarding
# and of one more veth.
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe forwarding "$@"

forwarding() { # 0|1
	ip netns exec router sh -c "echo $1 >/proc/sys/net/ipv4/ip_forward"
}

case "${1-} ${2-}" in
"leg seen")
	echo $(($(far cat /sys/class/net/vd/statistics/rx_packets) + $(snmp router Ip InAddrErrors)))
	exit
	;;
"leg arrived")
	far cat /sys/class/net/vd/statistics/rx_packets
	exit
	;;
leg*) # leg 0|1 INTERFACE QUEUE SIZE CPU
	forwarding "$2"
	exec "$DXMIT" tx -i "$3" -q "$4" -s "$5" --cpus "$6" --copy --path kernel --interval 0 \
		--dst-ip 198.18.1.2
	;;
esac

need jq
ip netns add router && ip netns add far || exit 1
ip link add va type veth peer name vb netns router || skip "the kernel has no veth"
ip -n router link add vc type veth peer name vd netns far
ip -n router link set vb address 02:00:00:00:00:02 arp off up
ip -n router link set vc arp off up
ip -n router addr add 198.18.0.2/24 dev vb
ip -n router addr add 198.18.1.1/24 dev vc
ip -n far link set vd arp off up
ip link set va arp off up
# The far end, which has no address, only counts.
rows device=veth -i va --witness "sh $0 leg seen" --legs \
	"refused=$(leg_command 0 %i %q %s %c),forwarded=$(leg_command 1 %i %q %s %c)"
forwarding 1
rows "device=veth forwarded" -i va --dst-ip 198.18.1.2 --legs copy,direct,af_packet \
	--witness "sh $0 leg arrived"
