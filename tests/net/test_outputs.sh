#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards the outputs: a report that could not be written is a failure, one that
# goes to stdout is alone there, and closed descriptors harm nobody.
. "$(dirname "$0")/lib.sh"

case_json_on_stdout_is_one_document() {
	dxmit tx --sandbox -n 1000 --json -
	is "$status" 0 "exit code"
	no_error
	is "$(jq -s length <<<"$stdout")" 1 "documents on stdout"
	is "$(jq -r '[.ledger.queued, .ledger.sent, .exit_code] | tojson' <<<"$stdout")" \
		"[1000,1000,0]" "queued, sent, exit code"
	is "$(head -c 1 <<<"$stdout")" "{" "first character"
}

case_json_on_stdout_of_a_run_that_fails() {
	black_hole 1
	dxmit tx -i hole -n 10 --interval 0.2 --json -
	is "$status" 1 "exit code"
	one_error hole "stalled"
	is "$(jq -s '[length, .[0].exit_code, .[0].ledger.in_flight]' -c <<<"$stdout")" \
		"[1,1,10]" "documents, exit code, in flight"
}

case_csv_and_prometheus_on_stdout() {
	local lines
	dxmit tx --sandbox -d 0.5 --interval 0.1 --rate 10kpps --csv -
	is "$status" 0 "$dxmit_said: exit code"
	lines=$(awk -F, '{ print NF }' <<<"$stdout" | sort -u)
	is "$(wc -l <<<"$lines")" 1 "$dxmit_said: the same number of fields in each line"
	within "$lines" 3 100 "$dxmit_said: fields"
	dxmit tx --sandbox -n 1000 --prometheus -
	is "$status" 0 "$dxmit_said: exit code"
	is "$(grep -vcE '^(# (HELP|TYPE) |[a-z0-9_]+(\{[^}]*\})? [-+0-9.eNaInf]+$)' \
		<<<"$stdout")" 0 "$dxmit_said: lines that are no metrics"
}

# The frames were sent all the same; the loss of the report is said.
write_failed() { # OBJECT
	is "$status" 1 "$dxmit_said: exit code"
	one_error "$1" "No space left"
	is "$(counter vb rx_packets)" 1000 "$dxmit_said: frames at the far end"
	ip link del va
}

case_full_disk() {
	local option
	[ -c /dev/full ] || skip "there is no /dev/full"
	for option in --json --csv --prometheus; do
		veth 2
		dxmit tx -i va -n 1000 $option /dev/full
		write_failed /dev/full
	done
}

case_full_disk_during_the_run() {
	local option
	[ -c /dev/full ] || skip "there is no /dev/full"
	for option in --csv --prometheus; do
		dxmit tx --sandbox -d 10 --interval 0.1 --rate 1kpps $option /dev/full
		is "$status" 1 "$dxmit_said: exit code"
		one_error /dev/full "No space left"
		within "$seconds" 0 2 "$dxmit_said: seconds"
	done
}

case_full_disk_behind_stdout() {
	[ -c /dev/full ] || skip "there is no /dev/full"
	local arguments
	for arguments in "tx --sandbox -n 10" "tx --sandbox -n 10 --json -" \
		"plan --sandbox" "probe -i lo" "--help" "tx --help" "--version"; do
		# shellcheck disable=SC2086 # words of a command
		"$DXMIT" $arguments >/dev/full 2>"$work/stderr"
		is $? 1 "dxmit $arguments: exit code"
		stderr=$(cat "$work/stderr")
		dxmit_said="dxmit $arguments"
		one_error "[^:]+" "No space left|not everything could be written"
	done
}

# A real full file system: half a document is not passed off as one.
case_full_file_system() {
	mkdir "$work/small"
	mount -t tmpfs -o size=4k tmpfs "$work/small" || skip "no tmpfs here"
	dxmit tx --sandbox=8 -n 1000 --json "$work/small/report"
	is "$status" 1 "exit code"
	one_error "$work/small/report" "No space left"
}

case_paths_that_cannot_be_opened() {
	local path
	veth 1
	for path in "$work" "$work/nosuch/report" "$work/stderr/report" ""; do
		dxmit tx -i va -n 10 --json "$path"
		isnt "$status" 0 "$dxmit_said: exit code"
		one_error "[^:]+"
	done
	is "$(counter va tx_packets)" 0 "frames sent before it was noticed"
}

case_two_outputs_into_one() {
	dxmit tx --sandbox -n 10 --json - --csv -
	is "$status" 2 "$dxmit_said: exit code"
	one_error --csv "same output"
	dxmit tx --sandbox -n 10 --json "$work/x" --prometheus "$work/x"
	is "$status" 2 "$dxmit_said: exit code"
	one_error --prometheus "same output"
}

# A link, or /dev/stdout, is the same file under another name.
case_two_outputs_into_one_under_two_names() {
	dxmit tx --sandbox -n 10 --json "$work/x" --csv "$work/./x"
	is "$status" 2 "$dxmit_said: exit code"
	one_error "$work/./x" "same file as $work/x"
	ln "$work/x" "$work/y"
	dxmit tx --sandbox -n 10 --csv "$work/x" --prometheus "$work/y"
	is "$status" 2 "$dxmit_said: exit code"
	one_error "$work/y" "same file"
	dxmit tx --sandbox -n 10 --json /dev/stdout
	is "$status" 2 "$dxmit_said: exit code"
	one_error /dev/stdout "same file as standard output"
	dxmit tx --sandbox -n 10 --json /dev/null --csv /dev/zero
	is "$status" 0 "$dxmit_said: exit code"
	no_error
}

# The kernel's signal for a file over the limit would end it without a word.
case_file_over_the_size_limit() {
	(
		ulimit -f 1
		"$DXMIT" tx --sandbox -n 10 --json "$work/x" 2>"$work/stderr" | cat >/dev/null
		exit "${PIPESTATUS[0]}"
	)
	is $? 1 "exit code"
	stderr=$(cat "$work/stderr")
	one_error "$work/x" "File too large"
}

# A reader that leaves early is an error of the run, not a silent death.
case_reader_that_goes_away() {
	"$DXMIT" tx --sandbox -d 5 --interval 0.05 --rate 1kpps 2>"$work/stderr" | head -n 1 >/dev/null
	is "${PIPESTATUS[0]}" 1 "exit code"
	like "$(cat "$work/stderr")" "Broken pipe" "message"
	is "$(wc -l <"$work/stderr")" 1 "lines on stderr"
}

# Without descriptors 0, 1 and 2 none of ours must take their place.
case_closed_descriptors() {
	local n=0
	"$DXMIT" tx --sandbox -n 1000 --json "$report" <&- >&- 2>&-
	is $? 0 "all closed: exit code"
	is "$(json '[.ledger.queued, .ledger.sent] | tojson')" "[1000,1000]" "queued, sent"
	is "$(jq -s length "$report")" 1 "documents"
	for n in 0 1 2; do
		rm -f "$report"
		case $n in
		0) "$DXMIT" tx --sandbox -n 1000 --json "$report" <&- >/dev/null ;;
		1) "$DXMIT" tx --sandbox -n 1000 --json "$report" >&- ;;
		2) "$DXMIT" tx --sandbox -n 1000 --json "$report" >/dev/null 2>&- ;;
		esac
		is $? 0 "descriptor $n closed: exit code"
		is "$(json .ledger.sent)" 1000 "descriptor $n closed: sent"
	done
	"$DXMIT" tx --sandbox -n 1 --frame-size 3 2>&- >&-
	is $? 2 "a usage error that cannot be told: exit code"
}

case_a_report_that_was_to_go_to_a_closed_stdout() {
	local option
	for option in --json --prometheus --csv; do
		"$DXMIT" tx --sandbox -n 1000 $option - >&- 2>"$work/stderr"
		is $? 1 "$option: exit code"
		is "$(wc -l <"$work/stderr")" 1 "$option: lines on stderr"
	done
}

# A reader may come late; where none comes, that is said in time.
case_a_fifo() {
	mkfifo "$work/fifo"
	dxmit tx --sandbox -n 10 --json "$work/fifo"
	is "$status" 1 "no reader: exit code"
	one_error ".*fifo" "FIFO"
	within "$seconds" 1.5 4 "no reader: seconds"
	(sleep 0.3 && cat "$work/fifo" >"$report") &
	dxmit tx --sandbox -n 10 --json "$work/fifo"
	no_error
	wait $!
	is "$(json .ledger.sent)" 10 "a late reader: sent"
}

# Peak memory: the frames, the rings, and a few megabytes; not per time.
case_memory_stays_small() {
	local short
	dxmit tx --sandbox=1 -d 0.3 --json "$report" --huge off
	within "$(json .total.max_rss_bytes)" 2000000 20000000 "bytes, one queue"
	short=$(json .total.max_rss_bytes)
	dxmit tx --sandbox=1 -d 3 --interval 0.01 --csv "$work/csv" --json "$report" --huge off
	within "$(json .total.max_rss_bytes)" $((short / 2)) $((short + 1000000)) \
		"bytes, after three seconds"
	dxmit tx --sandbox=1 -n 1000 --ring 64 --json "$report" --huge off
	within "$(json .total.max_rss_bytes)" 1000000 16000000 "bytes, with a small ring"
}

run_cases "$@"
