#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
#
# What it costs to drop a frame at the far end of a veth, the earlier the cheaper:
# by an XDP program in the driver, by one in the stack, at tc's ingress by BPF, by
# matchall or by u32, in the raw table, or at a UDP port that nobody has. All frames
# are of dxmit in copy mode; a leg first makes the far end what it is called.
#
# Prints for each step how far frames came: IP's count of what it received, and
# UDP's of those without a port.
# shellcheck source=bench/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
recipe ingress_drop "$@"

clear_far_end() {
	ip -n far link set vb xdp off
	ip -n far link set vb xdpgeneric off
	tc -n far qdisc del dev vb clsact
	[ -z "$have_nft" ] || far nft flush ruleset
} 2>/dev/null

at_ingress() { # FILTER…
	tc -n far qdisc add dev vb clsact && tc -n far filter add dev vb ingress "$@"
}

far_end() { # STEP
	clear_far_end
	case $1 in
	xdp) ip -n far link set vb xdpdrv obj "$hook" sec xdp ;;
	xdp-generic) ip -n far link set vb xdpgeneric obj "$hook" sec xdp ;;
	tc-bpf) at_ingress bpf da obj "$hook" sec drop ;;
	tc-matchall) at_ingress matchall action drop ;;
	tc-u32) at_ingress protocol ip u32 match ip dport 9 0xffff action drop ;;
	raw) far nft "add table ip raw;
		add chain ip raw prerouting { type filter hook prerouting priority raw; };
		add rule ip raw prerouting udp dport 9 drop" ;;
	udp) ;;
	*) return 1 ;;
	esac
}

have_nft=$(command -v nft)
if [ "${1-} ${2-}" = "leg seen" ]; then
	far cat /sys/class/net/vb/statistics/rx_packets
	exit
fi
if [ "${1-}" = leg ]; then # leg STEP INTERFACE QUEUE SIZE CPU
	far_end "$2" || exit 1
	exec "$DXMIT" tx -i "$3" -q "$4" -s "$5" --cpus "$6" --copy --path kernel --interval 0
fi

# A thousand frames, and where they were seen. Slowly: the far end is to lose none
# for want of room.
came_how_far() { # STEP
	local arrived ip_in no_port
	arrived=$(far cat /sys/class/net/vb/statistics/rx_packets)
	ip_in=$(snmp far Ip InReceives)
	no_port=$(snmp far Udp NoPorts)
	"$DXMIT" tx -i va -n 1000 --rate 20kpps --copy --path kernel --interval 0 >/dev/null
	echo "check recipe=$recipe step=$1 frames=1000" \
		"arrived=$(($(far cat /sys/class/net/vb/statistics/rx_packets) - arrived))" \
		"ip=$(($(snmp far Ip InReceives) - ip_in))" \
		"udp_without_port=$(($(snmp far Udp NoPorts) - no_port))"
}

need tc jq
veth_to_far
hook=$(object hook) || skip "the program cannot be compiled; clang is needed"
export hook
legs=
for step in xdp xdp-generic tc-bpf tc-matchall tc-u32 raw udp; do
	if ! far_end $step 2>"$work/err"; then
		echo "skip recipe=$recipe leg=$step: $(head -n 1 "$work/err")"
		continue
	fi
	came_how_far $step
	legs=$legs,$step=$(leg_command $step %i %q %s %c)
done
rows device=veth -i va --legs "${legs#,}" \
	--witness "sh $0 leg seen"
