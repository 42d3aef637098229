#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards that nothing waits for ever: an embedder that does not read its
# completions, and a device that never gives any, are told within 2 s.
. "$(dirname "$0")/lib.sh"

# What the embedder of never_reads.c was told, in $told.
never_reads() { # INTERFACE RING FRAMES SLEEP_US
	told=$("$BUILD/tests/never_reads" "$@" 2>&1) || bail "never_reads: $told"
}

told() { # JQ-FILTER
	jq -r "$1" <<<"$told"
}

# All frames were sent and completed; the library says how many it waits for.
says_completions_unread() { # FRAMES
	is "$(told .answer)" "Connection timed out" "the answer to the last kick"
	is "$(told '[.in_flight, .unread, .unconsumed] | tojson')" "[$1,$1,0]" \
		"outstanding, unread, not taken by the kernel"
	like "$(told .text)" "$1 completions unread" "what the library says of it"
	within "$(told .still_seconds)" 1.9 2.4 "seconds without progress"
	within "$(told .stalled_seconds)" 1.9 2.4 "the same as the library says"
	is "$(told .reclaimed)" "$1" "reclaimed afterwards"
	within "$(told .kick_after)" 0 1 "answer to a kick after that"
}

case_C11_completions_never_read() {
	veth 1
	never_reads va 64 64
	says_completions_unread 64
	is "$(counter vb rx_packets)" 128 "frames at the far end: two rings of them"
}

case_C11_with_other_numbers_of_frames() {
	veth 2
	never_reads va 16 200
	says_completions_unread 200
	never_reads va 2048 1
	says_completions_unread 1
}

case_C11_kicking_now_and_then() {
	veth 1
	never_reads va 64 64 50000
	says_completions_unread 64
}

# On ifb the kernel takes everything at once.
case_C11_on_ifb() {
	sink ifb0 1
	never_reads ifb0 32 64
	says_completions_unread 64
}

# A device that never completes: nothing is unread, everything is outstanding.
case_C12_the_library_on_a_device_that_never_completes() {
	black_hole 1
	never_reads hole 64 64
	is "$(told .answer)" "Connection timed out" "the answer to the last kick"
	is "$(told '[.in_flight, .unread, .reclaimed] | tojson')" "[64,0,0]" \
		"outstanding, unread, reclaimed"
	within "$(told .still_seconds)" 1.9 2.4 "seconds without progress"
}

is_told_of_the_stall() { # OUTSTANDING-REGEX OPTIONS…
	local outstanding=$1
	shift
	dxmit tx -i hole --interval 0 --json "$report" "$@"
	is "$status" 1 "$dxmit_said: exit code"
	one_error hole "queue 0 is stalled: $outstanding frames? outstanding .*\(link up\)"
	within "$seconds" 1.9 3 "$dxmit_said: seconds"
	is "$(json .exit_code)" 1 "$dxmit_said: exit code in the report"
	is "$(json '.ledger | .queued - .in_flight - .sent - .dropped')" 0 \
		"$dxmit_said: the ledger"
	within "$(json .ledger.in_flight)" 1 100000 "$dxmit_said: in flight"
}

case_C12_everything_handed_over() {
	black_hole 1
	is_told_of_the_stall 10 -n 10
	is "$(json '[.ledger.queued, .ledger.sent] | tojson')" "[10,0]" "queued, sent"
}

case_C12_more_to_send_than_fits() {
	black_hole 1
	is_told_of_the_stall "[0-9]+"
}

case_C12_with_poll() {
	black_hole 1
	is_told_of_the_stall "[0-9]+" --kick poll --ring 64
}

case_C12_at_a_low_rate() {
	black_hole 1
	is_told_of_the_stall "[0-9]+" --rate 1000pps -n 1
}

case_C12_one_frame_of_memory() {
	black_hole 1
	is_told_of_the_stall 1 --frames 1 -b 1
}

case_C12_without_carrier_wait_or_policy() {
	local policy
	black_hole 1
	for policy in fail go; do
		plug_hole
		is_told_of_the_stall "[0-9]+" --link-loss $policy -n 100
	done
}

# A duration ends a run, but the frames that are out are still missed.
case_C12_after_a_duration() {
	black_hole 1
	dxmit tx -i hole -d 0.3 --interval 0 --json "$report"
	is "$status" 1 "exit code"
	one_error hole "queue 0 is stalled"
	within "$seconds" 1.9 3.2 "seconds"
}

# The link goes while frames are out: that is what it says.
case_C12_the_link_state_is_the_present_one() {
	black_hole 1
	dxmit_start tx -i hole --link-loss fail --interval 0 --json "$report"
	sleep 0.5
	ip link set vb down
	dxmit_wait
	is "$status" 1 "exit code"
	one_error hole "no carrier|lost its link"
	within "$seconds" 0.5 3 "seconds"
}

case_C12_several_queues_one_message() {
	black_hole 4
	dxmit tx -i hole -n 400 --interval 0 --json "$report"
	is "$status" 1 "exit code"
	one_error hole "queue [0-3] is stalled"
	is "$(json .ledger.in_flight)" 400 "in flight"
	within "$seconds" 1.9 3.2 "seconds"
}

run_cases "$@"
