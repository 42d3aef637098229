#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# sanitizers: thread
#
# Guards several sending threads that share CPUs: every queue's sequence is
# complete at the far end, and no thread starves another.
. "$(dirname "$0")/lib.sh"

COUNT=200000

on_cpus() { # LIST OPTIONS…
	local cpus=$1
	shift
	veth 4
	receive vb --count "$COUNT" --time 20
	dxmit tx -i va -n "$COUNT" --cpus "$cpus" --stamp --interval 0 --json "$report" "$@"
	received
	no_error
	sent_exactly "$COUNT"
	rx_complete "$COUNT"
	is "$(rx '[.queues[] | [.queue, .frames, .first, .missing, .duplicates,
		.out_of_order]] | tojson')" \
		"$(jq -nc --argjson n $((COUNT / 4)) '[range(4) | [., $n, 0, 0, 0, 0]]')" \
		"each queue: frames, first, missing, duplicate, late"
	is "$(json '[.queues[].cpu] | tojson')" "[$cpus]" "planned CPUs"
	is "$(json '[.queues[] | .cpu_seen == .cpu] | unique | tojson')" "[true]" \
		"each thread ran where it was planned"
}

two_cpus() {
	[ "$(nproc)" -ge 2 ] || skip "one CPU only"
}

case_C25_4_queues_on_1_cpu() { on_cpus 0,0,0,0 --rate 200kpps; }
case_C25_4_queues_on_1_cpu_at_full_speed() { on_cpus 0,0,0,0; }
case_C25_4_queues_on_1_cpu_with_poll() { on_cpus 0,0,0,0 --kick poll; }

case_C25_4_queues_on_2_cpus() {
	two_cpus
	on_cpus 0,1,0,1 --rate 200kpps
}

case_C25_4_queues_on_2_cpus_at_full_speed() {
	two_cpus
	on_cpus 0,1,1,0
}

case_C25_4_queues_on_2_cpus_with_small_rings() {
	two_cpus
	on_cpus 0,0,1,1 --ring 64 -b 7 --rate 200kpps
}

# A duration instead of a count: each of the four gets its share of one CPU.
case_C25_no_queue_starves() {
	veth 4
	dxmit tx -i va -d 2 --cpus 0,0,0,0 --interval 0 --json "$report"
	is "$status" 0 "exit code"
	is "$(json .ledger.closed)" true "ledger closed"
	within "$(json '([.queues[].packets] | min) / .total.packets * 4')" 0.2 1 \
		"the slowest queue's part of an even share"
}

run_cases "$@"
