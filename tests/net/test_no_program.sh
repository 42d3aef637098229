#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards that sending in copy mode leaves the interface as it is: no XDP
# program, no loss of carrier, the same channels. And that zero-copy, where
# there is none, is refused without a trace.
. "$(dirname "$0")/lib.sh"

# What must not change, before, during and after.
state() { # INTERFACE
	ip -j -d link show "$1" | jq -c '.[0] | {flags, mtu, xdp, promiscuity, num_tx_queues}'
	cat "/sys/class/net/$1/carrier_changes"
	ethtool -l "$1" 2>/dev/null
	ethtool -k "$1" 2>/dev/null
}

leaves_alone() { # INTERFACE OPTIONS…
	local name=$1 before
	shift
	before=$(state "$name")
	dxmit_start tx -i "$name" -d 0.4 --rate 20kpps --json "$report" "$@"
	dxmit_is_sending "$name"
	is "$(state "$name")" "$before" "$name during the run"
	dxmit_wait
	is "$status" 0 "$dxmit_said: exit code"
	no_error
	is "$(state "$name")" "$before" "$name after the run"
	is "$(json '[.queues[].program_attached] | any')" false "$dxmit_said: report"
	is "$(json '[.queues[].mode] | unique | tojson')" '["copy"]' "$dxmit_said: mode"
}

case_C4_veth() { veth 4 && leaves_alone va && leaves_alone va -c -q 1; }

case_C4_loopback() { leaves_alone lo; }

case_C4_macvlan_vlan_and_bridge() {
	veth 2
	ip link add link va name mv type macvlan || skip "the kernel has no macvlan"
	ip link set mv arp off up
	wait_carrier mv
	leaves_alone mv
	ip link del mv
	if ip link add link va name vl type vlan id 5 2>/dev/null; then
		ip link set vl arp off up
		wait_carrier vl
		leaves_alone vl
		ip link del vl
	fi
	if ip link add br type bridge 2>/dev/null; then
		ip link set va master br
		ip link set br arp off up
		wait_carrier br
		leaves_alone br
	fi
}

# ifb counts nothing as sent, so wait for what it drops.
case_C4_ifb() {
	local before
	sink ifb0 2
	before=$(state ifb0)
	dxmit_start tx -i ifb0 -d 0.4 --interval 0
	sleep 0.3
	is "$(state ifb0)" "$before" "during the run"
	dxmit_wait
	is "$status" 0 "exit code"
	is "$(state ifb0)" "$before" "after the run"
}

case_C4_tap() {
	tap_with_readers tap0 2
	leaves_alone tap0
	tap_readers_end
}

case_C4_after_a_kill() {
	local before
	veth 2
	before=$(state va)
	dxmit_start tx -i va
	dxmit_is_sending va
	kill -KILL "$dxmit_pid"
	wait "$dxmit_pid" 2>/dev/null
	is "$(state va)" "$before" "after the kill"
}

case_zero_copy_is_refused_where_there_is_none() {
	local before name
	veth 2
	sink ifb0 1
	for name in va ifb0 lo; do
		before=$(state "$name")
		dxmit tx -i "$name" -z -n 10
		is "$status" 1 "$dxmit_said: exit code"
		one_error "$name" "zero-copy is not supported.*copy mode"
		is "$(state "$name")" "$before" "$name afterwards"
		is "$(counter "$name" tx_packets)" 0 "$name: frames sent"
	done
	dxmit tx --sandbox -z -n 10
	is "$status" 1 "$dxmit_said: exit code"
	one_error ".*" "zero-copy is not supported"
}

run_cases "$@"
