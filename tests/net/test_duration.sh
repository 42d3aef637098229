#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the end of a run that is given a time: within 50 ms, with all it
# queued accounted for, whatever the rate and the number of queues.
. "$(dirname "$0")/lib.sh"

# What else the machine does shall wait, and not the senders for their CPU: from
# here on `dxmit` has the highest priority, in a scheduling group of its own
# where there are such (sched(7), autogroup).
first_in_line() {
	[ ! -e "$work/first" ] || return
	cat >"$work/first" <<-END
		#!/bin/sh
		{ echo -20 >/proc/self/autogroup; renice -n -20 -p \$\$; } >/dev/null 2>&1
		exec $DXMIT "\$@"
	END
	cat >"$work/session" <<-END
		#!/bin/sh
		exec setsid $work/first "\$@"
	END
	chmod +x "$work/first" "$work/session"
	DXMIT=$work/session
}

# The time is that of the report: from the common start to the last completion
# of the slowest queue. Something may stop a thread for longer than the 50 ms
# all the same, rarely; a run that ends late by itself does so often. So of five
# runs one may be late, or, when more are, three of fifteen; and the best one
# has half of it.
lasts() { # SECONDS OPTIONS…
	local asked=$1 late=0 run runs=0 best=
	shift
	first_in_line
	while [ $runs -lt 5 ] || { [ $((late * 5)) -gt $runs ] && [ $runs -lt 15 ]; }; do
		dxmit tx -d "$asked" --interval 0 --json "$report" "$@"
		is "$status" 0 "$dxmit_said: exit code"
		no_error
		is "$(json .ledger.closed)" true "$dxmit_said: ledger closed"
		run=$(json .total.seconds)
		within "$run" "$asked" 1000 "$dxmit_said: not too short"
		runs=$((runs + 1))
		is_within "$run" "$asked" 0.05 || late=$((late + 1))
		best=$(printf '%s\n' "$run" "${best:-$run}" | sort -g | head -n 1)
	done
	within $((late * 5)) 0 $runs "$dxmit_said: five times the runs too late, of $runs"
	within "$best" "$asked" "$(awk -v s="$asked" 'BEGIN { print s + 0.025 }')" \
		"$dxmit_said: seconds of the best of $runs"
}

is_within() { # SECONDS ASKED MORE
	awk -v s="$1" -v a="$2" -v m="$3" 'BEGIN { exit !(s <= a + m) }'
}

case_C23_ends_within_50_ms_at_full_speed() {
	local queues
	for queues in 1 2 4; do
		lasts 0.2 --sandbox="$queues"
	done
	lasts 0.73 --sandbox=2
}

# Also where the next frame is due long after the end.
case_C23_ends_within_50_ms_with_a_rate() {
	lasts 0.23 --sandbox=2 --rate 1kpps
	within "$(json .ledger.queued)" 229 232 "queued at 1000 a second"
	lasts 0.23 --sandbox=2 --rate 0.25pps
	is "$(json .ledger.queued)" 1 "queued at one in four seconds"
	lasts 0.23 --sandbox=1 --rate 150kpps
}

case_C23_ends_within_50_ms_on_ifb() {
	sink sink0 2
	lasts 0.23 -i sink0
}

case_C23_the_shortest_one() {
	lasts 0.001 --sandbox=2
}

# The main thread is stuck in writing to a pipe that nobody reads; the senders
# keep their time all the same.
case_C23_ends_within_50_ms_while_output_is_stuck() {
	local began
	mkfifo "$work/pipe"
	exec 9<>"$work/pipe"
	"$DXMIT" tx --sandbox=16 --ring 64 --rate 16kpps --csv - --interval 0.01 -d 1.2 \
		--json "$report" >"$work/pipe" 2>"$work/stderr" &
	dxmit_pid=$!
	began=$(now_ms)
	sleep 2.5
	is "$(awk '{ print $3 }' "/proc/$dxmit_pid/stat")" S "it waits for its reader"
	cat <&9 >/dev/null &
	wait "$dxmit_pid"
	is $? 0 "exit code"
	kill $!
	within $(($(now_ms) - began)) 2500 10000 "milliseconds until it could go on"
	# A single run on a machine that may be busy; by the reader it would be 2.5.
	within "$(json .total.seconds)" 1.2 1.5 "seconds"
}

# How long the whole program takes, at its best.
case_start_and_end_take_little_more() {
	local best run
	for run in 1 2 3; do
		dxmit tx -d 0.2 --sandbox=4 --json "$report"
		is "$status" 0 "run $run: exit code"
		best=$(printf '%s\n' "$seconds" "${best:-$seconds}" | sort -g | head -n 1)
	done
	within "$best" 0.2 0.8 "seconds with start and end"
}

# Whichever comes first.
case_count_and_duration_together() {
	dxmit tx --sandbox=2 -d 10 -n 1000 --json "$report"
	sent_exactly 1000
	within "$seconds" 0 1 "seconds when the count is reached first"
	lasts 0.23 --sandbox=2 -n 100000000
	within "$(json .ledger.queued)" 1 99999999 "queued when the time is up first"
}

run_cases "$@"
