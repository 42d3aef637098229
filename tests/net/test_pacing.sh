#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards that a rate is a distance between frames: at low rates the batch does
# not bunch them, neither do several queues.
. "$(dirname "$0")/lib.sh"

# The far end's gaps. A busy machine may hold up a frame, so the best of three
# tries counts; bunches would be in each of them.
gaps_are() { # COUNT LOW_NS HIGH_NS OPTIONS…
	local count=$1 low=$2 high=$3 try
	shift 3
	for try in 1 2 3; do
		receive vb --count "$count" --time 20 --times
		dxmit tx -i va -n "$count" --stamp --interval 0 --json "$report" "$@"
		received
		awk -v min="$(rx .gaps.min_ns)" -v max="$(rx .gaps.max_ns)" -v low="$low" \
			-v high="$high" 'BEGIN { exit !(min >= low && max <= high) }' && break
	done
	sent_exactly "$count"
	no_error
	rx_complete "$count"
	within "$(rx .gaps.min_ns)" "$low" "$high" "$dxmit_said: shortest gap (try $try)"
	within "$(rx .gaps.max_ns)" "$low" "$high" "$dxmit_said: longest gap (try $try)"
}

case_C10_ten_per_second_in_batches_of_64() {
	veth 1
	gaps_are 30 95000000 105000000 --rate 10pps -b 64
	within "$(rx .span_ns)" 2895000000 2905000000 "from the first to the last frame"
}

case_C10_over_several_queues() {
	veth 4
	gaps_are 20 45000000 55000000 --rate 20pps -b 64
	is "$(rx '[.queues[].frames] | tojson')" "[5,5,5,5]" "frames of each queue"
}

case_C10_with_the_default_batch_and_poll() {
	veth 2
	gaps_are 40 15000000 25000000 --rate 50pps --kick poll
}

case_C10_less_than_one_per_second() {
	veth 1
	gaps_are 3 1245000000 1255000000 --rate 0.8pps -b 64
}

# At 1 kpps a millisecond lies between two frames; half of it is no bunch.
case_C10_a_thousand_per_second() {
	local try
	veth 2
	for try in 1 2 3; do
		receive vb --count 2000 --time 10 --times
		dxmit tx -i va --rate 1kpps -n 2000 -b 512 --stamp --json "$report"
		received
		awk -v median="$(rx .gaps.median_ns)" -v seconds="$(json .total.seconds)" \
			'BEGIN { exit !(median >= 500000 && median <= 1500000 && seconds <= 2.02) }' &&
			break
	done
	sent_exactly 2000
	rx_complete 2000
	within "$(rx .gaps.median_ns)" 500000 1500000 "median gap (try $try)"
	within "$(json .total.seconds)" 1.99 2.02 "seconds"
}

# The schedule is kept, but what was missed is not made up for in one burst.
case_C10_held_up_for_a_while() {
	veth 1
	receive vb --count 60 --time 10 --times
	dxmit_start tx -i va --rate 20pps -n 60 -b 8 --stamp --interval 0 --json "$report"
	dxmit_is_sending va
	sleep 0.3
	kill -STOP "$dxmit_pid"
	sleep 0.6
	kill -CONT "$dxmit_pid"
	dxmit_wait
	received
	sent_exactly 60
	rx_complete 60
	within "$(rx .gaps.max_ns)" 550000000 750000000 "longest gap"
	within "$(json .total.seconds)" 2.9 3.7 "seconds"
}

run_cases "$@"
