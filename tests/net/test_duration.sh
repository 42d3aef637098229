#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the end of a run that is given a time: within 50 ms, with all it
# queued accounted for, whatever the rate and the number of queues.
. "$(dirname "$0")/lib.sh"

# The best of three runs: a busy machine may stop any program for longer, but a
# run that ends late by itself does so each time.
lasts() { # SECONDS OPTIONS…
	local asked=$1 took=() run whole
	shift
	while [ ${#took[@]} -lt 3 ]; do
		dxmit tx -d "$asked" --interval 0 --json "$report" "$@"
		is "$status" 0 "$dxmit_said: exit code"
		no_error
		is "$(json .ledger.closed)" true "$dxmit_said: ledger closed"
		is "$(json ".total.seconds >= $asked")" true "$dxmit_said: not too short"
		took+=("$(json .total.seconds) $seconds")
	done
	read -r run whole < <(printf '%s\n' "${took[@]}" | sort -g | head -n 1)
	within "$run" "$asked" "$(awk -v s="$asked" 'BEGIN { print s + 0.05 }')" \
		"$dxmit_said: seconds (of ${took[*]})"
	within "$whole" "$asked" "$(awk -v s="$asked" 'BEGIN { print s + 0.6 }')" \
		"$dxmit_said: seconds with start and end (of ${took[*]})"
}

case_C23_ends_within_50_ms_at_full_speed() {
	local queues
	for queues in 1 2 4; do
		lasts 0.3 --sandbox="$queues"
		lasts 0.7 --sandbox="$queues"
	done
}

case_C23_ends_within_50_ms_with_a_rate() {
	lasts 0.5 --sandbox=2 --rate 1kpps
	within "$(json .ledger.queued)" 499 502 "queued at 1000 a second"
	lasts 0.5 --sandbox=2 --rate 0.25pps
	is "$(json .ledger.queued)" 1 "queued at one in four seconds"
	lasts 1.3 --sandbox=1 --rate 150kpps
}

case_C23_ends_within_50_ms_on_ifb() {
	sink sink0 2
	lasts 0.5 -i sink0
}

case_C23_the_shortest_one() {
	lasts 0.001 --sandbox=2
}

# Whichever comes first.
case_count_and_duration_together() {
	dxmit tx --sandbox=2 -d 10 -n 1000 --json "$report"
	sent_exactly 1000
	within "$seconds" 0 1 "seconds when the count is reached first"
	lasts 0.5 --sandbox=2 -n 100000000
	within "$(json .ledger.queued)" 1 99999999 "queued when the time is up first"
}

run_cases "$@"
