#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the first promise: what dxmit reports is what the far end got, frame
# by frame, in order, on every number of queues and with every way to kick; and
# what never left is not claimed.
. "$(dirname "$0")/lib.sh"

# The pair with the receiver at its end; every frame is stamped.
send_and_receive() { # COUNT OPTIONS…
	local count=$1
	shift
	all_arrive "$count" --interval 0 "$@"
	is "$(rx '[.queues[].frames] | add')" "$count" "sum of the queues at the far end"
	is "$(rx '[.queues[] | [.queue, .frames]] | tojson')" \
		"$(json '[.queues[] | select(.packets > 0) | [.queue, .packets]] | tojson')" \
		"each queue's count at the far end and in the report"
}

# Nothing at all arrives and nothing is said to.
send_nothing() {
	receive vb --count 1 --time 0.3
	dxmit tx -i va -n 0 --stamp --json "$report"
	received
	no_error
	sent_exactly 0
	is "$(rx '.frames + .foreign')" 0 "frames at the far end"
}

small_counts() { # QUEUES
	local count
	veth "$1"
	send_nothing
	for count in 1 2 3 5 31 32 33 63 64 65 179 1000; do
		send_and_receive "$count"
	done
}

case_C23_small_counts_on_1_queue() { small_counts 1; }
case_C23_small_counts_on_2_queues() { small_counts 2; }
case_C23_small_counts_on_4_queues() { small_counts 4; }

# Paced a little, so that the receiver keeps up on a busy machine.
large_counts() { # QUEUES
	veth "$1"
	send_and_receive 100000 --rate 500kpps
	send_and_receive 1000003 --rate 500kpps
}

case_C23_large_counts_on_1_queue() { large_counts 1; }
case_C23_large_counts_on_2_queues() { large_counts 2; }
case_C23_large_counts_on_4_queues() { large_counts 4; }

# As fast as it goes, with the sandbox's own far end as the witness.
case_C14_the_sandbox_counts_the_same_at_full_speed() {
	local queues count
	for queues in 1 2 4; do
		for count in 1 179 1000003; do
			dxmit tx --sandbox="$queues" -n "$count" --interval 0 --json "$report"
			no_error
			sent_exactly "$count"
			is "$(json .far_end.packets)" "$count" "sandbox: far end"
			is "$(json .ledger.witness)" "far end" "sandbox: witness"
			is "$(json .ledger.foreign)" 0 "sandbox: foreign"
		done
	done
}

# The last full ring and a broken one, with each way into the kernel.
every_kick() { # OPTIONS…
	local count
	veth 2
	for count in 32 33 179 4097 50000; do
		send_and_receive "$count" "$@"
	done
}

case_budget_left_at_32_keeps_counts_exact() { every_kick --budget 32; }
case_kick_poll_keeps_counts_exact() { every_kick --kick poll; }
case_kick_poll_with_budget_32_keeps_counts_exact() { every_kick --kick poll --budget 32; }
case_kick_sendto_keeps_counts_exact() { every_kick --kick sendto; }
case_kick_sendto_with_budget_32_keeps_counts_exact() {
	every_kick --kick sendto --budget 32
}

# Rings of every shape around the counts, with the free list in use.
case_odd_rings_and_batches_keep_counts_exact() {
	veth 1
	send_and_receive 179 --ring 1 -b 1
	send_and_receive 1000 --ring 2 -b 2 --frames 2
	send_and_receive 1000 --ring 64 --frames 33 -b 31
	send_and_receive 1000 --ring 32 --frames 100 -b 32
	send_and_receive 5000 --ring 4096 -b 4096 --budget 33
	send_and_receive 5000 --ring 128 --frames 128 -b 127
}

# ifb completes every frame and sends none.
case_C14_ifb_sends_nothing_and_nothing_is_claimed() {
	local queues count
	for queues in 1 2 4; do
		sink "sink$queues" "$queues"
		for count in 1 32 179 100000; do
			dxmit tx -i "sink$queues" -n "$count" --interval 0 --json "$report"
			is "$status" 0 "$dxmit_said: exit code"
			no_error
			is "$(json '.ledger | [.queued, .sent, .dropped, .unexplained, .closed]
				| tojson')" "[$count,0,$count,0,true]" \
				"$dxmit_said: queued, sent, dropped, unexplained, closed"
		done
	done
}

run_cases "$@"
