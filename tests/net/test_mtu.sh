#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards frame sizes around the MTU: checked at the start and while running,
# refused, skipped or sent as the policy says, and never truncated.
. "$(dirname "$0")/lib.sh"

# All of them arrive, whole.
fits() { # SIZE OPTIONS…
	local size=$1
	shift
	receive vb --count 40 --time 5
	dxmit tx -i va -n 40 -s "$size" --frame-size 4096 --stamp --json "$report" "$@"
	received
	no_error
	sent_exactly 40
	rx_complete 40
	is "$(rx '[.min_length, .max_length] | tojson')" "[$((size - 4)),$((size - 4))]" \
		"$dxmit_said: length at the far end"
}

# Refused before anything is sent, naming the limit.
too_long() { # SIZE MTU
	local before
	before=$(counter va tx_packets)
	dxmit tx -i va -n 40 -s "$1" --frame-size 4096 --json "$report"
	is "$status" 2 "$dxmit_said: exit code"
	one_error -s "$1 bytes exceed the MTU $2 of va; use at most $(($2 + 18))"
	is "$(counter va tx_packets)" "$before" "$dxmit_said: frames sent"
}

at_mtu() { # MTU
	local size
	veth 1 "$1"
	for size in 64 $(($1 + 17)) $(($1 + 18)); do
		fits "$size"
	done
	for size in $(($1 + 19)) $(($1 + 20)) $(($1 + 23)); do
		too_long "$size" "$1"
	done
}

case_C18_mtu_68() { at_mtu 68; }
case_C18_mtu_1280() { at_mtu 1280; }
case_C18_mtu_1500() { at_mtu 1500; }

case_C18_mtu_9000() {
	veth 1 9000
	fits 64
	fits 2052
	fits 4100
	fits 9018
	too_long 9019 9000
}

# Descriptor lengths, without FCS, of the usual accidents.
case_C18_descriptor_lengths_at_mtu_1500() {
	local length
	veth 1
	fits $((1514 + 4))
	for length in 1515 1519 2048 4096; do
		too_long $((length + 4)) 1500
	done
	dxmit tx -i va -n 1 -s 34821 --frame-size 2048
	is "$status" 2 "a frame longer than 17 chunks: exit code"
	one_error -s "--frame-size 4096"
}

case_C18_skip_sends_none_and_counts_them() {
	local size
	veth 1
	for size in 1519 4100; do
		dxmit tx -i va -n 40 -s "$size" --frame-size 4096 --oversize skip \
			--json "$report"
		is "$status" 0 "$dxmit_said: exit code"
		like "$stderr" "^dxmit: -s: warning: $size bytes exceed the MTU 1500 .*skipped$" \
			"$dxmit_said: message"
		is "$(json '.ledger | [.queued, .sent, .dropped, .skipped, .closed]
			| tojson')" "[0,0,0,40,true]" "$dxmit_said: the ledger"
	done
	is "$(counter va tx_packets)" 0 "frames sent"
	fits 1518 --oversize skip
}

# The device decides: veth lets a VLAN tag's worth through, then drops.
case_C18_send_leaves_it_to_the_device() {
	local size
	veth 1
	for size in 1519 1522; do
		fits "$size" --oversize send
	done
	for size in 1523 2052 4100; do
		receive vb --count 1 --time 0.5
		dxmit tx -i va -n 40 -s "$size" --frame-size 4096 --oversize send \
			--stamp --json "$report"
		received
		is "$(rx '.frames + .foreign')" 0 "$dxmit_said: frames at the far end"
		is "$(json '.ledger | [.queued, .sent, .dropped, .closed] | tojson')" \
			"[40,0,40,true]" "$dxmit_said: the ledger"
		is "$status" 0 "$dxmit_said: exit code"
	done
}

# Both ends: the far one would drop what is too long for itself.
lower_mtu() {
	ip link set va mtu "$1"
	ip link set vb mtu "$1"
}

start_long_run() { # OPTIONS…
	veth 1
	receive vb --time 20
	dxmit_start tx -i va -s 1518 --rate 10kpps --stamp --interval 0 --json "$report" "$@"
	dxmit_is_sending va
	sleep 0.3
}

case_C18_lowered_in_mid_run_refuse_ends_it() {
	start_long_run -d 10
	lower_mtu 1000
	dxmit_wait
	receive_stop
	is "$status" 1 "exit code"
	one_error va "MTU fell to 1000.*1518 bytes.*--oversize"
	within "$seconds" 0.3 1.5 "seconds"
	is "$(json '.ledger | .queued - .sent - .dropped - .in_flight')" 0 "the ledger"
	is "$(rx '[.min_length, .max_length, .duplicates, .bad_length] | tojson')" \
		"[1514,1514,0,0]" "what arrived is whole"
}

case_C18_lowered_in_mid_run_skip_pauses_it() {
	local low
	start_long_run --oversize skip
	lower_mtu 1000
	sleep 0.3
	low=$(counter va tx_packets)
	sleep 0.3
	is "$(counter va tx_packets)" "$low" "frames sent while they do not fit"
	lower_mtu 1500
	sleep 0.5
	isnt "$(counter va tx_packets)" "$low" "it goes on when they fit again"
	kill -INT "$dxmit_pid"
	dxmit_wait
	receive_stop
	is "$status" 0 "exit code"
	is "$(json .ledger.closed)" true "ledger closed"
	is "$(rx '[.min_length, .max_length, .duplicates, .bad_length] | tojson')" \
		"[1514,1514,0,0]" "what arrived is whole"
}

case_C18_lowered_in_mid_run_send_goes_on() {
	start_long_run -d 2 --oversize send
	lower_mtu 1000
	dxmit_wait
	receive_stop
	is "$status" 0 "exit code"
	no_error
	within "$(json .ledger.queued)" 19000 20010 "queued"
	is "$(json .ledger.closed)" true "ledger closed"
	within "$(json .ledger.dropped)" 5000 19900 "dropped by the device"
	within "$(($(json .ledger.sent) - $(rx .frames)))" 0 20 "sent and not arrived"
	is "$(rx .max_length)" 1514 "what arrived is whole"
}

run_cases "$@"
