#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the host: an interface that carries a default route is not flooded
# unless that is said to be meant.
. "$(dirname "$0")/lib.sh"

# va and its far end vb; wa is another pair, for routes that do not matter.
two_pairs() {
	veth 1
	ip link add dev wa type veth peer name wb
	ip link set wa up
	ip link set wb up
	ip addr add 198.18.0.1/24 dev va
	ip addr add 198.19.0.1/24 dev wa
}

refused() { # INTERFACE
	local before
	before=$(counter "$1" tx_packets)
	dxmit tx -i "$1" -n 1000
	is "$status" 2 "$dxmit_said: exit code"
	one_error "$1" "default route.*--force"
	is "$(counter "$1" tx_packets)" "$before" "frames sent through $1"
}

allowed() { # INTERFACE OPTIONS…
	local name=$1
	shift
	dxmit tx -i "$name" -n 1000 --json "$report" "$@"
	no_error
	sent_exactly 1000
}

case_without_a_default_route() {
	two_pairs
	allowed va
	ip route add default via 198.19.0.2 dev wa
	allowed va
	refused wa
}

case_default_route_and_force() {
	two_pairs
	ip route add default via 198.18.0.2 dev va
	refused va
	allowed va --force
	ip route del default
	allowed va
}

case_every_kind_of_default_route() {
	local route
	two_pairs
	while read -r route; do
		# shellcheck disable=SC2086 # words of a command
		ip route add $route || bail "ip route add $route"
		refused va
		# shellcheck disable=SC2086
		ip route del $route
		allowed va
	done <<-END
		default dev va scope link
		default via 198.18.0.2 dev va metric 500
		default via 198.18.0.2 dev va table 100
		0.0.0.0/1 via 198.18.0.2 dev va
		128.0.0.0/1 via 198.18.0.2 dev va
		default nexthop via 198.19.0.2 dev wa nexthop via 198.18.0.2 dev va
	END
	if ip nexthop add id 7 via 198.18.0.2 dev va 2>/dev/null; then
		ip route add default nhid 7
		refused va
		ip route del default
	fi
}

case_routes_that_are_no_default_route() {
	two_pairs
	ip route add 10.0.0.0/8 via 198.18.0.2 dev va
	ip route add 192.0.0.0/2 via 198.18.0.2 dev va
	ip route add blackhole default
	allowed va
}

case_ipv6_default_route() {
	two_pairs
	[ -d /proc/sys/net/ipv6 ] || skip "the kernel has no IPv6"
	echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6
	echo 0 >/proc/sys/net/ipv6/conf/va/disable_ipv6
	ip -6 route add default via fe80::1 dev va || skip "no IPv6 routes here"
	refused va
	ip -6 route del default
	ip -6 route add 2000::/3 via fe80::1 dev va
	dxmit tx -i va -n 10
	is "$status" 0 "$dxmit_said: exit code"
}

# The route is on something that stands on va.
case_default_route_of_an_interface_on_top() {
	local kind
	two_pairs
	for kind in "macvlan" "vlan id 7" "ipvlan"; do
		# shellcheck disable=SC2086 # words of a command
		ip link add link va name top type $kind 2>/dev/null || continue
		ip addr add 198.51.100.1/24 dev top
		ip link set top up
		ip route add default via 198.51.100.2 dev top
		refused va
		ip link del top
		allowed va
	done
}

case_default_route_of_its_master() {
	two_pairs
	ip link add br type bridge 2>/dev/null || skip "the kernel has no bridge"
	ip link set va master br
	ip link set br up
	ip addr add 198.51.101.1/24 dev br
	ip route add default via 198.51.101.2 dev br
	refused va
	refused br
	ip link del br
	allowed va
}

# The sandbox is a namespace of its own; the routes outside do not matter.
case_sandbox_next_to_a_default_route() {
	two_pairs
	ip route add default via 198.18.0.2 dev va
	dxmit tx --sandbox -n 1000 --json "$report"
	no_error
	sent_exactly 1000
	is "$(counter va tx_packets)" 0 "frames sent outside"
}

case_a_device_that_is_not_ethernet() {
	ip tuntap add dev tun0 mode tun 2>/dev/null || skip "the kernel has no tun"
	ip link set tun0 up
	dxmit tx -i tun0 -n 10 --link-loss go
	is "$status" 2 "exit code"
	one_error tun0 "not an Ethernet device"
	is "$(counter tun0 tx_packets)" 0 "frames sent"
}

run_cases "$@"
