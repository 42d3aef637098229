#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# timeout: 240
# Guards replay on the wire: every frame of a capture arrives byte for byte and
# in the order of its flow, on any number of queues, from memory and as a stream;
# counts of loops are exact; recorded times are kept; what cannot be sent is told
# and what is good is sent.
. "$(dirname "$0")/lib.sh"

replayed=$BUILD/tests/replayed

record() { # COUNT [SECONDS]
	local line
	exec {record_fd}< <(exec "$replayed" record vb "$work/seen.pcap" "$1" "${2:-10}" \
		2>"$work/record.err")
	record_pid=$!
	read -r -t 10 -u "$record_fd" line
	[ "$line" = ready ] || bail "record: $(cat "$work/record.err")"
}

recorded() {
	cat <&"$record_fd" >/dev/null
	exec {record_fd}<&-
	is "$(cat "$work/record.err")" "" "the recorder kept up"
}

capture() { # FRAMES FLOWS STEP_US
	"$replayed" make "$work/sent.pcap" "$@" || bail "no capture"
}

# The same frames arrive, LOOPS times each.
arrives() { # LOOPS FRAMES OPTIONS…
	local loops=$1 frames=$2
	shift 2
	record $((loops * frames))
	dxmit tx -i va --replay "$work/sent.pcap" --json "$report" --interval 0 "$@"
	recorded
	sent_exactly $((loops * frames))
	no_error
	is "$("$replayed" compare "$work/sent.pcap" "$work/seen.pcap" "$loops")" \
		$((loops * frames)) "$dxmit_said: frames at the far end, in order"
	is "$(json '[.replay | .records, .bad, .skipped, .loops] | tojson')" \
		"[$frames,0,0,$loops]" "$dxmit_said: records, bad, skipped, loops"
}

on_queues() { # QUEUES
	local options
	veth "$1"
	capture 1000 40 10
	for options in "" "-b 1" "--ring 64 --frames 33 -b 31" "--rate 50kpps" \
		"--replay-timing 1x"; do
		# shellcheck disable=SC2086
		arrives 1 1000 $options
		# shellcheck disable=SC2086
		arrives 3 1000 --loop 3 $options
	done
	[ "$1" = 1 ] || isnt "$(json '[.queues[] | select(.packets == 0)] | length')" "$1" \
		"queues that sent"
}

case_every_frame_arrives_in_order_on_1_queue() { on_queues 1; }
case_every_frame_arrives_in_order_on_2_queues() { on_queues 2; }
case_every_frame_arrives_in_order_on_4_queues() { on_queues 4; }

# One queue of several gets all frames, in the order of the file.
case_one_queue_gets_the_whole_file() {
	veth 4
	capture 500 40 10
	arrives 1 500 -q 2
	is "$("$replayed" order "$work/sent.pcap" "$work/seen.pcap")" 500 "frames in file order"
	is "$(json '[.queues[] | [.queue, .packets]] | tojson')" "[[2,500]]" "queue and frames"
}

case_flows_spread_over_the_queues() {
	veth 4
	capture 1000 200 10
	arrives 1 1000
	is "$(json '[.queues[] | select(.packets >= 125)] | length')" 4 \
		"queues with at least half their share"
}

# A capture whose frames divide the ring, and one longer than it.
case_frames_that_stay_in_the_ring_are_sent_again() {
	veth 1
	capture 64 8 10
	arrives 50 64 --loop 50
	capture 513 8 10
	arrives 10 513 --loop 10
}

case_a_count_ends_within_a_pass() {
	local queues
	for queues in 1 2 4; do
		dxmit tx --sandbox=$queues --replay <(capture_text) -n 1 --json "$report"
		is "$status" 0 "$dxmit_said: exit code"
		capture 100 10 10
		dxmit tx --sandbox=$queues --replay "$work/sent.pcap" -n 1234 --json "$report"
		sent_exactly 1234
		is "$(json .replay.loops)" "$((queues == 1 ? 12 : $(json .replay.loops)))" "loops"
		dxmit tx --sandbox=$queues --replay "$work/sent.pcap" -n 1234 --loop 2 \
			--json "$report"
		sent_exactly 200
	done
}

capture_text() {
	"$replayed" make /dev/stdout 3 1 10
}

case_standard_input_is_streamed() {
	veth 2
	capture 3000 40 10
	record 3000
	"$DXMIT" tx -i va --replay - --json "$report" --interval 0 \
		<"$work/sent.pcap" >/dev/null 2>"$work/stderr"
	is $? 0 "exit code of a file as standard input"
	recorded
	is "$("$replayed" compare "$work/sent.pcap" "$work/seen.pcap" 1)" 3000 \
		"frames at the far end"
	record 3000
	{ # in pieces, with a pause
		head -c 100001 "$work/sent.pcap"
		sleep 0.3
		tail -c +100002 "$work/sent.pcap"
	} | "$DXMIT" tx -i va --replay - --json "$report" --interval 0 >/dev/null 2>"$work/stderr"
	recorded
	is "$(cat "$work/stderr")" "" "nothing on stderr"
	is "$("$replayed" compare "$work/sent.pcap" "$work/seen.pcap" 1)" 3000 \
		"frames at the far end of a pipe"
	is "$(json .replay.in_memory)" false "a pipe is not held in memory"
}

# More than is held in memory: 300 MB, twice.
case_a_large_file_is_streamed() {
	local frames=350000
	capture "$frames" 200 1
	[ "$(stat -c %s "$work/sent.pcap")" -gt 268435456 ] || bail "the capture is too small"
	LIMIT=60 dxmit tx --sandbox=2 --replay "$work/sent.pcap" --loop 2 --interval 0 \
		--json "$report"
	sent_exactly $((2 * frames))
	no_error
	is "$(json '[.replay.in_memory, .replay.loops] | tojson')" "[false,2]" "streamed, loops"
	is "$(json '.total.max_rss_bytes < 67108864')" true "less than 64 MiB of memory"
}

# Loose, and the best of three: the machine may be busy. 100 frames, 5 ms apart, on
# one queue.
case_recorded_times_are_kept() {
	local timing factor worst try
	veth 1
	capture 100 10 5000
	while read -r timing factor; do
		for try in 1 2 3; do
			record 100
			dxmit tx -i va --replay "$work/sent.pcap" --replay-timing "$timing" \
				--json "$report" --interval 0
			recorded
			sent_exactly 100
			worst=$("$replayed" times "$work/sent.pcap" "$work/seen.pcap" "$factor")
			[ "$worst" -ge 100000 ] || break
		done
		note "$timing: at most $worst us off"
		is "$((worst < 100000))" 1 "$timing: no frame is 100 ms off"
	done <<-END
		recorded 1
		2x 0.5
		0.5x 2
	END
}

case_a_long_pause_can_be_shortened() {
	veth 1
	capture 3 1 3000000
	record 3
	dxmit tx -i va --replay "$work/sent.pcap" --replay-timing recorded --max-gap 0.1 \
		--json "$report" --interval 0
	recorded
	sent_exactly 3
	is "$(json '.total.seconds > 0.19 and .total.seconds < 2')" true "two pauses of 0.1 s"
}

case_a_signal_ends_a_long_pause() {
	veth 1
	capture 2 1 100000000
	dxmit_start tx -i va --replay "$work/sent.pcap" --replay-timing recorded --json "$report"
	sleep 0.5
	kill -INT "$dxmit_pid"
	dxmit_wait
	is "$status" 0 "exit code"
	is "$(json '[.ledger.queued, .interrupted] | tojson')" "[1,true]" "queued, interrupted"
}

# Nobody writes to it; and nobody writes more to it.
case_a_signal_ends_the_wait_for_a_pipe() {
	veth 1
	mkfifo "$work/pipe"
	dxmit_start tx -i va --replay "$work/pipe" --json "$report"
	sleep 0.3
	kill -INT "$dxmit_pid"
	dxmit_wait
	is "$status" 0 "exit code without a writer"
	capture 100 1 10
	exec {pipe_fd}<>"$work/pipe"
	head -c 5000 "$work/sent.pcap" >&"$pipe_fd"
	dxmit_start tx -i va --replay "$work/pipe" --json "$report"
	sleep 0.5
	kill -INT "$dxmit_pid"
	dxmit_wait
	exec {pipe_fd}<&-
	is "$status" 0 "exit code with a writer that waits"
	is "$(json '.ledger.queued > 0 and .ledger.closed')" true "what came was sent"
}

# A pipe, given as its path, whose writer stays after what it wrote.
open_pipe() {
	mkfifo "$work/pipe"
	exec {pipe_fd}<>"$work/pipe"
	cat "$work/sent.pcap" >&"$pipe_fd"
}

# Nothing comes any more, or nothing for this queue: of one flow, 3000 frames are
# more than the reader has room for once the queue of that flow has ended.
case_a_profile_ends_while_a_pipe_is_silent() {
	local queues
	veth 4
	capture 50 10 10
	open_pipe
	LIMIT=5 dxmit tx -i va --replay "$work/pipe" --profile 10kpps:0.3 --json "$report"
	exec {pipe_fd}<&-
	sent_exactly 50
	for queues in 0-1 all; do
		capture 3000 1 10
		cat "$work/sent.pcap" | LIMIT=5 timeout -k 1 5 "$DXMIT" tx -i va -q "$queues" \
			--replay - --profile 1kpps:0.3 --json "$report" --interval 0 \
			>/dev/null 2>"$work/stderr"
		is $? 0 "one flow on queues $queues: exit code"
		is "$(json .ledger.sent)" 300 "one flow on queues $queues: sent"
	done
}

# A pipe is sent once: -n and -d only limit it.
case_a_pipe_ends_before_its_limit() {
	local limit
	veth 2
	capture 50 10 10
	for limit in "-n 1000" "-d 0.3" "-n 1000 -d 5"; do
		# shellcheck disable=SC2086
		cat "$work/sent.pcap" | timeout -k 1 10 "$DXMIT" tx -i va --replay - $limit \
			--json "$report" --interval 0 >/dev/null 2>"$work/stderr"
		is $? 0 "$limit: exit code"
		is "$(cat "$work/stderr")" "" "$limit: nothing on stderr"
		is "$(json .ledger.sent)" 50 "$limit: sent"
	done
	mkfifo "$work/named"
	LIMIT=5 dxmit tx -i va --replay "$work/named" --loop 2
	is "$status" 2 "--loop of a named pipe: exit code"
	one_error --loop "cannot be read twice"
	LIMIT=5 dxmit tx -i va --replay - --loop 2 # /dev/null
	is "$status" 2 "--loop of a device: exit code"
}

# More frames than can be counted are no frames less.
case_a_product_of_loops_and_frames_is_not_cut_off() {
	local loops
	veth 1
	capture 2 2 10
	for loops in 9223372036854775808 18446744073709551615; do
		dxmit tx -i va --replay "$work/sent.pcap" --loop "$loops" -n 1000 --json "$report"
		sent_exactly 1000
		dxmit tx -i va --replay "$work/sent.pcap" --loop "$loops" -d 0.1 --json "$report"
		is "$status" 0 "$dxmit_said: exit code"
		is "$(json '.ledger.sent > 2')" true "$dxmit_said: sent"
	done
}

# ---- what cannot be sent ----

case_C21_a_cut_capture_is_sent_as_far_as_it_goes() {
	veth 2
	capture 100 10 10
	truncate -s -7 "$work/sent.pcap"
	dxmit tx -i va --replay "$work/sent.pcap" --json "$report"
	sent_exactly 99
	like "$stderr" "^dxmit: $work/sent.pcap: warning: 1 bad record is left out; the first: record 100 at byte [0-9]+: truncated" \
		"a warning that names record and offset"
	is "$(json '[.replay.records, .replay.bad] | tojson')" "[99,1]" "records, bad"
	dxmit tx -i va --replay "$work/sent.pcap" --bad-record stop --json "$report"
	is "$status" 1 "--bad-record stop: exit code"
	one_error "$work/sent.pcap" "record 100 at byte [0-9]+"
	# the same of a stream: the good ones are gone by then
	"$DXMIT" tx -i va --replay - --bad-record stop --json "$report" --interval 0 \
		<<<"" >/dev/null 2>"$work/stderr"
	is $? 2 "no capture on standard input: exit code"
	cat "$work/sent.pcap" | "$DXMIT" tx -i va --replay - --bad-record stop \
		--json "$report" --interval 0 >/dev/null 2>"$work/stderr"
	is $? 1 "a stream that breaks off: exit code"
	is "$(json .ledger.sent)" 99 "sent before it"
	like "$(cat "$work/stderr")" "^dxmit: stdin: record 100 at byte [0-9]+: truncated" "message"
}

case_C21_what_is_no_capture_is_refused() {
	local file
	veth 1
	: >"$work/empty"
	mkdir "$work/directory"
	echo "this is no capture, it is a line of text" >"$work/text"
	for file in empty directory text missing; do
		dxmit tx -i va --replay "$work/$file"
		is "$status" 2 "$file: exit code"
		one_error "$work/$file" "cannot be replayed"
	done
	capture 1 1 1
	head -c 24 "$work/sent.pcap" >"$work/header"
	dxmit tx -i va --replay "$work/header"
	is "$status" 1 "no records: exit code"
	one_error "$work/header" "nothing in it can be sent"
}

case_C18_frames_longer_than_the_mtu() {
	veth 1 600
	capture 100 4 10
	dxmit tx -i va --replay "$work/sent.pcap" --json "$report"
	is "$status" 2 "refused: exit code"
	one_error "$work/sent.pcap" "record [0-9]+ at byte [0-9]+: .* the MTU allows"
	dxmit tx -i va --replay "$work/sent.pcap" --oversize skip --json "$report"
	is "$status" 0 "skipped: exit code"
	is "$(json '.replay | .records + .skipped')" 100 "records and skipped"
	is "$(json '.replay.records == .ledger.sent and .replay.skipped > 0')" true \
		"sent are the others"
}

case_addresses_and_checksums_are_rewritten() {
	veth 1
	capture 40 1 10
	record 40
	dxmit tx -i va --replay "$work/sent.pcap" --dst-mac 02:aa:00:00:00:ff --fix-checksums \
		--json "$report"
	recorded
	sent_exactly 40
	# flow 0 is IPv4: destination, and a header checksum, which was 0
	is "$(tail -c +41 "$work/seen.pcap" | head -c 6 | od -An -tx1 | tr -d ' ')" \
		02aa000000ff "destination MAC address"
	isnt "$(tail -c +65 "$work/seen.pcap" | head -c 2 | od -An -tx1 | tr -d ' ')" 0000 \
		"IPv4 checksum"
}

case_all_addresses_of_a_network_are_mapped() {
	veth 1
	capture 40 1 10
	record 40
	dxmit tx -i va --replay "$work/sent.pcap" --map-ip 0.0.0.0/24=198.18.5.0/24 \
		--json "$report"
	recorded
	sent_exactly 40
	is "$(tail -c +67 "$work/seen.pcap" | head -c 8 | od -An -tx1 | tr -d ' ')" \
		c6120501c6120500 "source and destination of the first frame"
}

run_cases "$@"
