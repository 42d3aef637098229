#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards what is sent when: rates in every unit and over any number of queues,
# steps, ramps and bursts as the far end sees them, and their exact totals.
. "$(dirname "$0")/lib.sh"

# A profile of TOTAL packets. Where a busy machine held the sender up, what was
# given up is told and makes up the total; the best of three tries has none.
profile_sends() { # TOTAL OPTIONS…
	local total=$1 try
	shift
	for try in 1 2 3; do
		receive vb --count "$total" --time 20 --times --linger 300
		dxmit tx -i va --stamp --interval 0 --json "$report" "$@"
		[ "$(json .total.given_up)" = 0 ] || receive_stop
		[ "$(json .total.given_up)" = 0 ] && received && break
	done
	no_error
	is "$(json '.ledger.queued + .total.given_up')" "$total" \
		"$dxmit_said: sent and given up (try $try)"
	is "$(json .total.asked_packets)" "$total" "$dxmit_said: packets asked"
	sent_exactly "$(json .ledger.queued)"
	rx_complete "$(json .ledger.queued)"
}

# 100, silence, 400.
case_steps_and_a_silence() {
	veth 1
	profile_sends 500 --profile 100:1,0:500ms,400:1
	within "$(rx .gaps.max_ns)" 490000000 540000000 "the silence"
	within "$(rx .gaps.median_ns)" 2300000 2700000 "median gap"
	within "$(rx .span_ns)" 2450000000 2550000000 "from the first to the last frame"
}

# (100 + 1000) / 2 * 2; the middle frame's gap is 1 / 710 s.
case_ramp_up() {
	veth 1
	profile_sends 1100 --profile 100:1kpps:2
	within "$(rx .gaps.median_ns)" 1250000 1550000 "median gap"
	within "$(rx .span_ns)" 1950000000 2050000000 "from the first to the last frame"
	within "$(json .total.asked_pps)" 549 551 "mean rate asked"
}

case_ramp_down_to_nothing() {
	veth 1
	profile_sends 500 --profile 1kpps:0:1
	within "$(rx .span_ns)" 900000000 1050000000 "from the first to the last frame"
}

case_up_and_down_over_several_queues() {
	local queues
	for queues in 2 4; do
		veth "$queues"
		profile_sends 60500 --profile 0:50kpps:1,50kpps:500ms,50k:0:400ms,1k:500ms
		is "$(json '[.queues[] | .packets + .given_up] | max - min <= 1')" true \
			"each queue has its share"
		ip link del va
	done
}

# The last rate has no time, so another limit ends the run.
case_the_last_rate_holds() {
	veth 2
	all_arrive 700 --profile 1k:500ms,2k --interval 0
	within "$(json .total.seconds)" 0.59 0.8 "seconds"
	dxmit tx -i va --profile 1k:200ms,100 -d 1 --interval 0 --json "$report"
	within "$(json .ledger.queued)" 270 281 "$dxmit_said: queued"
	is "$(json .total.asked_packets)" 280 "$dxmit_said: asked"
}

# 8 bursts of 64: within one hardly a gap, a tenth of a second between them.
bursts_of_64() { # OPTIONS…
	local try
	for try in 1 2 3; do
		receive vb --count 512 --time 10 --times
		dxmit tx -i va --burst 64:100ms -n 512 --stamp --interval 0 \
			--json "$report" "$@"
		received
		[ "$(json .total.given_up)" = 0 ] && [ "$(rx .span_ns)" -lt 720000000 ] && break
	done
	sent_exactly 512
	no_error
	rx_complete 512
	within "$(rx .gaps.median_ns)" 0 100000 "within a burst"
	within "$(rx .span_ns)" 695000000 720000000 "from the first to the last frame"
}

case_bursts() {
	veth 1
	bursts_of_64
	within "$(rx .gaps.max_ns)" 80000000 110000000 "between two bursts"
	bursts_of_64 -b 8
	within "$(rx .gaps.max_ns)" 80000000 110000000 "between two bursts, batch 8"
}

case_bursts_over_several_queues() {
	veth 4
	bursts_of_64
	is "$(rx '[.queues[].frames] | tojson')" "[128,128,128,128]" "frames of each queue"
}

# The same 1000 packets a second in each unit, whatever the number of queues:
# 64 bytes are 512 bits on L2 and 672 on L1, and a veth says that it has 10 Gbit/s.
a_thousand_per_second() { # OPTIONS…
	receive vb --count 1000000 --time 20
	dxmit tx -i va --stamp --interval 0 --json "$report" -d 0.5 "$@"
	receive_stop
	sent_exactly "$(json .ledger.queued)"
	rx_complete "$(json .ledger.queued)"
	is "$(json '.total.asked_pps | round')" 1000 "$dxmit_said: pps asked"
	is "$(json .total.asked_packets)" 500 "$dxmit_said: packets asked"
	within "$(json '.ledger.queued + .total.given_up')" 480 500 "$dxmit_said: sent"
}

case_units_of_a_rate() {
	local queues
	for queues in 1 4; do
		veth "$queues"
		a_thousand_per_second --rate 1kpps
		a_thousand_per_second --rate 512kbps
		a_thousand_per_second --rate 0.512Mbps-l2
		a_thousand_per_second --rate 672kbps-l1
		a_thousand_per_second --rate 0.00672%
		a_thousand_per_second --rate 1024kbps -s 128
		a_thousand_per_second --rate 12.304Mbps-l1 -s 1518
		ip link del va
	done
}

case_a_share_of_a_link_without_speed_is_refused() {
	sink sink0 1
	dxmit tx -i sink0 --rate 50% -n 1
	is "$status" 2 "exit code"
	one_error --rate "sink0 reports no link speed"
	dxmit tx -i sink0 --profile 1k:1,50%:1 -n 1
	is "$status" 2 "exit code"
	one_error --profile "sink0 reports no link speed"
	dxmit plan -i sink0 --rate 50%
	is "$status" 2 "exit code of plan"
}

# C22: on a machine that is idle the error is below 0.1 %; told, not asserted.
case_C22_counts_of_each_rate() {
	local rate
	veth 2
	for rate in 0.25 1 10 999 150000; do
		dxmit tx -i va --rate $rate -d 2 --interval 0 --json "$report"
		sent_exactly "$(json .ledger.queued)"
		within "$(json '.ledger.queued + .total.given_up - .total.asked_packets | fabs')" \
			0 "$(json '.total.asked_packets * 0.05')" "$dxmit_said: count error"
		note "$(json '"\(.total.asked_pps) pps: asked \(.total.asked_packets), sent " +
			"\(.ledger.queued), given up \(.total.given_up)"')"
	done
}

# Only where each frame has a turn of its own, and then for every frame but the
# first of each queue.
case_gaps_are_told_at_low_rates() {
	veth 2
	dxmit tx -i va --rate 2kpps -n 1000 --interval 0 --json "$report"
	is "$(json '[.total.gaps.count, .queues[].gaps.count] | tojson')" "[998,499,499]" \
		"gaps in total and of each queue"
	within "$(json .total.gaps.p50_ns)" 990000 1010000 "median gap of a queue"
	within "$(json .total.gaps.mean_ns)" 980000 1020000 "mean gap of a queue"
	dxmit tx -i va --rate 20001 -n 100 --interval 0 --json "$report"
	is "$(json .total.gaps)" null "gaps at more than 10000 a second and queue"
	dxmit tx -i va -n 100 --interval 0 --json "$report"
	is "$(json .total.gaps)" null "gaps without a rate"
}

run_cases "$@"
