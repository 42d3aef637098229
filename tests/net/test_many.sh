#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards many frames queued at once: more than the kernel moves per call, so
# that it answers EAGAIN. That is progress; nothing is lost and nobody sleeps.
. "$(dirname "$0")/lib.sh"

at_once() { # COUNT OPTIONS…
	all_arrive "$@" -q 0
	is "$(json '.total.lost')" 0 "$dxmit_said: lost"
}

case_C9_1024_at_once() {
	local kick
	veth 1
	for kick in auto sendto poll; do
		at_once 1024 -b 1024 --ring 1024 --kick $kick
		at_once 1024 -b 1024 --ring 1024 --kick $kick --budget 32
		at_once 1024 -b 1024 --ring 2048 --kick $kick --budget 32
	done
}

case_C9_other_numbers_at_once() {
	local count
	veth 1
	for count in 31 32 33 64 65 1023 2048; do
		at_once "$count" -b 2048 --ring 2048 --budget 32 --kick sendto
		at_once "$count" -b 2048 --ring 2048 --budget 32 --kick poll
	done
	at_once 16384 -b 16384 --ring 16384
	at_once 16384 -b 16384 --ring 16384 --kick poll --budget 32
}

# With a budget of 32 all kicks but the last are answered EAGAIN: progress.
case_C9_eagain_is_counted_and_no_error() {
	veth 1
	at_once 1024 -b 1024 --ring 1024 --kick sendto --budget 32
	is "$(json '.total.kicks')" 32 "kicks"
	is "$(json '.total.retries')" 31 "kicks answered EAGAIN"
	is "$(json '.exit_code')" 0 "exit code in the report"
}

# 3200 kicks answered EAGAIN; a millisecond's sleep for each would show.
case_C9_eagain_is_not_slept_on() {
	local fastest=99 try took
	veth 1
	for try in 1 2 3; do
		at_once 102400 -b 1024 --ring 1024 --kick sendto --budget 32
		within "$(json '.total.retries')" 3000 3200 "try $try: kicks answered EAGAIN"
		took=$(json .total.seconds)
		fastest=$(awk -v a="$took" -v b="$fastest" 'BEGIN { print a < b ? a : b }')
	done
	within "$fastest" 0 1.5 "seconds for 102400 frames"
}

case_C9_on_several_queues() {
	veth 4
	receive vb --count 4096 --time 15
	dxmit tx -i va -n 4096 -b 1024 --ring 1024 --budget 32 --kick sendto --stamp \
		--json "$report"
	received
	sent_exactly 4096
	rx_complete 4096
	is "$(rx '[.queues[].frames] | tojson')" "[1024,1024,1024,1024]" "frames of each queue"
}

run_cases "$@"
