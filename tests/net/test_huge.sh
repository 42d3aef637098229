#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards huge pages: on, off and automatic, with none, too few and enough of
# them reserved. Changes the machine's reservation and puts it back.
. "$(dirname "$0")/lib.sh"

reserved=/proc/sys/vm/nr_hugepages
unused=/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages

# The queues here need two pages each.
reserve() { # PAGES
	[ -w $reserved ] || skip "huge pages cannot be reserved"
	if [ -z "${reserved_before:-}" ]; then
		reserved_before=$(cat $reserved)
		trap 'echo $reserved_before >$reserved' EXIT
	fi
	echo "$1" >$reserved
	[ "$(cat $reserved)" = "$1" ] || skip "the machine has no memory for $1 huge pages"
	given_back "$1"
}

# The kernel frees the pages of a process a little after its end.
given_back() { # PAGES
	local turn
	for turn in {1..500}; do
		[ "$(cat $unused)" = "$1" ] && return
		sleep 0.01
	done
	skip "other programs use huge pages: $(cat $unused) of $1 are free ($turn)"
}

runs_with() { # PAGE-SIZE MISSING OPTIONS…
	local size=$1 missing=$2
	shift 2
	receive vb --count 5000 --time 10
	dxmit tx --ring 2048 -s 1518 -i va -q 0 -n 5000 --stamp --json "$report" "$@"
	given_back "$(cat $reserved)"
	received
	sent_exactly 5000
	no_error
	rx_complete 5000
	is "$(json '.queues[0].page_size')" "$size" "$dxmit_said: page size"
	is "$(json '.queues[0].huge_missing')" "$missing" "$dxmit_said: pages missing"
	[ "$size" = 4096 ] || is "$(json '.queues[0].pages')" 2 "$dxmit_said: pages"
}

# The text for people has one line about it, or none.
pages_lines() {
	grep -c 'nr_hugepages' <<<"$stdout"
}

case_C8_none_reserved() {
	veth 1
	reserve 0
	runs_with 4096 2 --huge auto
	is "$(pages_lines)" 1 "lines about it"
	runs_with 4096 2
	is "$(pages_lines)" 1 "lines about it"
	runs_with 4096 0 --huge off
	is "$(pages_lines)" 0 "lines about it"
	dxmit tx --ring 2048 -s 1518 -i va -n 10 --huge on
	is "$status" 1 "$dxmit_said: exit code"
	one_error "huge pages" "2 pages .* needed and 0 are free; .*nr_hugepages="
	is "$(counter va tx_packets)" 15000 "frames sent: none more"
}

case_C8_too_few_reserved() {
	veth 1
	reserve 1
	runs_with 4096 1 --huge auto
	is "$(pages_lines)" 1 "lines about it"
	dxmit tx --ring 2048 -s 1518 -i va -n 10 --huge on
	is "$status" 1 "$dxmit_said: exit code"
	one_error "huge pages" "2 pages .* needed and 1 are free; .*nr_hugepages="
}

case_C8_enough_reserved() {
	veth 1
	reserve 2
	runs_with 2097152 0 --huge on
	is "$(pages_lines)" 0 "lines about it"
	runs_with 2097152 0 --huge auto
	runs_with 4096 0 --huge off
	reserve 4
	runs_with 2097152 0 --huge on --frame-size 4096
}

# What the message says to do is enough, for one queue and for several.
case_C8_the_remedy_works() {
	local queues pages
	for queues in 1 2 3; do
		reserve 1
		dxmit tx --ring 2048 -s 1518 --sandbox=$queues -n 1000 --huge on
		is "$status" 1 "$dxmit_said: exit code"
		pages=$(grep -oE 'nr_hugepages=[0-9]+' <<<"$stderr")
		reserve "${pages#*=}"
		dxmit tx --ring 2048 -s 1518 --sandbox=$queues -n 1000 --huge on --json "$report"
		sent_exactly 1000
		is "$(json '[.queues[].page_size] | unique | tojson')" "[2097152]" \
			"$dxmit_said: page size"
	done
}

# Each run needs the pages that the one before has just let go.
case_C8_back_to_back_with_exactly_enough() {
	local run
	veth 1
	reserve 2
	for run in {1..10}; do
		dxmit tx --ring 2048 -s 1518 -i va -n 100 --huge on --json "$report"
		is "$status" 0 "run $run: exit code"
		no_error
		is "$(json '.queues[0].page_size')" 2097152 "run $run: page size"
	done
	given_back 2
}

run_cases "$@"
