#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards binding to a queue that is, or has just been, somebody else's: it is
# waited for as long as stated, and no longer.
. "$(dirname "$0")/lib.sh"

# An owner of queues of va for a while; its number in $owner.
own() { # SECONDS QUEUES
	"$DXMIT" tx -i va -d "$1" -q "$2" --rate 100pps --interval 0 \
		>"$work/owner" 2>&1 </dev/null &
	owner=$!
	owner_is_sending
}

owner_is_sending() {
	local turn before
	before=$(counter va tx_packets)
	for turn in {1..200}; do
		[ "$(counter va tx_packets)" -gt "$before" ] && return
		sleep 0.01
	done
	bail "the owner does not send ($turn): $(cat "$work/owner")"
}

case_C1_fifty_runs_of_one_packet_back_to_back() {
	local run
	veth 1
	receive vb --count 50 --time 30
	for run in {1..50}; do
		dxmit tx -i va -q 0 -n 1 --stamp
		is "$status" 0 "run $run: exit code"
		no_error
	done
	received
	is "$(rx .frames)" 50 "frames at the far end"
}

case_C1_all_queues_back_to_back() {
	local run
	veth 4
	receive vb --count 40 --time 30
	for run in {1..10}; do
		dxmit tx -i va -n 4 --stamp
		is "$status" 0 "run $run: exit code"
		no_error
	done
	received
	is "$(rx '[.queues[].frames] | tojson')" "[10,10,10,10]" "frames of each queue"
}

# No process start in between: the kernel has had no time to let go.
case_C1_reopened_by_the_same_process() {
	veth 2
	receive vb --count 50 --time 30
	check "fifty times open, send, close" "$BUILD/tests/reopen" va 1 50
	received
	rx_complete 50
}

case_C1_after_an_owner_that_was_killed() {
	local run
	veth 2
	for run in {1..5}; do
		own 30 0-1
		kill -KILL "$owner"
		dxmit tx -i va -n 2 --json "$report"
		sent_exactly 2
		no_error
		wait "$owner" 2>/dev/null
	done
}

case_C1_a_queue_is_waited_for() {
	veth 2
	own 0.4 0
	dxmit tx -i va -q 0,1 -n 10 --json "$report"
	sent_exactly 10
	no_error
	within "$(json '.queues[0].bind_retries')" 1 1000 "retries for the taken queue"
	is "$(json '.queues[1].bind_retries')" 0 "retries for the free queue"
	wait "$owner"
}

case_C1_the_wait_is_bounded_and_names_the_queue() {
	local before
	veth 4
	own 15 2
	dxmit tx -i va -q 2 -n 10
	is "$status" 1 "exit code"
	one_error va "queue 2 is in use .*500 ms"
	within "$seconds" 0.5 1 "seconds"
	dxmit tx -i va -q 2 -n 10 --bind-wait 50
	is "$status" 1 "exit code"
	one_error va "queue 2 is in use .*50 ms"
	within "$seconds" 0.05 0.45 "seconds"
	# One of several: the others send nothing either.
	kill -STOP "$owner"
	before=$(counter va tx_packets)
	dxmit tx -i va -q all -n 10
	is "$status" 1 "exit code"
	one_error va "queue 2 is in use"
	is "$(counter va tx_packets)" "$before" "frames sent by the free queues"
	kill -CONT "$owner"
	kill -TERM "$owner"
	wait "$owner"
	is $? 0 "the owner was not disturbed: exit code"
}

case_C1_a_signal_ends_the_wait() {
	local signal
	veth 1
	own 15 0
	for signal in INT TERM; do
		dxmit_start tx -i va -n 10 --bind-wait 60000
		sleep 0.4
		kill -0 "$dxmit_pid"
		is $? 0 "still waiting"
		kill "-$signal" "$dxmit_pid"
		dxmit_began_ms=$(now_ms)
		dxmit_wait
		is "$status" 0 "SIG$signal: exit code"
		no_error
		within "$seconds" 0 0.2 "SIG$signal: seconds to the end"
	done
	kill -TERM "$owner"
	wait "$owner"
}

run_cases "$@"
