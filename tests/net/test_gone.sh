#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards a sender whose interface disappears under load: one message, a partial
# report whose figures hold, exit 1, nothing left behind, and no harm to a
# sender on another interface. GONE_TIMES sets how often.
. "$(dirname "$0")/lib.sh"

TIMES=${GONE_TIMES:-10}

# A second sender that must not notice anything.
start_bystander() {
	ip link add dev wa numtxqueues 1 numrxqueues 1 type veth \
		peer name wb numtxqueues 1 numrxqueues 1
	ip link set wa arp off up
	ip link set wb arp off up
	wait_carrier wa wb
	receive wb --time 1200
	"$DXMIT" tx -i wa --rate 20kpps --stamp --interval 0 --json "$work/bystander.json" \
		>/dev/null 2>"$work/bystander.err" &
	bystander_pid=$!
}

check_bystander() {
	kill -0 "$bystander_pid"
	is $? 0 "the sender on another interface is still there"
	kill -INT "$bystander_pid"
	wait "$bystander_pid"
	is $? 0 "its exit code"
	receive_stop
	is "$(cat "$work/bystander.err")" "" "its stderr"
	is "$(json .ledger.closed "$work/bystander.json")" true "its ledger"
	rx_complete "$(json .ledger.sent "$work/bystander.json")"
	within "$(rx .frames)" 1000 1e9 "its frames"
}

delete() {
	ip link del va
}

# The far end goes, and so does the near one.
delete_peer() {
	ip link del vb
}

# Another namespace is that of a process that sleeps in it.
move() {
	ip link set va netns "$away_pid"
	nsenter -t "$away_pid" -n ip link del va
}

start_away() {
	unshare -n sleep 1200 &
	away_pid=$!
	until [ "$(readlink "/proc/$away_pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do
		sleep 0.01
	done
}

partial_report() {
	is "$status" 1 "$dxmit_said: exit code"
	one_error va "deleted or moved to another network namespace.*ip link"
	is "$(json .exit_code)" 1 "$dxmit_said: exit code in the report"
	within "$(json .ledger.queued)" 1 1e12 "$dxmit_said: frames in the partial report"
	is "$(json '.ledger | .queued - .sent - .dropped - .invalid - .in_flight - .unexplained')" \
		0 "$dxmit_said: the ledger adds up"
	is "$(json '.total.packets == ([.queues[].packets] | add)')" true \
		"$dxmit_said: total and queues"
	like "$stdout" "queued" "$dxmit_said: the text report"
	within "$seconds" 0 4 "$dxmit_said: seconds"
}

# Under load each time, at another moment of the run.
gone() { # HOW OPTIONS…
	local how=$1 turn
	shift
	start_bystander
	for ((turn = 0; turn < TIMES; turn++)); do
		veth 2
		dxmit_start tx -i va --interval 0.05 --json "$report" "$@"
		dxmit_is_sending va
		sleep "0.0$((RANDOM % 100))"
		"$how"
		dxmit_wait
		partial_report
		refuse "va is gone" ip link show va
		[ "$tap_failed" = 0 ] || break
	done
	check_bystander
}

case_C17_deleted_under_load() { gone delete; }
case_C17_deleted_with_poll() { gone delete --kick poll; }
case_C17_far_end_deleted_under_load() { gone delete_peer; }
case_C17_deleted_while_sending_slowly() { gone delete --rate 1kpps; }

case_C17_moved_to_another_namespace_under_load() {
	start_away
	gone move
	kill "$away_pid"
}

# Gone while it waits for the link, or before it starts to send.
case_C17_deleted_while_waiting_for_the_link() {
	veth 1
	ip link set vb down
	dxmit_start tx -i va -n 10
	sleep 0.3
	ip link del va
	dxmit_wait
	is "$status" 1 "at the start: exit code"
	one_error va
	within "$seconds" 0 2 "at the start: seconds"

	veth 1
	dxmit_start tx -i va --rate 1kpps --interval 0 --json "$report"
	dxmit_is_sending va
	ip link set vb down
	sleep 0.3
	ip link del va
	dxmit_wait
	partial_report
}

run_cases "$@"
