#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# timeout: 240
# Guards frames of several chunks (multi-buffer): each arrives once and whole,
# byte for byte, whatever the chunks and the queues; a lost one is one frame and
# not as many as it has chunks; where it cannot be had, a sentence says so.
. "$(dirname "$0")/lib.sh"

CONTENT=$BUILD/tests/content
subject=$DXMIT

# Chunks of a frame of SIZE bytes with FCS.
chunks() { # SIZE CHUNK
	echo $((($1 - 4 + $2 - 1) / $2))
}

# COUNT stamped frames, each once, in order, with right checksums and lengths.
whole() { # COUNT SIZE CHUNK OPTIONS…
	local count=$1 size=$2 chunk=$3
	shift 3
	all_arrive "$count" -s "$size" --frame-size "$chunk" "$@"
	is "$(rx '[.min_length, .max_length] | tojson')" "[$((size - 4)),$((size - 4))]" \
		"$dxmit_said: length at the far end"
	is "$(json '[.queues[].segments, .plan.queues[].segments] | unique | tojson')" \
		"[$(chunks "$size" "$chunk")]" "$dxmit_said: descriptors a frame"
	is "$(counter va tx_packets)" "$(counter vb rx_packets)" "$dxmit_said: counters"
}

on_queues() { # QUEUES
	local size chunk
	veth "$1" 9000
	for size in 4100 4101 8192 9018; do
		for chunk in 2048 4096; do
			whole 2003 "$size" "$chunk"
			whole 501 "$size" "$chunk" --ring 32 -b 3
		done
	done
	whole 501 9018 4096 --ring 4 -b 1
	whole 501 9018 4096 --kick poll --budget 32
	whole 501 9018 4096 --kick sendto --budget 32
}

case_every_frame_arrives_whole_on_1_queue() { on_queues 1; }
case_every_frame_arrives_whole_on_2_queues() { on_queues 2; }

# Compare every byte of 300 frames of SIZE with what the library makes.
expect() { # SIZE PAYLOAD
	local line
	exec {content_fd}< <(exec "$CONTENT" vb 300 destination_mac=02:00:00:00:00:02 \
		source_mac=02:00:00:00:00:01 destination_ip=198.18.0.2 \
		source_ip=198.18.0.1 destination_port=9 source_port=4660 "payload=$2" \
		length=$(($1 - 4)) 2>"$work/content.err")
	read -r -t 10 -u "$content_fd" line
	[ "$line" = ready ] || bail "content: $(cat "$work/content.err")"
}

as_expected() {
	cat <&"$content_fd" >"$work/content.json"
	exec {content_fd}<&-
	no_error
	sent_exactly 300
	is "$(json '[.frames, .differing, .foreign, .first_difference] | tojson' \
		"$work/content.json")" "[300,0,0,null]" \
		"$dxmit_said: frames, differing, foreign, first difference"
}

compare() { # SIZE PAYLOAD OPTIONS…
	local size=$1 payload=$2
	shift 2
	expect "$size" "$payload"
	dxmit tx -i va -n 300 -s "$size" --src-mac 02:00:00:00:00:01 --payload "$payload" \
		--json "$report" "$@"
	as_expected
}

case_byte_for_byte() {
	local size
	veth 2 9000
	for size in 4100 4101 8192 9018; do
		compare "$size" count
		compare "$size" count --frame-size 2048 --ring 128 -b 7
	done
}

bytes() { # HEX
	printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"
}

le32() { # NUMBER
	printf '%08x' "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/'
}

# A capture of the frame that came last, of which CAPTURED bytes are in it.
capture() { # CAPTURED
	local frame
	frame=$(json .first "$work/content.json")
	bytes "d4c3b2a1020004000000000000000000$(le32 262144)$(le32 1)"
	bytes "$(le32 1)$(le32 0)$(le32 "$1")$(le32 $((${#frame} / 2)))${frame:0:$1*2}"
}

case_replayed_byte_for_byte() {
	local options size=9018
	veth 1 9000
	compare "$size" zero
	capture $((size - 4)) >"$work/whole.pcap"
	capture 100 >"$work/cut.pcap"
	for options in "$work/whole.pcap" "$work/whole.pcap --frame-size 2048 --ring 64" \
		"$work/cut.pcap --snapped pad"; do
		expect "$size" zero
		# shellcheck disable=SC2086
		dxmit tx -i va --loop 300 --json "$report" --replay $options
		if [[ $options = *snapped* ]]; then
			: >"$work/stderr" # says that it was cut
			stderr=
		fi
		as_expected
	done
	is "$(json '[.queues[0] | .frame_size, .segments] | tojson')" "[4096,3]" \
		"the chunk of the longest"
	# As a stream, whose lengths nobody knows before.
	expect "$size" zero
	"$DXMIT" tx -i va --replay - --json "$report" < <(
		cat "$work/whole.pcap"
		for _ in {2..300}; do
			tail -c +25 "$work/whole.pcap"
		done
	) >/dev/null 2>"$work/stderr"
	status=$? dxmit_said="dxmit tx --replay -" stderr=$(cat "$work/stderr")
	as_expected
}

# Without --frame-size the chunk is chosen, and the memory is as planned.
case_memory_is_as_planned() {
	veth 1 9000
	dxmit tx -i va -n 500 -s 9018 --json "$report"
	sent_exactly 500
	is "$(json '[.plan.queues[0] | .frame_size, .segments, .frames, .frame_room, .bytes] |
		tojson')" "[4096,3,170,16384,2785280]" "the plan"
	is "$(json '[.queues[0] | .frame_size, .segments, .frames, .bytes] | tojson')" \
		"[4096,3,170,2785280]" "what was obtained"
	like "$stdout" "3 chunks of 4096" "the plan in words"
	dxmit tx -i va -n 500 -s 2053 --json "$report"
	is "$(json '[.queues[0] | .frame_size, .segments, .frames] | tojson')" "[4096,1,512]" \
		"one that fits a larger chunk"
}

# A frame that needs all 17, on a device that takes it.
case_the_longest() {
	ip link add dev va mtu 65000 type veth peer name vb mtu 65000
	ip link set va arp off up
	ip link set vb arp off up
	wait_carrier va vb
	whole 101 34820 2048
	whole 101 65018 4096
}

case_sizes_mixed() {
	veth 2 9000
	all_arrive 3000 -s 64,9018,4101,1518 --stamp
	is "$(rx '[.min_length, .max_length] | tojson')" "[60,9014]" "shortest and longest"
	all_arrive 3000 -s random:64-9018:517 --frame-size 2048 --ring 64
}

case_fields_that_change_keep_the_checksum() {
	veth 1 9000
	receive vb --count 600 --time 10
	dxmit tx -i va -n 600 -s 9018 --stamp --json "$report" \
		--frame 'eth/ip4:10.0.0.1-10.0.0.200>10.1.0.1/udp:inc(1024..1123,nested)>80'
	received
	sent_exactly 600
	is "$(rx '[.frames, .bad_checksum, .bad_length] | tojson')" "[600,0,0]" \
		"frames, bad checksums, bad lengths"
}

case_ifb_completes_all_and_sends_none() {
	sink sink 1
	ip link set sink mtu 9000
	dxmit tx -i sink -n 20000 -s 9018 --json "$report"
	is "$(json '[.ledger | .queued, .sent, .in_flight, .invalid] | tojson')" \
		"[20000,0,0,0]" "queued, sent, in flight, invalid"
	is "$(counter sink rx_packets)" 20000 "frames the device counted"
	is "$(counter sink rx_bytes)" $((20000 * 9014)) "bytes the device counted"
}

# The far end goes down: every frame is refused, and each is one loss.
case_carrier_loss_counts_frames() {
	local lost
	veth 1 9000
	ip link set vb down
	dxmit tx -i va -n 300 -s 9018 --kick sendto --link-loss go --json "$report"
	is "$(json '[.ledger | .queued, .sent, .dropped, .in_flight, .invalid] | tojson')" \
		"[300,0,300,0,0]" "queued, sent, dropped, in flight, invalid"
	is "$(counter va tx_dropped)" 300 "frames the device dropped"
	is "$(json '.queues[0].lost')" 300 "frames lost"
	# And in the middle of a run: what is not lost arrives.
	ip link set vb up
	wait_carrier va
	lost=$(counter va tx_dropped)
	receive vb --time 15
	dxmit_start tx -i va -n 4000 -s 9018 --rate 4kpps --kick sendto --link-loss go \
		--stamp --interval 0 --json "$report"
	dxmit_is_sending
	sleep 0.2
	ip link set vb down
	sleep 0.2
	ip link set vb up
	dxmit_wait
	receive_stop
	lost=$(($(counter va tx_dropped) - lost))
	is "$(json '[.ledger | .queued, .in_flight, .invalid, .unexplained] | tojson')" \
		"[4000,0,0,0]" "queued, in flight, invalid, unexplained"
	is "$(json .ledger.dropped)" "$lost" "dropped, and what the device says"
	isnt "$lost" 0 "frames lost"
	is "$(rx '[.duplicates, .bad_checksum, .bad_length] | tojson')" "[0,0,0]" \
		"twice, bad checksums, bad lengths"
}

# A kernel before 6.6 calls the flag invalid.
case_a_kernel_without_it() {
	local calls
	veth 1 9000
	DXMIT=$BUILD/tests/fault dxmit "$work/log" bind EINVAL 0 "$subject" tx -i va -n 1 -s 9018
	is "$status" 0 "without a fault"
	calls=$(grep -o '[0-9]*' "$work/log" | head -1)
	# The socket's own is the last of one queue.
	DXMIT=$BUILD/tests/fault dxmit "$work/log" bind EINVAL "$calls" "$subject" tx -i va -n 1 \
		-s 9018
	is "$status" 1 "exit code"
	one_error va "frames of 9014 bytes .* this kernel does not take them.*Linux 6.6"
	is "$(counter va tx_packets)" 1 "frames sent"
	DXMIT=$subject
}

case_other_paths_say_why() {
	veth 1 9000
	dxmit tx -i va -n 10 -s 9018 --path auto --json "$report"
	sent_exactly 10
	is "$(json '.queues[0].path')" kernel "path"
	like "$(json '.queues[0].path_reason')" "several buffers" "why"
	dxmit tx -i va -n 10 -s 9018 --path direct
	isnt "$status" 0 "--path direct: exit code"
	one_error "direct path" "several buffers.*kernel path"
	dxmit tx -i va -n 10 -s 9018 -z
	is "$status" 2 "-z: exit code"
	one_error -s "zero-copy.*copy mode"
	dxmit tx -i va -n 10 -s 9018 --ring 2
	one_error ring_size "too small; use at least 3"
}

run_cases "$@"
