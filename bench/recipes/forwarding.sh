#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What it costs to forward a frame from veth to veth: this namespace sends through
# va to vb in the namespace `router`, which hands it by IP from vc to vd in the
# namespace `far`. The witness is vd's counter. In the leg `dropped` a BPF program at
# vb's ingress throws each frame away, and tc counts it: what is above that is IP
# forwarding and one more veth.
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe forwarding "$@"

arrived() {
	far cat /sys/class/net/vd/statistics/rx_packets
}

# The hook stays, with its count, which must not go backwards.
at_vb() { # pass|drop
	tc -n router filter del dev vb ingress 2>/dev/null
	tc -n router filter add dev vb ingress bpf da obj "$hook" sec "$1"
}

case "${1-} ${2-}" in
"leg seen")
	echo $(($(arrived) + $(clsact dropped vb -n router)))
	exit
	;;
"leg arrived")
	arrived
	exit
	;;
leg*) # leg drop|pass INTERFACE QUEUE SIZE CPU
	at_vb "$2" || exit 1
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
ip netns exec router sh -c "echo 1 >/proc/sys/net/ipv4/ip_forward"
hook=$(object hook) && export hook
if tc -n router qdisc add dev vb clsact && at_vb drop; then
	rows "device=veth" -i va --witness "sh $0 leg seen" --legs \
		"dropped=$(leg_command drop %i %q %s %c),forwarded=$(leg_command pass %i %q %s %c)"
else
	echo "skip recipe=forwarding leg=dropped: no BPF program at vb's ingress"
fi 2>"$work/err"
tc -n router qdisc del dev vb clsact 2>/dev/null
rows "device=veth forwarded" -i va --dst-ip 198.18.1.2 --legs copy,direct,af_packet \
	--witness "sh $0 leg arrived"
