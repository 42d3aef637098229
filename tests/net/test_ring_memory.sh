#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# sanitizers: address
#
# Guards real rings against bad memory and bad callers: garbage where the
# descriptors will be, lengths that kill devices, completions that cannot be,
# a ring the kernel refuses.
. "$(dirname "$0")/lib.sh"

RING_MEMORY=$BUILD/tests/ring_memory
RING_TAMPER=$BUILD/tests/ring_tamper

# Counts around one and several laps of the ring of 64.
case_C20_descriptors_full_of_0xff_still_send() {
	local how count
	veth 1
	for how in fixed free; do
		for count in 1 63 64 65 1000; do
			receive vb --count "$count" --time 5
			is "$("$RING_MEMORY" va scribble 60 "$count" "$how" 2>&1)" \
				"sent ok completed $count invalid 0" "$how: $count frames"
			received
			rx_complete "$count"
		done
	done
}

# Nothing reaches the ring before the first legal length, on the wire too.
case_C19_lengths_0_1_13_14() {
	veth 1
	receive vb --count 1 --time 0.5
	is "$("$RING_MEMORY" va lengths 2>&1)" "$(cat <<-'ANSWERS'
		length-0 EINVAL
		length-1 EINVAL
		length-13 EINVAL
		length-2049 EMSGSIZE
		length-4294967295 EMSGSIZE
		mixed EINVAL
		callback EINVAL
		untouched yes
		length-14 ok
		kick ok
		completed 1
	ANSWERS
	)" "the library's answers"
	received
	is "$(rx '.frames + .foreign')" 1 "frames at the far end"
	is "$(counter vb rx_bytes)" 14 "bytes at the far end"
}

case_C20_impossible_completions_are_an_error() {
	local how
	veth 1
	for how in fixed free; do
		is "$("$RING_MEMORY" va completions "$how" 2>&1)" "$(cat <<-'ANSWERS'
			healthy ok
			none-in-flight EPROTO
			five-of-four EPROTO
			no-such-frame EPROTO
		ANSWERS
		)" "$how slots"
	done
}

# The metadata bit without metadata: EINVAL for ever (Linux 6.8 on).
case_C20_einval_from_a_kick_is_told_at_once() {
	veth 1
	is "$("$RING_MEMORY" va options 2>&1)" "first-kick EINVAL" "the first kick"
}

# The command in the same troubles, in mid-run.
tampered() { # WHAT OPTIONS…
	local what=$1
	shift
	veth 2
	dxmit_start tx -i va --interval 0 --json "$report" "$@"
	dxmit_is_sending va
	sleep 0.1
	check "$what written into the rings" "$RING_TAMPER" "$dxmit_pid" "$what"
	dxmit_began_ms=$(now_ms)
	dxmit_wait
	within "$seconds" 0 3 "seconds until the end"
	is "$(json '.total.packets > 0')" true "the partial report"
}

case_C20_impossible_completions_end_the_run_as_internal_error() {
	tampered completions
	is "$status" 4 "exit code"
	one_error va "completion for a frame that was not in flight"
	is "$(json .exit_code)" 4 "exit code in the report"
}

case_C20_a_ring_the_kernel_refuses_ends_the_run() {
	tampered options
	is "$status" 1 "exit code"
	one_error va "the kernel refuses the ring .*Invalid argument"
}

run_cases "$@"
