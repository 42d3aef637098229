#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards that only queues that can send are sent through. The kernel binds to
# any queue that can receive and then swallows what it is given.
. "$(dirname "$0")/lib.sh"

queue_does_not_exist() { # QUEUE ACTIVE MAX
	local plural=s
	[ "$2" != 1 ] || plural=
	is "$status" 2 "$dxmit_said: exit code"
	one_error va "has $2 TX queue$plural \(max $3\); queue $1 does not exist"
	like "$stderr" "ethtool -L va" "$dxmit_said: remedy"
	is "$(counter va tx_packets)" 0 "$dxmit_said: frames sent"
}

case_C2_queues_past_the_last() {
	local list
	veth 4
	for list in 4 0-4 3,4 1,4,2; do
		dxmit tx -i va -q "$list" -n 10
		queue_does_not_exist 4 4 4
	done
	dxmit tx -i va -q 65535 -n 10
	queue_does_not_exist 65535 4 4
	dxmit plan -i va -q 4
	queue_does_not_exist 4 4 4
}

case_C2_queue_one_of_a_default_veth() {
	ip link add va type veth peer name vb
	ip link set va arp off up
	ip link set vb arp off up
	wait_carrier va vb
	dxmit tx -i va -q 1 -n 10
	like "$stderr" "queue 1 does not exist" "message"
	is "$status" 2 "exit code"
	is "$(counter va tx_packets)" 0 "frames sent"
}

all_is() { # QUEUES-AS-JSON
	local option
	for option in "" "-q all"; do
		receive vb --count 100 --time 5
		# shellcheck disable=SC2086 # none or two words
		dxmit tx -i va $option -n 100 --stamp --json "$report"
		received
		sent_exactly 100
		is "$(json '[.queues[].queue] | tojson')" "$1" "$dxmit_said: queues"
		is "$(rx '[.queues[].queue] | tojson')" "$1" "$dxmit_said: at the far end"
		rx_complete 100
	done
}

case_C2_all_on_one_queue() { veth 1 && all_is "[0]"; }
case_C2_all_on_two_queues() { veth 2 && all_is "[0,1]"; }
case_C2_all_on_four_queues() { veth 4 && all_is "[0,1,2,3]"; }

case_C2_all_is_the_active_ones() {
	veth 4
	check "two of four active" ethtool -L va tx 2
	dxmit tx -i va -q 2 -n 10
	queue_does_not_exist 2 2 4
	all_is "[0,1]"
}

case_C2_lists_in_any_order_send_through_those_queues() {
	veth 4
	receive vb --count 101 --time 5
	dxmit tx -i va -q 3,0 -n 101 --stamp --json "$report"
	received
	sent_exactly 101
	is "$(rx '[.queues[].queue] | tojson')" "[0,3]" "queues at the far end"
	rx_complete 101
}

case_C3_a_queue_that_can_only_receive() {
	veth 4
	check "four RX, one TX" ethtool -L va tx 1
	is "$(ethtool -l va | awk '/^Current/ { on = 1 } on && /^RX/ { print $2 }')" 4 \
		"active RX queues"
	dxmit tx -i va -q 3 -n 10
	queue_does_not_exist 3 1 4
	dxmit tx -i va -q 0-3 -n 10
	queue_does_not_exist 1 1 4
	all_is "[0]"
}

case_C3_the_library_refuses_it_too() {
	veth 4
	check "four RX, one TX" ethtool -L va tx 1
	like "$("$BUILD/tests/reopen" va 3 1 2>&1)" \
		"va: has 1 TX queue \(max 4\); queue 3 does not exist" "message"
	check "queue 0 sends" "$BUILD/tests/reopen" va 0 1
}

# A tap loses queues with its readers, whoever uses them.
case_C3_queues_cut_during_a_run() {
	local kick
	for kick in sendto poll; do
		tap_with_readers tap0 4
		dxmit_start tx -i tap0 -q 0,3 --rate 2kpps --kick "$kick" --json "$report"
		dxmit_is_sending tap0
		sleep 0.2
		kill -USR1 "$tap_reader"
		dxmit_began_ms=$(now_ms)
		dxmit_wait
		within "$seconds" 0 2.6 "seconds until it was noticed"
		is "$status" 1 "exit code"
		one_error tap0 "queue 3"
		like "$stderr" "cut to 1 TX queues" "message"
		is "$(json '.ledger.queued - .ledger.sent - .ledger.dropped - .ledger.in_flight')" \
			0 "every frame is accounted for"
		is "$(json .ledger.sent)" "$(counter tap0 tx_packets)" "sent is what left"
		tap_readers_end
	done
}

run_cases "$@"
