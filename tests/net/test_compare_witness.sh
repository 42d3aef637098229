#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# timeout: 300
#
# Guards `dxmit compare --witness COMMAND`: the command's count is the one that
# counts, at both ends of the window and of the leg's life; and a command that
# cannot serve ends the comparison with a word on why, and leaves nothing.
. "$(dirname "$0")/lib.sh"

LIMIT=60
quick=(--rounds 2 -d 0.1 --warm-up 0.02)

# Where the command counts, the figures are its own: here twice the far end's.
case_the_command_counts() {
	local command='echo $((2 * $(cat /sys/class/net/vb/statistics/rx_packets)))'
	veth 1
	dxmit compare -i va --legs copy --witness "$command" --json "$report" "${quick[@]}"
	is "$status" 0 "exit code"
	is "$(json '.cells[0].witness')" "$command" "the results' witness"
	is "$(json '[.cells[0].samples[] | select(.life_packets != 2 * .life_own or
		.packets <= 0 or .packets > .life_packets)] | length')" 0 \
		"samples whose count is not the command's"
	is "$(json '[.cells[0].samples[] | .packets % 2] | add')" 0 "windows are even, too"
	is "$(json '[.cells[0].samples[] | select(.bytes != .packets * 60)] | length')" 0 "bytes"
	is "$(json '.cells[0].samples | length')" 2 "samples"
}

# Nothing moves at the interface: frames are sent through another. The first one is
# seen by the command alone.
case_what_the_device_does_not_count() {
	sink other 1
	veth 1
	dxmit compare -i va --json "$report" "${quick[@]}" \
		--legs "beside=exec:$DXMIT tx -i other --cpus %c --interval 0" \
		--witness "cat /sys/class/net/other/statistics/rx_packets"
	is "$status" 0 "exit code; $stderr"
	is "$(json '[.cells[0].samples[] | select(.packets > 1000 and
		.life_packets > .packets)] | length')" 2 "samples with packets"
	is "$(counter va tx_packets)" 0 "frames at the interface"
}

# What the command did, and what is said of it.
refused() { # REASON-REGEX COMMAND
	dxmit compare -i va --legs copy --witness "$2" --json "$report" "${quick[@]}"
	is "$status" 1 "$2: exit code"
	one_error --witness "the command $1"
	is "$(counter va tx_packets)" 0 "$2: frames sent"
}

case_a_command_that_cannot_serve() {
	veth 1
	refused "did not print one whole number" "echo none"
	refused "did not print one whole number" "echo 1 2"
	refused "did not print one whole number" "echo -1"
	refused "did not print one whole number" "echo 99999999999999999999"
	refused "did not print one whole number" true
	refused "failed" "echo 1; exit 3"
	refused "failed" 'kill -KILL $$'
	refused "failed" /no/such/program
	refused "did not end within 5 s" "sleep 60"
}

# After the third call it fails: the leg ends, the results so far stand.
case_a_command_that_fails_in_the_middle() {
	local turns=$work/turns
	veth 1
	: >"$turns"
	dxmit compare -i va --legs copy --json "$report" "${quick[@]}" --witness \
		"echo >>$turns; [ \$(wc -l <$turns) -lt 9 ] && cat /sys/class/net/vb/statistics/rx_packets"
	is "$status" 1 "exit code"
	like "$(grep -v warning: "$work/stderr")" "^dxmit: --witness: the command failed; " "its line"
	is "$(json .exit_code)" 1 "exit code in the results"
	no_xdp va
	: >"$turns"
	dxmit compare -i va --legs copy --json "$report" "${quick[@]}" --witness \
		"echo >>$turns; echo \$((100 - \$(wc -l <$turns)))"
	is "$status" 1 "exit code, backwards"
	like "$(grep -v warning: "$work/stderr")" "counted backwards" "backwards"
}

case_a_stop_while_the_command_runs() {
	veth 1
	mkfifo "$work/started"
	dxmit_start compare -i va --legs copy --json "$report" "${quick[@]}" --witness \
		"echo >$work/started; sleep 60"
	read -r -t 10 <>"$work/started"
	kill -INT "$dxmit_pid"
	dxmit_wait
	is "$status" 0 "exit code"
	within "$seconds" 0 4 "seconds until it ended"
}

case_frames_of_several_sizes_are_refused() {
	veth 1
	dxmit compare -i va --legs copy -s 64,1518 --witness "echo 1"
	is "$status" 2 "exit code"
	one_error --witness
}

run_cases "$@"
