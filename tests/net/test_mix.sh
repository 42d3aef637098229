#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Guards what changes from frame to frame: sizes, flows and streams arrive in
# exactly the proportions asked for, over any number of queues, with right
# checksums; and the report says what was sent.
. "$(dirname "$0")/lib.sh"

TALLY=$BUILD/tests/tally

# Send COUNT frames and count them at the far end.
arrive() { # COUNT DXMIT-OPTIONS…
	local count=$1 line
	shift
	exec {tally_fd}< <(exec "$TALLY" vb "$count" 2>"$work/tally.err")
	read -r -t 10 -u "$tally_fd" line
	[ "$line" = ready ] || bail "tally: $(cat "$work/tally.err")"
	dxmit tx -i va -n "$count" --interval 0 --json "$report" "$@"
	cat <&"$tally_fd" >"$work/tally.json"
	exec {tally_fd}<&-
	no_error
	sent_exactly "$count"
	is "$(far '[.frames, .foreign, .bad_checksum] | tojson')" "[$count,0,0]" \
		"$dxmit_said: frames, foreign, bad checksums at the far end"
	is "$(json .total.bytes)" \
		"$(far '[.lengths | to_entries[] | (.key | tonumber) * .value] | add')" \
		"$dxmit_said: bytes in the report and at the far end"
}

far() { # JQ-FILTER
	json "$1" "$work/tally.json"
}

# Lengths at the far end, without FCS.
lengths_are() { # JSON
	is "$(far '.lengths | tojson')" "$1" "$dxmit_said: lengths at the far end"
}

flows_are() { # FLOWS FRAMES-EACH
	is "$(far '[.flows, .flow_least, .flow_most] | tojson')" "[$1,$2,$2]" \
		"$dxmit_said: flows, least and most frames of one"
}

case_sizes_in_exact_proportion() {
	local queues
	for queues in 1 3; do
		veth "$queues"
		arrive 1200 -s imix
		lengths_are '{"60":700,"590":400,"1514":100}'
		arrive 1207 -s imix
		lengths_are '{"60":704,"590":402,"1514":101}'
		arrive 1200 -s 1518,64
		lengths_are '{"60":600,"1514":600}'
		arrive 1000 -s 64:3,1000:2
		lengths_are '{"60":600,"996":400}'
		arrive 4365 -s 64-1518
		is "$(far '[.lengths | length, (to_entries | map(.value) | min, max)] | tojson')" \
			"[1455,3,3]" "$dxmit_said: sizes, least and most frames of one"
		arrive 4365 -s random:64-1518 --ring 64 -b 48
		is "$(far '[.lengths | length, (to_entries | map(.value) | min, max)] | tojson')" \
			"[1455,3,3]" "$dxmit_said: sizes, least and most frames of one"
		ip link del va
	done
}

# With stamps nothing is lost in order either.
case_sizes_with_stamps() {
	veth 2
	all_arrive 12000 -s imix --interval 0 --rate 300kpps
	is "$(rx '[.min_length, .max_length] | tojson')" "[60,1514]" "lengths at the far end"
	all_arrive 5000 -s random:64-1518 --frames 500 --interval 0 --rate 300kpps
}

case_sizes_have_right_rates() {
	veth 1
	arrive 1200 -s imix
	# 700 * 64 + 400 * 594 + 100 * 1518, and 20 more for each.
	is "$(json '[.total | .l2_bps * .seconds / 8, .l1_bps * .seconds / 8 |
		. + 0.5 | floor] | tojson')" "[434200,458200]" "bytes of the rates"
	is "$(json '.config | [.frame_length, .frame_shortest] | tojson')" "[1514,60]" \
		"longest and shortest"
}

case_sizes_above_the_mtu() {
	veth 1 1000
	dxmit tx -i va -n 10 -s imix
	is "$status" 2 "$dxmit_said: exit code"
	one_error -s "1518 bytes exceed the MTU 1000 of va; use at most 1018"
	receive vb --count 100 --time 10
	dxmit tx -i va -n 100 -s imix --stamp --oversize skip --json "$report"
	received
	sent_exactly 100
	like "$stderr" "sizes above 1018 .* are left out" "$dxmit_said: warning"
	is "$(rx '[.frames, .max_length] | tojson')" "[100,590]" "frames and longest"
}

# A tag is no part of what the MTU limits, at the start and during a run.
case_tagged_frames_of_full_size() {
	veth 1
	dxmit tx -i va -d 0.5 --rate 1kpps -s 1522 --frame eth/vlan:7/ip4/udp --json "$report"
	no_error
	is "$status" 0 "$dxmit_said: exit code"
	within "$(json .ledger.sent)" 490 510 "$dxmit_said: sent"
}

case_flows_cycle_exactly() {
	local queues
	for queues in 1 2 4; do
		veth "$queues"
		arrive 12000 --flows 100 --rate 500kpps
		flows_are 100 120
		arrive 4000 --flows 1000 -s 64,128 --stamp --rate 500kpps
		flows_are 1000 4
		arrive 200000 --flows 100000 --rate 500kpps
		flows_are 100000 2
		ip link del va
	done
}

# An odometer, linked fields, and random ones with a period.
case_modifiers_of_an_expression() {
	veth 2
	arrive 6000 --frame 'eth/ip4:10.0.0.1-10.0.0.20>10.0.1.1/udp:inc(1000..1009,nested)>9'
	flows_are 200 30
	arrive 6000 --frame 'eth/ip4:10.0.0.1-10.0.0.20@1>10.0.1.1/udp:1000-1019@1>9'
	flows_are 20 300
	arrive 6000 --frame 'eth/ip6:fe80::1-fe80::1e>fe80::2/tcp:80>rand(1..65535,period=60)'
	flows_are 60 100
	arrive 5000 --frame 'eth/ip4:rand()>rand()/udp:rand()>list(53|80|443)' -s 64,65,1518
	is "$(far '.flows > 4990')" true "$dxmit_said: nearly all differ"
}

case_stamps_of_every_format() {
	veth 2
	all_arrive 5000 --stamp-format full -s 78,1518 --flows 20 --interval 0 --rate 300kpps
	is "$(rx '[.full, .bad_time] | tojson')" "[5000,0]" "full stamps, wrong times"
	arrive 5000 --stamp --stamp-format pktgen --flows 20
	is "$(far .pktgen)" 5000 "$dxmit_said: headers of pktgen"
	flows_are 20 250
	dxmit tx -i va -n 1 --stamp --stamp-format full
	is "$status" 2 "$dxmit_said: exit code"
	one_error -s "64 bytes are too short for the stamp; use at least 78"
}

# Streams are described in a file.
streams() { # QUEUES
	cat >"$work/streams.yaml" <<-END
		streams:
		  - name: web
		    frame: eth/ip4:10.0.0.1>10.0.0.2/tcp:1000-1009>80
		    size: imix
		    weight: 5
		  - name: dns
		    frame: eth/ip6:fe80::1>fe80::2/udp:1000>53
		    size: 100
		    weight: 3
		  - frame: eth/ip4:10.0.0.1>10.0.0.2/udp:1000>53
		    weight: 2
	END
	veth "$1"
	arrive 12000 --config "$work/streams.yaml"
	is "$(far '.kinds | tojson')" '{"4":{"6":6000,"17":2400},"6":{"17":3600}}' \
		"frames of each stream at the far end"
	is "$(json '[.streams[] | [.name, .packets]] | tojson')" \
		'[["web",6000],["dns",3600],["3",2400]]' "frames of each stream in the report"
	is "$(json '[.streams[].bytes] | add')" "$(json .total.bytes)" "bytes of all streams"
}

case_streams_in_exact_proportion_on_1_queue() { streams 1; }
case_streams_in_exact_proportion_on_3_queues() { streams 3; }

# lib/examples/send_flows.c: ten addresses, with a hundred ports each.
case_example_of_the_library() {
	local line
	veth 1
	exec {tally_fd}< <(exec "$TALLY" vb 2000 2>"$work/tally.err")
	read -r -t 10 -u "$tally_fd" line
	[ "$line" = ready ] || bail "tally: $(cat "$work/tally.err")"
	is "$("$BUILD/lib/examples/send_flows" va 2000)" "submitted 2000: Success" "the example"
	cat <&"$tally_fd" >"$work/tally.json"
	exec {tally_fd}<&-
	dxmit_said=send_flows
	is "$(far '[.frames, .foreign, .bad_checksum] | tojson')" "[2000,0,0]" \
		"send_flows: frames, foreign, bad checksums at the far end"
	flows_are 1000 2
}

# Sizes that are left out do not count in what bits come to: 791 bytes are the
# mean of the others, and streams have the packets their bits make of their own.
case_rates_in_bits_are_of_the_sizes_sent() {
	veth 2
	dxmit tx -i va -n 100 -s 64,1518,3000 --frame-size 4096 --oversize skip \
		--rate 10Mbps --interval 0 --json "$report"
	is "$status" 0 "exit code"
	is "$(json '.total.asked_pps | round')" 1580 "packets per second of 10 Mbit/s"
	cat >"$work/streams.yaml" <<-END
		streams:
		  - {name: short, size: 64, rate: 1024kbps}
		  - {name: some, size: "64,3000", rate: 512kbps}
	END
	dxmit tx -i va -n 300 --config "$work/streams.yaml" --frame-size 4096 \
		--oversize skip --interval 0 --json "$report"
	is "$status" 0 "streams: exit code"
	is "$(json '.total.asked_pps | round')" 3000 "streams: packets per second"
	is "$(json '[.streams[].packets] | tojson')" "[200,100]" "streams: packets"
	dxmit plan -i va --config "$work/streams.yaml" --frame-size 4096 \
		--oversize skip --json "$report"
	is "$(json '.config.rate | round')" 3000 "streams: packets per second of the plan"
}

# A veth says that its link has 10 Gbit/s; a frame of 64 bytes takes 84 of them.
case_streams_share_the_link() {
	veth 1
	cat >"$work/streams.yaml" <<-END
		streams:
		  - {name: short, size: 64, rate: 0.02016%}
		  - {name: long, size: 1230, rate: 0.1%}
	END
	arrive 4000 --config "$work/streams.yaml"
	is "$(json '.total.asked_pps | round')" 4000 "packets per second"
	is "$(json '[.streams[].packets] | tojson')" "[3000,1000]" "packets"
	lengths_are '{"60":3000,"1226":1000}'
	ip link add ifb_slow type ifb
	ip link set ifb_slow up
	dxmit tx -i ifb_slow -n 1 --config "$work/streams.yaml"
	is "$status" 2 "no speed: exit code"
	one_error streams "rate of short, 0.02016 % .*ifb_slow reports no link speed"
}

run_cases "$@"
