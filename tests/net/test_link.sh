#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards what happens when the link is not there: the wait at the start, the
# three policies for a link lost in mid-run, and that each frame lost is a
# counted loss, never a retry and never "sent".
. "$(dirname "$0")/lib.sh"

# What did not leave is called dropped. A few frames that did leave are thrown
# away uncounted by a far end that goes down with them in its backlog.
losses_are_counted() {
	within "$(($(json .ledger.sent) - $(rx .frames)))" 0 100 \
		"$dxmit_said: frames that left and met a far end going down"
	is "$(json '.ledger | .queued - .sent - .dropped - .in_flight')" 0 \
		"$dxmit_said: queued = sent + dropped + in flight"
	is "$(json .ledger.dropped)" "$(counter va tx_dropped)" \
		"$dxmit_said: dropped, and by the device"
	is "$(json '[.ledger.unexplained, .ledger.closed] | tojson')" "[0,true]" \
		"$dxmit_said: the ledger"
	is "$(rx '[.duplicates, .out_of_order, .bad_checksum, .bad_length] | tojson')" \
		"[0,0,0,0]" "$dxmit_said: twice, late, damaged"
}

case_C15_far_end_down_at_the_start_is_waited_for() {
	veth 2
	ip link set vb down
	receive vb --count 1000 --time 10
	dxmit_start tx -i va -n 1000 --stamp --json "$report"
	sleep 0.5
	is "$(counter va tx_packets)" 0 "frames before the link was there"
	kill -0 "$dxmit_pid"
	is $? 0 "still waiting for the link"
	ip link set vb up
	dxmit_wait
	received
	no_error
	sent_exactly 1000
	rx_complete 1000
	is "$(json .ledger.dropped)" 0 "frames dropped while waiting"
}

case_C15_the_wait_at_the_start_is_bounded() {
	local began
	veth 1
	ip link set vb down
	for began in 0 0.3 1; do
		dxmit tx -i va -n 10 --carrier-wait "$began" --json "$report"
		is "$status" 1 "$dxmit_said: exit code"
		one_error va "no carrier.*--carrier-wait"
		within "$seconds" "$began" "$(awk -v s="$began" 'BEGIN { print s + 0.6 }')" \
			"$dxmit_said: seconds"
	done
	ip link set va down
	dxmit tx -i va -n 10 --carrier-wait 0.2
	is "$status" 1 "interface down: exit code"
	one_error va "is down; .*ip link set va up"
	is "$(counter va tx_packets)" 0 "frames sent"
}

case_C15_with_fail_nothing_is_waited_for_at_the_start() {
	veth 1
	ip link set vb down
	dxmit tx -i va -n 10 --link-loss fail
	is "$status" 1 "exit code"
	one_error va "no carrier"
	within "$seconds" 0 0.7 "seconds"
}

case_C15_a_signal_ends_the_wait_at_the_start() {
	veth 1
	ip link set vb down
	dxmit_start tx -i va -n 10
	sleep 0.3
	kill -0 "$dxmit_pid"
	is $? 0 "still waiting"
	kill -INT "$dxmit_pid"
	dxmit_began_ms=$(now_ms)
	dxmit_wait
	is "$status" 0 "exit code"
	no_error
	within "$seconds" 0 0.2 "seconds from the signal to the end"
}

# With "go" each frame without a link is lost, and said to be.
case_C15_with_go_and_no_link_every_frame_is_a_counted_loss() {
	local kick
	veth 1
	ip link set vb down
	for kick in poll sendto; do
		dxmit tx -i va -n 500 --link-loss go --kick "$kick" --json "$report"
		is "$status" 0 "$dxmit_said: exit code"
		no_error
		is "$(json '.ledger | [.queued, .sent, .dropped, .unexplained, .closed]
			| tojson')" "[500,0,500,0,true]" "$dxmit_said: the ledger"
	done
	is "$(json .total.lost)" 500 "losses told by the kicks"
	is "$(counter va tx_dropped)" 1000 "dropped by the device"
	is "$(counter va tx_packets)" 0 "sent by the device"
}

# The far end goes down for a second while frames flow.
lose_link_for_a_second() { # OPTIONS…
	veth 2
	receive vb --time 20
	dxmit_start tx -i va --rate 100kpps -n 200000 --stamp --interval 0 \
		--json "$report" "$@"
	dxmit_is_sending va
	sleep 0.3
	ip link set vb down
	sleep 1
	[ "$status_of_loss" = 1 ] || ip link set vb up
	dxmit_wait
	receive_stop
}

waits_for_the_link() { # OPTIONS…
	local status_of_loss=0
	lose_link_for_a_second --link-loss wait "$@"
	is "$status" 0 "exit code"
	no_error
	is "$(json .ledger.queued)" 200000 "queued"
	losses_are_counted
	within "$(json .ledger.dropped)" 0 200 "frames lost before the loss was noticed"
	within "$(json .total.paused_seconds)" 0.8 1.3 "seconds waited for the link"
	is "$(json '.bounds | map(.name) | contains(["carrier"])')" true \
		"the link is named as a limit"
}

case_C15_link_lost_for_a_second_is_waited_for() { waits_for_the_link; }
case_C15_link_lost_with_poll_is_waited_for() { waits_for_the_link --kick poll; }

case_C15_link_lost_with_fail_ends_the_run() {
	local status_of_loss=1
	lose_link_for_a_second --link-loss fail
	is "$status" 1 "exit code"
	one_error va "lost its link.*--link-loss"
	is "$(json .exit_code)" 1 "exit code in the report"
	within "$seconds" 0 1.9 "seconds until the end"
	within "$(json .ledger.queued)" 10000 100000 "frames of the part that was sent"
	losses_are_counted
}

case_C15_link_lost_while_nothing_is_due_is_noticed() {
	veth 1
	dxmit_start tx -i va --profile 1kpps:0.1,0:20,1kpps --interval 0 --json "$report" \
		--link-loss fail
	dxmit_is_sending va
	sleep 0.4
	ip link set vb down
	dxmit_wait
	is "$status" 1 "exit code"
	one_error va "lost its link.*--link-loss"
	within "$seconds" 0 2.5 "seconds until the end"
	is "$(json '[.ledger.queued, .ledger.sent, .ledger.dropped] | tojson')" "[100,100,0]" \
		"frames queued, sent, dropped"
}

case_C15_link_lost_with_go_counts_every_loss() {
	local status_of_loss=0
	lose_link_for_a_second --link-loss go
	is "$status" 0 "exit code"
	no_error
	is "$(json .ledger.queued)" 200000 "queued"
	losses_are_counted
	within "$(json .ledger.dropped)" 50000 150000 "frames of a second without link"
	is "$(rx .missing)" "$((200000 - $(rx .frames)))" "numbers missing at the far end"
	is "$(json .total.paused_seconds)" 0 "seconds waited"
}

case_C15_a_signal_ends_the_wait_in_mid_run() {
	veth 1
	dxmit_start tx -i va --rate 1kpps --interval 0 --json "$report"
	dxmit_is_sending va
	ip link set vb down
	sleep 0.3
	kill -TERM "$dxmit_pid"
	dxmit_began_ms=$(now_ms)
	dxmit_wait
	is "$status" 0 "exit code"
	no_error
	within "$seconds" 0 0.2 "seconds from the signal to the end"
	is "$(json .interrupted)" true "interrupted"
	is "$(json '.ledger | .queued - .sent - .dropped - .in_flight - .unexplained')" 0 \
		"the ledger"
}

# A tap nobody has opened has no carrier.
case_C15_tap_without_a_reader() {
	tap_device tap0
	dxmit tx -i tap0 -n 100 --carrier-wait 0.3
	is "$status" 1 "$dxmit_said: exit code"
	one_error tap0 "no carrier"
	dxmit tx -i tap0 -n 100 --link-loss go --json "$report"
	is "$status" 0 "$dxmit_said: exit code"
	no_error
	is "$(json '.ledger | [.queued, .sent, .dropped, .closed] | tojson')" \
		"[100,0,100,true]" "$dxmit_said: the ledger"
}

run_cases "$@"
