#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 600
#
# Guards the end by signal: whenever it comes, the full report is there within
# 200 ms; a second signal ends at once, also when nobody takes the output.
# MOMENTS is the number of random moments (soak: 100).
. "$(dirname "$0")/lib.sh"

moments=${MOMENTS:-8}

# Signal a running dxmit and look at its end. A busy machine may hold it up, so
# a late end is only counted here; see late_ends.
late=0
stop_with() { # SIGNAL
	kill "-$1" "$dxmit_pid" || bail "$dxmit_said has ended by itself: $(cat "$work/stderr")"
	dxmit_began_ms=$(now_ms)
	dxmit_wait
	is "$status" 0 "SIG$1: exit code"
	no_error
	awk -v s="$seconds" 'BEGIN { exit !(s > 0.2) }' && late=$((late + 1)) &&
		note "SIG$1: $seconds s to the end"
	within "$seconds" 0 1 "SIG$1: seconds to the end"
	is "$(json .interrupted)" true "SIG$1: the report says so"
	is "$(json '.ledger | .queued - .sent - .dropped - .invalid - .in_flight - .unexplained')" \
		0 "SIG$1: totals"
	is "$(json '.queues | length')" "$queues" "SIG$1: queues in the report"
}

late_ends() { # OF
	within $late 0 $(($1 / 10)) "ends later than 200 ms, of $1"
}

random_moment() { # FROM_MS TO_MS
	sleep "$(awk -v r=$((RANDOM * 32768 + RANDOM)) -v a="$1" -v b="$2" \
		'BEGIN { printf "%.4f", (a + r % ((b - a) * 1000) / 1000) / 1000 }')"
}

at_random_moments() { # INTERFACE OPTIONS…
	local n signals=(INT TERM) name=$1
	shift
	for ((n = 0; n < moments; n++)); do
		[ "$name" != hole ] || plug_hole
		dxmit_start tx -i "$name" --json "$report" "$@"
		[ "$name" = hole ] || dxmit_is_sending "$name"
		[ "$name" != hole ] || sleep 0.25
		random_moment 0 800
		stop_with "${signals[n % 2]}"
	done
	late_ends "$moments"
}

case_at_random_moments_of_a_fast_run() {
	queues=4
	veth 4
	at_random_moments va
	is "$(json .ledger.in_flight)" 0 "in flight"
}

case_at_random_moments_of_a_slow_run() {
	queues=2
	veth 2
	at_random_moments va --rate 1pps
}

case_C12_at_random_moments_of_a_stalled_run() {
	queues=1
	black_hole 1
	at_random_moments hole
	isnt "$(json .ledger.in_flight)" 0 "in flight"
	is "$(json .ledger.sent)" 0 "sent"
}

# Before the run has begun there may be no report; but it ends, without a word
# and with nothing left behind.
case_at_random_moments_of_the_start() {
	local n
	for ((n = 0; n < 3 * moments; n++)); do
		"$DXMIT" tx --sandbox=4 >"$work/stdout" 2>"$work/stderr" &
		dxmit_pid=$!
		random_moment 0 120
		kill -TERM "$dxmit_pid"
		dxmit_began_ms=$(now_ms)
		wait "$dxmit_pid"
		status=$?
		[ $status = 143 ] || is "$status" 0 "exit code"
		is "$(cat "$work/stderr")" "" "stderr"
		within $(($(now_ms) - dxmit_began_ms)) 0 700 "milliseconds to the end"
	done
}

case_SIGHUP_too_unless_it_is_ignored() {
	queues=1
	veth 1
	dxmit_start tx -i va --json "$report"
	dxmit_is_sending va
	stop_with HUP
	(
		trap '' HUP
		"$DXMIT" tx -i va -d 0.6 --json "$report" >/dev/null 2>&1
	) &
	sleep 0.3
	pkill -HUP -P $!
	wait $!
	is $? 0 "under nohup: exit code"
	is "$(json .interrupted)" false "under nohup: interrupted"
}

# timeout(1) signals its child, then the group its child is in.
case_the_same_signal_twice_is_one() {
	local n
	veth 1
	for n in 1 2 3 4 5; do
		rm -f "$report"
		timeout 0.4 "$DXMIT" tx -i va --json "$report" >/dev/null
		is "$(json .interrupted)" true "try $n: there is a report"
	done
	# Two that the kernel cannot merge.
	for n in 1 2 3 4 5; do
		dxmit_start tx -i va --json "$report"
		dxmit_is_sending va
		kill -INT "$dxmit_pid"
		kill -TERM "$dxmit_pid"
		dxmit_wait
		is "$status" 0 "try $n: exit code"
		is "$(json .interrupted)" true "try $n: there is a report"
	done
}

# Nobody reads: the pipe is full and the report cannot be written.
full_pipe() {
	mkfifo "$work/pipe"
	exec 9<>"$work/pipe"
	"$DXMIT" tx --sandbox=16 --ring 64 --rate 16kpps --csv - --interval 0.01 >"$work/pipe" \
		2>"$work/stderr" &
	dxmit_pid=$!
	sleep 2
	is "$(awk '{ print $3 }' "/proc/$dxmit_pid/stat")" S "it waits for its reader"
}

# Its exit code and how long it took, at most 5 s.
ends_within() { # MS
	local began turn
	began=$(now_ms)
	for turn in {1..500}; do
		kill -0 "$dxmit_pid" 2>/dev/null || break
		sleep 0.01
	done
	within $(($(now_ms) - began)) 0 "$1" "milliseconds to the end ($turn looks)"
	kill -KILL "$dxmit_pid" 2>/dev/null
	wait "$dxmit_pid"
	is $? 1 "exit code"
}

case_a_second_signal_ends_at_once() {
	full_pipe
	kill -INT "$dxmit_pid"
	sleep 0.5
	kill -0 "$dxmit_pid"
	is $? 0 "the first one waits for the reader"
	kill -INT "$dxmit_pid"
	ends_within 400
}

case_a_report_that_nobody_takes_ends_too() {
	full_pipe
	kill -TERM "$dxmit_pid"
	ends_within 3000
}

run_cases "$@"
